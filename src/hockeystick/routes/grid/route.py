"""δ(ε) from losses rounded to a grid, up for the upper end and down for the lower (`rounding`).

Both differ from the truth by O(width²) where the loss has a density.

The rounded losses are tilted by e^{cL}, which centres their sum on ε, and composed by FFT on a
window around it; so a δ of 1e-30 keeps its relative accuracy. What wraps around the window is
bounded like the aliases of the contour. Every end is an ε, or a δ, at which the value of the sum
with all that it may be off by has been compared with what was asked.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from hockeystick.bound import Interval
from hockeystick.errors import NumericalError
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.rounding import added
from hockeystick.routes.base import Route
from hockeystick.routes.grid.composing import TRUNCATED, sums_of
from hockeystick.routes.grid.window import window_of

FEW_STEPS = 64
"""Up to so many steps the largest single one is a fair guess of what all give away."""
FIRST_POINTS = 1 << 14
MOST_POINTS = 1 << 18
COARSE_POINTS = 1 << 12
MOST_WORK = 1 << 26
"""Points of the grid over all parts of a composition: some seconds."""
ENOUGH = 1e-10
"""Relative gap between the ends at which refining stops."""


def coarse_delta(loss: ComposedLoss, epsilon: float) -> Interval:
    """Both ends of δ(ε) on a grid of few points: a tenth of the time."""
    return _delta(loss, epsilon, COARSE_POINTS)


def delta(loss: ComposedLoss, epsilon: float) -> Interval:
    """Both ends of δ(ε)."""
    return _delta(loss, epsilon, MOST_POINTS)


def _delta(loss: ComposedLoss, epsilon: float, most: int) -> Interval:
    cut = loss.truncated(max(TRUNCATED * _at_least(loss, epsilon), 1e-300))
    window = window_of(cut, epsilon, None)

    def ends(points: int) -> tuple[float, float]:
        high, low = (sums_of(cut, window, points, up) for up in (True, False))
        value, lower = high.delta(epsilon, 1), low.delta(epsilon, -1)
        if value > 0:
            slack, rare = high.slack(min(math.log(value), 0.0))
            lower = max(lower, high.delta(epsilon + slack, -1) - rare, high.least_delta(epsilon))
        return added(max(0.0, lower), value, (loss.least_infinite, cut.infinite))

    return _converge(ends, len(cut.parts), most)


def _at_least(loss: ComposedLoss, epsilon: float) -> float:
    """A lower bound or, where that is 0, a rough guess of δ(ε): what one step alone gives away."""
    point = np.array([epsilon])
    single = max(float(part.profile(point)[0]) - part.infinite for part, _ in loss.parts)
    if single > 0 and loss.steps <= FEW_STEPS:
        return single
    rough = window_of(loss.truncated(1e-9), epsilon, None)
    return max(single, math.exp(rough.log_delta))


def epsilon(loss: ComposedLoss, delta: float) -> Interval:
    """Both ends of the ε with δ(ε) = delta."""
    target = delta - loss.least_infinite
    cut = loss.truncated(TRUNCATED * target)
    if cut.infinite >= delta:
        raise NumericalError("delta is too close to the mass at infinity for the lattice")
    window = window_of(cut, None, math.log(target))

    def ends(points: int) -> tuple[float, float]:
        nonlocal window
        for _ in range(20):
            high, low = (sums_of(cut, window, points, up) for up in (True, False))
            upper = high.epsilon(delta - cut.infinite, 1)
            if upper > -math.inf or window.epsilon <= 0:
                break
            window = window_of(cut, max(0.0, float(high.points[0]) - high.width), math.log(target))
        if upper == -math.inf and window.epsilon > 0:
            raise NumericalError("no window of the lattice was found that holds epsilon")
        shift, rare = high.slack(math.log(target))
        coupled = high.epsilon(target + rare, -1) - shift
        lower = max(low.epsilon(target, -1), coupled, high.least_epsilon(target))
        if math.isfinite(upper):
            window = window_of(cut, max(upper, 0.0), math.log(target))
        return max(0.0, lower), max(0.0, upper)

    return _converge(ends, len(cut.parts), MOST_POINTS)


def _converge(ends: Callable[[int], tuple[float, float]], parts: int, most: int) -> Interval:
    """Refine once, to the number of points that the first gap asks for."""
    most = min(most, MOST_WORK // parts)
    tries = [ends(min(FIRST_POINTS, most))]
    lower, upper = tries[0]
    gap = (upper - lower) / max(upper, 1e-300) if math.isfinite(upper) else 1.0
    if gap > ENOUGH and most > FIRST_POINTS:
        # The gap shrinks with the width squared.
        wanted = max(2 * FIRST_POINTS, FIRST_POINTS * math.sqrt(gap / ENOUGH))
        tries.append(ends(int(min(most, wanted))))
    lower, upper = max(a for a, _ in tries), min(b for _, b in tries)
    if lower > upper * (1 + 1e-9):
        raise NumericalError(f"the lattice contradicts itself: {lower!r} > {upper!r}")
    return Interval(min(lower, upper), upper, "lattice")


GRID = Route("lattice", "losses rounded up and down to a grid, composed by FFT", epsilon, delta)
