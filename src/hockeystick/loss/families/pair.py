"""What losses share whose cumulants, masses and profile are known in closed form or nearly so."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from hockeystick.loss.base import AtomlessLoss, Loss
from hockeystick.loss.measure import Tails
from hockeystick.loss.strip import StripLoss
from hockeystick.numerics.series import Array
from hockeystick.numerics.types import Complex

LOWEST = -800.0
"""The logarithm of what no float can hold."""


@dataclass(frozen=True, kw_only=True)
class PairLoss(StripLoss, AtomlessLoss):
    """The loss of a pair of laws on the line; losses above `ceiling` give the record away."""

    ceiling: float = math.inf

    infinite = void = 0.0

    @property
    def cut(self) -> bool:
        """Whether there is a ceiling."""
        return math.isfinite(self.ceiling)

    @abstractmethod
    def _masses(self, losses: Array) -> Tails:
        """Masses above and below each loss, without the ceiling."""

    @abstractmethod
    def _cumulants(self, s: Complex) -> Complex:
        """K without the ceiling."""

    @abstractmethod
    def _mean(self) -> float:
        """K'(0) without the ceiling."""

    @abstractmethod
    def _log_ahead(self, epsilon: Array, lowest: float = -math.inf) -> Array:
        """log δ(ε) without the ceiling, for ε >= 0; what is below `lowest` may be −inf."""

    @abstractmethod
    def _turned(self) -> Self:
        """(Q, P) without the ceiling."""

    @cached_property
    def _whole(self) -> Self:
        return replace(self, ceiling=math.inf)

    @cached_property
    def _back(self) -> Self:
        return self._turned()

    def _set(self, top: float, bottom: float, low: float, high: float) -> None:
        """The ends of the loss and of the strip."""
        fields = {"top": min(top, self.ceiling), "bottom": bottom, "low": low, "high": high}
        if self.cut:
            beyond = self._masses(np.array([self.ceiling]))
            fields["infinite"] = float(beyond.p_above[0])
            fields["void"] = float(beyond.q_above[0])
            fields["high"] = math.inf
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def _cgf(self, s: Complex) -> Complex:
        return Loss.cgf(self, s) if self.cut else self._cumulants(s)

    def mean(self) -> float:
        return math.inf if self.infinite else self._mean()

    def reverse_mean(self) -> float:
        return super().reverse_mean() if self.cut else self._back.mean()

    def spread(
        self, tilt: float, frequencies: Array, resolved: float, guarded: bool = True
    ) -> Array:
        """|φ(t)| itself, which decreases in t."""
        if self.cut:
            return super().spread(tilt, frequencies, resolved, guarded)
        k = self.cgf(np.append(tilt, tilt + 1j * frequencies)).real
        return np.asarray(np.exp(np.minimum(k[1:] - k[0], 0.0)))

    def tails(self, losses: Array) -> Tails:
        p_above, q_above, p_below, q_below = self._masses(np.minimum(losses, self.ceiling))
        return Tails(
            np.maximum(p_above - self.infinite, 0.0),
            np.maximum(q_above - self.void, 0.0),
            p_below,
            q_below,
        )

    def profile(self, epsilon: Array) -> Array:
        epsilon = np.asarray(epsilon, dtype=float)
        if self.cut:
            at = np.minimum(epsilon, self.ceiling)
            below = self._whole.profile(at) + np.exp(at) * self.void
            return np.where(epsilon < self.ceiling, below, self.infinite)
        value = np.exp(self._log_ahead(np.maximum(epsilon, 0.0), LOWEST))
        if (epsilon < 0).any():
            down = np.minimum(epsilon, 0.0)
            back = -np.expm1(down) + np.exp(down) * self._back.profile(-down)
            value = np.where(epsilon < 0, back, value)
        return value

    def log_profile(self, epsilon: Array) -> Array:
        epsilon = np.asarray(epsilon, dtype=float)
        if self.cut or (epsilon < 0).any():
            return super().log_profile(epsilon)
        return self._log_ahead(epsilon)

    def reverse(self) -> Loss:
        return self if self.symmetric else super().reverse() if self.cut else self._back

    def reverse_profile(self, epsilon: Array) -> Array:
        return super().reverse_profile(epsilon) if self.cut else self._back.profile(epsilon)

    def truncated(self, mass: float) -> Self:
        if math.isfinite(self.top):
            return self
        low, high = 0.0, 1.0
        while float(self._masses(np.array([high])).p_above[0]) > mass:
            low, high = high, 2 * high
        for _ in range(60):
            middle = (low + high) / 2
            beyond = float(self._masses(np.array([middle])).p_above[0])
            low, high = (middle, high) if beyond > mass else (low, middle)
        made = replace(self, ceiling=high)
        made.__dict__["_whole"] = self  # which remembers what it was asked
        return made
