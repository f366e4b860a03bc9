"""The integral of a function with one peak, of which only the logarithm can be held."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.gauss import on_panels
from hockeystick.numerics.roots import last_true
from hockeystick.numerics.series import Array

NATS_BELOW_PEAK = 50.0
"""What is lower than the peak by this factor e^−50 is left out."""
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

    def at(u: float) -> float:
        return float(log_height(np.array([u]))[0])

    peak, reach = _peak(log_height, start)
    floor = at(peak) - NATS_BELOW_PEAK
    low = start
    if at(start) < floor:
        low = last_true(lambda u: at(u) > floor, peak, start, 25)[1]
    while at(peak + reach) > floor:
        reach *= 2
    high = last_true(lambda u: at(u) > floor, peak, peak + reach, 25)[1]
    coarse, fine = (_integral(log_height, low, high, count) for count in (PANELS, 2 * PANELS))
    if abs(fine - coarse) > 1e-11 + 1e-14 * abs(fine):
        raise NumericalError("the peak of an integrand is too rough to be integrated")
    return fine


def _peak(log_height: LogHeight, start: float) -> tuple[float, float]:
    """The place of the peak, and a distance to its right end that is not too small."""
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
        best = int(np.argmax(log_height(places)))
        low, high = places[max(best - 1, 0)], places[min(best + 1, 16)]
        if high - low <= 1e-12 * (1 + abs(high)):
            break
    return float(places[best]), reach


def _integral(log_height: LogHeight, low: float, high: float, count: int) -> float:
    points, weights = on_panels(np.linspace(low, high, count + 1), PANEL_POINTS)
    heights = log_height(points)
    peak = float(heights.max())
    return peak + math.log(float(np.exp(heights - peak) @ weights))
