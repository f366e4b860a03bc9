"""The loss of random allocation: each record takes part in one step of t, chosen at random.

With Λ_i = dP/dQ of step i, the likelihood ratio of the whole epoch is their mean,

    e^L = (Λ_1 + ... + Λ_t)/t        Λ_i independent, each with its law under Q

and E_Q[e^L] = 1 (Feldman and Shenfeld 2025; the "balls and bins" of Chua et al. 2024). The law of
the mean is found by repeated doubling on a geometric grid, as Feldman and Shenfeld (2026) do, with
sums of positive terms only, so that far tails keep their relative accuracy.
"""

from __future__ import annotations

import math
from contextlib import suppress
from functools import lru_cache

import numpy as np

from hockeystick.checks import whole
from hockeystick.errors import NumericalError
from hockeystick.loss.allocation.grid import CUT, Cells
from hockeystick.loss.allocation.law import COARSE, Law, Level, combine, settle
from hockeystick.loss.atoms import AtomicLoss
from hockeystick.loss.base import Loss
from hockeystick.loss.mixed import mixed
from hockeystick.numerics.gauss import gauss_legendre
from hockeystick.numerics.roots import last_true
from hockeystick.numerics.series import EPS, Array, dot

FINENESS = 0.01
"""Width of the grid, in units of how far the mean's logarithm spreads."""
CORE = 9.0
"""How far the fine grid reaches, in the same unit."""
MOST_ROUNDING = 1e-3
"""Relative error of the masses above which a step reveals too little to be told from rounding."""
CELL_POINTS = 8
"""Gauss points of a cell."""


def allocation(base: Loss, steps: int, *, upper: bool = True) -> Loss:
    """One epoch of `steps` steps, in exactly one of which, at random, the record takes part.

    The loss is that of the pair ((1/t)·Σ_i [P at step i, Q elsewhere], Q at every step), on a
    lattice. With `upper` it dominates the true one, in both directions: `reverse()` is as safe as
    the loss itself. Without, it is dominated by it, in both directions. Exact at t = 1.

    Parameters
    ----------
    base: the loss of one step, of any kind that has tails or atoms.
    steps: t, an integer >= 1.

    >>> from hockeystick.loss.gaussian import GaussianLoss
    >>> ends = [allocation(GaussianLoss(1.0), 10, upper=upper) for upper in (False, True)]
    >>> [round(float(loss.profile(np.array([0.5]))[0]), 5) for loss in ends]
    [0.02685, 0.02685]
    """
    return _allocation(base, whole("steps", steps, 1), upper)


@lru_cache(maxsize=64)
def _allocation(base: Loss, steps: int, upper: bool) -> Loss:
    if steps == 1 or base.infinite == 1:
        return base
    error = _rounding(base, steps)
    if error <= MOST_ROUNDING:
        with suppress(NumericalError), np.errstate(over="ignore", invalid="ignore"):
            return _on_grid(_epoch(base, steps, upper), error if upper else -error)
    # The mean of ratios is below one of them in convex order, and above what one step gives away.
    return base if upper else mixed(base, 1 / steps)


def _on_grid(law: Law, error: float) -> Loss:
    """The loss of an epoch, with masses known up to a relative error, to be taken up or down."""
    width, core, tail = law.core.width, law.core, law.tail
    low = min([core.first] + [COARSE * tail.first] * (len(tail.q) > 0))
    high = max(core.last, COARSE * (tail.last - 1) + 1)
    q = np.zeros(high - low)
    q[core.first - low : core.last - low] += core.q
    q[COARSE * tail.first - low : COARSE * tail.last - low : COARSE] += tail.q
    losses = width * np.arange(low, high)
    q = _hedged(q / q.sum() * (1 - law.void), np.exp(losses), error)
    with np.errstate(divide="ignore"):
        loss = AtomicLoss(losses, np.log(q), infinite=law.infinite, void=law.void, spacing=width)
    if not abs(loss.atoms.p.sum() + loss.infinite - 1) <= 4 * abs(error) + 1e-12:
        raise NumericalError("losses so large have probabilities that no float holds")
    return loss


def _rounding(base: Loss, steps: int) -> float:
    """Relative error of the masses.

    Each is a sum of at most 2·10^4 positive terms, and errors multiply over the steps. Places are
    off by some EPS, those of cells known as differences of tails by EPS/width; that counts against
    the spread of the mean.
    """
    spread = _spread(base, 1)
    place = 1e4 * EPS / max(spread if base.smooth else min(spread, spread**2), 1e-300)
    return 2e4 * EPS * steps + math.sqrt(steps) * place


def _spread(base: Loss, steps: int) -> float:
    """About how far log of the mean ratio spreads: sqrt(log(1 + χ²/t)), exact for log-normals."""
    k = float(base.cgf(np.array([1.0])).real[0]) - 2 * math.log1p(-base.infinite)
    if not math.isfinite(k):
        raise NumericalError(f"random allocation needs a finite χ² divergence of {base!r}")
    if k > 600:
        return math.sqrt(max(k - math.log(steps), 1.0))
    return math.sqrt(math.log1p(max(math.expm1(k), 0.0) / steps))


