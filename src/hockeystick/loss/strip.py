"""Losses whose cumulants exist in a strip only, and what sampling makes of them."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hockeystick.loss.base import Loss
from hockeystick.loss.mixed import Mixed
from hockeystick.numerics.types import Array, Complex


class StripLoss(Loss):
    """K(s) is finite for low < Re s < high and +inf outside."""

    low: float = -math.inf
    high: float = math.inf

    @abstractmethod
    def _cgf(self, s: Complex) -> Complex:
        """K inside the strip."""

    def cgf(self, s: Complex | Array) -> Complex:
        s = np.atleast_1d(np.asarray(s, dtype=complex))
        return within(s, self.low, self.high, self._cgf)

    def sampled(self, rate: float) -> Loss:
        return StripMixed(self, rate)


@dataclass(frozen=True)
class StripMixed(Mixed):
    """((1−q)·Q + q·P, Q): bounded where the loss falls, infinite from the same order on."""

    def cgf(self, s: Complex | Array) -> Complex:
        s = np.atleast_1d(np.asarray(s, dtype=complex))
        base = self.base
        assert isinstance(base, StripLoss)
        return within(s, -math.inf, base.high, super().cgf)


def within(s: Complex, low: float, high: float, cgf: Callable[[Complex], Complex]) -> Complex:
    """K where Re s is in the strip, and +inf elsewhere.

    On the real line without an imaginary part, for a multiple of inf + 0i is not a number.
    """
    inside = (s.real > low) & (s.real < high)
    if inside.all():
        return cgf(s)
    value = np.full(s.shape, complex(math.inf, 0.0))
    if inside.any():
        value[inside] = cgf(s[inside])
    return value if s.imag.any() else value.real
