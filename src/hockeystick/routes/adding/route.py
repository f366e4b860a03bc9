"""δ(ε) by adding up the outcomes: few steps of any losses, however large and unequal they are.

Every loss becomes a finite law above and one below it (`points`), exactly the loss itself where it
has few atoms; the steps are split into two halves, each half is added up (`law`), and

    δ(ε) = Σ_a p_a · δ_B(ε − x_a)

over the outcomes a of one half and the δ_B of the other, all terms positive. Both ends are the
values of these sums: the errors charged are the rounding of losses and of masses, no more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hockeystick.bound import Interval
from hockeystick.errors import NumericalError
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.log_sum import log_sum_exp
from hockeystick.numerics.roots import find_root
from hockeystick.numerics.rounding import added
from hockeystick.numerics.types import Array
from hockeystick.routes.adding.law import EPS, Law, Tilt, folded, power
from hockeystick.routes.adding.points import finite_laws
from hockeystick.routes.base import Route
from hockeystick.routes.contour.lifted.law import law_of
from hockeystick.routes.contour.saddle import log_kappa

NAME = "lattice"
TRUNCATED = 1e-12
"""Part of δ that may be moved to infinity."""
PLANNING_POINTS = 1 << 9
PLANNING_ROUNDS = 3
MOST_PAIRS = 6_000_000
"""Pairs of outcomes over all additions, each way: half a second."""
FEW_PAIRS = MOST_PAIRS // 16
"""The same to find out about where ε is."""
MOST_POINTS = 1 << 16
"""Points of one loss where it need not be added to itself,"""
FINER = 16
"""and where it is, so many times those with which it is added."""
LEAST_POINTS = 64
MOST_PARTS = 200
SMALL, MODERATE = 1 << 15, 1 << 18
"""Outcomes of a half up to which adding up is the fastest way, and up to which it is the best where
the fastest has no answer; both are exact."""
CONTINUOUS = 1e-12
"""Relative error of the P- or Q-mass of a cell."""
FEW = 16
"""Steps up to which adding up is worthwhile in any case."""
POOR = 0.3
"""Relative gap between the ends of other routes from which on it is so for more steps."""
CLOSE = 1e-3
"""Relative gap of a large ε up to which no other route is asked."""
LOOSE = 1e-5
"""Relative gap between the ends from which on the points are chosen once more."""
LOOSE_DELTA = 1e-2
"""The same where δ is asked for, which changes so much faster."""
HUGE = 600.0
"""Losses, in nats, from which on Q-masses underflow and grids of one width are of no use."""
ORDERS = 2.0 ** np.arange(-20.0, 40.0, 0.25)


@dataclass(frozen=True, eq=False)
class Halves:
    """The composition as a sum of two finite laws, above the truth or below it."""

    first: Law
    second: Law
    wobble: float
    """How far rounding may have moved the sum of the losses."""
    relative: float
    """Relative error of the probabilities."""

    def delta(self, epsilon: float) -> float:
        """The upper, or the lower, end of δ(ε) of the finite losses."""
        sign = 1 if self.first.up else -1
        shifted = epsilon - sign * self.wobble
        value = float(self.first.masses @ self.second.delta(shifted - self.first.losses))
        error = sign * min(self.relative, 1.0)
        return value * (1 + error) + (5e-308 if sign > 0 else 0.0)

    @property
    def top(self) -> float:
        """The largest sum, rounding included."""
        return float(self.first.losses[-1] + self.second.losses[-1]) + 2 * self.wobble


def is_small(loss: ComposedLoss, most: int = SMALL) -> bool:
    """Whether all outcomes of half the steps, so many at the most, can be added up exactly."""
    if loss.continuous:
        return False
    log_size = 0.0
    for part, count in loss.parts:
        size, half = part.atoms.losses.size, (count + 1) // 2
        log_size += math.lgamma(half + size) - math.lgamma(size) - math.lgamma(half + 1)
        if log_size > math.log(most):
            return False
    return True


def is_first(loss: ComposedLoss) -> bool:
    """Whether this is the way to take: few outcomes, or few steps of losses beyond the others."""
    if is_small(loss):
        return True
    if loss.steps > FEW:
        return False
    law = law_of(loss)
    if law is not None and law.is_wide:  # means far apart are as good as a list
        return True
    try:
        return max(part.truncated(1e-6).top for part, _ in loss.parts) > HUGE
    except NumericalError:  # a law that cannot be cut cannot be listed
        return False


def is_worthwhile(loss: ComposedLoss, others: Sequence[Interval]) -> bool:
    """Whether adding up, which takes seconds for many steps, can better the answers of others."""
    return loss.steps <= FEW or is_poor(others)


def is_good(answer: Interval) -> bool:
    """Whether an answer found by adding up is all that can be had: within a part of a nat, or of
    δ, or of next to nothing of a huge ε."""
    allowed = max(POOR * min(answer.upper, 1.0), CLOSE * answer.upper)
    return math.isfinite(answer.upper) and answer.upper - answer.lower <= allowed


def is_poor(answers: Sequence[Interval]) -> bool:
    """Whether these answers, taken together, leave the question open."""
    upper = min((each.upper for each in answers), default=math.inf)
    lower = max((each.lower for each in answers), default=0.0)
    return math.isinf(upper) or upper - lower > POOR * upper


def delta(loss: ComposedLoss, epsilon: float) -> Interval:
    """Both ends of δ(ε)."""
    _check(loss)
    rough = loss.truncated(1e-9)
    points = MOST_POINTS if is_small(rough) else PLANNING_POINTS
    below = _halves(rough, _tilt(rough, epsilon, None), 1e-9, points)[1]
    guess = min(max(below.delta(epsilon), 1e-280), 1.0)
    cut = loss.truncated(max(TRUNCATED * guess, 1e-300))
    tilt = _tilt(cut, epsilon, None)

    def ends(tilt: Tilt, points: int) -> tuple[float, float, Halves]:
        above, below = _halves(cut, tilt, guess, points)
        least, most = max(0.0, below.delta(epsilon)), above.delta(epsilon)
        return *added(least, most, (loss.least_infinite, cut.infinite)), below

    lower, upper, below = ends(tilt, MOST_POINTS // 4)
    if upper - lower > LOOSE_DELTA * upper and 0 < lower - loss.infinite < 1:
        closer = _closer(tilt, below, epsilon, lower - loss.infinite)
        low, high, _ = ends(closer, MOST_POINTS)
        lower, upper = max(low, lower), min(high, upper)
    return Interval(min(lower, upper), upper, NAME)


def profile(loss: ComposedLoss, guess: float) -> Callable[[float], tuple[float, float]]:
    """Both ends of δ at any ε from one list of outcomes; `guess` is about δ(0)."""
    _check(loss)
    cut = loss.truncated(max(TRUNCATED * guess, 1e-300))
    above, below = _halves(cut, _tilt(cut, 0.0, None), guess, MOST_POINTS)

    def ends(epsilon: float) -> tuple[float, float]:
        least, most = max(0.0, below.delta(epsilon)), above.delta(epsilon)
        lower, upper = added(least, most, (loss.least_infinite, cut.infinite))
        return min(lower, upper), upper

    return ends


def epsilon(loss: ComposedLoss, delta: float) -> Interval:
    """Both ends of the ε with δ(ε) = delta."""
    _check(loss)
    target = delta - loss.least_infinite
    cut = loss.truncated(TRUNCATED * target)
    if cut.infinite >= delta:
        raise NumericalError("delta is too close to the mass at infinity")
    tilt = _tilt(cut, None, math.log(target))

    def ends(tilt: Tilt, pairs: int) -> tuple[float, float, Halves]:
        above, below = _halves(cut, tilt, target, MOST_POINTS, pairs)
        return _solve(below, target)[0], _solve(above, delta - cut.infinite)[1], below

    lower, upper, below = ends(tilt, FEW_PAIRS)
    if lower == 0:  # too rough to tell where it is
        lower, upper, below = ends(tilt, MOST_PAIRS)
    if upper - lower > LOOSE * upper and lower > 0:
        low, high, _ = ends(_closer(tilt, below, lower, target), MOST_PAIRS)
        lower, upper = max(low, lower), min(high, upper)
    upper = min(upper, loss.top)
    return Interval(min(lower, upper), upper, NAME)


def _closer(tilt: Tilt, below: Halves, epsilon: float, delta: float) -> Tilt:
    """A tilt for the ε found: where one step decides, Chernoff's order is far too small."""
    near = epsilon + 0.1 / tilt.order
    fall = math.log(max(below.delta(epsilon), 1e-300) / max(below.delta(near), 1e-300))
    ceiling = epsilon + 3 / max(10 * tilt.order * fall, 1e-2 * tilt.order)
    return Tilt(max(tilt.order, (5 - math.log(delta)) / ceiling), ceiling)


