"""The loss of two Gaussians whose means lie `shift` standard deviations apart."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np

from hockeystick.loss.base import Loss
from hockeystick.loss.exact import Exact
from hockeystick.loss.family import Family
from hockeystick.loss.line import NORMAL_REACH, LineLoss, panel_width, steepest, trapezoid_step
from hockeystick.loss.measure import Nodes, Tails
from hockeystick.numerics.gauss import gauss_legendre
from hockeystick.numerics.special import erfcx, log_ndtr, ndtr, ndtri
from hockeystick.numerics.types import Array, Complex

MILLS_SERIES_FROM = 60.0
"""Beyond it 1 − x·m(x) loses its digits, and its asymptotic series has them all."""
POINTS, FEW_POINTS = 16, 8
"""Of Gauss's rule from a to b, for an entire integrand that falls. Where b − a < 1 it is below
e^12.5 on the ellipse of half axes 3 from a = −2 on, and where b − a < a/2 it is below 1 on the
ellipse with ρ = 6: 16 points leave 12^−32·e^12.5 and 6^−32 = 1e-25 of it. Where b − a < 1/2,
ρ is 23 there: 8 points leave 23^−16·e^12.5 = 4e-17 at a = −2, where it is 36, and less beyond."""
LEAST_MILLS = -30.0
"""Mills' ratio overflows further down."""
LOG_ROOT = 0.5 * math.log(2 * math.pi)


def _mills(x: Array) -> Array:
    """Φ(−x)/φ(x)."""
    return np.asarray(math.sqrt(math.pi / 2) * erfcx(x / math.sqrt(2)))


def _one_minus_x_mills(x: Array) -> Array:
    """1 − x·Φ(−x)/φ(x); far out by its asymptotic series, cut after a positive term."""
    y = 1 / np.maximum(x, MILLS_SERIES_FROM) ** 2
    series = np.ones_like(y)
    for odd in (13, 11, 9, 7, 5, 3):
        series = 1 - odd * y * series
    near = np.minimum(x, MILLS_SERIES_FROM)
    return np.where(x > MILLS_SERIES_FROM, y * series, 1 - near * _mills(near))


def _far_difference(a: Array, shift: float) -> Array:
    """m(a) − m(b) for Mills' ratio m, b = a + shift and a > 60, by the same series cut after the
    same term: Σ ±(2k−1)!!·(a^{−2k−1} − b^{−2k−1}), each difference from the one before."""
    near, far = 1 / a, 1 / (a + shift)
    power, difference = far, shift * near * far
    both = difference * (near + far)  # a⁻² − b⁻²
    total, factor = difference, 1.0
    for odd in (1, 3, 5, 7, 9, 11):
        difference = near * near * difference + power * both
        power = power * far * far
        factor *= -odd
        total = total + factor * difference
    return np.asarray(total)


def gaussian_log_delta(shift: float, epsilon: Array) -> Array:
    """log δ(ε) of N(shift, 1) against N(0, 1), to nearly full relative accuracy at every ε.

    δ(ε) = Φ(−a) − e^ε·Φ(−b) with a, b = ε/shift ∓ shift/2 (Balle and Wang 2018, Theorem 5), written
    as φ(a)·(m(a) − m(b)) with Mills' ratio m, because e^ε·φ(b) = φ(a).
    """
    a = epsilon / shift - shift / 2
    b = epsilon / shift + shift / 2
    distant = a > max(MILLS_SERIES_FROM, 2 * shift)
    with np.errstate(over="ignore", invalid="ignore"):
        difference = np.array(
            _mills(np.maximum(a, LEAST_MILLS)) - _mills(np.maximum(b, LEAST_MILLS))
        )
    if distant.any():
        difference[distant] = _far_difference(a[distant], shift)
    close = ~distant
    if shift < 1 and close.any():
        # m(a) − m(b) = ∫ (1 − x·m(x)) dx: no cancellation when a and b are close.
        points, weights = gauss_legendre(FEW_POINTS if shift < 0.5 else POINTS)
        x = np.maximum(a[close], LEAST_MILLS)[:, None] + 0.5 * shift * (points + 1)
        difference[close] = 0.5 * shift * (_one_minus_x_mills(x) @ weights)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        far = np.log(difference) - 0.5 * a * a - LOG_ROOT
        mass = np.exp(epsilon) * ndtr(-b)
        if np.any(epsilon > 700):  # soon no float holds e^ε
            mass = np.where(epsilon > 700, np.exp(epsilon + log_ndtr(-b)), mass)
        near = np.log(ndtr(-a) - mass)
    return np.asarray(np.where(a > -2, far, near))


