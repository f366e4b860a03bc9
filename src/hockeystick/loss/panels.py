"""Integrals of a bound on the profile, by panels in which it is a polynomial."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np
from numpy.polynomial import legendre

from hockeystick.errors import NumericalError
from hockeystick.numerics.series import Array

POINTS = 16
GENERATIONS = 45
MOST_PANELS = 20_000
ACCURACY = 2e-13
"""Relative error of a panel's interpolation, at each of its points."""
FLOOR = 1e-290
"""Absolute error of a panel's interpolation, whatever the values are."""
TURN = 6.0
"""Largest |s| × width of a panel."""
NATS = 46.0
"""Points are left out that bring less than e^−46 = 1e-20 of the largest."""

Weighted = tuple[Array, Array]
"""Points u and weights δ(u)du."""


class Curve(Protocol):
    """A curve that falls from u = 0 to its limit, reached at `last`."""

    @property
    def infinite(self) -> float:
        """The limit."""

    @property
    def last(self) -> float:
        """Where it ends."""

    @property
    def breaks(self) -> Array:
        """Places where it is known not to be smooth."""

    def delta(self, u: Array) -> Array:
        """Its values."""


class Panels(NamedTuple):
    """A stretch of a curve: its ends, and the curve less its limit at Gauss points."""

    start: Array
    width: Array
    values: Array


@lru_cache(maxsize=1)
def gauss() -> tuple[Array, Array, Array, Array]:
    """Gauss points and weights on [−1, 1], the series of values, and values at both halves."""
    points, weights = legendre.leggauss(POINTS)
    degrees = np.arange(POINTS)
    to_series = (legendre.legvander(points, POINTS - 1) * weights[:, None]).T
    to_series = to_series * (degrees[:, None] + 0.5)
    halves = np.concatenate([(points - 1) / 2, (points + 1) / 2])
    return points, weights, to_series, legendre.legvander(halves, POINTS - 1) @ to_series


def _sample(curve: Curve, start: Array, width: Array) -> Array:
    points, _, _, _ = gauss()
    u = start[:, None] + width[:, None] * (points + 1) / 2
    return np.maximum(curve.delta(u) - curve.infinite, 0.0)


def panels_of(curve: Curve, accuracy: float = ACCURACY) -> Panels:
    """Halve panels until each interpolates the values at its halves' points, relative to them."""
    last = curve.last
    edges = np.append(curve.breaks[curve.breaks < last], [0.0, last])
    edges = np.unique(edges)
    start, width = edges[:-1], np.diff(edges)
    values = _sample(curve, start, width)
    _, _, _, to_halves = gauss()
    done: list[Panels] = []
    for _ in range(GENERATIONS):
        starts = np.stack([start, start + width / 2], axis=1).ravel()
        finer = _sample(curve, starts, np.repeat(width / 2, 2)).reshape(-1, 2 * POINTS)
        scale = np.maximum(finer, FLOOR)
        allowed = accuracy * scale * (1 - np.log(np.minimum(scale, 1.0)) / 50) + FLOOR
        # u itself is rounded, which shows where the curve falls to 0 between two points of it.
        blur = 1e-15 * (1 + start / width) * values.max(axis=1) + accuracy * curve.infinite
        allowed = np.maximum(allowed, blur[:, None])
        good = (np.abs(values @ to_halves.T - finer) <= allowed).all(axis=1)
        done.append(Panels(start[good], width[good], values[good]))
        if good.all():
            return Panels(*(np.concatenate(column) for column in zip(*done, strict=True)))
        starts = starts.reshape(-1, 2)[~good]
        start, width = starts.ravel(), np.repeat(width[~good] / 2, 2)
        values = finer[~good].reshape(-1, POINTS)
        if start.size > MOST_PANELS:
            break
    raise NumericalError("a profile is too rough to be integrated")


def weighted_points(curve: Curve, panels: Panels, widest: float) -> Weighted:
    """Gauss points and weights × values, panels wider than `widest` split."""
    points, weights, _, _ = gauss()
    start, width, values = panels
    wide = width > widest
    if wide.any():
        finer = np.ceil(width[wide] / widest)
        if not finer.sum() <= MOST_PANELS:
            raise NumericalError("the quadrature of a profile would need too many nodes")
        parts = finer.astype(int)
        fine = np.repeat(width[wide] / parts, parts)
        index = np.arange(parts.sum()) - np.repeat(np.cumsum(parts) - parts, parts)
        more = np.repeat(start[wide], parts) + index * fine
        start, width = np.append(start[~wide], more), np.append(width[~wide], fine)
        values = np.concatenate([values[~wide], _sample(curve, more, fine)])
    u = (start[:, None] + width[:, None] * (points + 1) / 2).ravel()
    weighted = (values * (width[:, None] / 2 * weights)).ravel()
    kept = weighted > 0
    return u[kept], weighted[kept]


def weighted_points_near(curve: Curve, panels: Panels, power: float) -> Weighted:
    """Gauss points and weights × values where e^{power·u}·δ(u) is not negligible."""
    points, weights, _, _ = gauss()
    (start, width, values), widest = panels, TURN / (1 + abs(power))
    while True:
        with np.errstate(divide="ignore"):
            heights = np.log(values)
        u = start[:, None] + width[:, None] * (points + 1) / 2
        best = (power * u + heights).max()
        most = heights.max(axis=1) + np.maximum(power * start, power * (start + width))
        kept = most > best - NATS - 10  # a panel's largest value may be a little above the points
        start, width, values = start[kept], width[kept], values[kept]
        wide = width > widest
        if not wide.any():
            break
        fine = np.repeat(width[wide] / 8, 8)
        more = (start[wide, None] + width[wide, None] / 8 * np.arange(8)).ravel()
        start, width = np.append(start[~wide], more), np.append(width[~wide], fine)
        values = np.concatenate([values[~wide], _sample(curve, more, fine)])
    u = start[:, None] + width[:, None] * (points + 1) / 2
    weighted = values * (width[:, None] / 2 * weights)
    kept = weighted > 0
    return u[kept], weighted[kept]