def _check(loss: ComposedLoss) -> None:
    if len(loss.parts) > MOST_PARTS:
        raise NumericalError(f"too many different steps to add up: {len(loss.parts)}")


def _solve(halves: Halves, delta: float) -> tuple[float, float]:
    """Two ε, next to each other, with δ on either side of the target."""
    log_delta = math.log(delta)

    def excess(epsilon: float) -> float:
        value = halves.delta(epsilon)
        return max(math.log(value) if value > 0 else -math.inf, log_delta - 100) - log_delta

    if excess(0.0) <= 0:
        return 0.0, 0.0
    if excess(halves.top) > 0:
        raise NumericalError("rounding hides where delta is met")
    return find_root(excess, 0.0, halves.top, halves.wobble)


def _tilt(loss: ComposedLoss, epsilon: float | None, log_delta: float | None) -> Tilt:
    """The best order of Chernoff's bound, from rough laws, and ε: where to look closely."""
    tilt = Tilt((50.0 if log_delta is None else 1 - log_delta) / max(loss.top, 1e-6), loss.top)
    rough = 1e-30 if log_delta is None else math.exp(log_delta)
    for _ in range(PLANNING_ROUNDS):
        k = np.zeros(len(ORDERS))
        for part, count in loss.parts:
            above, _ = finite_laws(part, 1e-3 * rough / loss.steps, PLANNING_POINTS, tilt)
            k += count * _cgf(above.thinned(PLANNING_POINTS, tilt))
        bounds = (k + log_kappa(ORDERS) - (log_delta or 0.0)) / ORDERS
        goal = bounds if epsilon is None else ORDERS * (bounds - epsilon)
        order = float(ORDERS[np.argmin(goal)])
        largest = float(bounds.min()) if epsilon is None else epsilon
        tilt = Tilt(order, largest + 3 / order)
    return tilt


