"""One bent line on lifted paths, and the integral along it.

With F(s) = E[e^{s(L − o)}; kept] on the path Im z = y, o the origin, and x = ε − n·o,

    s(u) = a + λ·sin(±θ + iu),      δ = 1/π · Im ∫_0^∞ F(s)^n·e^{−sx}·s'(u)/(s(s+1)) du:

the line leaves to the right (+) where x > 0, or to the left (−) where losses have an upper end o
and x < 0. Either way e^{−sx} falls, and e^{s(L−o)} does not grow while Im L >= tan θ·|Re(L − o)| on
the path, from which θ is taken: the larger Im s, the smaller every term. So few nodes serve all s,
however fast e^{sL} turns.

Where few steps see the record, F^n is hardly more than 1, and that 1 would be most of a sum in
which it cancels: for x = ε > 0 the integral of e^{−sx}/(s(s+1)) is 0. So it is taken off, and
F^n − 1 takes the place of F^n.

Its errors:

1. *The rule* with step h: (N₊ + N₋)/(e^{2πv/h} − 1), N± the integrals of the absolute value with u
   moved by ±iv, which is the same hyperbola with θ ∓ v (Trefethen and Weideman 2014, Theorem 5.1).
2. *F* itself: (I₊ + I₋)/(e^{2πd/h} − 1) with the integrals I± of the absolute value on the paths
   y ± d; and a guard, which evaluates F again with half the step and a longer path.
3. *The end* u = U: |F(s(u))| <= A, the sum of absolute values at U, for all u >= U; so the rest is
   at most A^n·e^{−x·Re s(U)}·|s'(U)|/(π·|s(s+1)|·|x|·λ·sin θ·sinh U).
4. *Rounding*, as a sum of the absolute values of the terms with what each may be off by.
5. *The cut*: δ is too small by at most the P-mass that is left out.

The integrals of absolute values are sums on a grid with a margin, and the guard looks at a few
points: errors are estimated with care, and not proven.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.types import Array, Complex
from hockeystick.routes.contour.lifted.plan import Cut, Plan

NATS = 25.0
"""The rule and the end are each off by e^−25 of δ, at the most."""
INNER_NATS = 36.0
"""2πd/h: the rule of the path errs by e^−36 of the absolute values, and of 1/n of them."""
DRAFT = 0.4
"""Part of these nats for a line that only says where the next should be."""
STRIP, EDGE_STRIP = 0.7, 0.95
"""Parts of θ by which u is moved in the bound of the rule, and at which the strip meets the edges
that were planned."""
LARGEST_ANGLE = 0.5
LEFT_OUT = 44.0
"""Nats below the largest term of F at which a node is left out."""
COARSE = 4
"""The integrals N± are summed with a step so many times as large,"""
MARGIN = 1.3
"""and taken so many times. So is rounding, three times."""
ROUNDING_MARGIN = 3.0
GUARD_MARGIN = 4.0
"""What the guard finds at a few points is taken so many times, for all the others."""
MOST_POINTS = 4000
MOST_WORK = 6_000_000
"""Points × nodes: 0.3 s."""
FARTHEST = np.geomspace(0.2, 14.0, 60)
"""Ends U of the line to choose from."""
SAMPLED = 12
"""Places of the line at which the absolute values on other paths are summed."""
ULP = 2.0**-53
LOGARITHM = 8.0
"""Of these, how far weights, and the logarithm of their sum, may be off."""
WITHIN = 3.0
"""How far the guard's path is longer at each end."""


class Nodes(NamedTuple):
    """L − o, and the log of the weight, at each node of a path."""

    losses: Complex
    log_weight: Complex
    parts: Array
    """The size of the logarithms that L is the difference of."""

    def sums(self, s: Complex) -> Complex:
        """Σ weight·e^{s(L − o)} at each s."""
        terms = np.exp(np.multiply.outer(s, self.losses) + self.log_weight)
        return np.asarray(terms.sum(axis=1))

    def log_absolute(self, s: Complex) -> Array:
        """log Σ |weight·e^{s(L − o)}| at each s."""
        size = np.multiply.outer(s.real, self.losses.real) + self.log_weight.real
        size -= np.multiply.outer(s.imag, self.losses.imag)
        peak = size.max(axis=1)
        return np.asarray(np.log(np.exp(size - peak[:, None]).sum(axis=1)) + peak)


