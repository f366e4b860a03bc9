"""Answers that need no composition: one step, plain Gaussians or Laplace noise, the highest values,
many steps with next to no noise, and steps that are harmless all together."""

from __future__ import annotations

import math
from contextlib import suppress

import numpy as np

from hockeystick.bound import Interval
from hockeystick.errors import NumericalError
from hockeystick.loss.base import Loss
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.roots import find_root
from hockeystick.numerics.series import EPS, LEAST
from hockeystick.routes.adding import evident
from hockeystick.routes.base import Route
from hockeystick.routes.highest_value import HIGHEST
from hockeystick.routes.laplace import unsampled as splines

NAME = "closed form"
RELATIVE = 4e-14
"""Accuracy of a one-step profile, relative to δ."""


def _log_delta(loss: Loss, epsilon: float) -> float:
    value = float(loss.log_profile(np.array([epsilon]))[0])
    if math.isnan(value):
        raise NumericalError(f"the profile of {loss!r} is not a number at epsilon = {epsilon!r}")
    return value


def delta(loss: ComposedLoss, epsilon: float) -> Interval:
    """δ(ε)."""
    one = loss.one
    if one is None:
        return _formula(loss).delta(loss, epsilon)
    slip = _slip(loss, one, epsilon)
    upper, lower = (max(_log_delta(one, epsilon + move), LEAST) for move in (-slip, slip))
    upper += _log_error(upper)
    lower -= _log_error(lower)
    return Interval(
        max(loss.least_infinite, math.exp(lower)), min(1.0, math.exp(upper) + 5e-324), NAME
    )


def epsilon(loss: ComposedLoss, delta: float) -> Interval:
    """The ε with δ(ε) = delta."""
    one = loss.one
    if one is None and loss.is_never_told_apart(delta):
        return Interval(0.0, 0.0, NAME)
    if one is None and loss.laplace:
        with suppress(NumericalError):  # where δ is next to nothing
            return HIGHEST.epsilon(loss, delta)
    if one is None:
        return _formula(loss).epsilon(loss, delta)
    error = _log_error(math.log(delta))
    lower, high = _solve(one, math.log(delta) + error, 0.0, min(one.top, 1.0))
    upper = _solve(one, math.log(delta) - error, lower, high or min(one.top, 1.0))[1]
    lower = max(0.0, lower - _slip(loss, one, lower))
    return Interval(lower, min(upper + _slip(loss, one, upper), loss.top) if upper else 0.0, NAME)


def log_delta(loss: ComposedLoss, epsilon: float) -> Interval:
    """log δ(ε) of plain Gaussians, also where no float holds δ."""
    one = _gaussian(loss)
    slip = _slip(loss, one, epsilon)
    upper, lower = (_log_delta(one, epsilon + move) for move in (-slip, slip))
    return Interval(lower - _log_error(lower), min(0.0, upper + _log_error(upper)), NAME)


def epsilon_at_log(loss: ComposedLoss, log_delta: float) -> Interval:
    """The ε with δ(ε) = e^log_delta of plain Gaussians, also where no float holds δ."""
    one = _gaussian(loss)
    error = _log_error(log_delta)
    lower, high = _solve(one, log_delta + error, 0.0, 1.0)
    upper = _solve(one, log_delta - error, lower, high or 1.0)[1]
    return Interval(
        max(0.0, lower - _slip(loss, one, lower)), upper + _slip(loss, one, upper), NAME
    )


def _log_error(log_delta: float) -> float:
    """On a sample the loss before it is rounded, too, and log δ falls twice as fast with log ℓ as
    it is large: some units of it."""
    return RELATIVE * (1 + 4e-2 * abs(log_delta))


def _gaussian(loss: ComposedLoss) -> Loss:
    """The one Gaussian that the sum amounts to: its profile is computed by logarithms."""
    one = loss.one
    if one is None or one.gaussian_shift is None:
        raise NumericalError("there is no profile in logarithms for this composition")
    return one


def _formula(loss: ComposedLoss) -> Route:
    """The one for several steps."""
    if not loss.continuous:
        return HIGHEST
    if splines.is_for(loss):
        return splines.SPLINES
    if evident.is_for(loss):
        return evident.TOLD
    raise NumericalError("there is no closed form for this composition")


def _slip(loss: ComposedLoss, one: Loss, epsilon: float) -> float:
    """How far ε may be off, through rounding of the losses or of a Gaussian's shift."""
    if one.gaussian_shift is None:
        return loss.slip
    return 8 * EPS * (epsilon + one.gaussian_shift**2 / 2)


def _solve(loss: Loss, log_delta: float, low: float, high: float) -> tuple[float, float]:
    """Two neighbouring ε with δ on either side of the target, at `low` or above; 0 if δ(0) is below
    it. The first guess of the upper one is `high`."""
    values: dict[float, float] = {}

    def excess(epsilon: float) -> float:
        # A floor keeps −inf, beyond the largest loss, from spoiling the interpolation.
        if epsilon not in values:
            values[epsilon] = max(_log_delta(loss, epsilon), log_delta - 100) - log_delta
        return values[epsilon]

    if low == 0 and excess(0.0) <= 0:
        return 0.0, 0.0
    step = max(high - low, 4 * EPS * high)
    while high < loss.top and excess(high) > 0:
        low, high, step = high, min(high + step, loss.top), 2 * step
    if excess(high) > 0:
        return high, high  # nearer to the largest loss than its last digit
    return find_root(excess, low, high)


ROUTE = Route(NAME, "a formula for the whole composition", epsilon, delta)
