"""Rényi divergences of an exponential family from its log-partition function."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hockeystick.errors import ParameterError
from hockeystick.numerics.gauss import on_panels
from hockeystick.numerics.types import Array

LogPartition = Callable[[Array], float]
Vectors = tuple[tuple[float, ...], ...]

NEAR_ONE = 1 + 2.0 ** np.arange(-20.0, 1.0)
"""Orders to fall back on near 1, where the difference quotient loses its digits."""
PANEL_POINTS = 40
ENOUGH = 1e-13
"""Relative error at which an integral of the covariance has converged."""


@dataclass(frozen=True)
class Pairs:
    """Pairs of natural parameters, of which the worst counts at each order."""

    log_partition: LogPartition
    first: Vectors
    second: Vectors
    inside: Callable[[Array], bool] | None
    covariance: Callable[[Array], Array] | None
    relative_error: float

    def __post_init__(self) -> None:
        for name in ("first", "second"):
            for eta in getattr(self, name):
                if math.isinf(self._value(np.array(eta))):
                    raise ParameterError(
                        f"{name} must be in the natural parameter space, got {list(eta)!r}"
                    )

    def renyi(self, orders: Array) -> tuple[Array, Array]:
        """The largest divergence of any pair at each order, both ways."""
        ways = []
        for ahead, behind in ((self.first, self.second), (self.second, self.first)):
            pairs = zip(ahead, behind, strict=True)
            each = [self._divergences(np.array(a), np.array(b), orders) for a, b in pairs]
            ways.append(np.max(each, axis=0))
        return ways[0], ways[1]

    def _divergences(self, one: Array, other: Array, orders: Array) -> Array:
        if np.array_equal(one, other):
            return np.zeros(orders.shape)
        return np.array([self._divergence(one, other, float(order)) for order in orders])

    def _divergence(self, one: Array, other: Array, order: float) -> float:
        """An upper end of D_α, rounding included; D grows with α, so any larger order will do."""
        best = self._quotient(one, other, order) if order > 1 else math.inf
        if self.covariance is not None and math.isfinite(order):
            best = min(best, self._integral(one, other, order))
        elif order < NEAR_ONE[-1]:
            near = NEAR_ONE[order < NEAR_ONE]
            best = min(best, min(self._quotient(one, other, float(a)) for a in near))
        return best

    def _quotient(self, one: Array, other: Array, order: float) -> float:
        """[A(αη₁ + (1−α)η₂) − αA(η₁) − (1−α)A(η₂)]/(α − 1), and what rounding may have taken."""
        if math.isinf(order):
            return math.inf
        middle = self._value(one + (order - 1) * (one - other))
        if math.isinf(middle):
            return math.inf
        ends = self._value(one), self._value(other)
        terms = np.array([middle, -order * ends[0], (order - 1) * ends[1]])
        error = (self.relative_error + 2.0**-51) * np.abs(terms).sum()
        return max(0.0, float(math.fsum(terms) + error) / (order - 1))

    def _integral(self, one: Array, other: Array, order: float) -> float:
        """∫ weight(t)·Var_t dt, with Var_t the variance of the loss at η₂ + t(η₁ − η₂).

        The weight is t up to 1 and (α − t)/(α − 1) from there to α: the same quotient by
        Taylor's formula, with nothing to cancel.
        """
        if order > 1 and math.isinf(self._value(one + (order - 1) * (one - other))):
            return math.inf
        coarse = self._panels(one, other, order, 1)
        for panels in (2, 4, 8, 16, 32):
            fine = self._panels(one, other, order, panels)
            if abs(fine - coarse) <= ENOUGH * fine:
                return fine * (1 + self.relative_error + 2 * ENOUGH)
            coarse = fine
        return math.inf

    def _panels(self, one: Array, other: Array, order: float, panels: int) -> float:
        total = []
        for left, right in ((0.0, 1.0), (1.0, order)):
            t, weights = on_panels(np.linspace(left, right, panels + 1), PANEL_POINTS)
            weight = t if right == 1 else (order - t) / (order - 1)
            variance = np.array([self._variance(other, one - other, x) for x in t.tolist()])
            total.append(float(weights @ (weight * variance)))
        return math.fsum(total) if order > 1 else total[0]

    def _variance(self, start: Array, by: Array, t: float) -> float:
        assert self.covariance is not None
        matrix = np.asarray(self.covariance(start + t * by), dtype=float)
        if matrix.size != by.size**2 or not np.isfinite(matrix).all():
            raise ParameterError(
                f"covariance must give a finite {by.size} × {by.size} matrix, got {matrix!r} at "
                f"{(start + t * by).tolist()!r}"
            )
        return float(by @ matrix.reshape(by.size, by.size) @ by)

    def _value(self, eta: Array) -> float:
        """A(η), inf outside the natural parameter space."""
        if not np.isfinite(eta).all() or (self.inside is not None and not self.inside(eta)):
            return math.inf
        try:
            with np.errstate(over="ignore"):
                value = float(self.log_partition(eta))
        except OverflowError:
            return math.inf
        if math.isnan(value) or value == -math.inf:
            raise ParameterError(
                f"log_partition must have values in (-inf, inf], got {value!r} at {eta.tolist()!r}"
            )
        return value
