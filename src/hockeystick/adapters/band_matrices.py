"""Band matrices as other libraries keep them: an array with a row for each column of C."""

from __future__ import annotations

from typing import Any

import numpy as np

from hockeystick.checks import numbers
from hockeystick.errors import ParameterError
from hockeystick.matrix import dense
from hockeystick.matrix.dense import Dense
from hockeystick.matrix.strategy import Strategy
from hockeystick.numerics.types import Array

UNIT = 1e-6
"""How far the norm of a column may be from 1, which libraries have in single precision."""


def from_bands(params: Any) -> Dense:
    """The matrix whose column j has params[j] from the diagonal on, divided by its norm.

    As `ColumnNormalizedBanded` of JAX Privacy; in double precision, the norms computed here.

    >>> from_bands([[3, 4], [1, 1]]).dense().round(3).tolist()
    [[0.6, 0.0], [0.8, 1.0]]
    """
    rows = numbers("params", params)
    if rows.ndim != 2 or not 1 <= rows.shape[1] <= rows.shape[0]:
        raise ParameterError(
            f"params must have a row of at most as many bands for each step, got {rows.shape}"
        )
    steps, bands = rows.shape
    matrix = np.zeros((steps, steps))
    for band in range(bands):
        matrix[np.arange(band, steps), np.arange(steps - band)] = rows[: steps - band, band]
    return dense(matrix / np.linalg.norm(matrix, axis=0))


def to_bands(strategy: Strategy) -> Array:
    """The rows for `from_bands`; an error unless C is lower triangular with columns of norm 1.

    >>> to_bands(from_bands([[3, 4], [1, 1]])).round(3).tolist()
    [[0.6, 0.8], [1.0, 0.0]]
    """
    matrix = strategy.dense()
    if strategy.rows != strategy.steps or np.triu(matrix, 1).any():
        raise ParameterError(f"strategy must be a lower triangular matrix, got {strategy!r}")
    if np.abs(np.linalg.norm(matrix, axis=0) - 1).max() > UNIT:
        raise ParameterError(
            f"strategy must have columns of norm 1, as the library makes them, got {strategy!r}"
        )
    first, second = np.nonzero(matrix)
    bands = int((first - second).max()) + 1
    rows = np.zeros((strategy.steps, bands))
    for band in range(bands):
        rows[: strategy.steps - band, band] = np.diagonal(matrix, -band)
    return rows
