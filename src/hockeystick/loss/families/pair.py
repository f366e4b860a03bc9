"""What losses share whose cumulants, masses and profile are known in closed form or nearly so."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from hockeystick.loss.base import Loss
from hockeystick.loss.line import LineLoss
from hockeystick.loss.strip import StripLoss
from hockeystick.numerics.types import Array, Complex

LOWEST = -800.0
"""The logarithm of what no float can hold."""


@dataclass(frozen=True)
class PairLoss(StripLoss, LineLoss):
    """The loss of a pair of laws on the line with a K, and a reverse, of their own."""

    panel_points = 16

    @abstractmethod
    def _log_ahead(self, epsilon: Array, lowest: float = -np.inf) -> Array:
        """log δ(ε) for ε >= 0; what is below `lowest` may be −inf."""

    @abstractmethod
    def _turned(self) -> Self:
        """(Q, P) without the ceiling."""

    @cached_property
    def _back(self) -> Self:
        return self._turned()

    def _cgf(self, s: Complex) -> Complex:
        return LineLoss.cgf(self, s)

    def reverse_mean(self) -> float:
        return super().reverse_mean() if self.cut else self._back.mean()

    def _spread(self, tilt: float, frequencies: Array, resolved: float) -> Array:
        """|φ(t)| itself, which decreases in t."""
        k = self.cgf(np.append(tilt, tilt + 1j * frequencies)).real
        size = np.exp(np.minimum(k[1:] - k[0], 0.0))
        return np.array([size, size])

    def _profile(self, epsilon: Array) -> Array:
        value = np.exp(self._log_ahead(np.maximum(epsilon, 0.0), LOWEST))
        if (epsilon < 0).any():
            down = np.minimum(epsilon, 0.0)
            back = -np.expm1(down) + np.exp(down) * self._back.profile(-down)
            value = np.where(epsilon < 0, back, value)
        return value

    def _log_profile(self, epsilon: Array) -> Array:
        epsilon = np.asarray(epsilon, dtype=float)
        return super()._log_profile(epsilon) if (epsilon < 0).any() else self._log_ahead(epsilon)

    def _reverse_profile(self, epsilon: Array) -> Array:
        return self._back.profile(epsilon)

    def reverse(self) -> Loss:
        return super().reverse() if self.symmetric or self.cut else self._back
