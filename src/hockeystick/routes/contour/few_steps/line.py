"""One bent line, and the integral along it.

    s(u) = a + λ·sin(θ + iu),      θ = β/2,

crosses the real axis near the saddle and leaves to the right, where e^{−sx} falls; e^{sX} does not
grow there, because X is turned by β the other way. With κ(s) = s(s+1), or s(s−1) for "add",

    δ = 1/π · Im ∫_0^∞ F(s)^n·e^{−sx}·s'(u)/κ(s) du  (and the worth of the marks).

Its errors:

1. *The rule* with step h: (N₊ + N₋)/(e^{2πv/h} − 1), N± the integrals of the absolute value with u
   moved by ±iv, which is the same hyperbola with θ ∓ v; F is entire.
2. *F* itself: `Nodes.inner_error` for all s at once, and the guard, which evaluates F again at
   three points with half the step and a longer path;
   and the mass below the path.
3. *The end* u = U: |F(s(u))| <= A, the sum of absolute values on Im ζ = θ at U, for all u >= U; so
   the rest is at most A^n·e^{−x·Re s(U)}·|s'(U)|/(π·κ·x·λ·sin θ·sinh U).
4. *Rounding*, as a sum of the absolute values of the terms with what each may be off by.

The integrals of absolute values are sums on a grid with a margin: errors are estimated with care,
and not proven.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.types import Array, Complex
from hockeystick.routes.contour.few_steps.nodes import STRIP, Column, Nodes, together
from hockeystick.routes.contour.few_steps.plan import Group
from hockeystick.routes.contour.few_steps.terms import log_bounds, over, power

NATS = 27.0
"""The rule and the end are each off by e^−27 of δ, at the most."""
FEWER_NATS = 12.0
"""A line of terms that are a small part of δ has so many nats less at the most; unless it is shared
with other counts, of which they may be more."""
EDGE_STRIP = 0.95
"""Part of θ at which the strip meets the edges that were planned."""
COARSE = 6
"""The integrals N± are summed with a step so many times as large."""
GUARD_MARGIN = 4.0
"""What the guard finds at three points is taken so many times, for all the others."""
SMALL_EXPONENT = 0.07
"""Nodes with |sX| below it on the whole line are summed by moments."""
FACTORIALS = np.array([math.factorial(k) for k in range(9)], dtype=float)
LEFT_OUT = 46.0
"""Nats below the largest term of F at which a node is left out; the guard would see it."""
MOST_POINTS = 3000
END_STEP, END_TRIALS = 0.2, (np.arange(20.0), np.arange(20.0, 110.0))
"""Where the line may end, beyond where its own terms are small: far, of very many steps, because
each of them counts with its absolute value."""
ULP = 2.0**-53
HIGHEST = 600.0
"""An error beyond e^600 is as good as any other that is too large."""


class Side(NamedTuple):
    """A line beside the line, on which the error of the rule is bounded."""

    real: Array
    """Re s."""
    f: Complex
    error: Array
    """Of each column of F."""
    log_weight: Array


class Line:
    """The bent line of one group of terms, and F on it, for every x near the planned one."""

    def __init__(self, nodes: Nodes, group: Group, log_delta: float, share: bool = False) -> None:
        self.nodes, self.group = nodes, group
        self.steps, self.theta = nodes.plan.steps, nodes.theta
        low, high = group.edges
        v = EDGE_STRIP * self.theta
        self.bend = (high - low) / (math.sin(self.theta + v) - math.sin(self.theta - v))
        self.centre = low - self.bend * math.sin(self.theta - v)
        self.crossing = self.centre + self.bend * math.sin(self.theta)
        self.nats = NATS + max(0.0 if share else -FEWER_NATS, group.level - log_delta)
        self._find_end((min(group.level, log_delta) if share else log_delta) - NATS)
        self._choose_columns()
        self.inner, self._absolute = nodes.inner_error(self.crossing, group.kind)
        self.step = 2 * math.pi * STRIP * self.theta / self.nats
        points = math.ceil(self.end / self.step)
        if points > MOST_POINTS:
            raise NumericalError(f"few steps: the line would need {points} points")
        u = self.step * np.arange(points + 1)
        self.s = self._s(u)
        self.f = self._transform(self.s)
        self.weight = 1j * self._derivative(u) / self._kernel(self.s) * (self.step / math.pi)
        self.weight[0] *= 0.5

    def _s(self, u: Array, moved: float = 0.0) -> Complex:
        return np.asarray(self.centre + self.bend * np.sin(self.theta + moved + 1j * u))

    def _derivative(self, u: Array, moved: float = 0.0) -> Complex:
        """s'(u)/i."""
        return np.asarray(self.bend * np.cos(self.theta + moved + 1j * u))

    def _kernel(self, s: Complex) -> Complex:
        return np.asarray(s * (s + 1) if self.steps.remove else s * (s - 1))

    def _find_end(self, enough: float) -> None:
        """U, where the rest (error 3) is below e^enough, or the last that is tried."""
        theta, x = self.theta, np.array([self.nodes.plan.x])
        first = math.acosh(1 + (self.nats + 6) / (math.sin(theta) * self.bend * x[0]))
        for some in END_TRIALS:
            u = first + END_STEP * some
            s = self._s(u)
            log_f = self.nodes.log_bound(s, self.group.kind) + 0.02 / self.steps.total
            log_weight = np.log(np.abs(self._derivative(u) / self._kernel(s)))
            log_weight -= np.log(math.pi * self.bend * math.sin(theta) * np.sinh(u))
            log_rest = self._log_rest(log_f, s.real, log_weight, x, self.steps.count)
            fine = np.flatnonzero(log_rest <= enough)
            k = int(fine[0]) if fine.size else u.size - 1
            self.end = float(u[k])
            self._at_end = log_f[:, k : k + 1], s.real[k], log_weight[k]
            if fine.size:
                break

    def log_rest(self, x: Array, count: Array) -> Array:
        """log of error 3 at each x, of the composition of each row of counts."""
        return self._log_rest(*self._at_end, x, count.T)

    def _log_rest(self, log_f: Array, real: Any, log_weight: Any, x: Array, count: Array) -> Array:
        """From a bound of log F, from the absolute values of all weights; see `log_bounds`."""
        kind, different = self.group.kind, len(self.steps.count)
        if kind in ("all", 0):
            log_power = over(count, log_f)
        else:
            log_power = log_bounds(log_f[:different], log_f[different:], count)[kind]
        return np.asarray(log_power - x * real + log_weight - np.log(x))

    def _choose_columns(self) -> None:
        """Which nodes are summed for each s, and moments of those at which e^{sX} hardly turns."""
        nodes = self.nodes
        largest = float(np.abs(self._s(np.array([self.end]))[0]))
        x = nodes.columns[0].x
        first = int(np.searchsorted(np.abs(x), SMALL_EXPONENT / largest))
        powers = x[:first, None] ** np.arange(FACTORIALS.size)
        used, moments, rounding = nodes.columns[: nodes.used(self.group.kind)], [], []
        kept = np.zeros(x.size, dtype=bool)
        for column in used:
            low = np.exp(column.offset[:first, None]) * column.weight[:first]
            moments.append(np.einsum("jm,jk->mk", powers, low) / FACTORIALS[:, None])
            own, rounded = self._kept(column, first)
            kept |= own
            rounding.append(rounded)
        self.column = together([column.at(kept) for column in used])
        if nodes.base is not None:
            jumps = sum(column.mass() for column in nodes.columns[1:])
            moments[0][0] = (
                nodes.base - jumps - nodes.columns[0].at(np.arange(first, x.size)).mass()
            )
            rounding[0] = rounding[0] + 8 * ULP
        self.moments, self.rounding = np.hstack(moments), np.concatenate(rounding)

    def _kept(self, column: Column, first: int) -> tuple[Array, Array]:
        """Which of the nodes from the `first` on matter, and by how much all are rounded."""
        size = np.abs(column.x)
        tilt = np.exp(np.minimum(column.offset + self.crossing * column.x.real, HIGHEST))
        terms = tilt[:, None] * np.abs(column.weight)
        kept = (terms > math.exp(-LEFT_OUT) * terms.max(axis=0)).any(axis=1)
        kept[:first] = False
        turns = 6 + np.abs(column.offset) + abs(self.crossing) * size + np.abs(column.x.imag)
        turned = turns[:, None] + self.steps.blur(column.x).T
        return kept, ULP * (turned * terms).sum(axis=0)

    def _transform(self, s: Complex) -> Complex:
        """F at each s, in columns."""
        small = np.polynomial.polynomial.polyval(s, self.moments).T
        return np.asarray(small + self.column.sums(s))

    @cached_property
    def strip(self) -> list[Side]:
        """F on both sides of the line."""
        sides = []
        h = COARSE * self.step
        u = h * np.arange(self.s.size // COARSE + 2)
        for moved in (-STRIP * self.theta, STRIP * self.theta):
            s = self._s(u, moved)
            reach = self.nodes.reach - moved
            error = 3 * self._absolute * math.exp(-2 * math.pi * reach / self.nodes.step)
            weight = np.abs(self._derivative(u, moved) / self._kernel(s)) * (h / math.pi)
            weight[0] *= 0.5
            sides.append(Side(s.real, self._transform(s), error, np.log(weight)))
        return sides

    @cached_property
    def guarded(self) -> Array:
        """Error of each column of F as bounded, and as seen by the guard."""
        own = power(self.group.kind, self.f, self.steps.count[None, :]).log[0]
        size = np.cumsum(np.abs(np.exp(own - self.s * self.nodes.plan.x) * self.weight))
        places = np.searchsorted(size, size[-1] * np.array([0.0, 0.5, 0.99]))
        places = np.minimum(places, self.s.size - 1)
        finer = self.nodes.finer(self.s[places], self.group.kind)
        seen = np.abs(finer - self.f[places]).max(axis=0)
        seen = np.maximum(seen - self.rounding, 0.0)  # which is charged by itself
        seen[: self.steps.count.size] += self.nodes.missing(self.crossing)
        return np.asarray(self.inner + GUARD_MARGIN * seen)
