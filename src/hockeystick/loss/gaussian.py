"""The loss of two Gaussians whose means lie `shift` standard deviations apart."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import erfcx, ndtr, ndtri

from hockeystick.errors import NumericalError
from hockeystick.loss.base import AtomlessLoss, Loss
from hockeystick.loss.measure import Nodes, Tails
from hockeystick.numerics.series import Array
from hockeystick.numerics.types import Complex

MOST_NODES = 1_000_000
FAR = 60.0
REACH = 10.0
"""Standard deviations beyond which a standard normal is dropped: 1e-22 of its mass."""
NATS = 44.0
"""Error of the trapezoid rule, e^−44 = 8e-20 relative: small even times 1e6 steps."""
ANGLE = 2.5
"""Half-width in Im ℓ of the strip for the error bound: log(1−q+q·e^ℓ) is analytic up to π."""


@lru_cache(maxsize=1)
def legendre() -> tuple[Array, Array]:
    points, weights = np.polynomial.legendre.leggauss(40)
    return points, weights


def _mills(x: Array) -> Array:
    """Φ(−x)/φ(x)."""
    return np.asarray(math.sqrt(math.pi / 2) * erfcx(x / math.sqrt(2)))


def _one_minus_x_mills(x: Array) -> Array:
    """1 − x·Φ(−x)/φ(x); far out by its asymptotic series, cut after a positive term."""
    y = 1 / np.maximum(x, FAR) ** 2
    series = np.ones_like(y)
    for odd in (13, 11, 9, 7, 5, 3):
        series = 1 - odd * y * series
    return np.where(x > FAR, y * series, 1 - x * _mills(x))


def gaussian_log_delta(shift: float, epsilon: Array) -> Array:
    """log δ(ε) of N(shift, 1) against N(0, 1), to nearly full relative accuracy at every ε.

    δ(ε) = Φ(−a) − e^ε·Φ(−b) with a, b = ε/shift ∓ shift/2 (Balle and Wang 2018, Theorem 5), written
    as φ(a)·(m(a) − m(b)) with Mills' ratio m, because e^ε·φ(b) = φ(a).
    """
    a = epsilon / shift - shift / 2
    b = epsilon / shift + shift / 2
    distant = a > max(FAR, 2 * shift)
    with np.errstate(over="ignore", invalid="ignore"):
        difference = _mills(np.maximum(a, -30.0)) - _mills(np.maximum(b, -30.0))
    if shift < 1 or distant.any():
        # m(a) − m(b) = ∫ (1 − x·m(x)) dx: no cancellation when a and b are close.
        points, weights = legendre()
        x = np.maximum(a, -30.0)[..., None] + 0.5 * shift * (points + 1)
        integral = 0.5 * shift * (_one_minus_x_mills(x) @ weights)
        difference = np.where((shift < 1) | distant, integral, difference)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        far = np.log(difference) - 0.5 * a * a - 0.5 * math.log(2 * math.pi)
        near = np.log(ndtr(-a) - np.exp(np.minimum(epsilon, 700)) * ndtr(-b))
    return np.where(a > -2, far, near)


@dataclass(frozen=True)
class GaussianLoss(AtomlessLoss):
    """N(shift, 1) against N(0, 1): L ~ N(shift²/2, shift²) under P, K(s) = s(s+1)·shift²/2."""

    shift: float

    top = math.inf
    bottom = -math.inf
    infinite = void = 0.0
    symmetric = True
    smooth = True

    @property
    def gaussian_shift(self) -> float | None:  # type: ignore[override]
        return self.shift

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        """The trapezoid rule, whose error a shift of the path into the complex plane bounds.

        Along Im z = a it is at most exp(a²/2 + turn·shift·a − 2πa/step) of the integral
        (Trefethen and Weideman 2014, Theorem 5.1).
        """
        mu = self.shift
        a = min(9.0, ANGLE / mu)
        step = 2 * math.pi * a / (NATS + a * a / 2 + turn * mu * a)
        first = (min(low + 1, 0.0) * mu - REACH) / step
        last = (max(high + 1, 0.0) * mu + REACH) / step
        if not last - first <= MOST_NODES:
            raise NumericalError(f"the quadrature of {self!r} would need {last - first:g} nodes")
        x = step * np.arange(math.floor(first), math.ceil(last) + 1)
        return _nodes(mu, x, math.log(step))

    def spread(
        self, tilt: float, frequencies: Array, resolved: float, guarded: bool = True
    ) -> Array:
        return np.asarray(np.exp(-0.5 * (self.shift * frequencies) ** 2))  # at every tilt

    def truncated(self, mass: float) -> Loss:
        return TruncatedGaussianLoss(self.shift, self.shift - float(ndtri(mass)))

    def density(self, losses: Array) -> Array:
        z = losses / self.shift + self.shift / 2
        return np.asarray(np.exp(-0.5 * z * z) / (math.sqrt(2 * math.pi) * self.shift))

    def cgf(self, s: Complex | Array) -> Complex:
        s = np.atleast_1d(np.asarray(s, dtype=complex))
        return np.asarray(0.5 * self.shift**2 * s * (s + 1))

    def mean(self) -> float:
        return 0.5 * self.shift**2

    def tails(self, losses: Array) -> Tails:
        z = losses / self.shift + self.shift / 2
        return Tails(ndtr(self.shift - z), ndtr(-z), ndtr(z - self.shift), ndtr(z))

    def profile(self, epsilon: Array) -> Array:
        return np.exp(gaussian_log_delta(self.shift, epsilon))

    def log_profile(self, epsilon: Array) -> Array:
        return gaussian_log_delta(self.shift, epsilon)


def _nodes(mu: float, z: Array, log_weight: float | Array) -> Nodes:
    log_density = -0.5 * z * z - 0.5 * math.log(2 * math.pi)
    return Nodes(mu * z - 0.5 * mu * mu, log_density + log_weight, np.exp(log_density) / mu)


class TruncatedGaussianLoss(GaussianLoss):
    """The same with all z above `ceiling` taken to give the record away.

    e^{K(s)} of a sampled Gaussian is, from some s on, the work of outcomes so rare that they do not
    matter to δ; without them K stays small and the contour can pass where it ought to.
    """

    def __init__(self, shift: float, ceiling: float) -> None:
        super().__init__(shift)
        fields = {
            "ceiling": ceiling,
            "top": shift * ceiling - shift**2 / 2,
            "infinite": float(ndtr(shift - ceiling)),
            "void": float(ndtr(-ceiling)),
            "symmetric": False,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    ceiling: float
    gaussian_shift = None

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        """Gauss–Legendre panels, because the trapezoid rule is poor where a density is cut."""
        mu = self.shift
        floor = min(low + 1, 0.0) * mu - REACH
        power = max(abs(low), abs(high)) + 1 + turn
        width = min(4.0, 2 * ANGLE / mu, 50 / (power * mu))
        panels = math.ceil((self.ceiling - floor) / width)
        if panels * 40 > MOST_NODES:
            raise NumericalError(f"the quadrature of {self!r} would need {panels * 40} nodes")
        edges = np.linspace(floor, self.ceiling, panels + 1)
        points, weights = legendre()
        half = (edges[1] - edges[0]) / 2
        z = (edges[:-1, None] + half * (points + 1)).ravel()
        return _nodes(mu, z, np.tile(np.log(half * weights), panels))

    def profile(self, epsilon: Array) -> Array:
        below = super().profile(np.minimum(epsilon, self.top))
        below = below + np.exp(np.minimum(epsilon, self.top)) * self.void
        return np.where(epsilon < self.top, below, self.infinite)

    def log_profile(self, epsilon: Array) -> Array:
        return Loss.log_profile(self, epsilon)

    def tails(self, losses: Array) -> Tails:
        p_above, q_above, p_below, q_below = super().tails(np.minimum(losses, self.top))
        p_above = np.maximum(p_above - self.infinite, 0.0)
        return Tails(p_above, np.maximum(q_above - self.void, 0.0), p_below, q_below)

    def cgf(self, s: Complex | Array) -> Complex:
        return Loss.cgf(self, s)

    def spread(
        self, tilt: float, frequencies: Array, resolved: float, guarded: bool = True
    ) -> Array:
        return Loss.spread(self, tilt, frequencies, resolved, guarded)
