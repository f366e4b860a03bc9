"""ε and log δ where no float holds δ: a closed form, or the contour, both by logarithms.

The line of a contour gives δ(ε) in units of e^{K(c) − cε}, whatever their size is, and a profile in
closed form is one of logarithms. So e^−100000 is no harder than 1e-5; what other routes do (grids,
sums of outcomes) is not done here, and where a line takes too long, K on the real line bounds δ.
"""

from __future__ import annotations

import math
from contextlib import suppress

import numpy as np

from hockeystick.bound import Interval
from hockeystick.errors import NumericalError
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.series import EPS
from hockeystick.routes import closed_form, tilted
from hockeystick.routes.base import CannotAnswer
from hockeystick.routes.contour import line as lines
from hockeystick.routes.contour.route import ACCURATE, CONTOUR
from hockeystick.routes.contour.saddle import log_chernoff
from hockeystick.routes.contour.straight import line_for
from hockeystick.routes.renyi import NAME as RENYI

MOST_LINES = 3
"""The second is planned for the ε that the first one finds."""
ROUNDING = 4 * EPS
"""Of a sum of two logarithms, relative to the larger."""


def epsilon(loss: ComposedLoss, known: float, log_delta: float) -> Interval:
    """The ε with δ(ε) = e^log_delta, in one direction, of which the other costs `known`; no more
    is told than that its largest loss is no larger, where that is so."""
    if loss.infinite:
        told = loss.least_infinite > 0 and math.log(loss.least_infinite) > log_delta
        return Interval(math.inf if told else 0.0, math.inf, closed_form.NAME)
    if loss.top <= known:
        return Interval(0.0, max(0.0, loss.top), closed_form.NAME)
    with suppress(*CannotAnswer):
        return closed_form.epsilon_at_log(loss, log_delta)
    with suppress(*CannotAnswer):
        lower, upper = _on_line(loss, log_delta)
        return Interval(max(0.0, lower - loss.slip), min(upper + loss.slip, loss.top), CONTOUR)
    with suppress(*CannotAnswer):
        return Interval(tilted.epsilon(loss, log_delta), max(0.0, loss.top), closed_form.NAME)
    return Interval(0.0, max(0.0, loss.top), closed_form.NAME)


def _on_line(loss: ComposedLoss, log_delta: float) -> tuple[float, float]:
    line = line_for(loss, None, log_delta)
    for _ in range(MOST_LINES):
        root = lines.solve(line, log_delta)
        sums = line.delta(root)
        if sums.too_high[0] - sums.log_value[0] < ACCURATE:
            break
        line = line_for(loss, float(root[0]), log_delta)
    lower, upper = lines.ends(line, root, sums, log_delta, log_delta)
    return max(0.0, float(lower[0])), max(0.0, float(upper[0]))


def log_delta(loss: ComposedLoss, epsilon: float) -> Interval:
    """log δ(ε), in one direction."""
    least, most = (
        math.log(mass) if mass else -math.inf for mass in (loss.least_infinite, loss.infinite)
    )
    if loss.is_at_most(epsilon):
        return Interval(least, most, closed_form.NAME)
    lower, upper, method = _finite_log_delta(loss, epsilon)
    return Interval(max(least, lower), min(0.0, float(np.logaddexp(upper, most))), method)


def _finite_log_delta(loss: ComposedLoss, epsilon: float) -> Interval:
    """log δ(ε) of the finite losses."""
    with suppress(*CannotAnswer):
        return closed_form.log_delta(loss, epsilon)
    with suppress(*CannotAnswer):
        return _log_delta_on_line(loss, epsilon)
    least = -math.inf
    with suppress(*CannotAnswer):
        least = tilted.log_delta(loss, epsilon)
    return Interval(least, min(0.0, log_chernoff(loss, epsilon)), RENYI)


def _log_delta_on_line(loss: ComposedLoss, epsilon: float) -> Interval:
    line = line_for(loss, epsilon, None)
    high = low = line.delta(np.array([max(0.0, epsilon - loss.slip)]))
    if loss.slip:
        low = line.delta(np.array([epsilon + loss.slip]))
    upper = float(np.logaddexp(high.log_value[0], high.too_low[0]))
    if not math.isfinite(high.log_value[0]) or math.isnan(upper):
        raise NumericalError(f"the contour lost all digits at epsilon = {epsilon!r}")
    lost = float(low.too_high[0] - low.log_value[0])
    lower = float(low.log_value[0]) + math.log(-math.expm1(lost)) if lost < 0 else -math.inf
    return Interval(
        lower - ROUNDING * abs(lower) if math.isfinite(lower) else lower,
        upper + ROUNDING * abs(upper),
        CONTOUR,
    )