def _cgf(law: Law) -> Array:
    return np.asarray(log_sum_exp(np.log(law.masses) + ORDERS[:, None] * law.losses))


def _halves(
    loss: ComposedLoss, tilt: Tilt, delta: float, points: int, pairs: int = MOST_PAIRS
) -> tuple[Halves, Halves]:
    """The two halves of the steps, added up: above the truth, and below it."""
    additions = sum(2 * max(count.bit_length() - 1, 0) for _, count in loss.parts) + len(loss.parts)
    most = max(LEAST_POINTS, int(math.sqrt(pairs / max(additions, 1))))
    most = min(most, points)
    mass = TRUNCATED * delta / loss.steps
    small = not loss.continuous and is_small(loss)
    listed = points if small or loss.steps <= 2 else min(points, FINER * most)
    parts = [
        (finite_laws(part, mass, listed, tilt), count, part.continuous)
        for part, count in sorted(loss.parts, key=lambda each: -each[1])
    ]
    above, below = (
        _added([(laws[i], count, mixed) for laws, count, mixed in parts], tilt, most, listed)
        for i in (0, 1)
    )
    return above, below


def _added(parts: Sequence[tuple[Law, int, bool]], tilt: Tilt, most: int, listed: int) -> Halves:
    """Laws, each so many times, and whether they have a continuous part, in two halves."""
    sides: list[Law | None] = [None, None]
    wobble = relative = 0.0
    for law, count, continuous in parts:
        wobble += count * float(np.abs(law.losses[[0, -1]]).max())
        relative += count * (CONTINUOUS if continuous else _rounding(law))
        half = power(law, count // 2, most, tilt)
        other = law if half is None else half
        if half is not None:
            _add(sides, half, most, tilt)
            other = folded(half, law, most, tilt) if count % 2 else half
        _add(sides, other, most, tilt)
    nothing = Law(np.zeros(1), np.ones(1), parts[0][0].up)
    first, second = (side.thinned(listed, tilt) if side else nothing for side in sides)
    wobble *= 4 * EPS * (2 + sum(count for _, count, _ in parts).bit_length())
    return Halves(first, second, wobble, relative + 16 * EPS)


def _rounding(law: Law) -> float:
    return 4 * EPS * (8 - float(np.log(law.masses.min())))


def _add(sides: list[Law | None], law: Law, most: int, tilt: Tilt) -> None:
    """Add a law to the side that has the fewer outcomes."""
    i = min((0, 1), key=lambda each: len(side) if (side := sides[each]) else 0)
    side = sides[i]
    sides[i] = law if side is None else folded(side, law, most, tilt)


ADDING = Route(NAME, "the outcomes of few steps, added up one by one", epsilon, delta)
