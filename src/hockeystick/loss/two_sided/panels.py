"""Curves that are followed by panels, in each of which they are a polynomial."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from numpy.polynomial import legendre

from hockeystick.errors import NumericalError
from hockeystick.loss.measure import Nodes
from hockeystick.loss.two_sided.curve import Curve
from hockeystick.numerics.gauss import gauss_legendre
from hockeystick.numerics.roots import last_true_by_grids
from hockeystick.numerics.types import Array

POINTS, WEIGHTS = gauss_legendre(16)
"""Gauss points of a panel, and their weights."""
EDGE = float(1 - POINTS[-1]) / 2
"""From the last point to the edge of a panel, over its width."""
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
CELLS = 4
"""So many cells of a panel are enough to plan with."""


@cache
def to_series() -> Array:
    """From values at the Gauss points to the coefficients of Legendre's polynomials."""
    series = (legendre.legvander(POINTS, POINTS.size - 1) * WEIGHTS[:, None]).T
    return np.asarray(series * (np.arange(POINTS.size)[:, None] + 0.5))


@cache
def _to_halves() -> Array:
    """From values at the Gauss points to values at those of both halves."""
    halves = np.concatenate([(POINTS - 1) / 2, (POINTS + 1) / 2])
    return np.asarray(legendre.legvander(halves, POINTS.size - 1) @ to_series())


class Panels(NamedTuple):
    """Stretches of a curve: where they start, how wide they are, the curve less its limit."""

    start: Array
    width: Array
    values: Array

    @property
    def places(self) -> Array:
        """The Gauss points, one row for each panel."""
        return np.asarray(self.start[:, None] + self.width[:, None] * ((POINTS + 1) / 2))

    def near(self, log_factor: Array, power: float) -> Array:
        """Which panels matter to the integral of the curve times a factor, known at the points;
        between these and the edges it may grow by e^{power·u} more."""
        with np.errstate(divide="ignore"):
            size = log_factor + np.log(self.values)
        most = size.max(axis=1, initial=-math.inf) + abs(power) * EDGE * self.width
        return np.asarray(most > size.max(initial=-math.inf) - NEGLIGIBLE_NATS - 10)

    def near_between(self, x: Array, log_factor: Array, low: float, high: float) -> Array:
        """Which panels matter to the integral of the curve times e^{tilt·x + log_factor} for any
        tilt from `low` to `high`.

        What is left of the peak of `low` loses against it as the tilt grows, what is right of the
        peak of `high` as it shrinks, so that outside those two ends decide. Between, all count.
        """
        near = self.near(low * x + log_factor, low)
        if low == high:
            return near
        near = near | self.near(high * x + log_factor, high)
        first, last = self.start[near].min(initial=math.inf), self.start[near].max(initial=0.0)
        return np.asarray((self.start >= first) & (self.start <= last))

    def halved(self, kept: Array, wide: Array) -> Panels:
        """The panels to be kept, and the two halves of each that is too wide."""
        half = np.repeat(self.width[wide] / 2, 2)
        starts = np.repeat(self.start[wide], 2)
        starts[1::2] += half[1::2]
        values = (self.values[wide] @ _to_halves().T).reshape(-1, POINTS.size)
        return Panels(
            np.append(self.start[kept], starts),
            np.append(self.width[kept], half),
            np.concatenate([self.values[kept], np.maximum(values, 0.0)]),
        )


def panels_of(
    delta: Callable[[Array], Array], limit: float, edges: Array, accuracy: float = ACCURACY
) -> Panels:
    """Panels of a curve that is smooth between two edges, less its limit.

    They are halved until each interpolates the values at its halves' points, relative to them.
    """
    start, width, points = edges[:-1], np.diff(edges), (POINTS + 1) / 2
    values = np.maximum(delta(start[:, None] + width[:, None] * points) - limit, 0.0)
    done: list[Panels] = []
    for _ in range(GENERATIONS):
        starts = np.stack([start, start + width / 2], axis=1)
        finer = delta(starts[..., None] + width[:, None, None] / 2 * points)
        finer = np.maximum(finer - limit, 0.0).reshape(len(start), -1)
        scale = np.maximum(finer, FLOOR)
        allowed = accuracy * scale * (1 - np.log(np.minimum(scale, 1.0)) / 50) + FLOOR
        # u itself is rounded, which shows where the curve falls to 0 between two points of it.
        blur = 1e-15 * (1 + start / width) * values.max(axis=1) + accuracy * limit
        allowed = np.maximum(allowed, blur[:, None])
        good = (np.abs(values @ _to_halves().T - finer) <= allowed).all(axis=1)
        done.append(Panels(start[good], width[good], values[good]))
        if good.all():
            return Panels(*(np.concatenate(column) for column in zip(*done, strict=True)))
        start, width = starts[~good].ravel(), np.repeat(width[~good] / 2, 2)
        values = finer[~good].reshape(start.size, -1)
        if start.size > MOST_PANELS:
            break
    raise NumericalError("a profile is too rough to be integrated")


class PanelCurve(Curve):
    """A curve of which panels are made once."""

    @cached_property
    def last(self) -> float:
        """Where the curve ends, or is within `LEAST_DELTA` of its limit."""
        if math.isfinite(self.top):
            return self.top
        over = self.infinite + LEAST_DELTA
        return last_true_by_grids(lambda u: self.delta(u) > over, 0.0, math.inf, 5)[1]

    @property
    @abstractmethod
    def panels(self) -> Panels:
        """The curve on panels; a `NumericalError` if it is too rough."""

    @abstractmethod
    def log_beyond(self, powers: Array, least: Array) -> Array:
        """log ∫ e^{power·u}·(δ(u) − δ(∞)) du beyond the panels, where δ itself is too small to
        keep, for each power. Where it is known to be below `least`, as for those below 0, −inf."""

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        """Cells of the panels that matter, as if their mass lay in the middle."""
        panels = self.panels
        near = panels.near(low * panels.places, low) | panels.near(high * panels.places, high)
        first, last = panels.start[near].min(initial=math.inf), panels.start[near].max(initial=0.0)
        near = (panels.start >= first) & (panels.start <= last)
        start, width = panels.start[near], panels.width[near]
        parts = np.ceil(width * ((max(abs(low), abs(high)) + 1 + turn) / TURN))
        if not parts.sum() <= MOST_PANELS:
            raise NumericalError("the quadrature of a profile would need too many nodes")
        cells = CELLS * parts.astype(int)
        index = np.arange(cells.sum()) - np.repeat(np.cumsum(cells) - cells, cells)
        places = np.repeat(start, cells) + (index + 1) * np.repeat(width / cells, cells)
        edges = np.sort(np.append(start[start == first], places))
        q, width = -np.diff(self.above(edges)[1]), np.diff(edges)
        kept = (q > 0) & (width > 0)
        q, width = q[kept], width[kept]
        losses = ((edges[1:] + edges[:-1]) / 2)[kept]
        atoms = self.atoms
        return Nodes(np.append(losses, atoms.losses), np.append(np.log(q), atoms.log_q), q / width)
