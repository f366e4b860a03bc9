"""Curves that are integrated by panels, in each of which they are a polynomial."""

from __future__ import annotations

import math
from abc import abstractmethod
from functools import cache, cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.polynomial import legendre

from hockeystick.errors import NumericalError
from hockeystick.loss.measure import Nodes
from hockeystick.loss.two_sided.curve import Curve
from hockeystick.numerics.gauss import gauss_legendre
from hockeystick.numerics.types import Array

PANEL_POINTS = 16
"""Gauss points of a panel."""
GENERATIONS = 45
"""So often a panel is halved before the curve counts as too rough."""
MOST_PANELS = 20_000
ACCURACY = 2e-13
"""Relative error of a panel's interpolation, at each of its points."""
FLOOR = 1e-290
"""Absolute error of a panel's interpolation, whatever the values are."""
LEAST_DELTA = 1e-270
"""Where a curve falls below this its panels end: beyond, floats have too few digits."""
TURN = 6.0
"""Largest |s| × width of a panel."""
NEGLIGIBLE_NATS = 46.0
"""Points are left out that bring less than e^−46 = 1e-20 of the largest."""
SKETCHED = 4
"""One in so many points is enough to plan with."""

Weighted = tuple[Array, Array]
"""Points u and weights (δ(u) − δ(∞))du."""


class Values(Protocol):
    """A function that falls from u = 0 to its limit, reached at `last`."""

    @property
    def infinite(self) -> float:
        """The limit."""

    @property
    def last(self) -> float:
        """Where it is within `LEAST_DELTA` of its limit."""

    @property
    def breaks(self) -> Array:
        """Places where it is known not to be smooth."""

    def delta(self, u: Array) -> Array:
        """Its values."""


class Panels(NamedTuple):
    """Stretches of a curve: where they start, how wide they are, the curve less its limit."""

    start: Array
    width: Array
    values: Array

    @property
    def places(self) -> Array:
        """The Gauss points, one row for each panel."""
        points, _ = gauss_legendre(PANEL_POINTS)
        return np.asarray(self.start[:, None] + self.width[:, None] * (points + 1) / 2)

    def weighted(self) -> Weighted:
        """Gauss points and weights × values, all that are not 0."""
        _, weights = gauss_legendre(PANEL_POINTS)
        weighted = self.values * (self.width[:, None] / 2 * weights)
        kept = weighted > 0
        return self.places[kept], weighted[kept]

    def split(self, curve: Values, wide: Array, parts: Array) -> Panels:
        """With each panel that is too wide split into so many parts, which come last."""
        fine = np.repeat(self.width[wide] / parts, parts)
        index = np.arange(parts.sum()) - np.repeat(np.cumsum(parts) - parts, parts)
        more = np.repeat(self.start[wide], parts) + index * fine
        return Panels(
            np.append(self.start[~wide], more),
            np.append(self.width[~wide], fine),
            np.concatenate([self.values[~wide], _sample(curve, more, fine)]),
        )


@cache
def to_series() -> Array:
    """From values at the Gauss points to the coefficients of Legendre's polynomials."""
    points, weights = gauss_legendre(PANEL_POINTS)
    series = (legendre.legvander(points, PANEL_POINTS - 1) * weights[:, None]).T
    return np.asarray(series * (np.arange(PANEL_POINTS)[:, None] + 0.5))


@cache
def _to_halves() -> Array:
    """From values at the Gauss points to values at those of both halves."""
    points, _ = gauss_legendre(PANEL_POINTS)
    halves = np.concatenate([(points - 1) / 2, (points + 1) / 2])
    return np.asarray(legendre.legvander(halves, PANEL_POINTS - 1) @ to_series())


def _sample(curve: Values, start: Array, width: Array) -> Array:
    points, _ = gauss_legendre(PANEL_POINTS)
    u = start[:, None] + width[:, None] * (points + 1) / 2
    return np.maximum(curve.delta(u) - curve.infinite, 0.0)


