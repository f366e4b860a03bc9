"""Pairs for one record replaced in random allocation, through points of the antipodal profile."""

from __future__ import annotations

import math
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.allocation.antipodal import antipodal_point
from hockeystick.loss.base import Loss
from hockeystick.loss.points import symmetric_through
from hockeystick.numerics.types import Array

RATIO = 1.35
"""How far δ falls from one point to the next; a chord of e^−ε is then 1.2 % too high at most."""
MOST_POINTS = 120
LEAST_DELTA = 1e-13
"""Below it a convolution power is all rounding."""
ROWS = 50
"""Points asked for at once, of a loss with many atoms."""


class Points(NamedTuple):
    """Both ends of δ at some ε."""

    epsilons: Array
    lower: Array
    upper: Array


def opposites_above(shift: float, steps: int, others: tuple[Loss, ...]) -> Loss:
    """A pair that dominates Gaussian noise moved by ±`shift` in one of `steps` >= 2 steps.

    Its profile is the envelope through points of it and of the others, which dominate, too; the
    first of them is a list of atoms and goes on where the points end.
    """
    points = antipodal_points(shift, steps)
    far = others[0].atoms.losses
    u = np.append(points.epsilons, far[far > points.epsilons[-1]])
    delta = np.min([_profile(other, u) for other in others], axis=0)
    known = points.epsilons.size
    delta[:known] = np.minimum(delta[:known], points.upper)
    return symmetric_through(u, delta)


def opposites_below(shift: float, steps: int, other: Loss) -> Loss:
    """A pair that it dominates: the larger of what its points say and another such pair."""
    return _larger(_below(antipodal_points(shift, steps)), other, other.reverse())


@lru_cache(maxsize=64)
def antipodal_points(shift: float, steps: int) -> Points:
    """Points of the profile from ε = 0 on, as far as they are known; at least one."""
    try:
        rows = [(0.0, *antipodal_point(shift, steps, 0.0))]
    except NumericalError:
        return Points(np.zeros(1), np.zeros(1), np.ones(1))
    start = rows[0][2]
    step = math.log(RATIO) * 2 * start / max(1 - start, 1e-3)  # δ falls as −(1 − δ)/2 there
    with suppress(NumericalError):
        while len(rows) < MOST_POINTS and rows[-1][1] > LEAST_DELTA:
            step = min(step, shift / 6)
            epsilon = rows[-1][0] + step
            rows.append((epsilon, *antipodal_point(shift, steps, epsilon)))
            fall = math.log(rows[-2][2] / rows[-1][2])
            step *= min(max(math.log(RATIO) / max(fall, 1e-9), 0.5), 2.0)
    return Points(*(np.array(column) for column in zip(*rows, strict=True)))


def _below(points: Points) -> Loss:
    """A pair whose profile is below all convex curves between the points.

    Right of two points the curve is above the line that falls from the upper end at the first
    through the lower end at the second, and left of two points likewise. Where two such lines cross
    is a point of the bound; left of ε = 0 the curve is its own mirror image.
    """
    kept = points.lower > 0
    u, low, high = (column[kept] for column in points)
    a = np.exp(u)
    if a.size < 3:
        return symmetric_through(np.array([0.0]), np.zeros(1))
    mirror = 1 / a[1], 1 - (1 - high[1]) / a[1]
    places, values = [*a[:1]], [*low[:1]]
    left, top = np.append(mirror[0], a), np.append(mirror[1], high)
    for j in range(a.size):
        fall = (top[j] - low[j]) / (a[j] - left[j])  # the line to the right of a[j]
        end = a[j] + low[j] / fall if fall > 0 else math.inf
        if j + 2 < a.size:
            slope = (low[j + 1] - high[j + 2]) / (a[j + 2] - a[j + 1])
            at_start = low[j + 1] + slope * (a[j + 1] - a[j])
            end = a[j] + (low[j] - at_start) / (fall - slope) if fall != slope else math.inf
        last = a[j + 1] if j + 1 < a.size else math.inf
        if a[j] < end < last:
            places.append(end)
            values.append(max(0.0, low[j] - fall * (end - a[j])) * (1 - 1e-12))
        if j + 1 < a.size:
            places.append(a[j + 1])
            values.append(low[j + 1])
    values[-1] = 0.0
    return symmetric_through(np.log(places), np.array(values))


def _larger(*losses: Loss) -> Loss:
    """A symmetric pair whose profile is the largest of theirs, and no more by rounding.

    All are linear in e^ε between the corners of all, so the largest is too, but for where two of
    them cross: that place becomes a corner.
    """
    corners = np.concatenate([loss.atoms.losses for loss in losses])
    u = np.unique(np.append(0.0, corners[corners > 0]))
    values = np.stack([_profile(loss, u) for loss in losses])
    best, largest = values.argmax(axis=0), values.max(axis=0)
    i = np.flatnonzero(np.diff(best))
    falls, rises = best[i], best[i + 1]
    before, after = (values[falls, j] - values[rises, j] for j in (i, i + 1))
    share = before / (before - after)
    crossing = u[i] + np.log1p(share * np.expm1(u[i + 1] - u[i]))
    level = values[rises, i] + share * (values[rises, i + 1] - values[rises, i])
    apart = (u[i] < crossing) & (crossing < u[i + 1])
    u, largest = np.append(u, crossing[apart]), np.append(largest, level[apart])
    order = np.argsort(u)
    return symmetric_through(u[order], np.append(largest[order][:-1] * (1 - 1e-12), 0.0))


def _profile(loss: Loss, u: Array) -> Array:
    """A few points at a time to spare memory."""
    return np.concatenate([loss.profile(u[i : i + ROWS]) for i in range(0, u.size, ROWS)])
