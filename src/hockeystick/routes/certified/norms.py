"""Moments of sampled normal laws at large orders, where one term is as good as all (Theorem 15).

A quadrature would take ever more points. In L_p(Q), p = s + 1, by Minkowski's inequality
q·‖e^ℓ‖ <= ‖1 − q + q·e^ℓ‖ <= (1−q)·‖1‖ + q·‖e^ℓ‖, and ‖e^ℓ‖^p = e^{p(p−1)·shift²/2}: the two ends
are as close as one likes.
"""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb

from hockeystick.loss.exact import Exact
from hockeystick.routes.certified.balls import ball, only_if

DEVIATIONS = 20.0
"""Below the place of the moment, from where on all but 1e-88 of it lies."""


def by_norms(exact: Exact, order: float, nats: float) -> bool:
    """Floats: whether the two ends are within e^−nats."""
    if exact.kind != "normal" or exact.fixed:
        return False
    up, down, q = *map(float, _shifts(exact)), float(exact.rate)
    if up == 0:
        return False
    near = order * up * up / 2 + math.log(q) > nats + math.log(2 + order)
    if down == 0 or not near:
        return near
    place = (order + 1) * up - DEVIATIONS
    off = math.log(order * q / (1 - q)) - down * place - down * down / 2 if q < 1 else math.inf
    return place > 0 and off < -nats


def between_norms(exact: Exact, order: float) -> arb:
    """log M(order), between both ends."""
    only_if(exact.kind == "normal" and not exact.fixed, "a moment of a normal law")
    up, down = _shifts(exact)
    only_if(up > 0, "a record that is there")
    if down:
        return _of_two(ball(up), ball(down), ball(exact.rate), arb(order))
    low, high = _power(ball(exact.rate), ball(up), arb(order))
    return low.union(high)


def _shifts(exact: Exact) -> tuple[Fraction, Fraction]:
    """Of P upwards and of Q downwards."""
    up, down = exact.numbers
    return (down, up) if exact.turned else (up, down)


def _power(q: arb, shift: arb, s: arb) -> tuple[arb, arb]:
    """Both ends of log E[v^{s+1}], v = 1 − q + q·e^ℓ."""
    grown = q * (s * shift * shift / 2).exp()
    return (s + 1) * grown.log(), (s + 1) * (1 - q + grown).log()


def _of_two(up: arb, down: arb, q: arb, s: arb) -> arb:
    """E[v^{s+1}·w^{−s}] over z ~ N(0, 1), where w = 1 − q + q·e^{−down·z − down²/2} falls to 1 − q,
    and above a place of z is at most what it is there. Of E[(q·e^ℓ)^{s+1}] the share above that
    place is Φ((s+1)·up − place)."""
    only_if(q < 1, "a sample")
    low, high = _power(q, up, s)
    place = (s + 1) * up - DEVIATIONS
    most = 1 - q + q * (-down * place - down * down / 2).exp()
    share = (-arb(DEVIATIONS) / arb(2).sqrt()).erfc() / 2
    return (low - s * most.log() + share.log()).union(high - s * (1 - q).log())