def panels_of(curve: Values, accuracy: float = ACCURACY) -> Panels:
    """Halve panels until each interpolates the values at its halves' points, relative to them."""
    last = curve.last
    edges = np.unique(np.append(curve.breaks[curve.breaks < last], [0.0, last]))
    start, width = edges[:-1], np.diff(edges)
    values = _sample(curve, start, width)
    done: list[Panels] = []
    for _ in range(GENERATIONS):
        starts = np.stack([start, start + width / 2], axis=1).ravel()
        finer = _sample(curve, starts, np.repeat(width / 2, 2)).reshape(-1, 2 * PANEL_POINTS)
        scale = np.maximum(finer, FLOOR)
        allowed = accuracy * scale * (1 - np.log(np.minimum(scale, 1.0)) / 50) + FLOOR
        # u itself is rounded, which shows where the curve falls to 0 between two points of it.
        blur = 1e-15 * (1 + start / width) * values.max(axis=1) + accuracy * curve.infinite
        allowed = np.maximum(allowed, blur[:, None])
        good = (np.abs(values @ _to_halves().T - finer) <= allowed).all(axis=1)
        done.append(Panels(start[good], width[good], values[good]))
        if good.all():
            return Panels(*(np.concatenate(column) for column in zip(*done, strict=True)))
        starts = starts.reshape(-1, 2)[~good]
        start, width = starts.ravel(), np.repeat(width[~good] / 2, 2)
        values = finer[~good].reshape(-1, PANEL_POINTS)
        if start.size > MOST_PANELS:
            break
    raise NumericalError("a profile is too rough to be integrated")


class PanelCurve(Curve):
    """A curve of which panels are made once, and split as finely as a power s asks for."""

    @property
    def by_panels(self) -> PanelCurve | None:
        return self

    @property
    @abstractmethod
    def last(self) -> float:
        """Where the curve is within `LEAST_DELTA` of its limit."""

    @property
    @abstractmethod
    def breaks(self) -> Array:
        """Places where the curve is not smooth."""

    @cached_property
    def panels(self) -> Panels:
        """The curve on panels."""
        return panels_of(self)

    @abstractmethod
    def log_beyond(self, power: float, least: float) -> float:
        """log ∫ e^{power·u}·(δ(u) − δ(∞)) du over u > last, where δ itself is too small to keep.

        Where it is known to be below `least`, just −inf.
        """

    @cached_property
    def _by_level(self) -> dict[int, Weighted]:
        return {}

    def weighted(self, level: int) -> Weighted:
        """Points and weights good for |s| up to 2^level."""
        if level not in self._by_level:
            panels, widest = self.panels, TURN / 2.0**level
            wide = panels.width > widest
            if wide.any():
                parts = np.ceil(panels.width[wide] / widest)
                if not parts.sum() <= MOST_PANELS:
                    raise NumericalError("the quadrature of a profile would need too many nodes")
                panels = panels.split(self, wide, parts.astype(int))
            self._by_level[level] = panels.weighted()
        return self._by_level[level]

    def weighted_near(self, tilt: float) -> Weighted:
        """Points and weights where e^{tilt·u}·δ(u) or e^{−(1 + tilt)·u}·δ(u) is not negligible."""
        panels, powers = self.panels, (tilt, -1 - tilt)
        widest = TURN / (1 + max(map(abs, powers)))
        while True:
            panels = Panels(*(column[_matter(panels, powers)] for column in panels))
            wide = panels.width > widest
            if not wide.any():
                return panels.weighted()
            panels = panels.split(self, wide, np.full(int(wide.sum()), 8))

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        """Cells of a few points of the quadrature, as if their mass lay in the middle."""
        u, _ = self.weighted(level_of(max(abs(low), abs(high)) + 1 + turn))
        edges = np.append(0.0, np.sort(u)[SKETCHED - 1 :: SKETCHED])
        q, width = -np.diff(self.above(edges)[1]), np.diff(edges)
        kept = (q > 0) & (width > 0)
        q, width = q[kept], width[kept]
        losses = ((edges[1:] + edges[:-1]) / 2)[kept]
        atoms = self.atoms
        return Nodes(np.append(losses, atoms.losses), np.append(np.log(q), atoms.log_q), q / width)


def level_of(power: float) -> int:
    """The level of panels that is good for |s| up to `power`."""
    return max(0, math.ceil(math.log2(max(power, 1.0))))


def _matter(panels: Panels, powers: tuple[float, ...]) -> Array:
    """Which panels matter to e^{power·u}·δ(u) for one of the powers."""
    with np.errstate(divide="ignore"):
        heights = np.log(panels.values)
    u, end = panels.places, panels.start + panels.width
    kept = np.zeros(len(panels.start), dtype=bool)
    for power in powers:
        best = (power * u + heights).max()
        most = heights.max(axis=1) + np.maximum(power * panels.start, power * end)
        kept |= most > best - NEGLIGIBLE_NATS - 10  # the largest value may lie between the points
    return kept
