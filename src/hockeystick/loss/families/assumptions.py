"""Rényi divergences of a family of which only bounds on its log-partition function are known."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hockeystick.errors import ParameterError
from hockeystick.numerics.types import Array

Bound = float | Callable[[float], float]


@dataclass(frozen=True)
class Assumptions:
    """(A) ‖η(X) − η(X')‖ <= Δ for neighbours X, X', and for all η with ‖η − η(X)‖ <= κ

    (B) A(η) <= A(η(X)) + B·‖η − η(X)‖,
    (C) A(η) <= A(η(X)) + ⟨∇A(η(X)), η − η(X)⟩ + L/2·‖η − η(X)‖².
    """

    difference: float
    smoothness: Bound
    lipschitz: Bound
    radius: float

    def renyi(self, orders: Array) -> tuple[Array, Array]:
        """At each order, in both directions alike."""
        value = np.array([self._at(float(order)) for order in orders])
        return value, value

    def _at(self, order: float) -> float:
        """Proposition 33 with B and L of the distances at which they are used.

        A(αη + (1−α)η') is (α − 1)Δ away from η, and A(η') is Δ away.
        """
        delta = self.difference
        if delta == 0:
            return 0.0
        far = (order - 1) * delta
        if far > self.radius or delta > self.radius:
            return math.inf
        steep = [_bound("lipschitz", self.lipschitz, x) for x in (far, delta)]
        bent = [_bound("smoothness", self.smoothness, x) for x in (far, delta)]
        by_slope = (steep[0] + steep[1]) * delta
        if math.isinf(order):
            return by_slope
        return min(by_slope, ((order - 1) * bent[0] + bent[1]) * delta**2 / 2)


def _bound(name: str, bound: Bound, radius: float) -> float:
    value = float(bound(radius)) if callable(bound) else bound
    if math.isnan(value) or value < 0:
        raise ParameterError(f"{name} must have values in [0, inf], got {value!r} at {radius!r}")
    return value
