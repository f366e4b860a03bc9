"""The loss of two beta laws of one total."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np
from scipy.special import betainc, betaln, expit

from hockeystick.loss.families.natural import NaturalLoss
from hockeystick.loss.line import NATS
from hockeystick.numerics.stirling import LOG_ROOT, remainder
from hockeystick.numerics.types import Array

TINY = -30.0
"""Below e^−30 the distribution function of a beta law is its first term."""


@lru_cache(maxsize=1024)
def _peak(one: float, total: float) -> float:
    """The log-density of the logit of Beta(one, total − one) where it is highest."""
    other = total - one
    rest = remainder(np.array([one, other, total])).real
    value = 0.5 * (math.log(one) + math.log(other) - math.log(total)) - LOG_ROOT
    return float(value - rest[0] - rest[1] + rest[2])


@dataclass(frozen=True)
class BetaLoss(NaturalLoss):
    """Beta(start + move, total − start − move) against Beta(start, total − start).

    L = move·logit θ plus a constant.
    """

    total: float = field(kw_only=True)

    @property
    def _gammas(self) -> tuple[tuple[float, float], ...]:
        return ((self.start, 1.0), (self.total - self.start, -1.0))

    @cached_property
    def symmetric(self) -> bool:  # type: ignore[override]
        middle = math.isclose(2 * self.start + self.move, self.total, rel_tol=1e-15)
        return middle and not self.cut

    def _centre(self, tilt: float) -> float:
        return math.log1p(tilt / self.start) - math.log1p(-tilt / (self.total - self.start))

    def _drop(self, tilt: float, w: Array) -> Array:
        share = (self.start + tilt) / self.total
        near = np.log1p(share * np.expm1(np.minimum(w, 30.0)))
        if w.max(initial=0.0) < 30:
            return np.asarray(self.total * (near - share * w))
        far = np.maximum(w, 30.0) + math.log(share)
        far = far + np.log1p((1 - share) / share * np.exp(-np.maximum(w, 30.0)))
        return np.asarray(self.total * (np.where(w < 30, near, far) - share * w))

    def _peak(self, tilt: float) -> float:
        return _peak(self.start + tilt, self.total)

    def _above(self, tilt: float, v: Array) -> Array:
        one = self.start + tilt
        return _mass(self.total - one, one, -v - self._shift)

    def _below(self, tilt: float, v: Array) -> Array:
        one = self.start + tilt
        return _mass(one, self.total - one, v + self._shift)

    @property
    def _shift(self) -> float:
        """The logit at the centre of Q."""
        return math.log(self.start) - math.log(self.total - self.start)

    def _decay(self, sign: float) -> float:
        one = self.start + self.move
        return self.total - one if sign > 0 else one

    def _path(self, tilt: float, most: float) -> tuple[float, float]:
        """|1 + e^{x+iy}| is at least (1 + e^x)·cos(y/2)."""
        height = min(2.6, most, math.sqrt(8 * NATS / self.total))
        return height, -self.total * math.log(math.cos(height / 2))


def _mass(one: float, other: float, logit: Array) -> Array:
    """The distribution function of Beta(one, other) at a logit."""
    first = np.exp(np.minimum(one * logit - math.log(one) - betaln(one, other), 0.0))
    return np.where(logit < TINY, first, betainc(one, other, expit(logit)))
