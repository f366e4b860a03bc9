"""ε(δ) and δ(ε) of equal steps of mixtures of Gaussians, with both ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.rounding import added
from hockeystick.numerics.types import Array
from hockeystick.routes.contour.lifted.law import Law, law_of
from hockeystick.routes.contour.lifted.line import Line
from hockeystick.routes.contour.lifted.plan import Plan
from hockeystick.routes.inverting import LogDelta, ends, solve

NEAR = 0.02
"""A line answers for an ε that is so near to the one that its draft has, relatively,"""
NEAR_LOG = 2.0
"""or for a δ whose logarithm is so near."""
MOST_PLANS = 6
LEAST_LOG_DELTA = -600.0
FIRST_LOG_DELTA = -30.0
"""For which δ outcomes are cut off, before anything is known of it."""
RARE_NATS = 7.0
"""A thousandth of δ, for guesses."""
TOO_LOW = -800.0
"""Stands for the logarithm of what may be 0."""

GOOD = 1e-5
"""Relative gap between the ends beyond which another line had better be tried."""

Ends = tuple[float, float]


def good(ask: Callable[[ComposedLoss, Law, float], Ends], loss: ComposedLoss, given: float) -> Ends:
    """By `epsilon` or `delta`; `NumericalError` where no path is for it, or its ends are apart."""
    law = law_of(loss)
    if law is None or law.is_wide:
        raise NumericalError("lifted paths: no steps of mixtures, or with too little noise")
    lower, upper = ask(loss, law, given)
    if not upper - lower <= GOOD * upper:
        raise NumericalError("lifted paths: the ends are apart")
    return lower, upper


def epsilon(loss: ComposedLoss, law: Law, delta: float) -> Ends:
    """Both ends of the smallest ε >= 0."""
    goals = _log_goals(loss, delta)
    top = loss.top if law.is_bounded else math.inf
    with np.errstate(all="ignore"):
        plan, near = Plan(law, loss.steps, None, goals[0]), False
        if plan.is_never_told_apart() or (not plan.epsilon and plan.log_chernoff(0.0) <= goals[1]):
            return 0.0, 0.0
        if not plan.epsilon:
            raise NumericalError("lifted paths: epsilon may be 0")
        for _ in range(MOST_PLANS):
            line = Line(plan, draft=not near)
            root = solve(partial(_along, line), goals[0], plan.epsilon, top)
            if near:
                return ends(partial(_between, line), root, goals, top)
            near = abs(root / plan.epsilon - 1) <= NEAR
            plan = Plan(law, loss.steps, root, goals[0])
    raise NumericalError("lifted paths: no line was found that reaches epsilon")


def delta(loss: ComposedLoss, law: Law, epsilon: float) -> Ends:
    """Both ends of δ(ε)."""
    point = np.array([epsilon])
    with np.errstate(all="ignore"):
        log_delta, near = Plan(law, loss.steps, epsilon, FIRST_LOG_DELTA).rough, False
        for _ in range(MOST_PLANS):
            if not log_delta > LEAST_LOG_DELTA:
                raise NumericalError("lifted paths: delta is too small")
            line = Line(Plan(law, loss.steps, epsilon, log_delta), draft=not near)
            found = float(_along(line, point).most[0])
            if near:
                break
            near = abs(found - log_delta) < NEAR_LOG
            log_delta = found
        else:
            raise NumericalError("lifted paths: no line was found for delta")
        value, error = math.exp(found), float(line.error(point)[0])
        finite = max(0.0, value - error), value + error + float(line.plan.lost(point)[0])
    if not math.isfinite(finite[1]):
        raise NumericalError("lifted paths: the sum along the line is not a number")
    lower, upper = added(*finite, (loss.least_infinite, loss.infinite))
    return lower, min(1.0, upper)


def guess(law: Law, steps: int, delta: float) -> float:
    """About ε, without outcomes that have a thousandth of δ together."""
    with np.errstate(all="ignore"):
        plan = Plan(law, steps, None, math.log(max(delta, 1e-300)), RARE_NATS)
        return max(plan.epsilon, 0.0)


def is_milder(loss: ComposedLoss, law: Law, epsilon: float, goal: float) -> bool:
    """Whether Chernoff's bound says that δ(ε) is at most `goal`; or the line of few sparse steps,
    of which that bound says little, though its own ends may be far apart."""
    log_goal = _log_goals(loss, goal)[1]
    with np.errstate(all="ignore"):
        plan = Plan(law, loss.steps, epsilon, log_goal)
        if plan.log_chernoff(epsilon) <= log_goal:
            return True
    if law.is_wide or not plan.is_sparse:
        return False
    with suppress(NumericalError, OverflowError):
        return delta(loss, law, epsilon)[1] <= goal
    return False


def _log_goals(loss: ComposedLoss, delta: float) -> Ends:
    """log of δ less the mass at infinity, rounded up and down."""
    if not delta > loss.infinite or math.log(delta - loss.infinite) < LEAST_LOG_DELTA:
        raise NumericalError("lifted paths: delta is too near the mass at infinity")
    return math.log(delta - loss.least_infinite), math.log(delta - loss.infinite)


def _along(line: Line, epsilon: Array) -> LogDelta:
    """log δ along one line, as if it had no error."""
    value, rate = line.value(epsilon)
    if not (np.isfinite(value).all() and (value > 0).all()):
        raise NumericalError("lifted paths: the line lost all digits")
    return LogDelta(np.log(value), np.log(value), rate / value)


def _between(line: Line, epsilon: Array) -> LogDelta:
    """log δ along one line, between its ends."""
    middle, error = np.exp(_along(line, epsilon).most), line.error(epsilon)
    if not np.isfinite(error).all():
        raise NumericalError("lifted paths: the error of the line is not a number")
    least, most = middle - error, middle + error + line.plan.lost(epsilon)
    low = np.where(least > 0, np.log(np.maximum(least, 1e-300)), TOO_LOW)
    return LogDelta(low, np.log(most), line.value(epsilon)[1] / middle)
