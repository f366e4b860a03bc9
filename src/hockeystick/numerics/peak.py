"""Integrals of functions with one peak, of which only the logarithm can be held."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.gauss import on_panels
from hockeystick.numerics.types import Array

NATS_BELOW_PEAK = 50.0
"""What is lower than the peak by this factor e^−50 is left out."""
NEAR_PEAK = 0.5
"""The height of the peak is wanted to so many nats."""
GRID = np.linspace(0.0, 1.0, 33)
MOST_GRIDS = 40
"""Grids within grids, each 16 times as fine, by which a peak is found; and farther and farther out
to its ends, by 21 times each."""
STEPS = 1.1 ** np.arange(33.0)
"""Distances from the peak, over the smallest, at which its ends are looked for."""
OCTAVES = 2.0 ** np.arange(200.0).reshape(-1, 4)
"""Distances from the start at which a function has to fall; few at a time, as far out is costly."""
PANELS = (8, 16, 32, 64)
"""So many panels across the peak, until two of these numbers agree."""
TABLE = np.linspace(0.0, 1.0, 1025)
"""Places at which many functions are looked at together to find their peaks."""
FEW = 8
"""So many functions are worth a table."""
PANEL_POINTS = 20
"""Gauss points of each panel."""

LogHeight = Callable[[Array], Array]


def log_integrals(log_height: LogHeight, powers: Array, start: float) -> Array:
    """log ∫ e^{power·u + log_height(u)} du over u > start for each power, for a concave function
    that falls faster than a line in the end.

    >>> values = log_integrals(lambda u: -0.5 * u * u, np.array([0.0, 1e3]), -40.0)
    >>> (values - [0.0, 0.5e6]).round(6).tolist()  # log √2π
    [0.918939, 0.918939]
    """
    slopes = powers[:, None]
    low, high = _all_windows(log_height, slopes, start, _reach(log_height, slopes, start))
    before = np.full(powers.size, math.inf)
    for count in PANELS:
        value = _integrals(log_height, slopes, low, high, count)
        if (np.abs(value - before) <= 1e-11 + 1e-14 * np.abs(value)).all():
            return np.asarray(value)
        before = value
    raise NumericalError("the peak of an integrand is too rough to be integrated")


def _integrals(log_height: LogHeight, slopes: Array, low: Array, high: Array, count: int) -> Array:
    """The logarithms of the integrals, on so many panels for each."""
    points, weights = on_panels(np.linspace(0.0, 1.0, count + 1), PANEL_POINTS)
    u = low[:, None] + (high - low)[:, None] * points
    logs = slopes * u + log_height(u)
    peak = logs.max(axis=1)
    return np.asarray(peak + np.log(np.exp(logs - peak[:, None]) @ weights * (high - low)))


def _all_windows(
    log_height: LogHeight, slopes: Array, start: float, reach: Array
) -> tuple[Array, Array]:
    """Between which places each function is not negligible: read off one table where it is fine
    enough, and looked for where it is not."""
    if reach.size < FEW:
        return _windows(log_height, slopes, start, reach)
    row, place, u = np.arange(reach.size), np.arange(TABLE.size), start + 2 * reach.max() * TABLE
    logs = slopes * u + log_height(u)
    best = logs.argmax(axis=1)
    below = logs < (logs[row, best] - NATS_BELOW_PEAK)[:, None]
    left = np.where(below & (place < best[:, None]), place, 0).max(axis=1)
    after = below & (place > best[:, None])
    right = after.argmax(axis=1)
    beside = np.minimum(logs[row, np.maximum(best - 1, 0)], logs[row, (best + 1) % TABLE.size])
    fine = after.any(axis=1) & (beside > logs[row, best] - NEAR_PEAK)
    low, high = u[left], u[right]
    if not fine.all():
        low[~fine], high[~fine] = _windows(log_height, slopes[~fine], start, reach[~fine])
    return low, high


def _reach(log_height: LogHeight, slopes: Array, start: float) -> Array:
    """How far from the start each function falls."""
    for octaves in OCTAVES:
        u = start + np.concatenate([0.75 * octaves, octaves])
        before, after = np.split(slopes * u + log_height(u), 2, axis=1)
        falls = (after < before) | np.isneginf(after)
        if falls.any(axis=1).all():
            return np.asarray(octaves[falls.argmax(axis=1)])
    raise NumericalError("an integrand does not fall")


def _windows(
    log_height: LogHeight, slopes: Array, start: float, reach: Array
) -> tuple[Array, Array]:
    """Between which places each function is not negligible, or a little more."""
    row, low, high = np.arange(reach.size), np.full(reach.size, start), start + reach
    for _ in range(MOST_GRIDS):
        # A concave function is nowhere higher than the best of its values on a grid by more than
        # that value is above those beside it.
        u = low[:, None] + (high - low)[:, None] * GRID
        logs = slopes * u + log_height(u)
        best = logs.argmax(axis=1)
        left, right = np.maximum(best - 1, 0), np.minimum(best + 1, GRID.size - 1)
        peak, height = u[row, best], logs[row, best]
        low, high = u[row, left], u[row, right]
        sure = np.minimum(logs[row, left], logs[row, right]) > height - NEAR_PEAK
        if (sure | (high - low <= 1e-12 * (1 + np.abs(high)))).all():
            break
    ends, floor = [], (height - NATS_BELOW_PEAK)[:, None]
    for sign in (-1.0, 1.0):
        step = high - low
        for _ in range(MOST_GRIDS):
            u = np.maximum(peak[:, None] + sign * step[:, None] * STEPS, start)
            logs = slopes * u + log_height(u)
            out = (logs < floor) | (u <= start)
            if out[:, -1].all():
                break
            step = np.where(out[:, -1], step, step * STEPS[-1])
        else:
            raise NumericalError("an integrand falls too slowly")
        first = out.argmax(axis=1)
        if sign > 0 and np.isneginf(logs[row, first]).any():
            raise NumericalError("an integrand is not known as far as it counts")
        ends.append(u[row, first])
    return ends[0], ends[1]
