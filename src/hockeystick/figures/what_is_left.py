"""Where what is left of losses beyond ε falls to δ, on a lattice."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.types import Array

LARGE = 700.0
"""e to this is still a float."""


def where_left(x: Array, masses: Array, wanted: float, spacing: float) -> float:
    """The ε >= 0 at which Σ mass·(1 − e^{ε − x})_+ is as wanted, for masses at all larger places.

    >>> where_left(np.array([0.0, 1.0]), np.array([0.5, 0.5]), -0.5 * math.expm1(-0.25), 1.0)
    0.75
    """
    masses = masses[::-1]
    above = (np.cumsum(masses) - _discounted(masses, math.exp(-spacing)))[::-1]
    return crossing(lambda i: float(above[i]), float(x[0]), x.size, wanted, spacing)


def crossing(
    above: Callable[[int], float], start: float, count: int, wanted: float, spacing: float
) -> float:
    """The ε >= 0 at which a function is as wanted that falls, with chords in e^ε between `count`
    places from `start` on, where `above` tells it.

    >>> crossing([3.0, 1.0, 0.0].__getitem__, 0.0, 3, 2.0, math.log(3))  # at (1 + 3)/2
    0.69314718...
    """
    k = bisect_left(range(count), True, key=lambda i: above(i) <= wanted)
    if k == count or (k == 0 and start > 0):
        raise NumericalError("ε is not where Chernoff's bound has it")
    if k == 0:
        return 0.0
    before, x = above(k - 1), start + (k - 1) * spacing
    share = (before - wanted) / (before - above(k))
    if spacing >= LARGE:  # e^{spacing}·share, by logarithms
        return x + max(spacing + math.log(share), 0.0) if share > 0 else x
    return max(0.0, x + math.log1p(math.expm1(spacing) * share))


def _discounted(values: Array, decay: float) -> Array:
    """Σ_{j <= k} decay^{k−j}·v_j at each k: over ever longer stretches."""
    total, stretch = values.copy(), 1
    while stretch < total.size and decay**stretch > 0:
        total[stretch:] += decay**stretch * total[:-stretch].copy()
        stretch *= 2
    return total
