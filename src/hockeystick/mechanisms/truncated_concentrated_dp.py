"""Truncated concentrated differential privacy, declared rather than derived."""

from __future__ import annotations

import math

import numpy as np

from hockeystick.checks import above_one, checked, declared, finite_non_negative
from hockeystick.evidence import Evidence
from hockeystick.mechanism import Mechanism
from hockeystick.numerics.types import Array
from hockeystick.relation import Relation


@declared
class TruncatedConcentratedDP(Mechanism):
    """Any (ρ, ω)-tCDP mechanism: Rényi divergence at most ρα at the orders 1 < α < ω.

    Bun, Dwork, Rothblum and Steinke (2018). Nothing is known at the orders from ω on.
    """

    source = "Bun, Dwork, Rothblum and Steinke 2018"

    rho: float = checked(finite_non_negative)
    omega: float = checked(above_one)

    def evidence(self, relation: Relation, steps: int = 1) -> Evidence:
        return Evidence(curve=self._divergences)

    def _divergences(self, orders: Array) -> tuple[Array, Array]:
        below = orders < self.omega
        value = np.where(below, self.rho * np.where(below, orders, 0), math.inf)
        return value, value
