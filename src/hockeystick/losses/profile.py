"""The loss behind a privacy profile: a guarantee known only as a curve δ(ε) becomes K(s).

By Theorem 6 of Balle, Barthe and Gaboardi (2018), for a curve that holds in both directions,

    e^{K(s)} = 1 − δ(inf) + s(s+1)·∫_0^inf (e^{su} + e^{−(s+1)u})·(δ(u) − δ(inf)) du

and the curve need not come from a mechanism that anybody has written down.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.polynomial import legendre

from hockeystick.errors import ParameterError
from hockeystick.loss import Complex, Loss, Mixed, Nodes, Tails
from hockeystick.series import LEAST, Array, log1p

POINTS = 16
DEPTH = 40
"""Most halvings of a panel; where they do not suffice the curve has a kink."""
WIDEST = 1.0
"""Widest panel, so that e^{sL} is resolved up to |Im s| of about 20."""
FAR = 8192.0
"""The value of the curve here is taken as its limit; what is beyond is at most that."""


@lru_cache(maxsize=1)
def _rule() -> tuple[Array, Array, Array]:
    points, weights = legendre.leggauss(POINTS)
    degrees = np.arange(POINTS)
    to_series = (legendre.legvander(points, POINTS - 1) * weights[:, None]).T
    return points, weights, to_series * (degrees[:, None] + 0.5)


class ProfileLoss(Loss):
    """The symmetric loss with profile δ(ε), ε >= 0, kept as Legendre series on panels."""

    symmetric = True

    def __init__(self, curve: Callable[[float], float]) -> None:
        self._curve = curve
        limit = float(self._sample(np.array([FAR]))[0])
        self.infinite = self.void = limit if limit > 1e-300 else 0.0
        self._edges, self._values, self.smooth = self._panels()
        points, _, to_series = _rule()
        self._series = self._values @ to_series.T
        self._u = self._edges[:-1, None] + np.diff(self._edges)[:, None] * (points + 1) / 2
        self._check()
        self.smooth = self.smooth and not self._has_atoms()
        positive = np.flatnonzero((self._values > self.infinite).any(axis=1))
        self.top = float(self._edges[positive[-1] + 1]) if positive.size else 0.0
        self.bottom = -self.top

    def _sample(self, u: Array) -> Array:
        values = np.array([float(self._curve(float(x))) for x in u.ravel()]).reshape(u.shape)
        values[np.abs(values) < 1e-300] = 0.0
        outside = ~((values >= 0) & (values <= 1))
        if outside.any():
            where = float(u[outside].flat[0])
            raise ParameterError(
                f"profile must have values in [0, 1], got {float(values[outside].flat[0])!r} at "
                f"epsilon = {where!r}"
            )
        return values

    def _panels(self) -> tuple[Array, Array, bool]:
        """Halve panels until each integral agrees with that of its halves to 13 digits."""
        points, weights, _ = _rule()
        last = 1.0
        while last < FAR and self._sample(np.array([last]))[0] - self.infinite > 0:
            last *= 2
        last = max(last, 64.0 if self.infinite else 0.0)
        count = math.ceil(min(last, 64.0) / WIDEST)
        edges = list(np.linspace(0, min(last, 64.0), count + 1))
        while edges[-1] < last:
            edges.append(2 * edges[-1])
        stack = [(a, b, 0) for a, b in pairwise(edges)][::-1]
        done: list[tuple[float, Array]] = []
        smooth = True
        cache: dict[tuple[float, float], Array] = {}
        while stack:
            a, b, depth = stack.pop()
            values = cache.pop((a, b), None)
            if values is None:
                values = self._sample(a + (b - a) * (points + 1) / 2)
            middle = (a + b) / 2
            left = self._sample(a + (middle - a) * (points + 1) / 2)
            right = self._sample(middle + (b - middle) * (points + 1) / 2)
            whole = values @ weights - 2 * self.infinite
            halves = (left @ weights + right @ weights) / 2 - 2 * self.infinite
            noise = 1e-15 * float(np.max(values))
            if abs(whole - halves) <= 1e-13 * abs(halves) + noise + 1e-300:
                done.append((a, values))
            elif depth == DEPTH or b - a < 1e-12:
                smooth = False
                done.append((a, values))
            else:
                cache[a, middle], cache[middle, b] = left, right
                stack += [(middle, b, depth + 1), (a, middle, depth + 1)]
        starts = np.array([a for a, _ in done] + [last])
        return starts, np.array([values for _, values in done]), smooth

    def _check(self) -> None:
        """Only a decreasing curve, convex in e^ε, is a profile."""
        u, values = self._u.ravel(), self._values.ravel()
        near = u < 30
        slopes = np.diff(values[near]) / np.diff(np.expm1(u[near]))
        noise = 4e-15 / np.diff(np.expm1(u[near]))
        if (slopes > noise).any():
            raise ParameterError("profile must not increase with epsilon")
        if (np.diff(slopes) < -(noise[1:] + noise[:-1]) - 1e-9 * np.abs(slopes[1:])).any():
            raise ParameterError("profile must be convex in e^epsilon; give its convex envelope")

    def _has_atoms(self) -> bool:
        """Whether the slope jumps between two panels, or the masses leave something at loss 0."""
        widths = np.diff(self._edges)
        slopes = legendre.legder(self._series.T)
        left, right = (legendre.legval(x, slopes) * 2 / widths for x in (-1.0, 1.0))
        start = legendre.legval(-1.0, self._series[0])
        at_zero = 1 - self.infinite - (start - 2 * left[0])
        jumps = np.abs(np.append(left[1:], 0.0) - right) * np.exp(-self._edges[1:])
        return bool(at_zero > 1e-5 or (jumps > 1e-4).any())

    def _evaluate(self, u: Array, derivative: int = 0) -> Array:
        panel = np.clip(np.searchsorted(self._edges, u, "right") - 1, 0, len(self._values) - 1)
        width = np.diff(self._edges)[panel]
        x = np.clip(2 * (u - self._edges[panel]) / width - 1, -1, 1)
        series = self._series.T
        for _ in range(derivative):
            series = legendre.legder(series)
        value = legendre.legval(x, series[:, panel], tensor=False) * (2 / width) ** derivative
        beyond = 0.0 if derivative else self.infinite
        return np.where(u >= self._edges[-1], beyond, value)

    def profile(self, epsilon: Array) -> Array:
        value = self._evaluate(np.abs(epsilon))
        return np.where(epsilon >= 0, value, -np.expm1(epsilon) + np.exp(epsilon) * value)

    def tails(self, losses: Array) -> Tails:
        u = np.abs(losses)
        slope = np.minimum(self._evaluate(u, 1), 0)
        far_p = np.maximum(self._evaluate(u) - slope - self.infinite, 0)
        far_q = -np.exp(-u) * slope
        total = 1 - self.infinite
        up = losses >= 0
        return Tails(
            np.where(up, far_p, total - far_q),
            np.where(up, far_q, total - far_p),
            np.where(up, total - far_p, far_q),
            np.where(up, total - far_q, far_p),
        )

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        u = self._u.ravel()
        _, weights, _ = _rule()
        widths = np.repeat(np.diff(self._edges) / 2, POINTS) * np.tile(weights, len(self._values))
        density = np.exp(-u) * np.maximum(self._evaluate(u, 2) - self._evaluate(u, 1), 0)
        losses = np.concatenate([-u[::-1], u])
        both = np.concatenate([(density * np.exp(u))[::-1], density])
        with np.errstate(divide="ignore"):
            log_q = np.log(both * np.concatenate([widths[::-1], widths]))
        return Nodes(losses, log_q, both)

    def mean(self) -> float:
        if self.infinite:
            return math.inf
        _, weights, _ = _rule()
        panels = (self._values * (1 + np.exp(-self._u))) @ weights
        return float(panels @ np.diff(self._edges) / 2)

    def cgf(self, s: Complex | Array) -> Complex:
        return self.mixed_cgf(s, 1.0)

    def mixed_terms(self, rate: float) -> tuple[Array, Array, Array, Array]:
        """Quadrature of the mixed curves: losses and δ(u)du forwards, then the same backwards."""
        u, values = self._u.ravel(), self._values.ravel()
        _, weights, _ = _rule()
        width = np.repeat(np.diff(self._edges) / 2, POINTS) * np.tile(weights, len(self._values))
        forward = np.log1p(rate * np.expm1(np.minimum(u, 600)))
        backward = u if rate == 1 else -np.log1p(rate * np.expm1(-u))
        ahead = (
            width * rate * (values - self.infinite) * rate * np.exp(np.minimum(u, 600) - forward)
        )
        behind = width * values * (rate * np.exp(-u + backward)) ** 2
        if rate == 1:  # the mass at −inf stays there, so both curves have the limit
            behind -= width * self.infinite
        return forward, ahead, backward, behind

    def mixed_cgf(self, s: Complex | Array, rate: float) -> Complex:
        """K(s) of the pair mixed at `rate`, from the mixed curves in both directions."""
        s = np.atleast_1d(np.asarray(s, dtype=complex))
        forward, ahead, backward, behind = self.mixed_terms(rate)
        lost = rate * self.infinite * (s + 1)
        if rate == 1:
            lost = np.full_like(s, self.infinite)
        losses = np.concatenate([forward[ahead > 0], -backward[behind > 0]])
        log_weights = np.concatenate(
            [np.log(ahead[ahead > 0]), np.log(behind[behind > 0]) - backward[behind > 0]]
        )
        peak = np.max(s.real[:, None] * losses + log_weights, axis=1, initial=0.0)
        total = np.zeros_like(s)
        for i, point in enumerate(s):
            terms = np.exp(point * losses + (log_weights - peak[i])).sum()
            total[i] = point * (point + 1) * terms
        small = log1p((total - lost).real, (total - lost).imag)
        with np.errstate(divide="ignore"):
            modulus = total + (1 - lost) * np.exp(-peak)
            large = peak + np.maximum(np.log(np.abs(modulus)), LEAST) + 1j * np.angle(modulus)
        return np.where(peak == 0, small, large)

    def spread(
        self, tilt: float, frequencies: Array, resolved: float, guarded: bool = True
    ) -> Array:
        """A curve with kinks has atoms at places that are known only roughly: assume no decay."""
        known = super().spread(tilt, frequencies, resolved, guarded)
        return known if self.smooth else np.ones_like(known)

    def mix(self, rate: float) -> Loss:
        return self if rate == 1 else MixedProfile(self, rate)


class MixedProfile(Mixed):
    """A profile's loss under Poisson sampling, with K from the mixed profile."""

    base: ProfileLoss

    def cgf(self, s: Complex | Array) -> Complex:
        return self.base.mixed_cgf(s, self.rate)

    def mean(self) -> float:
        if self.infinite:
            return math.inf
        _, ahead, backward, behind = self.base.mixed_terms(self.rate)
        return float(ahead.sum() + np.exp(-backward) @ behind)  # K'(0)

    def reverse_mean(self) -> float:
        if self.base.infinite:
            return Loss.reverse_mean(self)
        forward, ahead, _, behind = self.base.mixed_terms(self.rate)
        return float(np.exp(-forward) @ ahead + behind.sum())  # −K'(−1)

    def spread(
        self, tilt: float, frequencies: Array, resolved: float, guarded: bool = True
    ) -> Array:
        known = super().spread(tilt, frequencies, resolved, guarded)
        return known if self.base.smooth else np.ones_like(known)
