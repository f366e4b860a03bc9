"""Gauss–Legendre quadrature."""

from __future__ import annotations

from functools import cache

import numpy as np

from hockeystick.numerics.types import Array


@cache
def gauss_legendre(count: int) -> tuple[Array, Array]:
    """Points and weights of the rule with `count` points on [−1, 1].

    >>> points, weights = gauss_legendre(3)
    >>> round(float(weights @ points**4), 12)  # ∫ x⁴ = 2/5
    0.4
    """
    points, weights = np.polynomial.legendre.leggauss(count)
    points.flags.writeable = weights.flags.writeable = False
    return points, weights


def on_panels(edges: Array, count: int) -> tuple[Array, Array]:
    """Points and weights, one after the other, of that rule on each panel between two edges.

    >>> points, weights = on_panels(np.array([0.0, 1.0, 3.0]), 2)
    >>> round(float(weights @ points**3), 12)  # ∫ x³ = 81/4
    20.25
    """
    points, weights = gauss_legendre(count)
    half = np.diff(edges)[:, None] / 2
    return (edges[:-1, None] + half * (points + 1)).ravel(), (half * weights).ravel()
