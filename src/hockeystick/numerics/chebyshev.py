"""Polynomials through values at Chebyshev's points."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.polynomial import chebyshev

from hockeystick.numerics.types import Array


def points(low: float, high: float, count: int) -> Array:
    """Chebyshev's points of the first kind in [low, high], from the smallest on.

    >>> points(0.0, 1.0, 1).tolist()
    [0.5]
    """
    return np.asarray((low + high) / 2 + (high - low) / 2 * chebyshev.chebpts1(count))


def through(values: Array, low: float, high: float, at: Array) -> Array:
    """The polynomial that has `values` at as many points of [low, high].

    >>> cubes = points(0.0, 2.0, 4) ** 3
    >>> np.round(through(cubes, 0.0, 2.0, np.array([0.5, 2.0])), 12).tolist()
    [0.125, 8.0]
    """
    series = _to_series(len(values)) @ values
    middle, half = (low + high) / 2, (high - low) / 2
    return np.asarray(chebyshev.chebval((at - middle) / half, series))


@cache
def _to_series(count: int) -> Array:
    """From values to coefficients: the polynomials are orthogonal on the points."""
    matrix = 2 / count * chebyshev.chebvander(chebyshev.chebpts1(count), count - 1).T
    matrix[0] /= 2
    return np.asarray(matrix)
