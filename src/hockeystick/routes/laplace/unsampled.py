"""Laplace noise on every record: both ends from the sum over splines."""

from __future__ import annotations

import math

import numpy as np

from hockeystick.bound import Interval
from hockeystick.errors import NumericalError
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.series import EPS
from hockeystick.routes.inverting import invert
from hockeystick.routes.laplace.splines import Splines, splines_for
from hockeystick.routes.laplace.top import least_epsilon

NAME = "closed form"


def is_unsampled(loss: ComposedLoss) -> bool:
    """Whether every step is the same Laplace noise on all records."""
    return loss.laplace is not None and loss.laplace.rate == 1


def delta(loss: ComposedLoss, epsilon: float) -> Interval:
    """Both ends of δ(ε)."""
    splines, _ = _splines(loss, epsilon, None)
    slip = _slip(loss, epsilon)
    value = splines(np.array([epsilon - slip, epsilon + slip]))
    least, most = math.exp(value.least[1]), math.exp(value.most[0])
    return Interval(least * (1 - 4 * EPS), min(most * (1 + 4 * EPS) + 5e-324, 1.0), NAME)


def epsilon(loss: ComposedLoss, delta: float) -> Interval:
    """Both ends of the ε with δ(ε) = delta."""
    log_delta, high, floor = math.log(delta), loss.top, least_epsilon(loss, delta)
    if high - floor <= 16 * EPS * high:
        return Interval(floor, high, NAME)
    splines, guess = _splines(loss, None, log_delta)
    lower, upper = invert(splines, (log_delta, log_delta), max(guess, floor), high)
    slip = _slip(loss, upper)
    return Interval(max(lower - slip, floor), min(upper + slip, high) if upper else 0.0, NAME)


def _splines(
    loss: ComposedLoss, epsilon: float | None, log_delta: float | None
) -> tuple[Splines, float]:
    if not loss.laplace:
        raise NumericalError("there is more than one kind of noise")
    return splines_for(loss.laplace.shift, loss.steps, epsilon, log_delta)


def _slip(loss: ComposedLoss, epsilon: float) -> float:
    """How far ε may be off by rounding of the losses, and of its place among the knots."""
    return loss.slip + 4 * EPS * (abs(epsilon) + loss.top)
