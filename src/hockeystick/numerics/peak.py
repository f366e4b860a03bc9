"""The integral of a function with one peak, of which only the logarithm can be held."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.gauss import on_panels
from hockeystick.numerics.roots import last_true_by_grids
from hockeystick.numerics.types import Array

NATS_BELOW_PEAK = 50.0
"""What is lower than the peak by this factor e^−50 is left out."""
NEAR_PEAK = 0.5
"""The height of the peak is wanted to so many nats."""
END_ERROR = 0.05
"""How far an end of the peak may be off, relative to its distance from the peak."""
MOST_GRIDS = 6
"""Grids within grids, each 32 times as fine, by which an end is found."""
PANELS = 24
"""So many panels across the peak, and twice as many to check them."""
PANEL_POINTS = 40
"""Gauss points of each panel."""

LogHeight = Callable[[Array], Array]


def log_integral(log_height: LogHeight, start: float) -> float:
    """log ∫ e^{log_height(u)} du over u > start, for a concave function that falls in the end.

    >>> round(log_integral(lambda u: 1e3 * u - 0.5 * u * u, 0.0) - 0.5e6, 6)  # log √2π
    0.918939
    """
    peak, reach, height = _peak(log_height, start)
    floor = height - NATS_BELOW_PEAK

    def inside(u: Array) -> Array:
        return log_height(u) > floor

    low = start
    if not inside(np.array([start]))[0]:
        low = _end(inside, peak, start)
    while inside(np.array([peak + reach]))[0]:
        reach *= 2
    high = _end(inside, peak, peak + reach)
    coarse, fine = (_integral(log_height, low, high, count) for count in (PANELS, 2 * PANELS))
    if abs(fine - coarse) > 1e-11 + 1e-14 * abs(fine):
        raise NumericalError("the peak of an integrand is too rough to be integrated")
    return fine


def _end(inside: Callable[[Array], Array], peak: float, outside: float) -> float:
    """Where the peak ends, or a little outside."""
    near = peak
    for _ in range(MOST_GRIDS):
        near, outside = last_true_by_grids(inside, near, outside, 1)
        if abs(outside - near) <= END_ERROR * abs(near - peak):
            break
    return outside


def _peak(log_height: LogHeight, start: float) -> tuple[float, float, float]:
    """The place of the peak, a distance to its right end that is not too small, and its height.

    A concave function is nowhere higher than the best of its values on a grid by more than that
    value is above those beside it.
    """
    reach = 1.0
    for _ in range(200):
        heights = log_height(start + reach * np.array([0.75, 1.0]))
        if heights[1] < heights[0] or np.isneginf(heights[1]):
            break
        reach *= 2
    else:
        raise NumericalError("an integrand does not fall")
    low, high = start, start + reach
    for _ in range(40):
        places = np.linspace(low, high, 17)
        heights = log_height(places)
        best = int(np.argmax(heights))
        near = heights[max(best - 1, 0) : best + 2]
        low, high = places[max(best - 1, 0)], places[min(best + 1, 16)]
        if near.min() > near.max() - NEAR_PEAK or high - low <= 1e-12 * (1 + abs(high)):
            break
    return float(places[best]), reach, float(heights[best])


def _integral(log_height: LogHeight, low: float, high: float, count: int) -> float:
    points, weights = on_panels(np.linspace(low, high, count + 1), PANEL_POINTS)
    heights = log_height(points)
    peak = float(heights.max())
    return peak + math.log(float(np.exp(heights - peak) @ weights))
