"""ε(δ) from bounds on δ(ε): Newton's method, then both ends by evaluation.

Where there is a largest loss, Newton's method runs in log(top − ε): far from the top that is the
same as in ε, and next to it δ falls like a power of the distance, whose logarithm is straight.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.series import EPS
from hockeystick.numerics.types import Array

MOST_STEPS = 80
MOST_MOVES = 60
"""Each move off the root is twice the one before."""
SETTLED = 1e-5
"""Error of log δ from which one more step is the last: Newton's method squares it."""
NEAR_ZERO = 1e-3
"""Part of an ε that is too high below which 0 itself is asked."""


class LogDelta(NamedTuple):
    """δ of the finite losses at each ε, by logarithms."""

    least: Array
    most: Array
    fall: Array
    """About −d log δ/dε."""

    @property
    def middle(self) -> Array:
        """log of the mean of both ends."""
        return np.asarray(np.logaddexp(self.least, self.most) - math.log(2))


Evaluate = Callable[[Array], LogDelta]


def solve(evaluate: Evaluate, log_delta: float, guess: float, top: float) -> float:
    """About the ε in [0, top] at which δ is met; 0 if δ(0) is no more."""
    low, high, epsilon = -1.0, top, min(max(guess, 0.0), top)
    for _ in range(MOST_STEPS):
        value = evaluate(np.array([epsilon]))
        excess, fall = float(value.middle[0]) - log_delta, float(value.fall[0])
        if math.isnan(excess):
            raise NumericalError(f"delta is not a number at epsilon = {epsilon!r}")
        low, high = (epsilon, high) if excess > 0 else (low, epsilon)
        if high == 0:
            return 0.0
        new = _next(epsilon, excess, fall, max(low, 0.0), high, top)
        if low < 0 and new <= NEAR_ZERO * high:
            new = 0.0
        if abs(new - epsilon) <= 2 * EPS * epsilon or abs(excess) <= 1e-15:
            return epsilon
        if abs(excess) < SETTLED and abs(new - epsilon) * fall < SETTLED:
            return new
        epsilon = new
    return epsilon


def _next(epsilon: float, excess: float, fall: float, low: float, high: float, top: float) -> float:
    """The next ε to try, inside the bracket."""
    if 0 < fall < math.inf and math.isfinite(excess):
        rest = top - epsilon
        new = epsilon + excess / fall
        if 0 < rest < math.inf:
            new = top - rest * math.exp(min(-excess / (fall * rest), 700.0))
        if low < new < high or new == epsilon:
            return new
        if low == 0 and new <= 0:
            return 0.0
    return (low + high) / 2


def polished(evaluate: Evaluate, log_delta: float, root: float, top: float) -> float:
    """One more step of Newton's method, from a root that a rougher profile has."""
    value = evaluate(np.array([root]))
    excess, fall = float(value.middle[0]) - log_delta, float(value.fall[0])
    if not math.isfinite(excess) or abs(excess) > SETTLED:
        return solve(evaluate, log_delta, root, top)
    return min(max(root + excess / max(fall, 1e-300), 0.0), top)


def ends(
    evaluate: Evaluate, root: float, goals: tuple[float, float], top: float
) -> tuple[float, float]:
    """Below and above the root, where δ is certainly at least e^goals[0] and at most e^goals[1].

    0 and `top` are ends that need no proof. A root that is a little off moves them with it.
    """
    start = evaluate(np.array([root]))
    least, most = float(start.least[0]), float(start.most[0])
    fall = min(max(float(start.fall[0]), 1e-300), 1e300)
    below, above = root + max(least - goals[0], -700.0) / fall, root + (most - goals[1]) / fall
    spread, off = min(most - least, 700.0), max(abs(below - root), abs(above - root)) * fall
    pads = [(0.1 * spread + min(off, 1.0) ** 2) / fall + 4 * EPS * root + 1e-300] * 2
    for _ in range(MOST_MOVES):
        low, high = max(below - pads[0], 0.0), min(above + pads[1], top)
        value = evaluate(np.array([low, high]))
        proven = low == 0 or value.least[0] >= goals[0], high == top or value.most[1] <= goals[1]
        if all(proven):
            return low, high
        pads = [pad if done else 2 * pad for pad, done in zip(pads, proven, strict=True)]
    raise NumericalError("the error of delta could not be bounded around its root")


def invert(
    evaluate: Evaluate, goals: tuple[float, float], guess: float, top: float
) -> tuple[float, float]:
    """Both ends of the ε at which δ is between e^goals[1] and e^goals[0].

    Two goals, because the mass at infinity, which is taken off δ, is known to the last digit only.

    >>> def evaluate(epsilon):  # one answer of a coin: δ = (1 − e^{ε−1})/2
    ...     rest = np.exp(epsilon - 1)
    ...     value = np.log((1 - rest) / 2)
    ...     return LogDelta(value - 1e-15, value + 1e-15, rest / (1 - rest))
    >>> lower, upper = invert(evaluate, (math.log(0.1), math.log(0.1)), 0.5, 1.0)
    >>> lower <= 1 + math.log(0.8) <= upper, upper - lower < 1e-14
    (True, True)
    """
    root = solve(evaluate, goals[0], guess, top)
    if root == 0 and float(evaluate(np.zeros(1)).most[0]) <= goals[1]:
        return 0.0, 0.0
    return ends(evaluate, root, goals, top)


def delta_ends(evaluate: Evaluate, epsilon: float, slip: float) -> tuple[float, float]:
    """Both ends of δ(ε), if sums of losses may be off by `slip` either way."""
    value = evaluate(np.array([epsilon - slip, epsilon + slip]))
    least, most = math.exp(value.least[1]), math.exp(min(float(value.most[0]), 0.0))
    return least * (1 - 4 * EPS), min(most * (1 + 4 * EPS) + 5e-324, 1.0)


def moved_apart(ends: tuple[float, float], slip: float, top: float) -> tuple[float, float]:
    """Both ends of ε, if sums of losses may be off by `slip` either way; 0 stays 0."""
    lower, upper = ends
    return max(lower - slip, 0.0), min(upper + slip, top) if upper else 0.0
