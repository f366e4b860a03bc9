"""The loss of two Gaussians on the line whose variances differ."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.families.graded import integral
from hockeystick.loss.families.pair import PairLoss
from hockeystick.loss.line import NATS, NORMAL_REACH, steepest, trapezoid_step
from hockeystick.loss.measure import Nodes, Tails
from hockeystick.numerics.special import ndtr
from hockeystick.numerics.stirling import log_ratio
from hockeystick.numerics.types import Array, Complex

LARGEST_LOSS = 1e300
"""Beyond it the square of a place is no float."""
ROOT = math.log(2 * math.pi) / 2


def gaussian_cgf(shift: float, excess: float, s: Complex) -> Complex:
    """K(s) of N(shift, 1 + excess) against N(0, 1), in the strip: positive terms for s > 0."""
    spread = 0.5 * (s * log_ratio(excess) + log_ratio(-s * excess))
    return np.asarray(spread + s * (s + 1) * shift**2 / (2 * (1 - s * excess)))


@dataclass(frozen=True)
class QuadraticLoss(PairLoss):
    """N(shift, 1 + excess) against N(0, 1), excess ≠ 0.

    With v = 1 + excess and κ = 1/v − 1 the loss at z is ½(log(1 + κ) − κz²) + dz/v − d²/2v, and

        K(s) = ½(s·m(v − 1) + m(s(1 − v))) + s(s + 1)·d²/2(v + (s + 1)(1 − v))

    with m(x) = x − log(1 + x), where v + (s + 1)(1 − v) > 0 (Gil, Alajaji and Linder 2013).
    """

    shift: float
    excess: float

    smooth = False

    @cached_property
    def variance(self) -> float:
        """v, of P."""
        return 1 + self.excess

    @cached_property
    def bend(self) -> float:
        """κ."""
        return -self.excess / self.variance

    @cached_property
    def vertex(self) -> float:
        """The largest loss, or the smallest."""
        return -0.5 * (math.log1p(self.excess) + self.shift**2 / self.excess)

    @cached_property
    def _limits(self) -> tuple[float, float]:
        return (self.vertex, math.inf) if self.excess > 0 else (-math.inf, self.vertex)

    @cached_property
    def low(self) -> float:  # type: ignore[override]
        return -math.inf if self.excess > 0 else 1 / self.excess

    @cached_property
    def high(self) -> float:  # type: ignore[override]
        return 1 / self.excess if self.excess > 0 and not self.cut else math.inf

    def _loss(self, z: Array) -> Array:
        d, v, kappa = self.shift, self.variance, self.bend
        return np.asarray(-0.5 * (math.log1p(self.excess) + kappa * z * z) + (z - d / 2) * (d / v))

    def _slope(self, z: Array) -> Array:
        return np.asarray(self.shift / self.variance - self.bend * z)

    def _roots(self, losses: Array) -> tuple[Array, Array]:
        """The two places, in order, where L has each value; both at the vertex beyond its reach."""
        d, v, kappa = self.shift, self.variance, self.bend
        losses, b, level = np.clip(losses, -LARGEST_LOSS, LARGEST_LOSS), d / v, d * d / (2 * v)
        c = -0.5 * math.log1p(self.excess) - level - losses
        near = abs(self.vertex) < level + 1  # else it is the vertex that would cancel
        square = 2 * kappa * (self.vertex - losses) if near else b * b + 2 * kappa * c
        square = np.maximum(square, 0.0)
        q = -0.5 * (b + math.copysign(1.0, b) * np.sqrt(square))
        with np.errstate(divide="ignore", invalid="ignore"):
            other = np.where(q == 0, 0.0, c / q)
        one = q / (-kappa / 2)
        other = np.where(square > 0, other, one)
        return np.minimum(one, other), np.maximum(one, other)

    def _masses(self, losses: Array) -> Tails:
        low, high = self._roots(losses)
        scale = math.sqrt(self.variance)
        masses = []
        for first, last in (((low - self.shift) / scale, (high - self.shift) / scale), (low, high)):
            outside = ndtr(first) + ndtr(-last)
            between = np.where(first > 0, ndtr(-first) - ndtr(-last), ndtr(last) - ndtr(first))
            masses.append((outside, between) if self.bend < 0 else (between, outside))
        (p_above, p_below), (q_above, q_below) = masses
        return Tails(p_above, q_above, p_below, q_below)

    def _cumulants(self, s: Complex) -> Complex:
        return gaussian_cgf(self.shift, self.excess, s)

    def _mean(self) -> float:
        return 0.5 * (float(log_ratio(self.excess).real) + self.shift**2)

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        """The trapezoid rule, on a path lifted as far as no loss on it turns by more than ANGLE."""
        low, high = min(low, -1.0), max(high, 0.0)
        if low <= self.low or high >= self.high:
            raise NumericalError(f"K(s) of {self!r} is not finite for s in [{low!r}, {high!r}]")
        powers = np.array([low + 1, 0.0, 1.0, 1.0 if self.cut else high + 1])
        precision = 1 + powers * self.bend
        means = powers * self.shift / self.variance / precision
        reach = NORMAL_REACH / math.sqrt(precision.min())
        first, last = float(means.min() - reach), float(means.max() + reach)
        if self.cut:
            first, last = self._within(first, last)
        slope = float(np.abs(self._slope(np.array([first, last]))).max())
        if self.cut:
            power = steepest(low, high, turn)
            width = min(3 / math.sqrt(precision.max()), 24 / power / slope)
            return self._nodes(*self._panels(self._edges(first, last, width)))
        step = trapezoid_step(slope, turn, float(precision.max()))
        return self._nodes(*self._trapezoid(first, last, step))

    def _within(self, first: float, last: float) -> tuple[float, float]:
        """The places below the ceiling that matter at any tilt: no rarer than the nearest above."""
        low, high = (float(end[0]) for end in self._roots(np.array([self.ceiling])))
        near = min(abs(low - self.shift), abs(high - self.shift))
        reach = math.sqrt(near**2 + 2 * (NATS + 10) * self.variance)
        first, last = min(first, self.shift - reach), max(last, self.shift + reach)
        return max(first, low), min(last, high)

    def _nodes(self, z: Array, log_weight: float | Array) -> Nodes:
        log_q = -0.5 * z * z - ROOT
        slope = np.abs(self._slope(z))
        density = np.exp(log_q) / np.maximum(slope, 1e-300)
        density[np.argmin(slope)] = math.inf  # at the vertex it has no bound, hence no variation
        return Nodes(self._loss(z), log_q + log_weight, density)

    def _log_ahead(self, epsilon: Array, lowest: float = -math.inf) -> Array:
        """log ∫ p·(1 − e^{ε − L}) where L > ε, with L − ε = −½κ(z − z₁)(z − z₂)."""
        low, high = self._roots(np.ravel(epsilon))
        ends = np.full_like(low, math.inf)
        regions = [(-ends, low), (high, ends)] if self.bend < 0 else [(low, high)]
        logs = [self._log_region(left, right, low, high) for left, right in regions]
        value = np.logaddexp.reduce(logs, axis=0).reshape(np.shape(epsilon))
        return np.where(epsilon < self.top, value, -math.inf)

    def _log_region(self, left: Array, right: Array, low: Array, high: Array) -> Array:
        d, v, kappa = self.shift, self.variance, self.bend
        peak = np.clip(np.full_like(low, d), left, right)
        off = np.abs(peak - d) / math.sqrt(v)
        away = 2 * NATS / (np.sqrt(off * off + 2 * NATS) + off) * math.sqrt(v)

        def inside(y: Array, which: Array) -> Array:
            at, one, other = (x[which, None] for x in (peak, low, high))
            fall = y * (y + 2 * (at - d)) / (2 * v)
            beyond = -0.5 * kappa * (y + (at - one)) * (y + (at - other))
            return np.asarray(np.exp(-fall) * -np.expm1(-np.maximum(beyond, 0.0)))

        zero = np.zeros_like(peak)
        total = integral(inside, np.maximum(left - peak, -away), zero)
        total += integral(inside, zero, np.minimum(right - peak, away))
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(total) - 0.5 * off * off - ROOT - 0.5 * math.log(v))

    def _turned(self) -> Self:
        shift = -self.shift / math.sqrt(self.variance)
        turned = replace(self, shift=shift, excess=self.bend, ceiling=math.inf)
        # The same vertex, whatever the rounding.
        turned.__dict__["_limits"] = (-self._limits[1], -self._limits[0])
        return turned
