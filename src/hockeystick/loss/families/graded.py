"""Gauss–Legendre quadrature on panels that are fine where integrands are steep: at both ends."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from hockeystick.numerics.series import Array

POINTS = 16
EDGES = np.concatenate([[0.0], 2.0 ** np.arange(-8.0, 0.0), [3 / 4, 7 / 8, 15 / 16, 1.0]])
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


def integral(function: Callable[[Array, Array], Array], left: Array, right: Array) -> Array:
    """∫ function(y, which) dy from each left end to its right end, for flat arrays of ends.

    `which` are the places of the integrals that are not empty; y has one more axis.
    """
    points, weights = _unit()
    width = right - left
    which = np.flatnonzero(width > 0)
    total = np.zeros_like(left)
    y = left[which, None] + width[which, None] * points
    total[which] = function(y, which) @ weights * width[which]
    return total
