"""Laplace noise on every record: both ends from the sum over splines."""

from __future__ import annotations

import math

from hockeystick.bound import Interval
from hockeystick.errors import NumericalError
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.series import EPS
from hockeystick.routes.base import Route
from hockeystick.routes.inverting import delta_ends, invert, moved_apart
from hockeystick.routes.laplace.splines import Splines, splines_for

NAME = "closed form"


def is_for(loss: ComposedLoss) -> bool:
    """Whether every step is the same Laplace noise on all records."""
    return loss.laplace is not None and loss.laplace.rate == 1


def delta(loss: ComposedLoss, epsilon: float) -> Interval:
    """Both ends of δ(ε)."""
    splines, _ = _splines(loss, epsilon, None)
    return Interval(*delta_ends(splines, epsilon, _slip(loss, epsilon)), NAME)


def epsilon(loss: ComposedLoss, delta: float) -> Interval:
    """Both ends of the ε with δ(ε) = delta."""
    log_delta, top = math.log(delta), loss.top
    splines, guess = _splines(loss, None, log_delta)
    ends = invert(splines, (log_delta, log_delta), guess, top)
    return Interval(*moved_apart(ends, _slip(loss, ends[1]), top), NAME)


def _splines(
    loss: ComposedLoss, epsilon: float | None, log_delta: float | None
) -> tuple[Splines, float]:
    if not loss.laplace:
        raise NumericalError("there is more than one kind of noise")
    return splines_for(loss.laplace.shift, loss.steps, epsilon, log_delta)


def _slip(loss: ComposedLoss, epsilon: float) -> float:
    """How far ε may be off by rounding of the losses, and of its place among the knots."""
    return loss.slip + 4 * EPS * (abs(epsilon) + loss.top)


SPLINES = Route(NAME, "a sum over splines, all terms of which are positive", epsilon, delta)