def _epoch(base: Loss, steps: int, upper: bool) -> Law:
    """Halve the steps down to one, then add the halves up again.

    Every level has at most two sizes, n and n+1, on one grid. Its width is 2^j times the last one,
    for the largest j at which it still resolves the level's own spread.
    """
    sizes = [steps]
    while sizes[-1] > 1:
        sizes.append((sizes[-1] + 1) // 2)
    spreads = [_spread(base, n) for n in sizes]
    widths = [FINENESS * spreads[0]]
    for spread in spreads[1:]:
        wider = FINENESS * spread >= 2 * widths[-1] * (1 - 1e-9)
        widths.append(widths[-1] * (2 if wider else 1))
    laws: dict[tuple[int, int], Law] = {}

    def law(n: int, depth: int) -> Law:
        if (n, depth) not in laws:
            reach = CORE * spreads[depth] + spreads[depth] ** 2 / 2
            level = Level(widths[depth], reach, steps / n, upper)
            if n == 1:
                laws[n, depth] = _ground(base, level)
            else:
                f, c = n // 2, n - n // 2
                laws[n, depth] = combine(law(f, depth + 1), law(c, depth + 1), f, c, level)
        return laws[n, depth]

    return law(steps, 0)


def _ground(base: Loss, level: Level) -> Law:
    """The ratio of one step on the grid."""
    width = level.width
    low, high = _support(base, level.weight)
    first, last = math.floor(low / width) - 1, math.ceil(high / width) + 2
    core = Cells(width, first, last)
    tail = Cells(COARSE * width, first // COARSE - 1, last // COARSE + 2)
    void, infinite = base.void, base.infinite
    if base.continuous:
        edges = width * np.arange(first, last + 1)
        core.mass, core.up = _cells(base, edges)
        p_above, q_above, p_below, q_below = (side[[0, -1]] for side in base.tails(edges[[0, -1]]))
        if level.upper:
            void += float(q_below[0] + q_above[1])
            infinite += float(p_below[0] + p_above[1])
    if base.atoms.losses.size:
        losses, log_q = base.atoms
        kept = (losses >= low) & (losses <= high)
        core.add(losses[kept], np.exp(log_q[kept]))
    return settle(core, tail, void, infinite, level)


def _cells(base: Loss, edges: Array) -> tuple[Array, Array]:
    """Q-mass between neighbouring edges, and the part that moves up: it keeps the P-mass."""
    width = edges[1] - edges[0]
    p_above, q_above, p_below, q_below = base.tails(edges)
    q = _between(q_above, q_below)
    up = (_between(p_above, p_below) * np.exp(-edges[:-1]) - q) / math.expm1(width)
    up = np.clip(up, 0.0, q)
    if not base.smooth:
        return q, up
    # A quadrature has no cancellation; it counts where it agrees with the difference of the tails.
    points, weights = gauss_legendre(CELL_POINTS)
    inside = width * (points + 1) / 2
    masses = base.density(edges[:-1, None] + inside) * (weights * width / 2)
    total, part = masses.sum(axis=1), dot(masses, np.expm1(inside) / math.expm1(width))
    good = np.abs(total - q) <= 1e-11 / width * q
    return np.where(good, total, q), np.where(good, part, up)


def _between(above: Array, below: Array) -> Array:
    smaller = above[:-1] < below[1:]
    return np.maximum(np.where(smaller, above[:-1] - above[1:], below[1:] - below[:-1]), 0.0)


def _support(base: Loss, weight: float) -> tuple[float, float]:
    """Losses outside of which there is next to nothing, neither of P nor of Q."""
    ends = []
    for limit, sign in ((base.bottom, -1.0), (base.top, 1.0)):
        x = sign * _spread(base, 1) * np.geomspace(1e-2, 1e6, 600)
        p_above, q_above, p_below, q_below = base.tails(x)
        outside = p_above + weight * q_above if sign > 0 else p_below + weight * q_below
        far = np.flatnonzero(outside < CUT)
        end = float(x[far[0]]) if far.size else limit
        atoms = base.atoms.losses
        extreme = float((sign * atoms).max(initial=-math.inf))
        ends.append(sign * min(max(sign * end, extreme), sign * limit))
    if not all(map(math.isfinite, ends)):
        raise NumericalError(f"the loss {base!r} has tails too heavy for random allocation")
    return ends[0], ends[1]


def _hedged(q: Array, ratios: Array, error: float) -> Array:
    """The largest law in convex order (the smallest, if negative) within a relative error of q.

    It has more in both tails and less in between: masses 1 + error times as large outside of the
    interval that holds half of Q and half of P, and 1 − error times inside.
    """
    below_q = np.append(0.0, np.cumsum(q))
    below_p = np.append(0.0, np.cumsum(q * ratios))
    places = np.arange(len(q) + 1.0)
    half_q, half_p = below_q[-1] / 2, below_p[-1] / 2

    def end_of(start: float) -> float:
        """Where the interval with half of Q ends."""
        return float(np.interp(np.interp(start, places, below_q) + half_q, below_q, places))

    def is_low(start: float) -> bool:
        inside = np.interp(end_of(start), places, below_p) - np.interp(start, places, below_p)
        return bool(inside < half_p)

    start, _ = last_true(is_low, 0.0, float(np.interp(half_q, below_q, places)), 80)
    within = np.clip(end_of(start) - places[:-1], 0, 1) - np.clip(start - places[:-1], 0, 1)
    return np.asarray(q * (1 + error * (1 - 2 * within)))
