"""Checks of the arguments that everything in this package takes."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from hockeystick.checks import Between, above_one, whole


class Coins(NamedTuple):
    """How many coins are released, and the c of the interval [c, 1 − c] of their probabilities."""

    number: int
    c: float

    @property
    def reach(self) -> float:
        """log((1 − c)/c), the most that one coin tells."""
        return math.log1p(-self.c) - math.log(self.c) if self.c else math.inf


clipping = Between("[0, 0.5]")
"""The c of the interval [c, 1 − c]."""


def coins_of(c: Any, dimension: Any, samples: Any) -> Coins:
    """dimension·samples coins."""
    return Coins(whole("dimension", dimension, 1) * whole("samples", samples, 1), clipping("c", c))


def order_of(order: Any) -> float:
    """A Rényi order in (1, inf]."""
    return above_one("order", order)
