"""A route: one way to answer for one direction of a composition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hockeystick.bound import Interval
from hockeystick.errors import NumericalError
from hockeystick.loss.sum import ComposedLoss

CannotAnswer = (NumericalError, OverflowError)
"""What means "try the next": also a number on the way that no float can hold."""


@dataclass(frozen=True)
class Route:
    """Both ends of ε(δ) and of δ(ε), from the law of a sum of losses.

    A route that cannot answer raises `NumericalError`, which means: try the next.
    """

    name: str
    """What a caller asks for and the answer is called."""
    sentence: str
    epsilon: Callable[[ComposedLoss, float], Interval]
    delta: Callable[[ComposedLoss, float], Interval]
