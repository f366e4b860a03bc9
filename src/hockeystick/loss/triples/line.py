"""Three Laplace laws on a line: hinges ∫ (μ_x − a·μ_x' − b·μ_y)_+ in closed form.

With scale 1, a >= 1 and b >= 0. The set on which the integrand is positive is a half-line or a
segment; its ends are where two exponentials cross. A wrong end only makes the integral smaller, in
the second order, so all ends that can be right are tried.
"""

from __future__ import annotations

import numpy as np

from hockeystick.numerics.types import Array


def same_side(a: Array, other: Array, b: Array, without: Array) -> Array:
    """x' and y on one side of x, at these distances: a half-line up to some c >= 0.

    It grows with both distances.

    >>> one = np.ones(1)
    >>> float(same_side(one, one, 0 * one, one)[0]) == float(-np.expm1(-0.5))
    True
    """
    nearer = other <= without
    near, far = np.minimum(other, without), np.maximum(other, without)
    first, last = np.where(nearer, a, b), np.where(nearer, b, a)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        before = -np.log(first * np.exp(-near) + last * np.exp(-far)) / 2
        rest = np.maximum(1 - first * np.exp(near), 0.0)
        after = (np.log(rest) - np.log(last) + far) / 2
    before = np.clip(before, 0.0, near)
    after = np.clip(np.nan_to_num(after), near, far)
    one = 1 - (np.exp(-before) + first * np.exp(before - near) + last * np.exp(before - far)) / 2
    passed = first * (1 - np.exp(near - after) / 2)
    two = 1 - np.exp(-after) / 2 - passed - last * np.exp(after - far) / 2
    return np.asarray(np.maximum(np.maximum(one, two), 0.0))


def either_side(a: Array, other: Array, b: Array, without: Array) -> Array:
    """x' on one side of x and y on the other, at these distances: a segment around x, or all that
    is beyond some c on the side of y, where there b·μ_y is smaller too.

    It grows with the first distance; by the second it falls and then grows.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        near_y = np.log1p(-np.minimum(b * np.exp(-without), 1.0))
        start = (np.log(a) - other - near_y) / 2
        near_x = np.log1p(-np.minimum(a * np.exp(-other), 1.0))
        end = (near_x + without - np.log(b)) / 2
    start = np.clip(np.nan_to_num(start, posinf=0.0), -other, 0.0)
    end = np.clip(np.nan_to_num(end, posinf=1e300, neginf=0.0), 0.0, without)
    left = np.exp(start) / 2
    before, passed = np.exp(-start - other) / 2, np.exp(start - without) / 2
    right, beyond = np.exp(-end) / 2, np.exp(-end - other) / 2
    some = 1 - left - right - a * (before - beyond) - b * (np.exp(end - without) / 2 - passed)
    rest = 1 - left - a * before - b * (1 - passed)
    return np.asarray(np.maximum(np.maximum(some, rest), 0.0))
