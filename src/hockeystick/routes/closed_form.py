"""Answers that need no composition: none or one step, plain Gaussians, and the extremes."""

from __future__ import annotations

import math

import numpy as np

from hockeystick.bound import Interval
from hockeystick.errors import NumericalError
from hockeystick.loss.base import Loss
from hockeystick.loss.gaussian import GaussianLoss, TruncatedGaussianLoss, gaussian_log_delta
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.roots import find_root
from hockeystick.numerics.series import EPS, LEAST
from hockeystick.routes.highest_value import highest_value

NAME = "closed form"
FEW_PARTS = 32
"""Of more different steps total variations are not added up: that takes longer than it saves."""
RELATIVE = 4e-14
"""Accuracy of a one-step profile, relative to δ."""


def single(loss: ComposedLoss) -> Loss | None:
    """The one loss that the composition amounts to, if it does."""
    shifts = [
        (part.shift, count)
        for part, count in loss.parts
        if isinstance(part, GaussianLoss) and not isinstance(part, TruncatedGaussianLoss)
    ]
    if shifts and len(shifts) == len(loss):
        largest = max(shift for shift, _ in shifts)  # whose square may underflow
        total = sum(count * (shift / largest) ** 2 for shift, count in shifts)
        return GaussianLoss(largest * math.sqrt(total))
    return loss.parts[0][0] if loss.steps == 1 else None


def _log_delta(loss: Loss, epsilon: float) -> float:
    if loss.gaussian_shift is not None:
        return float(gaussian_log_delta(loss.gaussian_shift, np.array([epsilon]))[0])
    value = float(loss.profile(np.array([epsilon]))[0])
    if math.isnan(value):
        raise NumericalError(f"the profile of {loss!r} is not a number at epsilon = {epsilon!r}")
    return math.log(value) if value > 0 else -math.inf


def delta_at_the_ends(loss: ComposedLoss, epsilon: float) -> Interval | None:
    """δ(ε) where all is given away, and from the largest finite loss on; else None."""
    if loss.infinite == 1 or epsilon >= loss.top:
        return Interval(loss.least_infinite, loss.infinite, NAME)
    return None


def epsilon_at_the_ends(loss: ComposedLoss, delta: float) -> Interval | None:
    """ε for a δ of at most the mass at infinity, and where no finite loss is positive."""
    if loss.infinite > delta:
        return Interval(math.inf if loss.least_infinite > delta else 0.0, math.inf, NAME)
    low, high = (max(0.0, end) for end in loss.highest)
    if delta <= loss.least_infinite or high == 0:
        return Interval(low, high, NAME)
    return None


def delta(loss: ComposedLoss, epsilon: float) -> Interval | None:
    """δ(ε), or None if there is no closed form."""
    one = single(loss)
    if one is None:
        top = highest_value(loss)
        return None if top is None else top.delta(epsilon)
    slip = _slip(loss, one, epsilon)
    upper, lower = (max(_log_delta(one, epsilon + move), LEAST) for move in (-slip, slip))
    upper += RELATIVE * (1 + 1e-2 * abs(upper))
    lower -= RELATIVE * (1 + 1e-2 * abs(lower))
    return Interval(
        max(loss.least_infinite, math.exp(lower)), min(1.0, math.exp(upper) + 5e-324), NAME
    )


def epsilon(loss: ComposedLoss, delta: float) -> Interval | None:
    """The ε with δ(ε) = delta, or None if there is no closed form."""
    one = single(loss)
    if one is None:
        if is_never_told_apart(loss, delta):
            return Interval(0.0, 0.0, NAME)
        top = highest_value(loss)
        return None if top is None else top.epsilon(delta)
    error = RELATIVE * (1 + 1e-2 * abs(math.log(delta)))
    lower = _solve(one, math.log(delta) + error)[0]
    upper = _solve(one, math.log(delta) - error)[1]
    lower = max(0.0, lower - _slip(loss, one, lower))
    return Interval(lower, min(upper + _slip(loss, one, upper), loss.top) if upper else 0.0, NAME)


def is_never_told_apart(loss: ComposedLoss, delta: float) -> bool:
    """Whether δ(0), the total variation, is at most delta: it is at most the sum over all steps."""
    if len(loss) > FEW_PARTS:
        return False
    zero = np.zeros(1)
    steps = sum(count * float(part.profile(zero)[0]) for part, count in loss.parts)
    return steps * (1 + 1e-12) <= delta


def _slip(loss: ComposedLoss, one: Loss, epsilon: float) -> float:
    """How far ε may be off, through rounding of the losses or of a Gaussian's shift."""
    if isinstance(one, GaussianLoss):
        return 8 * EPS * (epsilon + one.shift**2 / 2)
    return loss.slip


def _solve(loss: Loss, log_delta: float) -> tuple[float, float]:
    """Two neighbouring ε with δ on either side of the target; 0 if δ(0) is below it."""
    if _log_delta(loss, 0.0) <= log_delta:
        return 0.0, 0.0
    high = min(loss.top, 1.0)
    while high < loss.top and _log_delta(loss, high) > log_delta:
        high = min(2 * high, loss.top)
    if _log_delta(loss, high) > log_delta:
        return high, high  # nearer to the largest loss than its last digit

    def excess(epsilon: float) -> float:
        # A floor keeps −inf, beyond the largest loss, from spoiling the interpolation.
        return max(_log_delta(loss, epsilon), log_delta - 100) - log_delta

    return find_root(excess, 0.0, high)
