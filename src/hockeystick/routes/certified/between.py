"""Arrays of non-negative numbers between two doubles, rounded outwards.

The first axis has the lower ends and the upper ends. Sums, products and quotients of non-negative
numbers grow with each of them, so one formula of floats on both rows bounds it on either side, but
for its rounding.
"""

from __future__ import annotations

import numpy as np
from flint import arb

from hockeystick.numerics.types import Array
from hockeystick.routes.certified.balls import above, below, only_if

UNIT = 2.0**-52
"""Twice what one rounding errs by, relative to its result."""
TINY = 1e-300
"""More than what a million results below the normal range err by, even if they become 0."""
MOST_ROUNDINGS = 1_000_000
SIDES = np.array([-1.0, 1.0])


def between(x: arb) -> Array:
    """A ball that is not negative, as a column of its two ends."""
    only_if(x >= 0, "a number that is not negative")
    return np.array([[max(below(x), 0.0)], [above(x)]])


def outwards(x: Array, roundings: int) -> Array:
    """What a formula of so many + × ÷ of non-negative numbers gave, with its rounding: each errs by
    UNIT/2 of its result, the two of this line as well, or by TINY where that is too small."""
    only_if(roundings < MOST_ROUNDINGS, "fewer roundings")
    moved = x * (1 + SIDES * (roundings + 2) * UNIT).reshape(2, *[1] * (x.ndim - 1))
    return np.asarray(np.maximum(moved + (SIDES * TINY).reshape(2, *[1] * (x.ndim - 1)), 0.0))


def ball_of(ends: Array) -> arb:
    """The ball of two floats."""
    low, high = float(ends[0]), float(ends[1])
    only_if(0 <= low <= high < np.inf, "a number that a float holds")
    return arb(low).union(arb(high))
