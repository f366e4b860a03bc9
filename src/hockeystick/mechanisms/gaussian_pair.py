"""Two Gaussians with different means and covariances."""

from __future__ import annotations

import math
from functools import cached_property, partial
from typing import Any, Self

import numpy as np

from hockeystick.checks import call_text, declare, declared, whole
from hockeystick.errors import ParameterError
from hockeystick.evidence import Evidence
from hockeystick.loss.atoms import NOTHING
from hockeystick.loss.base import Loss
from hockeystick.loss.families.envelope import either_way
from hockeystick.loss.families.quadratic import QuadraticLoss, gaussian_cgf
from hockeystick.loss.gaussian import GaussianLoss
from hockeystick.mechanism import Mechanism
from hockeystick.numerics.stirling import log_ratio
from hockeystick.numerics.types import Array
from hockeystick.relation import REPLACE_ONE, Relation

MOST_EXCESS = 10.0
"""With variances that differ more, tails are too heavy for the exact accountant."""
ALIKE = 1e-15
"""Variances that differ by this part of themselves are the same but for rounding."""


@declared
class GaussianPair(Mechanism):
    """Output N(μ₁, Σ₁) with the record and N(μ₂, Σ₂) without, both given.

    For mechanisms whose noise depends on the data, as a draw from a Gaussian posterior does; that
    no other neighbours are worse is for the caller to know. When a record is replaced, either law
    may come first. In coordinates in which Σ₂ is 1 and Σ₁ diagonal both are products, so the loss
    is a sum of independent ones, and

        D_α = α/2·(μ₁−μ₂)ᵀΣ_α⁻¹(μ₁−μ₂) − log(|Σ_α|/|Σ₁|^{1−α}|Σ₂|^α)/2(α−1),
        Σ_α = αΣ₂ + (1−α)Σ₁,

    infinite where Σ_α is not positive definite (Gil, Alajaji and Linder 2013). Where one coordinate
    alone differs (in variance at most elevenfold), or no variance does, the loss is known exactly;
    else the Rényi curve is, and `independent` gives the coordinates one by one, for exact answers
    without sampling.

    Parameters
    ----------
    mean, covariance: of the law with the record; a number each, or a vector and a matrix.
    other_mean, other_covariance: the same without it.

    >>> round(GaussianPair(1.0, 2.0, 0.0, 1.0).rdp(1.5), 12)  # 3/2 + log(2)/2
    1.84657359028
    """

    source = "Gil, Alajaji and Linder 2013"

    text_constructors = ("flat",)

    mean: tuple[float, ...]
    covariance: tuple[float, ...]
    other_mean: tuple[float, ...]
    other_covariance: tuple[float, ...]

    def __init__(self, mean: Any, covariance: Any, other_mean: Any, other_covariance: Any) -> None:
        size = np.size(_array("mean", mean))
        declare(
            self,
            mean=_vector("mean", mean, size),
            covariance=_matrix("covariance", covariance, size),
            other_mean=_vector("other_mean", other_mean, size),
            other_covariance=_matrix("other_covariance", other_covariance, size),
        )

    @classmethod
    def flat(cls, dimension: int, *numbers: float) -> Self:
        """From all numbers in a row: mean, covariance, the other mean, the other covariance."""
        d = whole("dimension", dimension, 1)
        if len(numbers) != 2 * d * (d + 1):
            raise ParameterError(
                f"numbers must be {2 * d * (d + 1)} in dimension {d}, got {len(numbers)}"
            )
        parts = np.split(_array("numbers", numbers), np.cumsum([d, d * d, d]))
        return cls(parts[0], parts[1].reshape(d, d), parts[2], parts[3].reshape(d, d))

    @cached_property
    def _coordinates(self) -> tuple[Array, Array]:
        """Shifts, and variances less 1, of independent coordinates against standard normals."""
        from scipy.linalg import eigh

        d = len(self.mean)
        one, other = (np.reshape(c, (d, d)) for c in (self.covariance, self.other_covariance))
        # Of Σ₁ − Σ₂, not of Σ₁: nearly equal covariances keep their digits.
        excess, axes = eigh(one - other, other)
        shift = axes.T @ (np.array(self.mean) - np.array(self.other_mean))
        return shift, np.where(np.abs(excess) <= ALIKE, 0.0, excess)

    def evidence(self, relation: Relation, steps: int = 1) -> Evidence:
        pair = self._pair()
        curve = partial(self._divergences, relation)
        if pair is None:
            return Evidence(curve=curve)
        if pair.symmetric or relation is not REPLACE_ONE:
            return Evidence((pair,), curve=curve)
        return Evidence((either_way(pair),), pair, curve)

    def _pair(self) -> Loss | None:
        shift, excess = self._coordinates
        differ = excess != 0
        if not differ.any():
            length = math.hypot(*shift)  # squares may underflow
            return GaussianLoss(length) if length else NOTHING
        if differ.sum() > 1 or (shift[~differ] != 0).any():
            return None
        one, by = float(shift[differ][0]), float(excess[differ][0])
        return QuadraticLoss(one, by) if max(by, -by / (1 + by)) <= MOST_EXCESS else None

    def _divergences(self, relation: Relation, orders: Array) -> tuple[Array, Array]:
        shift, excess = self._coordinates
        one = _divergence(shift, excess, orders)
        other = _divergence(-shift / np.sqrt(1 + excess), -excess / (1 + excess), orders)
        if relation is not REPLACE_ONE:
            return one, other
        return np.maximum(one, other), np.maximum(one, other)

    def independent(self) -> Mechanism:
        """The coordinates as one release each: the same, without sampling, and all in closed form.

        >>> two = GaussianPair([1, 0], [[2, 0], [0, 1]], [0, 0], [[1, 0], [0, 3]])
        >>> two.independent().epsilon(delta=1e-5) < two.epsilon(delta=1e-5)
        True
        """
        shift, excess = self._coordinates
        parts = [GaussianPair(d, 1 + e, 0.0, 1.0) for d, e in zip(shift, excess, strict=True)]
        return sum(parts[1:], start=parts[0])

    def __repr__(self) -> str:
        numbers = (*self.mean, *self.covariance, *self.other_mean, *self.other_covariance)
        if len(self.mean) == 1:
            return call_text("GaussianPair", *numbers)
        return call_text("GaussianPair.flat", len(self.mean), *numbers)


