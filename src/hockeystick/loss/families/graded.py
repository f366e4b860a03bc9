"""Gauss–Legendre quadrature on panels that are fine where integrands are steep: at both ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.gauss import on_panels
from hockeystick.numerics.types import Array

POINTS, WEIGHTS = on_panels(
    np.concatenate([[0.0], 2.0 ** np.arange(-8.0, 0.0), [3 / 4, 7 / 8, 15 / 16, 1.0]]), 16
)
"""On [0, 1]."""
MOST_PANELS = 400_000


def graded_edges(first: float, last: float, core: float, fine: float, coarse: float) -> Array:
    """Edges of panels, fine within `core` of 0 and coarse beyond."""
    marks = [first, *(x for x in (-core, core) if first < x < last), last]
    pieces = [np.array([first])]
    for left, right in pairwise(marks):
        width = fine if abs(left + right) / 2 <= core else coarse
        count = max(1, math.ceil((right - left) / width))
        if count > MOST_PANELS:
            raise NumericalError(f"a quadrature would need {count} panels")
        pieces.append(np.linspace(left, right, count + 1)[1:])
    return np.concatenate(pieces)


def integral(function: Callable[[Array, Array], Array], left: Array, right: Array) -> Array:
    """∫ function(y, which) dy from each left end to its right end, for flat arrays of ends.

    `which` are the places of the integrals that are not empty; y has one more axis.
    """
    width = right - left
    which = np.flatnonzero(width > 0)
    total = np.zeros_like(left)
    y = left[which, None] + width[which, None] * POINTS
    total[which] = function(y, which) @ WEIGHTS * width[which]
    return total
