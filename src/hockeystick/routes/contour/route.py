"""The contour: choose a vertical line, evaluate K on it, and find δ(ε) or its root there."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from hockeystick.bound import Interval
from hockeystick.errors import NumericalError
from hockeystick.loss.family import MANY
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.rounding import added
from hockeystick.numerics.series import EPS
from hockeystick.numerics.types import Array
from hockeystick.routes.base import Route
from hockeystick.routes.contour.few_steps import answer as few_steps
from hockeystick.routes.contour.few_steps.answer import Ends, steps_of
from hockeystick.routes.contour.few_steps.law import SampledSteps
from hockeystick.routes.contour.lifted import answer as lifted
from hockeystick.routes.contour.lifted.law import Law
from hockeystick.routes.contour.line import Line, Sum, ends, solve
from hockeystick.routes.contour.saddle import LOST, MOST_PLANNING_PARTS, find_saddle
from hockeystick.routes.contour.straight import TRUNCATED, Planner, line_for, plan, short_line
from hockeystick.routes.smoothed import route as smoothed

CONTOUR = "contour"
ACCURATE = math.log(1e-12)
"""A line is planned anew while its error is more than this part of δ."""
MODERATE = math.log(2e-9)
"""The same for very many different parts, each of whose K takes long without its largest losses."""
GOOD = 1e-5
"""Relative gap between the ends of a bent line at which no other line is tried."""
VERY_MANY, NARROW = 100_000, 1e-10
"""Steps of which rounding makes a bent line less accurate than a straight one, if there is one with
ends as near as this."""


def delta(loss: ComposedLoss, epsilon: float) -> Interval:
    """δ(ε): on a short line, else for sampled Gaussians and mixtures on a bent one, else on any."""
    return _on_a_line(loss, epsilon, Ways(smoothed.delta, few_steps.delta, lifted.delta, _delta))


def epsilon(loss: ComposedLoss, delta: float) -> Interval:
    """ε(δ): on a short line, else for sampled Gaussians and mixtures on a bent one, else on any."""
    ways = Ways(smoothed.epsilon, few_steps.epsilon, lifted.epsilon, _epsilon)
    return _on_a_line(loss, delta, ways)


class Ways(NamedTuple):
    """How a question is answered on each kind of line."""

    smoothed: Callable[[ComposedLoss, float], Interval]
    bent: Callable[[SampledSteps, float], Ends]
    lifted: Callable[[ComposedLoss, Law, float], tuple[float, float]]
    straight: Callable[[ComposedLoss, float, Planner], Interval]


def _on_a_line(loss: ComposedLoss, asked: float, ways: Ways) -> Interval:
    """By the first line that is good; a rough bent one where none is, or where it says more."""
    if smoothed.is_for(loss):
        with suppress(NumericalError):
            return ways.smoothed(loss, asked)
    rough: Interval | None = None
    steps = steps_of(loss)
    if steps is not None:
        if not few_steps.is_first(steps):
            with suppress(NumericalError):
                return _straight(ways.straight, loss, asked)
        with suppress(NumericalError):
            ends = ways.bent(steps, asked)
            rough = Interval(ends.lower, ends.upper, CONTOUR)
            if ends.gap <= GOOD or ends.by_digits:
                return rough
    with suppress(NumericalError, OverflowError):
        return Interval(*lifted.good(ways.lifted, loss, asked), CONTOUR)
    try:
        straight = ways.straight(loss, asked, line_for)
    except NumericalError:
        if rough is None or not rough.is_tight:
            raise
        return rough
    narrow = rough is not None and rough.upper - rough.lower < straight.upper - straight.lower
    return rough if rough is not None and narrow else straight


def _straight(
    answer: Callable[[ComposedLoss, float, Planner], Interval], loss: ComposedLoss, asked: float
) -> Interval:
    """The answer of a straight line, if that is short; of very many steps, if it is accurate."""
    if loss.steps <= VERY_MANY:
        return answer(loss, asked, short_line)
    found = answer(loss, asked, line_for)
    if found.upper - found.lower > NARROW * found.upper:
        raise NumericalError("a straight line is less accurate than a bent one")
    return found


def is_bent(loss: ComposedLoss) -> bool:
    """Whether there is a bent line for it, and that is the first to be tried."""
    steps = steps_of(loss)
    return steps is not None and few_steps.is_first(steps)


def is_milder(loss: ComposedLoss, epsilon: float, most: float) -> bool:
    """Whether δ(ε) is certainly no more than `most`."""
    return few_steps.is_milder(loss, epsilon, most) or delta(loss, epsilon).upper <= most


def _check_short(planner: Planner, lost: float) -> None:
    """A short line that cancels is given up for a bent one."""
    if planner is short_line and lost > LOST:
        raise NumericalError("the terms of a short line cancel")


def _is_worth_cutting(line: Line, sums: Sum) -> bool:
    """Whether a line of the truncated loss may lose fewer digits, and these are needed."""
    return sums.lost[0] > LOST and math.isinf(line.loss.top) and not _will_do(line, sums)


def _will_do(line: Line, sums: Sum) -> bool:
    """Whether a line of very many different parts is good enough not to be planned anew."""
    return len(line.loss.parts) >= MANY and sums.too_high[0] - sums.log_value[0] < MODERATE


def _delta(loss: ComposedLoss, epsilon: float, planner: Planner) -> Interval:
    """δ(ε) of the finite part of the loss plus its mass at infinity."""
    lower, upper = deltas_on(line_at(loss, epsilon, planner), loss, np.array([epsilon]))
    if math.isnan(upper[0]):
        raise NumericalError(f"the contour lost all digits at epsilon = {epsilon!r}")
    return Interval(float(lower[0]), float(upper[0]), CONTOUR)


def line_at(loss: ComposedLoss, epsilon: float, planner: Planner = line_for) -> Line:
    """A line for δ(ε), of the loss truncated where that loses fewer digits."""
    line = planner(loss, epsilon, None)
    point = np.array([epsilon - loss.slip])
    sums = line.delta(point)
    lost = sums.lost[0]
    _check_short(planner, lost)
    if _is_worth_cutting(line, sums):
        saddle = find_saddle(loss.sketch(MOST_PLANNING_PARTS), epsilon, None)
        mass = TRUNCATED * math.exp(saddle.log_delta)
        with suppress(NumericalError):  # the line that there is will do
            other = plan(loss.truncated(mass), epsilon, None) if mass > 0 else line
            if other.delta(point).lost[0] < lost:
                return other
    return line


def deltas_on(line: Line, loss: ComposedLoss, epsilons: Array) -> tuple[Array, Array]:
    """Both ends of δ at each ε, from one line of the loss or of a truncated one; NaN where it
    has no digits."""
    high = low = line.delta(epsilons - loss.slip)
    if loss.slip:
        low = line.delta(epsilons + loss.slip)
    upper = np.exp(high.log_value) + np.exp(high.too_low)
    lower = np.exp(low.log_value) - np.exp(np.minimum(low.too_high, 700))
    lower = np.maximum(0.0, lower * (1 - 4 * EPS))
    upper = upper * (1 + 4 * EPS) + 5e-324
    if line.loss.infinite:
        rest = loss.least_infinite, line.loss.infinite
        pairs = zip(lower.tolist(), upper.tolist(), strict=True)
        lower, upper = np.array([added(*pair, rest) for pair in pairs]).T
    upper = np.where(high.log_value == -math.inf, math.nan, np.minimum(upper, 1.0))
    return lower, upper


def _epsilon(loss: ComposedLoss, delta: float, planner: Planner) -> Interval:
    """The ε with δ(ε) = delta: Newton's method on the nodes of one line, then both ends checked."""
    log_target = math.log(delta - loss.least_infinite)
    line = planner(loss, None, log_target)
    root = solve(line, log_target)
    sums = line.delta(root)
    _check_short(planner, sums.lost[0])
    if _is_worth_cutting(line, sums):
        with suppress(NumericalError):  # the line that there is will do
            other = plan(loss.truncated(math.exp(log_target) * TRUNCATED), None, log_target)
            other_root = solve(other, log_target)
            again = other.delta(other_root)
            if again.lost[0] < sums.lost[0] - 1:
                line, root, sums = other, other_root, again
    for _ in range(3):
        precise = sums.too_high[0] - sums.log_value[0] < ACCURATE
        # Neither aliases nor cancellation: what is left is the rounding of any line.
        precise |= sums.too_high[0] < sums.too_low[0] + 1 and sums.lost[0] < LOST
        precise |= _will_do(line, sums)
        if precise or abs(root[0] - line.epsilon) * line.centre < 0.05:
            break
        line = planner(line.loss, float(root[0]), log_target)
        root = solve(line, log_target)
        sums = line.delta(root)
    if delta <= line.loss.infinite:
        raise NumericalError(f"delta = {delta!r} is too near the mass at infinity")
    lower, upper = ends(line, root, sums, log_target, math.log(delta - line.loss.infinite))
    return Interval(
        max(0.0, float(lower[0]) - loss.slip), max(0.0, float(upper[0]) + loss.slip), CONTOUR
    )


ROUTE = Route(
    CONTOUR,
    "the inverse Laplace transform of the cumulants of the privacy loss, as an integral whose "
    "errors are bounded",
    epsilon,
    delta,
)
