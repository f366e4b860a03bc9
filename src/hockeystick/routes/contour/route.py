"""The contour: choose a vertical line, evaluate K on it, and find δ(ε) or its root there."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
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
from hockeystick.routes.contour.few_steps.answer import steps_of
from hockeystick.routes.contour.lifted import answer as lifted
from hockeystick.routes.contour.line import Line, Sum, ends, solve
from hockeystick.routes.contour.saddle import (
    LOST,
    MOST_PLANNING_PARTS,
    NATS,
    curvature,
    find_saddle,
)
from hockeystick.routes.smoothed import route as smoothed

CONTOUR = "contour"
TRUNCATED = 1e-14
"""Part of δ that may be moved to infinity."""
ACCURATE = math.log(1e-12)
"""A line is planned anew while its error is more than this part of δ."""
MODERATE = math.log(2e-9)
"""The same for very many different parts, each of whose K takes long without its largest losses."""
GROWTH = 1.25
"""Ratio of the frequencies at which the decay of e^K is sampled."""
MOST_POINTS = 20_000
GOOD = 1e-5
"""Relative gap between the ends of a bent line at which no other line is tried."""
NEAR_CUT = 100.0
"""A near cut, over the standard deviation of the tilted law's frequencies."""


Planner = Callable[[ComposedLoss, float | None, float | None], Line]


class Effort(NamedTuple):
    """How much may be spent on one line."""

    work: int
    """Contour points × quadrature nodes."""
    few_nodes: int
    most_nodes: int
    """Quadrature nodes of a part with which the decay is sampled at the most: where a cut is known
    that is near enough, and where none is."""


PATIENT = Effort(4_000_000, 4_000, 16_000)
"""About 0.1 s; where more is needed, other ways are faster."""
SHORT = Effort(40_000, 1_000, 1_000)
"""About as long as a bent line takes, where there is one."""


def plan(
    loss: ComposedLoss, epsilon: float | None, log_delta: float | None, effort: Effort = PATIENT
) -> Line:
    """Choose the line, the step and the cut for a given ε or δ (or both), and evaluate K on it."""
    sketch = loss.sketch(MOST_PLANNING_PARTS)
    whole = loss if loss.is_soon_evaluated else sketch
    saddle = find_saddle(whole, epsilon, log_delta)
    i, j, period = saddle.line(NATS, LOST)
    centre = float(saddle.x[i])
    step = 2 * math.pi / period
    level = float(saddle.k[i]) - centre * saddle.epsilon - saddle.log_delta
    cut, log_tail = _cut(sketch, centre, curvature(saddle.x, saddle.k, i), level, effort)
    spacing = loss.spacing
    if spacing is not None and cut > math.pi / spacing:
        # One whole period: an odd number of points, none of them at the edge.
        half = math.ceil(math.pi / spacing / step)
        step = 2 * math.pi / spacing / (2 * half + 1)
        cut, log_tail = half * step, -math.inf
    if not cut / step <= MOST_POINTS or cut / step * sketch.nodes_at(centre, cut) > effort.work:
        raise NumericalError(
            f"the contour would need {cut / step:.3g} points, each with many nodes; use the lattice"
        )
    # Not one point more by rounding: a lattice's period would count it twice.
    t = step * np.arange(math.ceil(cut / step - 1e-6) + 1)
    values, error = loss.cgf_within(centre + 1j * t)
    right = float(saddle.x[j])
    far = float(saddle.k[j]) if whole is loss else float(loss.cgf(np.array([right])).real[0])
    line = Line(
        loss, saddle.epsilon, centre, step, t, values, (right, far), log_tail, float(error.max())
    )
    return line if spacing is None else replace(line, spacing=spacing, origin=loss.origin)


def _cut(
    loss: ComposedLoss, centre: float, variance: float, level: float, effort: Effort
) -> tuple[float, float]:
    """Where to stop, and the log of the sum beyond, in units of e^{K(c) − cε}."""
    unit = 1 / math.sqrt(variance)
    best = (math.inf, math.inf)
    for resolved, count in ((12.0, 44), (100.0, 56), (1000.0, 64), (10000.0, 68)):
        try:
            most = effort.few_nodes if best[0] < NEAR_CUT * unit else effort.most_nodes
            if loss.nodes_at(centre, resolved * unit) > most * len(loss.parts):
                break
        except NumericalError:
            break
        t = unit * GROWTH ** np.arange(-2.0, count - 2.0)
        decay = loss.decay(centre, t, resolved * unit)
        # What each stretch from t[j] to t[j+1], and all beyond the last, can add.
        width = np.append(1 / t[:-1] - 1 / t[1:], 1 / t[-1])
        beyond = np.cumsum((width * np.exp(-decay))[::-1])[::-1] / math.pi
        enough = np.flatnonzero(beyond <= math.exp(min(-level - NATS, 700.0)))
        if enough.size:
            cut = enough[0]
            with np.errstate(divide="ignore"):
                best = min(best, (float(t[cut]), float(np.log(beyond[cut]))))
        if best[0] < resolved * unit:
            break
    return best


def line_for(loss: ComposedLoss, epsilon: float | None, log_delta: float | None) -> Line:
    """A line with K by quadrature.

    Where the rarest outcomes are out of reach, without these.
    """
    try:
        return plan(loss, epsilon, log_delta)
    except NumericalError:
        if loss.smooth or math.isfinite(loss.top):
            raise
        rough = find_saddle(loss.sketch(MOST_PLANNING_PARTS), epsilon, log_delta).log_delta
        cut = loss.truncated(max(TRUNCATED * math.exp(rough), 1e-300))
        return plan(cut, epsilon, log_delta)


def short_line(loss: ComposedLoss, epsilon: float | None, log_delta: float | None) -> Line:
    """A line with K by quadrature, if that is quick."""
    return plan(loss, epsilon, log_delta, SHORT)


def delta(loss: ComposedLoss, epsilon: float) -> Interval:
    """δ(ε): on a short line, else for sampled Gaussians and mixtures on a bent one, else on any."""
    if smoothed.is_for(loss):
        with suppress(NumericalError):
            return smoothed.delta(loss, epsilon)
    steps = steps_of(loss)
    if steps is not None:
        if not few_steps.is_first(steps):
            with suppress(NumericalError):
                return _delta(loss, epsilon, short_line)
        with suppress(NumericalError):
            ends = few_steps.delta(steps, epsilon)
            if ends.gap <= GOOD or ends.by_digits:
                return Interval(ends.lower, ends.upper, CONTOUR)
    with suppress(NumericalError, OverflowError):
        return Interval(*lifted.good(lifted.delta, loss, epsilon), CONTOUR)
    return _delta(loss, epsilon, line_for)


def epsilon(loss: ComposedLoss, delta: float) -> Interval:
    """ε(δ): on a short line, else for sampled Gaussians and mixtures on a bent one, else on any."""
    if smoothed.is_for(loss):
        with suppress(NumericalError):
            return smoothed.epsilon(loss, delta)
    steps = steps_of(loss)
    if steps is not None:
        if not few_steps.is_first(steps):
            with suppress(NumericalError):
                return _epsilon(loss, delta, short_line)
        with suppress(NumericalError):
            ends = few_steps.epsilon(steps, delta)
            if ends.gap <= GOOD or ends.by_digits:
                return Interval(ends.lower, ends.upper, CONTOUR)
    with suppress(NumericalError, OverflowError):
        return Interval(*lifted.good(lifted.epsilon, loss, delta), CONTOUR)
    return _epsilon(loss, delta, line_for)


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
