"""The pair whose profile is the lower convex envelope of given points."""

from __future__ import annotations

import numpy as np

from hockeystick.loss.atoms import AtomicLoss
from hockeystick.numerics.series import Array

ROUNDING = 1e-15
"""Absolute error of values h near 1."""


def hull_loss(a: Array, h: Array) -> AtomicLoss:
    """From points (a, h(a)) of a bound on the profile: connect the dots (Doroshenko et al. 2022).

    `a` grows from 0, where h is 1. Between the points that the envelope touches it is linear in a,
    so the Q-mass at each is the change of slope there; what h ends at is mass at infinity.
    """
    a, h = lower_hull(a, h)
    slopes = np.append(np.diff(h) / np.diff(a), 0.0)
    void = 1 + float(slopes[0])
    if void <= ROUNDING / float(a[1]):  # 1 − h(a) is a but for the rounding of h
        void, slopes[0] = 0.0, -1.0
    with np.errstate(divide="ignore"):
        log_q = np.log(np.maximum(np.diff(slopes), 0))
    return AtomicLoss(np.log(a[1:]), log_q, infinite=float(h[-1]), void=void)


def lower_hull(a: Array, h: Array) -> tuple[Array, Array]:
    """The points that the lower convex envelope touches, up to where it stops falling."""
    hull: list[int] = []
    for i in range(len(a)):
        while len(hull) > 1 and (h[i] - h[hull[-2]]) * (a[hull[-1]] - a[hull[-2]]) <= (
            h[hull[-1]] - h[hull[-2]]
        ) * (a[i] - a[hull[-2]]):
            hull.pop()
        hull.append(i)
    while len(hull) > 1 and h[hull[-2]] <= h[hull[-1]]:
        hull.pop()
    return a[hull], h[hull]
