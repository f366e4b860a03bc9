"""The loss of two Gaussians on the line whose variances differ."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.special import ndtr

from hockeystick.errors import NumericalError
from hockeystick.families.graded import POINTS, integral, legendre
from hockeystick.families.stirling import log_ratio
from hockeystick.families.strip import StripLoss
from hockeystick.loss import Complex, Loss, Nodes, Tails
from hockeystick.losses.gaussian import ANGLE, NATS, REACH
from hockeystick.series import Array

MOST_NODES = 400_000
FAR = 1e300
ROOT = math.log(2 * math.pi) / 2


@dataclass(frozen=True)
class QuadraticLoss(StripLoss):
    """N(shift, variance) against N(0, 1), variance ≠ 1; losses above `ceiling` give all away.

    With κ = 1/v − 1 the loss at z is ½(log(1 + κ) − κz²) + dz/v − d²/2v, and

        K(s) = ½(s·m(v − 1) + m(s(1 − v))) + s(s + 1)·d²/2v(1 + (s + 1)κ),    m(x) = x − log(1 + x)

    where 1 + (s + 1)κ > 0 (Gil, Alajaji and Linder 2013).
    """

    shift: float
    variance: float
    ceiling: float = math.inf
    bend: float = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        put, v = object.__setattr__, self.variance
        kappa = (1 - v) / v
        put(self, "bend", kappa)
        vertex = 0.5 * (math.log1p(kappa) + self.shift**2 / (1 - v))
        put(self, "top", min(vertex if kappa > 0 else math.inf, self.ceiling))
        put(self, "bottom", -math.inf if kappa > 0 else vertex)
        cut = math.isfinite(self.ceiling)
        ends = self._tails(np.array([self.ceiling])) if cut else None
        put(self, "infinite", float(ends.p_above[0]) if ends else 0.0)
        put(self, "void", float(ends.q_above[0]) if ends else 0.0)
        put(self, "low", -1 - 1 / kappa if kappa > 0 else -math.inf)
        put(self, "high", math.inf if kappa > 0 or cut else -1 - 1 / kappa)

    def _loss(self, z: Array) -> Array:
        d, v, kappa = self.shift, self.variance, self.bend
        return np.asarray(0.5 * (math.log1p(kappa) - kappa * z * z) + (z - d / 2) * (d / v))

    def _slope(self, z: Array) -> Array:
        return np.asarray(self.shift / self.variance - self.bend * z)

    def _roots(self, losses: Array) -> tuple[Array, Array]:
        """The two places, in order, where L has each value; both at the vertex beyond its reach."""
        d, v, kappa = self.shift, self.variance, self.bend
        b, c = d / v, 0.5 * math.log1p(kappa) - d * d / (2 * v) - np.clip(losses, -FAR, FAR)
        square = np.maximum(b * b + 2 * kappa * c, 0.0)
        q = -0.5 * (b + math.copysign(1.0, b) * np.sqrt(square))
        with np.errstate(divide="ignore", invalid="ignore"):
            other = np.where(q == 0, 0.0, c / q)
        one = q / (-kappa / 2)
        other = np.where(square > 0, other, one)
        return np.minimum(one, other), np.maximum(one, other)

    def _tails(self, losses: Array) -> Tails:
        low, high = self._roots(losses)
        scale = math.sqrt(self.variance)
        masses = []
        for first, last in (((low - self.shift) / scale, (high - self.shift) / scale), (low, high)):
            outside = ndtr(first) + ndtr(-last)
            between = np.where(first > 0, ndtr(-first) - ndtr(-last), ndtr(last) - ndtr(first))
            masses.append((outside, between) if self.bend < 0 else (between, outside))
        (p_above, p_below), (q_above, q_below) = masses
        return Tails(p_above, q_above, p_below, q_below)

    def tails(self, losses: Array) -> Tails:
        p_above, q_above, p_below, q_below = self._tails(np.minimum(losses, self.ceiling))
        return Tails(
            np.maximum(p_above - self.infinite, 0.0),
            np.maximum(q_above - self.void, 0.0),
            p_below,
            q_below,
        )

    def _cgf(self, s: Complex) -> Complex:
        if math.isfinite(self.ceiling):
            return Loss.cgf(self, s)
        d, v = self.shift, self.variance
        spread = 0.5 * (s * log_ratio(v - 1) + log_ratio(s * (1 - v)))
        return np.asarray(spread + s * (s + 1) * d * d / (2 * (v + (s + 1) * (1 - v))))

    def mean(self) -> float:
        if self.infinite:
            return math.inf
        return 0.5 * (float(log_ratio(self.variance - 1).real) + self.shift**2)

    def reverse_mean(self) -> float:
        return self.reverse().mean() if math.isinf(self.ceiling) else super().reverse_mean()

    def spread(
        self, tilt: float, frequencies: Array, resolved: float, guarded: bool = True
    ) -> Array:
        """|φ(t)| itself, which decreases in t."""
        if math.isfinite(self.ceiling):
            return super().spread(tilt, frequencies, resolved, guarded)
        k = self.cgf(np.append(tilt, tilt + 1j * frequencies)).real
        return np.asarray(np.exp(np.minimum(k[1:] - k[0], 0.0)))

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        """The trapezoid rule, on a path lifted as far as no loss on it turns by more than ANGLE."""
        low, high = min(low, -1.0), max(high, 0.0)
        cut = math.isfinite(self.ceiling)
        if low <= self.low or high >= self.high:
            raise NumericalError(f"K(s) of {self!r} is not finite for s in [{low!r}, {high!r}]")
        powers = np.array([low + 1, 0.0, 1.0, 1.0 if cut else high + 1])
        precision = 1 + powers * self.bend
        means = powers * self.shift / self.variance / precision
        reach = REACH / math.sqrt(precision.min())
        first, last = float(means.min() - reach), float(means.max() + reach)
        if cut:
            first, last = self._within(first, last)
        slope = float(np.abs(self._slope(np.array([first, last]))).max())
        if cut:
            power = max(abs(low), abs(high)) + 1 + turn
            return self._panels(
                first, last, min(3 / math.sqrt(precision.max()), 24 / power / slope)
            )
        a = min(9 / math.sqrt(precision.max()), ANGLE / slope)
        step = 2 * math.pi * a / (NATS + precision.max() * a * a / 2 + turn * slope * a)
        count = math.ceil((last - first) / step)
        if count > MOST_NODES:
            raise NumericalError(f"the quadrature of {self!r} would need {count} nodes")
        return self._nodes(first + step * np.arange(count + 1), math.log(step))

    def _within(self, first: float, last: float) -> tuple[float, float]:
        """The places below the ceiling that matter at any tilt: no rarer than the nearest above."""
        low, high = (float(end[0]) for end in self._roots(np.array([self.ceiling])))
        near = min(abs(low - self.shift), abs(high - self.shift))
        reach = math.sqrt(near**2 + 2 * (NATS + 10) * self.variance)
        first, last = min(first, self.shift - reach), max(last, self.shift + reach)
        return max(first, low), min(last, high)

    def _panels(self, first: float, last: float, width: float) -> Nodes:
        points, weights = legendre()
        count = max(1, math.ceil((last - first) / width))
        if count * POINTS > MOST_NODES:
            raise NumericalError(f"the quadrature of {self!r} would need {count} panels")
        edges = np.linspace(first, last, count + 1)
        half = (edges[1] - edges[0]) / 2
        z = (edges[:-1, None] + half * (points + 1)).ravel()
        return self._nodes(z, np.tile(np.log(half * weights), count))

    def _nodes(self, z: Array, log_weight: float | Array) -> Nodes:
        log_q = -0.5 * z * z - ROOT
        slope = np.abs(self._slope(z))
        density = np.exp(log_q) / np.maximum(slope, 1e-300)
        density[np.argmin(slope)] = math.inf  # at the vertex it has no bound, hence no variation
        return Nodes(self._loss(z), log_q + log_weight, density)

    def profile(self, epsilon: Array) -> Array:
        epsilon = np.asarray(epsilon, dtype=float)
        if math.isfinite(self.ceiling):
            at = np.minimum(epsilon, self.ceiling)
            below = replace(self, ceiling=math.inf).profile(at) + np.exp(at) * self.void
            return np.where(epsilon < self.ceiling, below, self.infinite)
        value = np.exp(self._log_ahead(np.maximum(epsilon, 0.0)))
        if (epsilon < 0).any():
            down = np.minimum(epsilon, 0.0)
            back = -np.expm1(down) + np.exp(down) * self.reverse().profile(-down)
            value = np.where(epsilon < 0, back, value)
        return value

    def log_profile(self, epsilon: Array) -> Array:
        if math.isfinite(self.ceiling) or (np.asarray(epsilon) < 0).any():
            return super().log_profile(epsilon)
        return self._log_ahead(np.asarray(epsilon, dtype=float))

    def _log_ahead(self, epsilon: Array) -> Array:
        """log ∫ p·(1 − e^{ε − L}) where L > ε, with L − ε = −½κ(z − z₁)(z − z₂), for ε >= 0."""
        low, high = self._roots(epsilon)
        infinite = np.full_like(low, math.inf)
        regions = [(-infinite, low), (high, infinite)] if self.bend < 0 else [(low, high)]
        logs = [self._log_region(left, right, low, high) for left, right in regions]
        return np.where(epsilon < self.top, np.logaddexp.reduce(logs, axis=0), -math.inf)

    def _log_region(self, left: Array, right: Array, low: Array, high: Array) -> Array:
        d, v, kappa = self.shift, self.variance, self.bend
        peak = np.clip(np.full_like(low, d), left, right)
        off = np.abs(peak - d) / math.sqrt(v)
        away = (np.sqrt(off * off + 2 * NATS) - off) * math.sqrt(v)
        first, last = np.maximum(left, peak - away), np.minimum(right, peak + away)

        def inside(z: Array) -> Array:
            centre = peak[..., None]
            fall = (z - centre) * (z + centre - 2 * d) / (2 * v)
            excess = -0.5 * kappa * (z - low[..., None]) * (z - high[..., None])
            return np.asarray(np.exp(-fall) * -np.expm1(-np.maximum(excess, 0.0)))

        total = integral(inside, first, peak) + integral(inside, peak, last)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(total) - 0.5 * off * off - ROOT - 0.5 * math.log(v))

    def reverse(self) -> Loss:
        if math.isfinite(self.ceiling):
            return super().reverse()
        return QuadraticLoss(-self.shift / math.sqrt(self.variance), 1 / self.variance)

    def reverse_profile(self, epsilon: Array) -> Array:
        if math.isfinite(self.ceiling):
            return super().reverse_profile(epsilon)
        return self.reverse().profile(epsilon)

    def truncated(self, mass: float) -> Loss:
        if math.isfinite(self.top):
            return self
        low, high = 0.0, 1.0
        while float(self._tails(np.array([high])).p_above[0]) > mass:
            low, high = high, 2 * high
        for _ in range(60):
            middle = (low + high) / 2
            beyond = float(self._tails(np.array([middle])).p_above[0])
            low, high = (middle, high) if beyond > mass else (low, middle)
        return replace(self, ceiling=high)
