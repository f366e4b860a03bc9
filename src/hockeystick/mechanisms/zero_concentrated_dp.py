"""Zero-concentrated differential privacy, declared rather than derived."""

from __future__ import annotations

import math

import numpy as np

from hockeystick.checks import checked, declared, finite_non_negative, whole
from hockeystick.evidence import Evidence
from hockeystick.mechanism import Mechanism
from hockeystick.numerics.types import Array
from hockeystick.relation import Relation

EULER = 0.5772156649015329
"""Euler's constant, the limit of Σ_{i<=k} 1/i − log k, rounded up."""


@declared
class ZeroConcentratedDP(Mechanism):
    """Any (ξ, ρ)-zCDP mechanism: Rényi divergence at most ξ + ρα at every order α > 1.

    Bun and Steinke (2016). Known by its Rényi curve alone, it is accounted by it.

    >>> ZeroConcentratedDP(0.5).rdp(4.0)
    Bound(2.0, lower=0.0, method='renyi', order=4.0, relation=ADD_REMOVE)
    """

    source = "Bun and Steinke 2016"

    rho: float = checked(finite_non_negative)
    xi: float = checked(finite_non_negative, default=0.0)

    def evidence(self, relation: Relation, steps: int = 1) -> Evidence:
        return Evidence(curve=self._divergences)

    def group(self, size: int) -> Mechanism:
        """ρ grows with the square of the size, ξ by size·Σ 1/i (Bun and Steinke 2016)."""
        k = whole("size", size, 1)
        return ZeroConcentratedDP(k * k * self.rho, self.xi * k * _harmonic(k) if self.xi else 0.0)

    def _divergences(self, orders: Array) -> tuple[Array, Array]:
        value = self.xi + (self.rho * orders if self.rho else 0 * np.minimum(orders, 1))
        return value, value


def _harmonic(k: int) -> float:
    """Σ_{i<=k} 1/i; of many terms, the first of its asymptotic series that leave it from above."""
    if k <= 100:
        return sum(1 / i for i in range(1, k + 1))
    return math.log(k) + EULER + 1 / (2 * k) - 1 / (12 * k**2) + 1 / (120 * k**4)
