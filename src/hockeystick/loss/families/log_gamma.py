"""The loss of two gamma laws of one rate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import gammainc, gammaincc, gammaln

from hockeystick.loss.families.natural import NaturalLoss
from hockeystick.loss.line import NATS
from hockeystick.numerics.series import exp_minus
from hockeystick.numerics.stirling import LOG_ROOT, remainder
from hockeystick.numerics.types import Array

LARGEST_EXPONENT = 700.0
"""e^700 is still a float."""
TINY = -30.0
"""Below e^−30 the distribution function of a gamma law is its first term."""


@lru_cache(maxsize=1024)
def _peak(shape: float) -> float:
    """The log-density of the logarithm of Gamma(shape) where it is highest."""
    return 0.5 * math.log(shape) - LOG_ROOT - float(remainder(shape).real)


@dataclass(frozen=True)
class GammaLoss(NaturalLoss):
    """Gamma(start + move) against Gamma(start): L = move·log θ − log Γ(start+move)/Γ(start)."""

    @property
    def _gammas(self) -> tuple[tuple[float, float], ...]:
        return ((self.start, 1.0),)

    def _centre(self, tilt: float) -> float:
        return math.log1p(tilt / self.start)

    def _drop(self, tilt: float, w: Array) -> Array:
        return np.asarray((self.start + tilt) * exp_minus(np.minimum(w, LARGEST_EXPONENT)))

    def _peak(self, tilt: float) -> float:
        return _peak(self.start + tilt)

    def _above(self, tilt: float, v: Array) -> Array:
        return np.asarray(gammaincc(self.start + tilt, self._value(v)))

    def _below(self, tilt: float, v: Array) -> Array:
        shape, log_value = self.start + tilt, v + math.log(self.start)
        first = np.exp(np.minimum(shape * log_value - gammaln(shape + 1), 0.0))
        return np.where(log_value < TINY, first, gammainc(shape, self._value(v)))

    def _value(self, v: Array) -> Array:
        return self.start * np.exp(np.minimum(v, LARGEST_EXPONENT))

    def _decay(self, sign: float) -> float:
        return math.inf if sign > 0 else self.start + self.move

    def _path(self, tilt: float, most: float) -> tuple[float, float]:
        """∫ |e^{−e^u}·e^{ηu}| along Im u = y is (cos y)^{−η} times that on the line."""
        shape = self.start + tilt
        height = min(1.3, most, math.sqrt(2 * NATS / shape))
        return height, -shape * math.log(math.cos(height))
