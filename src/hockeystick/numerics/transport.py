"""The transport problem: from one finite law to another at the least cost."""

from __future__ import annotations

from typing import Any

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.types import Array

CHEAPEST = 1e-9
"""Costs so close to the least of their row, relative to it, count as equal to it."""


def transport(first: Array, second: Array, cost: Array) -> Array:
    """A table π >= 0 with row sums `first` and column sums `second`, of the least Σ π·cost.

    Both laws add up to 1. Where all can move at the least cost of its row, no other table is
    looked at; else a linear program decides. What the program leaves over or under is moved by the
    product of the rests, so that π is a coupling to the last digits even where it is not optimal.

    >>> moved = transport(np.array([0.5, 0.5]), np.array([0.25, 0.75]), np.array([[0, 1], [1, 0]]))
    >>> moved.round(12).tolist()
    [[0.25, 0.25], [0.0, 0.5]]
    """
    least = cost.min(axis=1, keepdims=True)
    cheapest = cost <= least + CHEAPEST * np.abs(least)
    if cheapest.all():
        return np.asarray(first[:, None] * second)
    table = _moved(first, second, np.zeros_like(cost, dtype=float), cheapest)
    if table is None:
        table = _moved(first, second, cost, np.ones_like(cheapest))
    if table is None:
        raise NumericalError("the transport problem was not solved")
    return _repaired(table, first, second)


def _moved(first: Array, second: Array, cost: Array, allowed: Array) -> Array | None:
    """The best table that is 0 where it is not allowed to be more; None if there is none."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    rows, columns = np.nonzero(allowed)
    each = np.arange(rows.size)
    places = np.concatenate([rows, first.size + columns]), np.concatenate([each, each])
    sums: Any = csr_array((np.ones(2 * rows.size), places), (first.size + second.size, rows.size))
    wanted = np.concatenate([first, second])
    answer = linprog(cost[rows, columns], A_eq=sums, b_eq=wanted, bounds=(0, None), method="highs")
    if answer.x is None or not answer.success:
        return None
    table = np.zeros(cost.shape)
    table[rows, columns] = answer.x
    return table


def _repaired(table: Array, first: Array, second: Array) -> Array:
    """A coupling near the table: none of its sums too large, and what lacks added as a product."""
    table = np.maximum(table, 0.0)
    table *= np.minimum(1.0, _over(first, table.sum(axis=1)))[:, None]
    table *= np.minimum(1.0, _over(second, table.sum(axis=0)))
    rest, other = first - table.sum(axis=1), second - table.sum(axis=0)
    rest, other = np.maximum(rest, 0.0), np.maximum(other, 0.0)
    lacking = max(rest.sum(), other.sum())
    if lacking <= 4e-16 * first.size:  # rounding of the sums themselves
        return table
    return np.asarray(table + rest[:, None] * other / lacking)


def _over(wanted: Array, found: Array) -> Array:
    return np.divide(wanted, found, out=np.ones_like(wanted), where=found > 0)
