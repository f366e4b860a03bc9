"""Answers that need no composition: none or one step, plain Gaussians, and the extremes."""

from __future__ import annotations

import math

import numpy as np

from hockeystick.bound import Interval
from hockeystick.composed import ComposedLoss
from hockeystick.errors import NumericalError
from hockeystick.loss import Loss
from hockeystick.losses.gaussian import GaussianLoss, TruncatedGaussianLoss, gaussian_log_delta
from hockeystick.roots import find_root

NAME = "closed form"
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
    if isinstance(loss, GaussianLoss):
        return float(gaussian_log_delta(loss.shift, np.array([epsilon]))[0])
    value = float(loss.profile(np.array([epsilon]))[0])
    if math.isnan(value):
        raise NumericalError(f"the profile of {loss!r} is not a number at epsilon = {epsilon!r}")
    return math.log(value) if value > 0 else -math.inf


def delta(loss: ComposedLoss, epsilon: float) -> Interval | None:
    """δ(ε), or None if there is no closed form."""
    if loss.infinite == 1 or epsilon >= loss.top:
        return Interval(loss.infinite, loss.infinite, NAME)
    one = single(loss)
    if one is None:
        return None
    log_value = _log_delta(one, epsilon)
    value, error = math.exp(log_value), min(1.0, RELATIVE * (1 + 1e-2 * abs(log_value)))
    return Interval(value * (1 - error), min(1.0, value * (1 + error) + 5e-324), NAME)


def epsilon(loss: ComposedLoss, delta: float) -> Interval | None:
    """The ε with δ(ε) = delta, or None if there is no closed form."""
    if loss.infinite >= delta and (delta > 0 or loss.infinite > 0):
        return Interval(math.inf, math.inf, NAME)
    if delta == 0:
        top = max(0.0, loss.top)
        return Interval(top, top, NAME)
    if loss.top <= 0:
        return Interval(0.0, 0.0, NAME)
    one = single(loss)
    if one is None:
        return _highest_value(loss, delta)
    error = RELATIVE * (1 + 1e-2 * abs(math.log(delta)))
    return Interval(
        _solve(one, math.log(delta) + error)[0], _solve(one, math.log(delta) - error)[1], NAME
    )


def _highest_value(loss: ComposedLoss, delta: float) -> Interval | None:
    """ε between the two highest values of a lattice: there δ(ε) = P[top]·(1 − e^{ε − top})."""
    spacing, top = loss.spacing, loss.top
    if spacing is None or not math.isfinite(top):
        return None
    log_mass = 0.0
    for part, count in loss.parts:
        atoms = part.atoms
        highest = atoms.losses == part.top
        log_mass += count * float(atoms.log_q[highest].sum() + part.top)
    log_ratio = math.log(delta - loss.infinite) - log_mass
    if log_ratio >= math.log(-math.expm1(-spacing)):
        return None
    ratio = math.exp(log_ratio)
    value = top + math.log1p(-ratio)
    error = 1e-13 * (top + loss.steps * ratio)
    return Interval(max(0.0, value - error), max(0.0, min(top, value + error)), NAME)


def _solve(loss: Loss, log_delta: float) -> tuple[float, float]:
    """Two neighbouring ε with δ on either side of the target; 0 if δ(0) is below it."""
    if _log_delta(loss, 0.0) <= log_delta:
        return 0.0, 0.0
    high = min(loss.top, 1.0)
    while high < loss.top and _log_delta(loss, high) > log_delta:
        high = min(2 * high, loss.top)

    def excess(epsilon: float) -> float:
        # A floor keeps −inf, beyond the largest loss, from spoiling the interpolation.
        return max(_log_delta(loss, epsilon), log_delta - 100) - log_delta

    return find_root(excess, 0.0, high)
