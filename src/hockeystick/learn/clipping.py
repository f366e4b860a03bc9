"""Clipping: the length of a record's gradient, and the factor that brings it down to the limit.

A record whose length is not a finite number, or is more than 1e290 times the limit, contributes
nothing: factors of it would lose their digits. So no record, whatever it holds, moves the sum by
more than the limit.
"""

from __future__ import annotations

import numpy as np

from hockeystick.sensitivity import Norm
from hockeystick.series import Array

MARGIN = 1 - 2.0**-40
"""The limit is kept this much below the clip, which is more than a length's own rounding."""
REACH = 1e290
"""Lengths up to so many limits are brought down; the smallest float with all its digits is 2e-308.

It is the least limit as well, upside down: below 1e-290 every record contributes nothing."""
SQUARES = (2.0**-900, 2.0**1000)
"""Between these, no square that matters to a sum has underflowed, and none has overflowed."""


def lengths(rows: Array, norm: Norm) -> Array:
    """The L1 or L2 norm of each row, which neither overflows nor underflows on the way.

    inf or nan where the row itself is not finite or its length too large. It takes place at every
    step, on the very numbers that are summed: what a length was before proves nothing.

    Parameters
    ----------
    rows: a matrix. norm: "L1" or "L2".

    >>> lengths(np.array([[3.0, -4.0], [3e-200, 4e-200]]), "L2").tolist()
    [5.0, 5e-200]
    """
    if rows.shape[1] == 1:
        return np.abs(rows[:, 0])
    with np.errstate(invalid="ignore", over="ignore"):
        if norm == "L1":
            return np.asarray(np.abs(rows) @ np.ones(rows.shape[1]))
        squares = np.matmul(rows[:, None, :], rows[:, :, None])[:, 0, 0]
        found = np.sqrt(squares)
        far = ~((squares >= SQUARES[0]) & (squares <= SQUARES[1]))
        if far.any():
            found[far] = _scaled_lengths(rows[far])
    return np.asarray(found)


def _scaled_lengths(rows: Array) -> Array:
    """max|x| · ‖x / max|x|‖₂, for rows whose squares are out of the range of floats."""
    largest = np.abs(rows).max(axis=1, initial=0.0)
    scaled = rows / np.where(largest > 0, largest, 1.0)[:, None]
    return np.asarray(largest * np.sqrt(np.einsum("ij,ij->i", scaled, scaled)))


def clipped(rows: Array, norms: Array, clip: float) -> Array:
    """The rows, each times min(1, clip / its norm); zero where that is out of reach.

    `norms` are of what the rows stand for, which may be longer: the gradient x·rᵀ of a linear
    model is clipped by its residual r alone.

    >>> clipped(np.array([[2.0], [8.0], [np.nan]]), np.array([2.0, 8.0, np.nan]), 4.0).tolist()
    [[2.0], [3.99999999999...], [0.0]]
    """
    limit = clip * MARGIN
    near = (norms <= limit * REACH) & np.isfinite(norms) & (limit * REACH >= 1)
    with np.errstate(invalid="ignore"):
        rows = rows * (limit / np.maximum(norms, limit))[:, None]
    if not near.all():
        rows[~near] = 0.0
    return np.asarray(rows)
