"""As many points of falling curves as there is patience for, where the curves need them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

Row = tuple[float, float, float]
"""What is drawn, the lower and the upper end."""

COARSE = 4
"""Every so many points are asked for first."""
PATIENCE = 1.0
"""Seconds of work after which the others are too slow."""
MORE = 14
"""As many are added where the curves fall most."""


def affordable(
    x: list[float],
    ask: Callable[[list[float]], list[list[Row]]],
    least: float,
    progress: Callable[[int, int], None],
    everywhere: bool = False,
) -> tuple[list[float], list[list[Row]]]:
    """The points and, for each curve, its rows there.

    All of `x` if that is quick, else every fourth, and some more where the curves fall most;
    exactly `x` if `everywhere`.
    """
    table: dict[float, tuple[Row, ...]] = {}

    def learn(place: float, total: int) -> None:
        table[place] = tuple(row for (row,) in ask([place]))
        progress(len(table), total)

    more = 0 if everywhere else MORE
    first = [*x[:-1:COARSE], x[-1]]
    began = time.process_time()
    for place in first:
        learn(place, len(first) + more)
    if everywhere or time.process_time() - began < PATIENCE:
        for place in x:
            if place not in table:
                learn(place, len(x) + more)
    for left in range(more, 0, -1):
        learn(_next(table, least), len(table) + left)
    where = sorted(table)
    return where, [list(rows) for rows in zip(*(table[each] for each in where), strict=True)]


def _next(table: dict[float, tuple[Row, ...]], least: float) -> float:
    """The middle of the segment with the largest box around it: the curve is somewhere in there."""
    where = sorted(table)

    def box(i: int) -> float:
        ends = zip(table[where[i]], table[where[i + 1]], strict=True)
        fall = max(_height(left[0], least) - _height(right[0], least) for left, right in ends)
        return fall * (where[i + 1] - where[i])

    widest = max(range(len(where) - 1), key=box)
    return (where[widest] + where[widest + 1]) / 2


def _height(y: float, least: float) -> float:
    return math.log(max(y, least))
