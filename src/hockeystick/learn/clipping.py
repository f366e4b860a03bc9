"""Clipping: the length of a record's gradient, and the factor that brings it down to the limit.

A record whose length is not a finite number, or is more than 1e290 times the limit, contributes
nothing: factors of it would lose their digits. So no record, whatever it holds, moves the sum by
more than the limit. Whoever calls these functions silences numpy (`silent`): what overflows on the
way, or is no number, is taken out at the end.
"""

from __future__ import annotations

import sys
from functools import partial

import numpy as np

from hockeystick.errors import ParameterError
from hockeystick.numerics.blocks import CHUNK
from hockeystick.numerics.types import Array
from hockeystick.sensitivity import Norm

MARGIN = 1 - 2.0**-20
"""The limit is kept this much below the clip: a length is rounded, and so is a sum of floats.

Sums of B records that are added in any order move by at most B²·2^−53 limits each, two neighbours'
by 2·(B + 1)²·2^−53 (Higham 2002, Section 4.2): less than 2^−20 up to 65 000 records."""
REACH = 1e290
"""Lengths up to so many limits are brought down; the smallest float with all its digits is 2e-308.

It is the least limit as well, upside down: below 1e-290 every record contributes nothing."""
FINITE = sys.float_info.max
SQUARES = (2.0**-900, 2.0**1000)
"""Between these, no square that matters to a sum has underflowed, and none has overflowed."""
WIDE = 64
"""From so many columns on, a product of vectors for each row is quicker than a sum."""
_dots = getattr(np, "vecdot", None) or partial(np.einsum, "ij,ij->i")  # NumPy 2 has it
silent = partial(np.errstate, over="ignore", invalid="ignore")


def check_shape(name: str, rows: Array, wanted: tuple[int, ...]) -> None:
    """Raise an error unless there is exactly a row for each record.

    Rows of another length would be cut up into more records than there are.

    >>> check_shape("gradient", np.zeros((4, 1)), (2, 2))
    Traceback (most recent call last):
    ...
    hockeystick.errors.ParameterError: gradient must be an array of the shape (2, 2), a row for ...
    """
    if np.shape(rows) != wanted:
        raise ParameterError(
            f"{name} must be an array of the shape {wanted}, a row for each record, got "
            f"{np.shape(rows)}"
        )


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
    if norm == "L1":
        return _sums_of_sizes(rows)
    norms = _sums_of_squares(rows)
    outside = None
    if not (lowest(norms) >= SQUARES[0] and highest(norms) <= SQUARES[1]):
        outside = ~((norms >= SQUARES[0]) & (norms <= SQUARES[1]))  # nan is, too
    np.sqrt(norms, out=norms)
    if outside is not None:
        norms[outside] = _scaled_lengths(rows[outside])
    return norms


def _sums_of_sizes(rows: Array) -> Array:
    """Σ_j |x_ij|, some rows at a time: their absolute values need no more than a cache."""
    ones, step = np.ones(rows.shape[1]), max(1, CHUNK // max(1, rows.shape[1]))
    blocks = [np.abs(rows[i : i + step]) @ ones for i in range(0, len(rows), step)]
    return np.concatenate(blocks) if blocks else np.zeros(0)


def _sums_of_squares(rows: Array) -> Array:
    """Σ_j x_ij², in whichever way is the quicker one."""
    if rows.shape[1] < WIDE:
        return np.asarray(np.einsum("ij,ij->i", rows, rows))
    return np.asarray(_dots(rows, rows))


def _scaled_lengths(rows: Array) -> Array:
    """max|x| · ‖x / max|x|‖₂, for rows whose squares are out of the range of floats."""
    largest = np.abs(rows).max(axis=1, initial=0.0)
    scaled = rows / np.where(largest > 0, largest, 1.0)[:, None]
    return np.asarray(largest * np.sqrt(_sums_of_squares(scaled)))


def lowest(values: Array) -> float:
    """As `highest`, the other way."""
    return float(values.item(values.argmin())) if values.size else 0.0


def highest(values: Array) -> float:
    """The largest number, nan where there is any, 0 of none: `max`, but quicker for few numbers.

    >>> highest(np.array([3.0, np.nan, 4.0])), highest(np.zeros(0))
    (nan, 0.0)
    """
    return float(values.item(values.argmax())) if values.size else 0.0


def reach(limit: float) -> float:
    """The longest gradient that can be brought down to a limit; none can where that is −1.

    >>> reach(1.0), reach(1e300) == FINITE, reach(1e-300)
    (1e+290, True, -1.0)
    """
    return min(limit * REACH, FINITE) if limit * REACH >= 1 else -1.0


def clipped(rows: Array, norms: Array, clip: float) -> Array:
    """The rows, each times min(1, clip / its norm); zero where that is out of reach.

    `norms` are of what the rows stand for, which may be longer: the gradient x·rᵀ of a linear
    model is clipped by its residual r alone.

    >>> clipped(np.array([[2.0], [8.0], [np.nan]]), np.array([2.0, 8.0, np.nan]), 4.0).tolist()
    [[2.0], [3.99999618...], [0.0]]
    """
    limit = clip * MARGIN
    rows = rows * (limit / np.maximum(norms, limit))[:, None]
    if not highest(norms) <= reach(limit):  # nan is not either
        rows[~(norms <= reach(limit))] = 0.0
    return np.asarray(rows)
