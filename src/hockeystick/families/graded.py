"""Gauss–Legendre quadrature on panels that are fine where integrands are steep: at both ends."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from hockeystick.series import Array

POINTS = 24
_FINE = 2.0 ** np.arange(-7.0, 0.0)
EDGES = np.concatenate([[0.0], _FINE, 1 - _FINE[-2::-1], [1.0]])
"""Ends of panels on [0, 1]."""


@lru_cache(maxsize=1)
def legendre() -> tuple[Array, Array]:
    """Points and weights on [−1, 1]."""
    points, weights = np.polynomial.legendre.leggauss(POINTS)
    return points, weights


@lru_cache(maxsize=1)
def _unit() -> tuple[Array, Array]:
    points, weights = legendre()
    width = np.diff(EDGES)[:, None]
    return (EDGES[:-1, None] + width * (points + 1) / 2).ravel(), (width * weights / 2).ravel()


def integral(function: Callable[[Array], Array], left: Array, right: Array) -> Array:
    """∫ function from each left end to its right end; the function takes one more axis."""
    points, weights = _unit()
    width = right - left
    return np.asarray(function(left[..., None] + width[..., None] * points) @ weights * width)
