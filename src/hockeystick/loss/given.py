"""A privacy profile that a user gives as a function."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hockeystick.errors import ParameterError
from hockeystick.loss.base import EMPTY
from hockeystick.numerics.series import Array

LAST = 1e-270
"""A curve that has fallen so far may go on where floats end."""
NEARER = 700.0
FAR = 8192.0
"""The value of the curve here is taken as its limit; what is beyond is at most that."""


class Given:
    """A user's curve, checked at every point that is asked for.

    In a = e^u no mechanism's profile h falls faster from a = 1 than by (1 − h(1))/2, the slope of a
    symmetric pair without mass at loss 0. Where the curve does, its first value was too large, and
    the line of that slope which touches the curve takes the place of what is before it.
    """

    breaks = EMPTY

    def __init__(self, curve: Callable[[float], float]) -> None:
        self._curve = curve
        self._touch, self._start = 0.0, 1.0
        limit = self._limit()
        self.infinite = limit if limit > 1e-300 else 0.0
        self._touch, self._start = self._steepest()
        if self._touch:
            self.breaks = np.array([self._touch])
        self.last = self._last()

    def _limit(self) -> float:
        try:
            return float(self._values(np.array([FAR]))[0])
        except OverflowError:  # the curve calls exp(ε)
            return float(self._values(np.array([NEARER]))[0])

    def _steepest(self) -> tuple[float, float]:
        """Where the line touches the curve, 0 if nowhere, and its value at a = 1."""
        places = np.append(0.0, np.geomspace(1e-6, 30.0, 200))
        for _ in range(6):
            a = np.exp(places)
            starts = (2 * self._values(places) + (a - 1)) / (a + 1)
            best = int(np.argmin(starts))
            touch, start = float(places[best]), float(starts[best])
            if best == 0:
                break
            places = np.linspace(places[best - 1], places[min(best + 1, places.size - 1)], 33)
        first = float(self._values(np.zeros(1))[0])
        return (touch, start) if start < first - 1e-9 else (0.0, first)

    def delta(self, u: Array) -> Array:
        """Its values, behind the line where there is one."""
        line = self._start - np.expm1(np.minimum(u, self._touch)) * (1 - self._start) / 2
        return np.where(u < self._touch, line, self._values(u))

    def _values(self, u: Array) -> Array:
        values = np.array([float(self._curve(float(x))) for x in u.ravel()]).reshape(u.shape)
        values[np.abs(values) < 1e-300] = 0.0
        outside = ~((values >= 0) & (values <= 1))
        if outside.any():
            where = float(u[outside].flat[0])
            raise ParameterError(
                f"profile must have values in [0, 1], got {float(values[outside].flat[0])!r} at "
                f"epsilon = {where!r}"
            )
        return values

    def _last(self) -> float:
        """Where the curve is within `LAST` of its limit."""
        low, high = 0.0, 1.0
        while high < FAR and self._above(high):
            low, high = high, 2 * high
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self._above(middle) else (low, middle)
        return high

    @property
    def goes_on(self) -> bool:
        """Whether the curve is above 0 where its values are too small to be kept."""
        try:
            return float(self._curve(self.last)) > 0
        except OverflowError:
            return False

    def _above(self, u: float) -> bool:
        try:
            return float(self.delta(np.array([u]))[0]) - self.infinite > LAST
        except OverflowError:  # beyond NEARER, whose value is the limit then
            return False
