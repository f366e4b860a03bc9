"""Curves that are followed by panels, in each of which they are a polynomial, and K from them."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from numpy.polynomial import legendre

from hockeystick.errors import NumericalError
from hockeystick.loss.measure import Nodes
from hockeystick.loss.strip import within
from hockeystick.loss.two_sided.curve import Curve
from hockeystick.numerics.blocks import CHUNK
from hockeystick.numerics.gauss import gauss_legendre
from hockeystick.numerics.series import LEAST, dot, log1p, log_mixed
from hockeystick.numerics.types import Array, Complex

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
MOST_TERMS = 1 << 28
"""Most points of the curves × points of the plane of one question, a few seconds' work."""

Terms = tuple[Array, Array]
"""Losses x and log-weights, so that the integral of Theorem 6 is Σ e^{s·x + log_weight}."""


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


@dataclass(frozen=True, eq=False)
class Cumulants:
    """K(s) of the pair with these curves, mixed at a rate q, by Theorem 6 of Balle, Barthe and
    Gaboardi (2018).

    In ((1−q)·Q + q·P, Q) a loss u > 0 becomes x = log(1 − q + q·e^u), where the profile is q·δ(u),
    and a loss y = −v < 0, v > 0 in the reverse, becomes x = log(1 − q + q·e^y), where that of the
    reverse is q·e^{y−x}·δ'(v). The Q-mass δ'(∞) that P lacks is then at the loss log(1 − q).
    """

    forward: PanelCurve
    backward: PanelCurve
    rate: float = 1.0

    def at(self, s: Complex) -> Complex:
        """K at each s; +inf where the losses of a curve fall too slowly for it."""
        low = -1 - self.backward.high if self.rate == 1 else -math.inf
        return within(s, low, self.forward.high, self._at)

    def _at(self, s: Complex) -> Complex:
        """K, where it is finite, one vertical line after the other."""
        tilts, place = np.unique(s.real, return_inverse=True)
        lines = [s[place == i] for i in range(tilts.size)]
        terms = [
            self._terms(float(tilt), float(np.abs(line).max()))
            for tilt, line in zip(tilts, lines, strict=True)
        ]
        count = sum(x.size * line.size for (x, _), line in zip(terms, lines, strict=True))
        if count > MOST_TERMS:
            raise NumericalError(f"K of a profile would take {count} terms")
        most = [
            (tilt * x + log_weights).max(initial=-math.inf)
            for tilt, (x, log_weights) in zip(tilts, terms, strict=True)
        ]
        least = np.array(most) - NEGLIGIBLE_NATS
        # Far out the mixed loss is u + log q, and those of the reverse end at −log(1 − q) then.
        by = (tilts + 1) * math.log(self.rate)
        beyond = self.forward.log_beyond(tilts, least - by) + by
        if self.rate == 1:
            beyond = np.maximum(beyond, self.backward.log_beyond(-1 - tilts, least))
        value = np.empty_like(s)
        for i, line in enumerate(lines):
            far = float(beyond[i]) if beyond[i] > least[i] else -math.inf
            value[place == i] = self._along(line, *terms[i], far)
        return value

    def mean(self) -> float:
        """K'(0), where no loss is +inf."""
        _, log_weights = self._terms(0.0, 1.0)
        at_void = self.rate + (1 - self.rate) * self._log_rest if self.rate < 1 else 1.0
        return float(np.exp(log_weights).sum()) + self.backward.infinite * at_void

    def reverse_mean(self) -> float:
        """−K'(−1), where no loss is −inf."""
        x, log_weights = self._terms(-1.0, 1.0)
        at_void = self.rate + self._log_rest if self.rate < 1 else 1.0
        total = float(np.exp(log_weights - x).sum())
        return total + self.rate * self.forward.infinite - self.backward.infinite * at_void

    @cached_property
    def _log_rest(self) -> float:
        """log(1 − q)."""
        return math.log1p(-self.rate) if self.rate < 1 else -math.inf

    def _terms(self, tilt: float, power: float) -> Terms:
        """Terms that matter on the line Re s = tilt, good for |s| up to `power`."""
        ahead = self._side(self.forward.panels, 1.0, tilt, power)
        behind = self._side(self.backward.panels, -1.0, tilt, power)
        x, log_weights = (np.concatenate(columns) for columns in zip(ahead, behind, strict=True))
        size = tilt * x + log_weights
        kept = size > size.max(initial=-math.inf) - NEGLIGIBLE_NATS
        return x[kept], log_weights[kept]

    def _side(self, panels: Panels, sign: float, tilt: float, power: float) -> Terms:
        """The terms of one curve: of the losses of this sign."""
        while True:
            y = sign * panels.places
            x = y if self.rate == 1 else log_mixed(self.rate, y)
            log_factor = 2 * math.log(self.rate) + y - x + np.minimum(y, 0.0)
            near = panels.near(tilt * x + log_factor, tilt)
            wide = near & (panels.width > TURN / (power + 1))
            if not wide.any():
                break
            if wide.sum() > MOST_PANELS:
                raise NumericalError("the quadrature of a profile would need too many nodes")
            panels = panels.halved(near & ~wide, wide)
        weighted = panels.values * (panels.width[:, None] / 2 * WEIGHTS)
        kept = near[:, None] & (weighted > 0)
        return x[kept], np.log(weighted[kept]) + log_factor[kept]

    def _along(self, s: Complex, x: Array, log_weights: Array, beyond: float) -> Complex:
        """K on one vertical line, some s at a time to spare memory."""
        if beyond > -math.inf and s.imag.any():
            raise NumericalError("K(s) depends on losses rarer than 1e-270 off the real line")
        q, infinite, void = self.rate, self.forward.infinite, self.backward.infinite
        lost = q * infinite + (1 - q) * void + s * (q * (infinite - void))
        size = float(s.real[0]) * x + log_weights
        log_stay = math.log(void) + (s + 1) * self._log_rest if void and q < 1 else None
        peak = max(0.0, beyond, float(size.max(initial=0.0)))
        if log_stay is not None:
            peak = max(peak, float(log_stay[0].real))
        size = np.exp(size - peak)
        rows = max(1, CHUNK // max(1, x.size))
        angles = (s.imag[i : i + rows, None] * x for i in range(0, s.size, rows))
        integral = np.concatenate(
            [dot(np.cos(a), size) + 1j * dot(np.sin(a), size) for a in angles]
        )
        total = s * (s + 1) * (integral + math.exp(beyond - peak))
        if log_stay is not None:
            total += np.exp(log_stay - peak)
        if peak == 0:
            return log1p((total - lost).real, (total - lost).imag)
        modulus = total + (1 - lost) * math.exp(-peak)
        with np.errstate(divide="ignore"):
            log_modulus = np.maximum(np.log(np.abs(modulus)), LEAST)
        return np.asarray(peak + log_modulus + 1j * np.angle(modulus))
