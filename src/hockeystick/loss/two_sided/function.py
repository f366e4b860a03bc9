"""The curve of a privacy profile that a user gives as a function."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from functools import cached_property

import numpy as np
from numpy.polynomial import legendre

from hockeystick.errors import NumericalError, ParameterError
from hockeystick.loss.measure import NO_ATOMS, Atoms
from hockeystick.loss.two_sided.curve import Curve
from hockeystick.loss.two_sided.panels import (
    LEAST_DELTA,
    PanelCurve,
    Panels,
    panels_of,
    to_series,
)
from hockeystick.numerics.roots import last_true
from hockeystick.numerics.types import Array

FARTHEST = 8192.0
"""The value of the function here is taken as its limit; what is beyond is at most that."""
FARTHEST_EXP = 700.0
"""The value here is the limit where the function calls exp(ε), which overflows."""
ACCURACIES = (1e-12, 1e-9)
"""Relative errors to which panels are tried to follow a function that may carry noise."""
KINK, NEAR_KINK = 1e-6, 1e-3
"""A panel so narrow, relative to its place, holds a kink; panels so narrow beside it close in."""
FEW = 8
"""So many values of a function may be asked for themselves: it can be slow."""


class FunctionValues:
    """A user's function, checked at every point that is asked for.

    In a = e^u no mechanism's profile h falls faster from a = 1 than by (1 − h(1))/2, the slope of a
    symmetric pair without mass at loss 0. Where the function does, its first value was too large,
    and the line of that slope which touches it takes the place of what is before it.
    """

    def __init__(self, function: Callable[[float], float]) -> None:
        self._function = function
        self._touch, self._start = 0.0, 1.0
        limit = self._limit()
        self.infinite = limit if limit > 1e-300 else 0.0
        self._touch, self._start = self._steepest()
        self.last = self._last()
        self.edges = np.unique([0.0, min(self._touch, self.last), self.last])

    def _limit(self) -> float:
        try:
            return float(self._values(np.array([FARTHEST]))[0])
        except OverflowError:
            return float(self._values(np.array([FARTHEST_EXP]))[0])

    def _steepest(self) -> tuple[float, float]:
        """Where the line touches the function, 0 if nowhere, and its value at a = 1."""
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
        values = np.array([float(self._function(float(x))) for x in u.ravel()]).reshape(u.shape)
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
        low, high = 0.0, 1.0
        while high < FARTHEST and self._above(high):
            low, high = high, 2 * high
        return last_true(self._above, low, high, 60)[1]

    @property
    def goes_on(self) -> bool:
        """Whether the function is above 0 where its values are too small to be kept."""
        try:
            return float(self._function(self.last)) > 0
        except OverflowError:
            return False

    def _above(self, u: float) -> bool:
        try:
            return float(self.delta(np.array([u]))[0]) - self.infinite > LEAST_DELTA
        except OverflowError:  # beyond FARTHEST_EXP, whose value is the limit then
            return False


class FunctionCurve(PanelCurve):
    """A function δ(ε), kept as Legendre series on panels.

    Its atoms are kinks, at places that are known only roughly.
    """

    atoms_apart = False

    def __init__(self, function: Callable[[float], float]) -> None:
        self._given = FunctionValues(function)
        self.infinite, self.last = self._given.infinite, self._given.last
        self._edges = np.append(self.panels.start, self.last)
        self._series = self.panels.values @ to_series().T
        self._sloped = self._beside_kinks()
        self._check()
        self.rough = self._has_kinks()
        self._goes_on = not self.infinite and self._given.goes_on
        self.top = math.inf if self._goes_on else self.last

    @cached_property
    def panels(self) -> Panels:
        given = self._given
        for accuracy in ACCURACIES:
            with suppress(NumericalError):
                panels = panels_of(given.delta, given.infinite, given.edges, accuracy)
                order = np.argsort(panels.start)
                return Panels(*(column[order] for column in panels))
        raise NumericalError("profile is too rough to be integrated: does it carry noise?")

    def _check(self) -> None:
        """Only a decreasing curve, convex in e^ε, is a profile."""
        u, values = self.panels.places.ravel(), self.panels.values.ravel()
        near = u < 30
        steps = np.diff(np.expm1(u[near]))
        slopes = np.diff(values[near]) / steps
        noise = 4e-15 / steps
        if (slopes > noise).any():
            raise ParameterError("profile must not increase with epsilon")
        if (np.diff(slopes) < -(noise[1:] + noise[:-1]) - 1e-9 * np.abs(slopes[1:])).any():
            raise ParameterError("profile must be convex in e^epsilon; give its convex envelope")

    def _has_kinks(self) -> bool:
        """Whether the slope jumps between two panels, or the masses leave something at loss 0."""
        widths = self.panels.width
        slopes = legendre.legder(self._series.T)
        left, right = (legendre.legval(x, slopes) * 2 / widths for x in (-1.0, 1.0))
        start = legendre.legval(-1.0, self._series[0]) + self.infinite
        at_zero = 1 - self.infinite - (start - 2 * left[0])
        jumps = np.abs(np.append(left[1:], 0.0) - right) * np.exp(-self._edges[1:])
        return bool(at_zero > 1e-5 or (jumps > 1e-4).any())

    def _beside_kinks(self) -> Array:
        """For each panel the one that knows its slope: before or behind the kink that is near."""
        width = self.panels.width
        knows = np.arange(width.size)
        relative = width / self._edges[1:]
        narrow = np.flatnonzero(relative < NEAR_KINK)
        for run in np.split(narrow, np.flatnonzero(np.diff(narrow) > 1) + 1):
            if relative[run].min(initial=1.0) < KINK:
                kink = run[np.argmin(width[run])]
                knows[run] = np.where(run <= kink, run[0] - 1, run[-1] + 1)
        return np.clip(knows, 0, width.size - 1)

    def _evaluate(self, u: Array) -> Array:
        """The curve less its limit."""
        panel = np.clip(np.searchsorted(self._edges, u, "right") - 1, 0, len(self._series) - 1)
        x = np.clip(2 * (u - self._edges[panel]) / self.panels.width[panel] - 1, -1, 1)
        value = legendre.legval(x, self._series.T[:, panel], tensor=False)
        return np.where(u >= self.last, 0.0, value)

    def _slope(self, u: Array) -> Array:
        """dδ/da; around a kink, where it is a difference of equal numbers, that beside the kink."""
        panel = np.clip(np.searchsorted(self._edges, u, "right") - 1, 0, len(self._series) - 1)
        panel = self._sloped[panel]
        start, width = self._edges[panel], self.panels.width[panel]
        x = np.clip(2 * (u - start) / width - 1, -1, 1)
        slope = legendre.legval(x, legendre.legder(self._series.T)[:, panel], tensor=False)
        slope = slope * 2 / width * np.exp(-start - width * (x + 1) / 2)
        return np.where(u >= self.last, 0.0, np.minimum(slope, 0.0))

    def delta(self, u: Array) -> Array:
        """The function itself at a few points, for an answer to one step; its panels at many."""
        if np.size(u) <= FEW:
            with suppress(OverflowError):  # the function calls exp(ε)
                return np.maximum(self._given.delta(u), self.infinite)
        return self._evaluate(u) + self.infinite

    @property
    def atoms(self) -> Atoms:
        return NO_ATOMS

    def above(self, u: Array) -> tuple[Array, Array]:
        slope = self._slope(u)
        return np.maximum(self._evaluate(u) - np.exp(np.minimum(u, 700)) * slope, 0), -slope

    def log_beyond(self, powers: Array, least: Array) -> Array:
        counts = (powers > 0) & (powers * self.last + math.log(LEAST_DELTA) > least)
        if self._goes_on and counts.any():
            raise NumericalError("K(s) depends on values of the profile below 1e-270")
        return np.full(powers.shape, -math.inf)

    @cached_property
    def _ended(self) -> FunctionCurve:
        """The curve with a limit where its values end."""
        ended = copy(self)
        ended._goes_on, ended.top, ended.infinite = False, self.last, LEAST_DELTA
        return ended

    def truncated(self, mass: float) -> tuple[Curve, float]:
        if not self._goes_on or mass < LEAST_DELTA:
            return self, 0.0
        return self._ended, LEAST_DELTA

    def raised(self, by: float) -> Curve:
        if by > LEAST_DELTA:
            raise NumericalError("a profile that is a function cannot be raised")
        return self._ended
