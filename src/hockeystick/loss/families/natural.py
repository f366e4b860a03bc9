"""Losses that are linear in a statistic: two members of one exponential family on the line.

Q has density h(u)·e^{ηu − A(η)} and P the same with η + m, so that L = m·u − A(η + m) + A(η). Every
tilt e^{sL}·P is a member again, with parameter η + m(1 + s), which gives in closed form

    K(s) = A(η + m(1 + s)) − (1 + s)·A(η + m) + s·A(η)

in the strip where η + m(1 + s) stays a parameter (Wang, Balle and Kasiviswanathan 2019, Appendix F,
with A itself where the text has log A).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.families.graded import graded_edges, integral
from hockeystick.loss.families.pair import LOWEST, PairLoss
from hockeystick.loss.families.table import Table
from hockeystick.loss.line import ANGLE, NATS
from hockeystick.loss.measure import Nodes, Tails
from hockeystick.numerics.roots import last_true
from hockeystick.numerics.stirling import excess, step
from hockeystick.numerics.types import Array, Complex

EDGE_HALVINGS = 12
"""The edge of a law is wanted to a few parts in ten thousand."""
MANY = 100
"""So many values of a profile are taken from a table of it."""
STRAIGHT = 40.0
"""So far out a tail of e^{−decay·v} is straight to rounding."""


@dataclass(frozen=True)
class NaturalLoss(PairLoss):
    """Parameter `start` + `move` against `start`.

    Places v on the line are counted from the centre of Q, so that L = move·v − offset.
    """

    start: float
    move: float

    _limits = (-math.inf, math.inf)

    @cached_property
    def offset(self) -> float:
        """A(η + m) − A(η), about the centre of Q."""
        return float(sum(step(a, b * self.move).real for a, b in self._gammas))

    @cached_property
    def _strip(self) -> list[float]:
        """Where η + m(1 + s) stops to be a parameter."""
        return [-(a + b * self.move) / (b * self.move) for a, b in self._gammas]

    @cached_property
    def low(self) -> float:  # type: ignore[override]
        return max((s for s in self._strip if s < 0), default=-math.inf)

    @cached_property
    def high(self) -> float:  # type: ignore[override]
        return math.inf if self.cut else min((s for s in self._strip if s > 0), default=math.inf)

    # what each family says ----------------------------------------------------------------------

    @property
    @abstractmethod
    def _gammas(self) -> tuple[tuple[float, float], ...]:
        """A(start + t) is the sum of log Γ(a + b·t) over these pairs (a, b)."""

    @abstractmethod
    def _centre(self, tilt: float) -> float:
        """Where the law of parameter start + tilt has its peak."""

    @abstractmethod
    def _drop(self, tilt: float, w: Array) -> Array:
        """How many nats the log-density of that law is below its peak, at a distance w from it."""

    @abstractmethod
    def _peak(self, tilt: float) -> float:
        """The log-density of that law at its peak."""

    @abstractmethod
    def _above(self, tilt: float, v: Array) -> Array:
        """The mass of that law beyond v."""

    @abstractmethod
    def _below(self, tilt: float, v: Array) -> Array:
        """The mass of that law up to v."""

    @abstractmethod
    def _decay(self, sign: float) -> float:
        """How fast the log-density of P falls in the end, on one side."""

    @abstractmethod
    def _path(self, tilt: float, most: float) -> tuple[float, float]:
        """A height, up to `most`, to which the path of integration may be lifted off the line, and
        the nats by which the integral of |density| then grows."""

    # the loss -----------------------------------------------------------------------------------

    def _loss(self, v: Array) -> Array:
        return self.move * v - self.offset

    def _place(self, losses: Array) -> Array:
        return np.asarray((losses + self.offset) / self.move)

    def _at(self, loss: float) -> float:
        return float(self._place(np.array([loss]))[0])

    def _log_density(self, tilt: float, v: Array) -> Array:
        return np.asarray(self._peak(tilt) - self._drop(tilt, v - self._centre(tilt)))

    @cached_property
    def _sign(self) -> float:
        """Which way on the line the loss grows."""
        return math.copysign(1.0, self.move)

    def _masses(self, losses: Array) -> Tails:
        v = self._place(losses)
        p, q = ((self._above(tilt, v), self._below(tilt, v)) for tilt in (self.move, 0.0))
        if self.move < 0:
            p, q = p[::-1], q[::-1]
        return Tails(p[0], q[0], p[1], q[1])

    def _edge(self, tilt: float, sign: float, nats: float = NATS) -> float:
        """The place on one side of the peak where the density has dropped by `nats`."""

        def near(distance: float) -> bool:
            return float(self._drop(tilt, np.array([sign * distance]))[0]) < nats

        reach = 1e-3
        while near(reach):
            reach *= 2
            if reach > 1e9:
                raise NumericalError(f"{self!r} has tails too long for a quadrature")
        reach = last_true(near, reach / 2, reach, EDGE_HALVINGS)[1]
        return self._centre(tilt) + sign * reach

    def _range(self, low: float, high: float) -> tuple[float, float]:
        """Where the laws tilted by low <= s <= high live."""
        if low <= self.low or high >= self.high:
            raise NumericalError(f"K(s) of {self!r} is not finite for s in [{low!r}, {high!r}]")
        ends = [self.move * (low + 1), self.move * (high + 1)]
        return self._edge(min(ends), -1.0), self._edge(max(ends), 1.0)

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        """The trapezoid rule, whose error a shift of the path into the complex plane bounds
        (Trefethen and Weideman 2014, Theorem 5.1); panels where the line is cut."""
        low, high = min(low, -1.0), max(high, 0.0)
        if self.cut:
            return self.part(-math.inf, low, high, turn)
        first, last = self._range(low, high)
        tilts = (self.move * (low + 1), self.move * (high + 1))
        paths = [self._path(tilt, ANGLE / abs(self.move)) for tilt in tilts]
        height, nats = min(paths, key=lambda path: path[0] / (NATS + path[1]))
        width = 2 * math.pi * height / (NATS + nats + turn * abs(self.move) * height)
        return self._nodes(*self._trapezoid(first, last, width))

    def part(self, above: float, low: float, high: float, turn: float) -> Nodes:
        """Panels over the losses from `above` to the ceiling."""
        tilts = (self.move * (low + 1), self.move * (min(high, self.high) + 1))
        sign = self._sign
        first = max(sign * self._edge(tilts[0], -sign), sign * self._at(above))
        if self.cut:
            tilts = (tilts[0], self.move)
            last = sign * self._at(self.ceiling)
        else:
            last = sign * self._range(low, high)[sign > 0]
        first, last = sorted((sign * first, sign * max(first, last)))
        core = max(abs(self._centre(tilt)) for tilt in tilts) + 8.0
        steep = (max(abs(low), abs(high)) + 1 + turn) * abs(self.move)
        fine = min(1.0, 3 / math.sqrt(max(self._bend(tilt) for tilt in tilts)), 24 / steep)
        coarse = 24 / (steep + max(a for a, _ in self._gammas))
        edges = graded_edges(first, last, core, fine, max(fine, coarse))
        if edges.size * self.panel_points > self.most_nodes:
            raise self._too_many(edges.size * self.panel_points)
        return self._nodes(*self._panels(edges))

    def _bend(self, tilt: float) -> float:
        """Curvature of the log-density at the peak."""
        w = 1e-3
        return float(self._drop(tilt, np.array([w]))[0]) * 2 / w**2

    def _nodes(self, v: Array, log_weight: float | Array) -> Nodes:
        log_q = self._log_density(0.0, v)
        return Nodes(self._loss(v), log_q + log_weight, np.exp(log_q) / abs(self.move))

    def _cumulants(self, s: Complex) -> Complex:
        total = np.zeros_like(s)
        for a, b in self._gammas:
            end, by = a + b * self.move, b * self.move
            total += excess(end, by * s) + s * excess(end, -by)
        return total

    def _mean(self) -> float:
        return float(sum(excess(a + b * self.move, -b * self.move).real for a, b in self._gammas))

    def density(self, losses: Array) -> Array:
        q = np.exp(self._log_density(0.0, self._place(losses))) / abs(self.move)
        return np.where(losses < self.ceiling, q, 0.0)

    def _log_ahead(self, epsilon: Array, lowest: float = -math.inf) -> Array:
        """log ∫ p·(1 − e^{−|move|·y}) from the place where L is ε on, y being how far beyond."""
        losses = np.ravel(epsilon)
        value = np.empty_like(losses)
        far = losses > self._straight
        value[far] = self._log_straight(losses[far])
        if losses.size > MANY:
            known = losses <= self._table.last
            value[known] = self._table(losses[known])
            far |= known
            if lowest >= LOWEST:
                value[~far], far = -math.inf, np.ones_like(far)
        value[~far] = self._log_integral(losses[~far])
        return value.reshape(np.shape(epsilon))

    @cached_property
    def _straight(self) -> float:
        """The loss from which on the density is e^{−decay·v} but for rounding."""
        sign = self._sign
        away = STRAIGHT + math.log1p(sum(a for a, _ in self._gammas) + abs(self.move))
        return float(self._loss(np.array([self._centre(self.move) + sign * away]))[0])

    def _log_straight(self, losses: Array) -> Array:
        sign, by = self._sign, abs(self.move)
        decay = self._decay(sign)
        if math.isinf(decay):
            return np.full_like(losses, -math.inf)
        value = self._log_density(self.move, self._place(losses))
        return np.asarray(value + math.log(by / decay / (decay + by)))

    @cached_property
    def _table(self) -> Table:
        """log δ at many points, as far as it is a number that can be held."""
        last = self._straight
        while self._log_integral(np.array([last]))[0] < LOWEST:
            last *= 0.95
        return Table(self._log_integral, last)

    def _log_integral(self, losses: Array) -> Array:
        sign, by = self._sign, abs(self.move)
        begin = sign * self._place(losses)
        peak = np.maximum(begin, sign * self._centre(self.move))
        first = np.maximum(begin, self._floor)
        height = self._log_density(self.move, sign * peak)

        def inside(y: Array, which: Array) -> Array:
            start = peak[which, None]
            p = np.exp(self._log_density(self.move, sign * (start + y)) - height[which, None])
            return np.asarray(p * -np.expm1(-by * (y + start - begin[which, None])))

        zero = np.zeros_like(peak)
        total = integral(inside, np.minimum(first, peak) - peak, zero)
        total += integral(inside, zero, self._fall(sign, peak, height))
        with np.errstate(divide="ignore"):  # so steep that the next place has no density
            return np.asarray(height + np.log(total))

    @cached_property
    def _floor(self) -> float:
        """Where, short of its peak, the density of P begins to matter."""
        sign = self._sign
        return sign * self._edge(self.move, -sign)

    @cached_property
    def _unit(self) -> float:
        """The width of the peak of P."""
        return 1 / math.sqrt(self._bend(self.move))

    def _fall(self, sign: float, start: Array, height: Array) -> Array:
        """How far beyond `start` the log-density of P, past its peak, has fallen by NATS.

        It is concave, so if it falls by x over one unit it falls by NATS over NATS/x units.
        """

        def drop(reach: Array) -> Array:
            return height - self._log_density(self.move, sign * (start + reach))

        unit = np.full_like(start, self._unit)
        reach = unit * np.maximum(1.0, NATS / drop(unit))
        for _ in range(100):
            less = drop(reach / 2) >= NATS
            if not less.any():
                break
            reach = np.where(less, reach / 2, reach)
        return np.asarray(reach)

    def _turned(self) -> Self:
        return replace(self, start=self.start + self.move, move=-self.move, ceiling=math.inf)