class Line:
    """F on the bent line, for every ε near the planned one."""

    def __init__(self, plan: Plan, draft: bool = False) -> None:
        self.plan = plan.settled()
        self.sparse = plan.is_sparse
        part = DRAFT if draft else 1.0
        self.kept_nats = LEFT_OUT if plan.sign > 0 else LEFT_OUT - min(plan.log_delta, 0.0)
        self.inner_nats = part * INNER_NATS + math.log(plan.steps)
        low, high = plan.edges()
        beside = [self._path(cut, 0.5, 1.0, (low, high), 0.0) for cut in plan.cuts]
        self.beside = _joined(beside)
        self.angle = self._allowed_angle(high if plan.sign > 0 else 0.0)
        v = EDGE_STRIP * self.angle
        self.theta = plan.sign * self.angle
        self.bend = (high - low) / (math.sin(self.theta + v) - math.sin(self.theta - v))
        self.centre = low - self.bend * math.sin(self.theta - v)
        self.crossing = self.centre + self.bend * math.sin(self.theta)
        self.edges = low, high
        path = _joined([self._path(cut, 1.0, 1.0, (low, high), 0.0) for cut in plan.cuts])
        self._absolute = path
        self.nodes = self._trimmed(path)
        self.nats = part * NATS + max(0.0, plan.size - plan.log_delta)
        self.step = 2 * math.pi * STRIP * self.angle / self.nats
        self.end = self._find_end(min(plan.size, plan.log_delta) - part * NATS)
        points = math.ceil(self.end / self.step)
        if points > MOST_POINTS or points * self.nodes.losses.size > MOST_WORK:
            raise NumericalError(f"lifted paths: the line would need {points} points")
        u = self.step * np.arange(points + 1)
        self.s = self._s(u)
        self.f = self._transform(self.s)
        self.weight = self._derivative(u) / (self.s * (self.s + 1)) * (self.step / math.pi)
        self.weight[0] *= 0.5
        self.log_f = np.log(self.f)

    # the path -----------------------------------------------------------------------------------

    def _path(
        self, cut: Cut, height: float, finer: float, orders: tuple[float, float], longer: float
    ) -> Nodes:
        """The nodes of one strand at a part of its height."""
        step = math.pi * cut.height / self.inner_nats / finer
        weights, kept = cut.log_weights(), np.zeros(cut.x.size, dtype=bool)
        for order in (0.0, *orders):
            size = weights + order * cut.losses
            kept |= size > size.max() - self.kept_nats - 12
        inside = np.flatnonzero(kept)
        first = cut.x[inside[0]] - cut.height - longer
        last = cut.x[inside[-1]] + 2 * cut.height + longer
        x = first + step * np.arange(math.ceil((last - first) / step))
        losses, log_p, parts = cut.strand.at(x, height * cut.height)
        kept_part = cut.log_kept(x + 1j * height * cut.height)
        return Nodes(losses - self.plan.origin, log_p + kept_part + math.log(step), parts)

    def _allowed_angle(self, order: float) -> float:
        """The θ with Im L >= tan θ·|Re(L − o)| at every node that matters, half as high."""
        losses, log_weight, _ = self.beside
        size = log_weight.real + order * losses.real
        growing = self.plan.sign * losses.real > 0
        # Where the line is very long, what hardly matters at its beginning would at its end.
        here = growing & (self.sparse | (size > size.max() - self.kept_nats - 6))
        if not here.any():
            return LARGEST_ANGLE
        tangent = float((losses.imag[here] / np.abs(losses.real[here])).min())
        if not tangent > 0:
            raise NumericalError("lifted paths: some loss does not turn")
        return min(math.atan(tangent), LARGEST_ANGLE)

    def _trimmed(self, path: Nodes) -> Nodes:
        """The nodes that matter, and how far their sum is rounded."""
        losses, log_weight, parts = path
        size = log_weight.real + self.crossing * losses.real
        kept = size > size.max() - LEFT_OUT
        if self.plan.sign < 0:  # the line leaves to where small losses matter
            kept |= log_weight.real > log_weight.real.max() - self.kept_nats
        terms = np.exp(size)
        self.left_out = float(terms[~kept].sum())
        self.rounded = ULP * float((8 + np.abs(log_weight) + np.abs(losses)) @ terms)
        # Of L, by which e^{sL} is off s times: not relative to L, since p and q are sums near 1.
        self.shifted = ULP * float((LOGARITHM + parts + np.abs(losses)) @ terms)
        return Nodes(losses[kept], log_weight[kept], parts[kept])

    def _transform(self, s: Complex) -> Complex:
        """F at each s."""
        return self.nodes.sums(s) + self._still(s)

    def _still(self, s: Complex) -> Complex:
        return np.asarray(self.plan.law.still * np.exp(-s * self.plan.origin))

    # the line -----------------------------------------------------------------------------------

    def _s(self, u: Array, moved: float = 0.0) -> Complex:
        return np.asarray(self.centre + self.bend * np.sin(self.theta + moved + 1j * u))

    def _derivative(self, u: Array, moved: float = 0.0) -> Complex:
        """s'(u)."""
        return np.asarray(1j * self.bend * np.cos(self.theta + moved + 1j * u))

    def _log_rest(self, u: Array) -> Array:
        """log of error 3 for each end U, at the planned ε; without the ε of an answer near it."""
        s, x = self._s(u), abs(self.plan.x(self.plan.epsilon))
        log_a = np.logaddexp(
            self._absolute.log_absolute(s), np.log(np.abs(self._still(s)) + 1e-300)
        )
        log_a = self.plan.steps * log_a
        if self.sparse:
            log_a = np.logaddexp(log_a, 0.0)
        log_rest = log_a - self.plan.x(self.plan.epsilon) * s.real
        log_rest += np.log(np.abs(self._derivative(u) / (s * (s + 1))))
        fall = math.pi * x * self.bend * math.sin(self.angle) * np.sinh(u)
        return np.asarray(log_rest - np.log(fall))

    def _find_end(self, enough: float) -> float:
        """U, where the rest (error 3) is below e^enough."""
        fine = np.flatnonzero(self._log_rest(FARTHEST) <= enough)
        if not fine.size:
            raise NumericalError("lifted paths: the integrand does not fall along the line")
        return float(FARTHEST[fine[0]])

    # values and errors --------------------------------------------------------------------------

    def _terms(self, epsilon: Array, whole: bool = False) -> Complex:
        """The terms of the sum, a row for each ε; `whole`: without anything taken off."""
        x = epsilon - self.plan.steps * self.plan.origin
        log_power, fall = self.plan.steps * self.log_f, -np.multiply.outer(x, self.s)
        if self.sparse and not whole:
            return np.asarray(np.expm1(log_power) * np.exp(fall) * self.weight)
        return np.asarray(np.exp(log_power + fall) * self.weight)

    def value(self, epsilon: Array) -> tuple[Array, Array]:
        """δ and −dδ/dε at each ε."""
        terms = self._terms(epsilon)
        worth, beyond = self.plan.worth(epsilon)
        return terms.imag.sum(axis=1) + worth, (terms * self.s).imag.sum(axis=1) + beyond

    def error(self, epsilon: Array) -> Array:
        """How far the truth may be above or below, but for the cut."""
        size, whole = np.abs(self._terms(epsilon)), np.abs(self._terms(epsilon, whole=True))
        n, scale = self.plan.steps, np.abs(self.f)
        inner = whole @ ((self.inner + self.left_out) * n / scale)
        each = self.rounded + np.abs(self.s) * self.shifted
        digits = n * (each / scale + ULP * (LOGARITHM + np.abs(self.log_f)))
        turned = ULP * (np.abs(self.s) * np.abs(epsilon).max() + 12)
        rounding = ROUNDING_MARGIN * (whole @ digits + size @ turned)
        x = epsilon - n * self.plan.origin
        moved = np.abs(x - self.plan.x(self.plan.epsilon)) * float(np.abs(self.s[-1].real))
        rest = np.exp(np.minimum(self._log_end + moved, 600.0))
        worth, beyond = self.plan.worth(epsilon)
        rounding = rounding + 40 * ULP * (np.abs(worth) + beyond)
        return np.asarray(self._rule(x) + inner + rounding + rest)

    @cached_property
    def _log_end(self) -> float:
        return float(self._log_rest(np.array([self.end]))[0])

    @cached_property
    def _strip(self) -> list[tuple[Complex, Complex]]:
        """s, and the log of the absolute terms at ε = 0, on both sides of the line."""
        sides, h = [], COARSE * self.step
        u = h * np.arange(self.s.size // COARSE + 2)
        for moved in (-STRIP * self.angle, STRIP * self.angle):
            s = self._s(u, moved)
            f = self._transform(s)
            log_size = self.plan.steps * np.log(np.abs(f) + 3 * self.inner)
            if self.sparse:
                off = np.expm1(self.plan.steps * np.log1p(3 * self.inner / np.abs(f)))
                power = np.exp(self.plan.steps * np.log(f))
                log_size = np.log(np.abs(power - 1) + np.abs(power) * off)
            log_weight = np.log(np.abs(self._derivative(u, moved) / (s * (s + 1))) * h / math.pi)
            sides.append((s, log_size + log_weight))
        return sides

    def _rule(self, x: Array) -> Array:
        """Error 1 at each ε − n·o."""
        total = np.zeros(x.shape)
        for s, log_size in self._strip:
            total += np.exp(np.minimum(log_size - np.multiply.outer(x, s.real), 600.0)).sum(axis=1)
        return np.asarray(MARGIN * total / math.expm1(2 * math.pi * STRIP * self.angle / self.step))

    @cached_property
    def inner(self) -> float:
        """Error 2, for all s of the line at once."""
        plan, u = self.plan, self.end * np.linspace(0.0, 1.0, SAMPLED)
        above = _joined([self._path(cut, 1.5, 1.0, self.edges, 0.0) for cut in plan.cuts])
        largest = [float(path.log_absolute(self._s(u)).max()) for path in (self.beside, above)]
        bound = MARGIN * sum(map(math.exp, largest)) / math.expm1(self.inner_nats)
        size = np.cumsum(np.abs(self._terms(np.array([plan.epsilon]))[0]))
        places = np.searchsorted(size, size[-1] * np.array([0.0, 0.5, 0.99]))
        s = self.s[np.minimum(places, self.s.size - 1)]
        finer = _joined([self._path(cut, 1.0, 2.0, self.edges, WITHIN) for cut in plan.cuts])
        seen = np.abs(finer.sums(s) - self.nodes.sums(s)).max()
        return float(bound + GUARD_MARGIN * max(seen - self.rounded - self.left_out, 0.0))


def _joined(paths: list[Nodes]) -> Nodes:
    if len(paths) == 1:
        return paths[0]
    return Nodes(*(np.concatenate(each) for each in zip(*paths, strict=True)))