@dataclass(frozen=True)
class GaussianLoss(LineLoss):
    """N(shift, 1) against N(0, 1): L ~ N(shift²/2, shift²) under P, K(s) = s(s+1)·shift²/2."""

    shift: float
    quotient: tuple[float, float] | None = field(default=None, compare=False, repr=False)
    """Of which two numbers `shift` is the rounded quotient, if that is known."""

    _limits = (-math.inf, math.inf)
    most_nodes = 1_000_000

    def __post_init__(self) -> None:
        if math.isinf(self.ceiling):  # what every answer asks for
            self.__dict__.update(
                cut=False,
                symmetric=True,
                gaussian_shift=self.shift,
                bottom=-math.inf,
                top=math.inf,
                infinite=0.0,
                void=0.0,
            )

    @property
    def kin(self) -> tuple[Family, float] | None:
        if not self.cut:
            return Gaussians(), self.shift
        return None if self.cut_mass is None else (CutGaussians(self.cut_mass), self.shift)

    def exact(self) -> Exact | None:
        if self.cut or self.quotient is None:
            return None
        above, below = self.quotient
        return Exact("normal", (Fraction(above) / Fraction(below), Fraction(0)))

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        """The trapezoid rule; panels where the line is cut, because there the rule is poor."""
        mu = self.shift
        first = min(low + 1, 0.0) * mu - NORMAL_REACH
        if self.cut:
            width = panel_width(mu, steepest(low, high, turn))
            z, log_weights = self._panels(self._edges(first, self.ceiling / mu + mu / 2, width))
        else:
            last = max(high + 1, 0.0) * mu + NORMAL_REACH
            z, log_step = self._trapezoid(first, last, trapezoid_step(mu, turn))
            log_weights = np.full_like(z, log_step)
        log_density = -0.5 * z * z - LOG_ROOT
        return Nodes(mu * z - 0.5 * mu * mu, log_density + log_weights, np.exp(log_density) / mu)

    def _loss_exceeded(self, mass: float) -> float:
        return self.shift * (self.shift / 2 - float(ndtri(mass)))

    @cached_property
    def _log_q_beyond(self) -> float:
        return float(log_ndtr(-self.ceiling / self.shift - self.shift / 2))

    def density(self, losses: Array) -> Array:
        z = losses / self.shift + self.shift / 2
        q = np.exp(-0.5 * z * z) / (math.sqrt(2 * math.pi) * self.shift)
        return np.where(losses < self.ceiling, q, 0.0) if self.cut else np.asarray(q)

    def _masses(self, losses: Array) -> Tails:
        z = losses / self.shift + self.shift / 2
        return Tails(ndtr(self.shift - z), ndtr(-z), ndtr(z - self.shift), ndtr(z))

    def _profile(self, epsilon: Array) -> Array:
        return np.exp(gaussian_log_delta(self.shift, epsilon))

    def _log_profile(self, epsilon: Array) -> Array:
        return gaussian_log_delta(self.shift, epsilon)

    def _reverse_profile(self, epsilon: Array) -> Array:
        return self._profile(epsilon)

    def _cumulants(self, s: Complex) -> Complex:
        return np.asarray(0.5 * self.shift**2 * s * (s + 1))

    def _mean(self) -> float:
        return 0.5 * self.shift**2

    def spread(self, tilt: float, frequencies: Array, resolved: float) -> Array:
        """e^{−(shift·t)²/2} at every tilt; with a ceiling no more than that and the tilted mass β
        beyond, over 1 − β."""
        size = np.exp(-0.5 * (self.shift * frequencies) ** 2)
        if not self.cut:
            return np.array([size, size])
        beyond = float(ndtr((tilt + 0.5) * self.shift - self.ceiling / self.shift))
        sure = (size + beyond) / (1 - beyond) if beyond < 0.5 else np.ones_like(size)
        return np.minimum(super().spread(tilt, frequencies, resolved), sure)


@dataclass(frozen=True)
class Gaussians(Family):
    """Two normal laws, any number of deviations apart."""

    def at(self, x: float) -> Loss:
        return GaussianLoss(x)


@dataclass(frozen=True)
class CutGaussians(Family):
    """All pairs of normal laws without the outcomes that P has with a small probability."""

    mass: float

    def at(self, x: float) -> Loss:
        return GaussianLoss(shift=x).truncated(self.mass)
