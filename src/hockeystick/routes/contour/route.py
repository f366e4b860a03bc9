"""The contour: both ends of δ(ε) and ε(δ) from one vertical line."""

from __future__ import annotations

import math

import numpy as np

from hockeystick.bound import Interval
from hockeystick.errors import NumericalError
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.rounding import added
from hockeystick.numerics.series import EPS
from hockeystick.routes.base import Route
from hockeystick.routes.contour import spectral
from hockeystick.routes.contour.line import Line, ends, solve
from hockeystick.routes.contour.plan import plan
from hockeystick.routes.contour.saddle import LOST, MOST_PLANNING_PARTS, find_saddle

CONTOUR = "contour"
TRUNCATED = 1e-14
"""Part of δ that may be moved to infinity."""
ACCURATE = math.log(1e-12)
"""A line is planned anew while its error is more than this part of δ."""


def line_for(loss: ComposedLoss, epsilon: float | None, log_delta: float | None) -> Line:
    """A line with K by quadrature, or by FFT where that would take too long."""
    try:
        return plan(loss, epsilon, log_delta)
    except NumericalError:
        if not loss.smooth:
            raise
        return spectral.plan(loss, epsilon, log_delta)


def delta(loss: ComposedLoss, epsilon: float) -> Interval:
    """δ(ε) of the finite part of the loss plus its mass at infinity."""
    line = line_for(loss, epsilon, None)
    points = np.array([epsilon - loss.slip, epsilon + loss.slip])
    if not loss.slip:
        points = points[:1]
    found = line.delta(points)
    if found.lost[0] > LOST and math.isinf(line.loss.top):
        saddle = find_saddle(loss.sketch(MOST_PLANNING_PARTS), epsilon, None)
        mass = TRUNCATED * math.exp(saddle.log_delta)
        if mass > 0:
            other = plan(loss.truncated(mass), epsilon, None)
            again = other.delta(points)
            if again.lost[0] < found.lost[0]:
                line, found = other, again
    if found.log_value[0] == -math.inf:
        raise NumericalError(f"the contour lost all digits at epsilon = {epsilon!r}")
    upper = math.exp(found.log_value[0]) + math.exp(found.too_low[0])
    lower = math.exp(found.log_value[-1]) - math.exp(min(found.too_high[-1], 700))
    least, most = max(0.0, lower * (1 - 4 * EPS)), upper * (1 + 4 * EPS) + 5e-324
    return Interval(*added(least, most, (loss.least_infinite, line.loss.infinite)), CONTOUR)


def epsilon(loss: ComposedLoss, delta: float) -> Interval:
    """The ε with δ(ε) = delta: Newton's method on the nodes of one line, then both ends checked."""
    log_target = math.log(delta - loss.least_infinite)
    line = line_for(loss, None, log_target)
    root = solve(line, log_target)
    found = line.delta(root)
    if found.lost[0] > LOST and math.isinf(line.loss.top):
        other = plan(loss.truncated(math.exp(log_target) * TRUNCATED), None, log_target)
        other_root = solve(other, log_target)
        again = other.delta(other_root)
        if again.lost[0] < found.lost[0] - 1:
            line, root, found = other, other_root, again
    for _ in range(3):
        precise = found.too_high[0] - found.log_value[0] < ACCURATE
        # Neither aliases nor cancellation: what is left is the rounding of any line.
        precise |= found.too_high[0] < found.too_low[0] + 1 and found.lost[0] < LOST
        if precise or abs(root[0] - line.epsilon) * line.centre < 0.05:
            break
        line = line_for(line.loss, float(root[0]), log_target)
        root = solve(line, log_target)
        found = line.delta(root)
    if delta <= line.loss.infinite:
        raise NumericalError(f"delta = {delta!r} is too near the mass at infinity")
    lower, upper = ends(line, root, found, log_target, math.log(delta - line.loss.infinite))
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
