"""Renyi divergences D_a(P || Q) of a pair, from the definition."""

from __future__ import annotations

from collections.abc import Callable

from mpmath import mp, mpf

from .pairs import Density, Pair


def divergence(pair: Pair, order: mpf) -> mpf:
    """log(E_Q[(P/Q)^a]) / (a - 1); E_P[log(P/Q)] at a = 1; the largest loss at a = inf.

    Renyi (1961); van Erven and Harremoes (2014), Definitions 2 and 3. Infinite when P has mass
    where Q has none (orders of at least 1).
    """
    if pair.p_only:
        return mp.inf
    if mp.isinf(order):
        return largest_loss(pair)
    a = mpf(order)
    if a == 1:
        return _expectation(pair, lambda p, loss: p * loss, a)
    moment = _expectation(pair, lambda p, loss: p * mp.exp((a - 1) * loss), a)
    return mp.log(moment) / (a - 1)


def largest_loss(pair: Pair) -> mpf:
    """The essential supremum of the loss under P (atoms must be all of them, not a cut list)."""
    d = pair.density
    losses = [a.loss for a in pair.atoms]
    if d is not None:
        losses.append(d.loss(mp.inf if d.stretch else d.knots[-1]))
    return max(losses)


def _expectation(pair: Pair, value: Callable[[mpf, mpf], mpf], order: mpf) -> mpf:
    """The sum over atoms and the integral over the density of value(P-mass, loss)."""
    total = mp.fsum(value(a.p, a.loss) for a in pair.atoms)
    d = pair.density
    if d is not None:
        total += mp.quad(lambda x: value(d.p(x), d.loss(x)), _knots(d, order))
    return total


def _knots(d: Density, order: mpf) -> list[mpf]:
    """The density's interval, widened for the tilt, in panels of a third of its plain width."""
    more = d.stretch * abs(order)
    low, high = d.knots[0] - more, d.knots[-1] + more
    panels = int(mp.ceil(3 * (high - low) / (d.knots[-1] - d.knots[0])))
    return [low + (high - low) * i / panels for i in range(panels + 1)]
