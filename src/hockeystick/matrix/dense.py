"""A strategy that is given as a matrix."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from hockeystick.checks import checked, declared, shown
from hockeystick.errors import ParameterError
from hockeystick.matrix.strategy import MOST_ENTRIES, Strategy
from hockeystick.numerics.types import Array


def _matrix(name: str, value: Any) -> Array:
    """A copy that nobody can write to, of a matrix of finite numbers."""
    try:
        matrix = np.array(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        matrix = np.zeros(0)
    if matrix.ndim != 2 or matrix.size == 0 or not np.isfinite(matrix).all():
        raise ParameterError(f"{name} must be a matrix of finite numbers, got {shown(value)}")
    if matrix.size > MOST_ENTRIES:
        raise ParameterError(f"{name} must have at most 2^28 entries, got {matrix.size}")
    if not (matrix != 0).any(axis=0).all():
        raise ParameterError(
            f"{name} must have no column of zeros: nothing would be known of that step"
        )
    matrix.flags.writeable = False
    return matrix


@declared
class Dense(Strategy):
    """Any matrix of finite numbers, a column for each step, none of them 0.

    Its text shows its size and a digest, which no parser reads back.

    >>> Dense([[1, 0], [0.5, 1]]).gram().tolist()
    [[1.25, 0.5], [0.5, 1.0]]
    >>> Dense([[1, 0], [0.5, 1]])
    matrix.dense(<2 x 2, sha256 92187586bcc55578>)
    """

    name = "dense"

    matrix: Array = checked(_matrix)

    @property
    def steps(self) -> int:  # type: ignore[override]  # it follows from the matrix
        return int(self.matrix.shape[1])

    @property
    def rows(self) -> int:
        return int(self.matrix.shape[0])

    @property
    def bands(self) -> int | None:
        met = (self.matrix != 0).astype(float)
        first, second = np.nonzero(met.T @ met)
        count = int(np.max(first - second)) + 1
        return count if count < self.steps else None

    @property
    def nonnegative(self) -> bool:
        return bool((self.matrix >= 0).all())

    def column(self, step: int) -> Array:
        return self.matrix[:, self._step(step)].copy()

    def dense(self) -> Array:
        return self.matrix.copy()

    def prefix_variances(self) -> Array:
        """By the pseudo-inverse: where C is not lower triangular, later rows are used as well."""
        if np.linalg.matrix_rank(self.matrix) < self.steps:
            raise ParameterError(
                "matrix must have independent columns: no prefix sum can be told from its rows, "
                f"got {self!r}"
            )
        prefix = np.cumsum(np.linalg.pinv(self.matrix), axis=0)
        variances: Array = (prefix**2).sum(axis=1)
        return variances

    @property
    def digest(self) -> str:
        """SHA-256 of the size and the entries."""
        content = repr(self.matrix.shape).encode() + self.matrix.tobytes()
        return hashlib.sha256(content).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dense) and np.array_equal(self.matrix, other.matrix)

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"matrix.dense(<{self.rows} x {self.steps}, sha256 {self.digest[:16]}>)"
