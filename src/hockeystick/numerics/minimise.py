"""The least value of a function: by golden sections in a valley, by ever finer grids elsewhere.

Both return the best place that was met and the value there, so that a search that goes astray
costs height and nothing else; inf stands for places where there is no value.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.types import Array

GOLDEN = (math.sqrt(5) - 1) / 2
DOUBLINGS, HALVINGS = 60, 30
"""How far from 1 a valley is looked for, to the right and to the left."""
MOST_SECTIONS = 75
"""After as many, a bracket is as narrow as rounding allows."""
FINER = 8
"""How much finer each grid is than the one before."""


def in_valley(function: Callable[[float], float], tolerance: float) -> tuple[float, float]:
    """The x > 0 with the least value of a function with one valley, and that value.

    Doubling or halving from 1 finds two points around the lowest one, golden sections close in to
    `tolerance`, relative to it below 1: O(log(x/tolerance)) values. From 2^−31 to 2^61; where the
    function raises `NumericalError`, it counts as inf.

    >>> x, value = in_valley(lambda x: x + 9 / x, 1e-9)
    >>> round(x, 6), value
    (3.0, 6.0)
    """
    at = cache(partial(value_or_inf, function))
    middle = _doubled(at)
    between = golden(at, middle / 2, 2 * middle, tolerance * min(1.0, middle))
    return min(between, (middle, at(middle)), key=lambda met: (met[1], met[0]))


def golden(
    function: Callable[[float], float], low: float, high: float, tolerance: float
) -> tuple[float, float]:
    """The x in (low, high) with the least value of a function with one valley there, and that
    value: by golden sections, until they are as narrow as `tolerance`, or as rounding allows.

    >>> x, value = golden(math.cosh, -1.0, 2.0, 1e-6)
    >>> abs(x) < 1e-6, round(value, 9)
    (True, 1.0)
    """
    at = cache(function)
    met = []
    width = high - low
    sections = math.ceil(math.log(max(width / tolerance, 1.0)) / -math.log(GOLDEN))
    left, right = high - GOLDEN * width, low + GOLDEN * width
    for _ in range(min(MOST_SECTIONS, sections)):
        met += [(at(left), left), (at(right), right)]
        if at(left) <= at(right):
            high, right, left = right, left, right - GOLDEN * (right - low)
        else:
            low, left, right = left, right, left + GOLDEN * (high - left)
    value, x = min(met, default=(at(left), left))
    return x, value


def _doubled(at: Callable[[float], float]) -> float:
    """A power of two at which the value is no higher than at half and at twice of it."""
    x, factor, most = (1.0, 2.0, DOUBLINGS) if at(2.0) < at(1.0) else (1.0, 0.5, HALVINGS)
    for _ in range(most):
        # Where there is no value, the valley is to the left.
        if not (at(factor * x) < at(x) or (factor < 1 and math.isinf(at(x)))):
            break
        x *= factor
    return x


def closer(
    function: Callable[[Array], Array], near: float, width: float, rounds: int
) -> tuple[float, float]:
    """The x with the least value within `width` of `near`, by grids, each 8 times as fine; and it.

    The function takes a whole grid at once, inf where it has no value; see `at_each` for one that
    takes numbers.

    >>> x, value = closer(lambda x: (x - 1 / 3) ** 2, near=0.0, width=1.0, rounds=9)
    >>> abs(x - 1 / 3) < 1e-8, value < 1e-16
    (True, True)
    """
    best, least = near, math.inf
    for _ in range(rounds):
        grid = best + width / FINER * np.arange(-FINER, FINER + 1)
        values = function(grid)
        i = int(np.argmin(values))
        if values[i] < least:
            best, least = float(grid[i]), float(values[i])
        width /= FINER
    return best, least


def at_each(function: Callable[[float], float]) -> Callable[[Array], Array]:
    """A function of numbers, as one of arrays; inf where it raises `NumericalError`."""
    return lambda x: np.array([value_or_inf(function, each) for each in x.tolist()])


def value_or_inf(function: Callable[[float], float], x: float) -> float:
    """The value there; inf where it raises `NumericalError`."""
    try:
        return function(x)
    except NumericalError:
        return math.inf
