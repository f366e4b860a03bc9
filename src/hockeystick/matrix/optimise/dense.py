"""The matrix of least mean error for records that take part once, with a proof of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hockeystick.checks import whole
from hockeystick.errors import NumericalError
from hockeystick.matrix.dense import Dense
from hockeystick.numerics.types import Array

GAP = 1e-9
"""Primal and dual agree to this share, or there is no answer."""
MOST_ROUNDS = 10_000
MOST_STEPS = 4096
"""Each round takes the eigenvalues of a matrix of so many rows."""


@dataclass(frozen=True)
class Optimum:
    """A strategy, its mean loss, and a number that no strategy's mean loss is below."""

    strategy: Dense
    loss: float
    lower: float


def optimal_dense(steps: int) -> Dense:
    """The matrix of least mean error at sensitivity 1, where each record takes part once.

    >>> round(optimal_dense(2).error("mean") ** 2, 6)  # (3 + √5)/4
    1.309017
    """
    return dense_optimum(steps).strategy


def dense_optimum(steps: int) -> Optimum:
    """The least ‖A·C⁻¹‖²/n over matrices C with columns of length 1, A the prefix sums.

    It is convex in X = CᵀC: minimise tr(AᵀA·X⁻¹) where X_ii <= 1. For any v >= 0,
    2·tr((V^½·AᵀA·V^½)^½) − Σv is a lower end, attained where v is the diagonal of that root, the
    fixed point that is iterated (Denisov et al. 2022). C is the lower triangular root of X.

    Parameters
    ----------
    steps: an integer in [1, 4096].
    """
    count = whole("steps", steps, 1)
    if count > MOST_STEPS:
        raise NumericalError(f"steps must be at most {MOST_STEPS} for a dense optimum, got {count}")
    prefix = np.tril(np.ones((count, count)))
    workload = prefix.T @ prefix
    weights = np.ones(count)
    for _ in range(MOST_ROUNDS):
        root = _root(np.sqrt(weights)[:, None] * workload * np.sqrt(weights))
        gram = root / np.sqrt(np.outer(weights, weights))
        lower = 2 * float(np.trace(root)) - float(weights.sum())
        loss = float(np.trace(np.linalg.solve(gram, workload))) * float(np.diag(gram).max())
        if loss - lower <= GAP * lower:
            return Optimum(Dense(_triangular(gram)), loss / count, lower / count)
        weights = np.diag(root).copy()
    raise NumericalError("the optimal strategy was not found: primal and dual do not meet")


def _root(matrix: Array) -> Array:
    """The symmetric square root."""
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T)


def _triangular(gram: Array) -> Array:
    """Lower triangular C with CᵀC = gram, its columns no longer than 1."""
    flipped = np.linalg.cholesky(gram[::-1, ::-1])
    factor = flipped[::-1, ::-1].T
    return np.asarray(np.tril(factor) / np.linalg.norm(factor, axis=0).max())