def _divergence(shift: Array, excess: Array, orders: Array) -> Array:
    """D_α, a sum over the coordinates, from order 1 to inf."""
    value = np.zeros(orders.shape)
    s = orders - 1
    finite = np.where(np.isfinite(s), s, 0.0)
    for d, e in zip(shift.tolist(), excess.tolist(), strict=True):
        largest = -0.5 * (math.log1p(e) + d * d / e) if e < 0 else math.inf if e or d else 0.0
        inside = (finite > 0) & (finite * e < 1)
        part = np.where(np.isinf(s), largest, math.inf)
        part[inside] = gaussian_cgf(d, e, s[inside]).real / s[inside]
        part[s == 0] = 0.5 * (float(log_ratio(e).real) + d * d)
        value += part
    return value


def _array(name: str, value: Any) -> Array:
    try:
        numbers = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must hold numbers, got {value!r}") from None
    if not np.isfinite(numbers).all():
        raise ParameterError(f"{name} must hold finite numbers, got {value!r}")
    return numbers


def _vector(name: str, given: Any, size: int) -> tuple[float, ...]:
    value = _array(name, given)
    if value.ndim > 1 or value.size != size or size == 0:
        raise ParameterError(f"{name} must be a vector of {size} numbers, got {value.tolist()!r}")
    return tuple(value.ravel().tolist())


def _matrix(name: str, given: Any, size: int) -> tuple[float, ...]:
    value = _array(name, given)
    square = value.reshape(1, 1) if value.ndim == 0 else value
    if square.shape != (size, size):
        raise ParameterError(
            f"{name} must be a {size} × {size} matrix, got one of shape {value.shape}"
        )
    if not np.array_equal(square, square.T) or np.linalg.eigvalsh(square)[0] <= 0:
        raise ParameterError(
            f"{name} must be symmetric and positive definite, got {value.tolist()!r}"
        )
    return tuple(square.ravel().tolist())
