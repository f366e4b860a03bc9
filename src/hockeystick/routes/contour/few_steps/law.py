"""Sampled Gaussians in ζ = log(L − log(1−q)), where their density is analytic.

One step has the loss L = log(1−q) + X with X = log(1 + ρ·e^{μz − μ²/2}) > 0, ρ = q/(1−q) and z
standard normal under Q. The outcome z that has log X = ζ is

    z(ζ) = (X + log(1 − e^{−X}) − log ρ)/μ + μ/2,      X = e^ζ.

For |Im ζ| < π/2, X is in the right half plane, |e^{−X}| < 1, and 1 − e^{−X} is there too: the
principal logarithm is analytic. So is the density of ζ under Q,

    φ(z)·X / ((1 − e^{−X})·μ),

and under P, where it is e^L times as large. An integral over ζ may therefore run along
Im ζ = β, on which X is turned by e^{iβ}: as well for X = 1e-8 as for X = 500.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from hockeystick.loss.measure import GaussianSample
from hockeystick.numerics.series import EPS
from hockeystick.numerics.types import Array, Complex
from hockeystick.routes.contour.saddle import log_kappa

LOG_ROOT = 0.5 * math.log(2 * math.pi)
CHERNOFF_ORDERS = np.geomspace(0.1, 3e3, 40)
"""Orders of Chernoff's bound, in units of 1/x."""
LAST_OUTCOME = 14.0
"""Beyond it, on either side, is 8e-45 of a normal law: charged."""
WIDEST_STRIP = 4.5
"""In a wider one a normal density grows by more than the rule gains."""
CHERNOFF_NATS = 60.0
"""The rule for its moments errs by e^−60, times what is said there."""
LINEAR_FROM = -18.0
"""Below it log(1 + e^y) is e^y − e^{2y}/2 to the last digit."""


class SampledSteps:
    """Sampled Gaussians, each some times over, in one direction; Y is the sum of all X.

    remove  δ(ε) = E_P[(1 − e^{x−Y})+],  x = origin + ε
    add     δ(ε) = E_Q[(1 − e^{Y−x})+],  x = origin − ε, and 0 for x <= 0

    with origin = −Σ n·log(1−q). Arrays have one row for each different step.

    >>> steps = SampledSteps([(GaussianSample(1.0, 0.5, True), 2)])
    >>> round(steps.origin, 12), steps.x(0.5) - steps.origin
    (1.38629436112, 0.5)
    """

    def __init__(self, parts: Sequence[tuple[GaussianSample, int]]) -> None:
        self.remove = parts[0][0].remove
        self.shift = np.array([[sample.shift] for sample, _ in parts])
        self.rate = np.array([[sample.rate] for sample, _ in parts])
        self.count = np.array([float(count) for _, count in parts])
        self.total = float(self.count.sum())
        self.floor = np.log1p(-self.rate)
        self.log_odds = np.log(self.rate) - self.floor
        self.origin = -float(self.count @ self.floor[:, 0])
        self.least_shift, self.most_shift = float(self.shift.min()), float(self.shift.max())

    def x(self, epsilon: float) -> float:
        """Which sum of all X has the loss ε."""
        return self.origin + epsilon if self.remove else self.origin - epsilon

    def origins(self, count: Array) -> Array:
        """The origin of each row of counts."""
        return np.asarray(-(count @ self.floor[:, 0]))

    def epsilon(self, x: Any, count: Array | None = None) -> Any:
        """The loss at which the sum of all X is x; of other counts, a row for each x."""
        origin = self.origin if count is None else self.origins(count)
        return x - origin if self.remove else origin - x

    def outcome(self, zeta: Array | Complex) -> Array | Complex:
        """z(ζ) of each step."""
        x = np.exp(zeta)
        y = x + np.log(-np.expm1(-x))
        return np.asarray((y - self.log_odds) / self.shift + 0.5 * self.shift)

    def zeta(self, z: float, moved: float = 0.0) -> Array:
        """log X at the outcome z + moved·μ of each step."""
        y = (self.log_odds + self.shift * (z + (moved - 0.5) * self.shift))[:, 0]
        small = np.minimum(y, LINEAR_FROM)
        large = np.log(np.logaddexp(0.0, np.maximum(y, LINEAR_FROM)))
        return np.asarray(np.where(y < LINEAR_FROM, small - 0.5 * np.exp(small), large))

    def log_weight(self, zeta: Array | Complex, forward: bool) -> tuple[Complex, Complex]:
        """log of the density of ζ under P (`forward`) or Q, one row for each step; and X."""
        x = np.exp(zeta)
        log_gap = np.log(-np.expm1(-x))
        z = (x + log_gap - self.log_odds) / self.shift + 0.5 * self.shift
        log_density = (zeta - log_gap) - 0.5 * z * z - (np.log(self.shift) + LOG_ROOT)
        return (log_density + (x + self.floor) if forward else log_density), x

    def blur(self, x: Complex) -> Array:
        """By how many ULP the density at each X is off because the outcome is: it is a difference
        of logarithms, rounded to the nearest, over the shift; and log φ changes by z times as
        much. Half of the most there is, as not all of many nodes err to the same side."""
        log_gap = np.log(-np.expm1(-x))
        z = (x + log_gap - self.log_odds) / self.shift + 0.5 * self.shift
        most = np.abs(z) * (np.abs(log_gap) + np.abs(self.log_odds)) / (2 * self.shift)
        return np.asarray(most / 2)

    def log_chernoff(self, x: float) -> float:
        """For "add": log of δ <= κ(p)·e^{px}·Π E_Q[e^{−pX}]^n at the best of some p > 0.

        e^{−pX} = (1 + ρ·e^{μz − μ²/2})^{−p} is at most 1 for |Im z| <= d = π/(2μ), where the normal
        density has the integral e^{d²/2}: so the trapezoid rule with step h errs by at most
        2·e^{d²/2}/(e^{2πd/h} − 1) (Trefethen and Weideman 2014, Theorem 5.1).
        """
        from scipy.special import ndtr

        p = CHERNOFF_ORDERS / x
        reach = min(math.pi / (2 * self.most_shift), WIDEST_STRIP)
        h = 2 * math.pi * reach / CHERNOFF_NATS
        z = np.arange(-LAST_OUTCOME, LAST_OUTCOME + h, h)
        log_mass = -0.5 * z * z - LOG_ROOT + math.log(h)
        x_at = np.logaddexp(0.0, self.log_odds + self.shift * (z - 0.5 * self.shift))
        moments = np.exp(log_mass - p[:, None] * x_at[:, None, :]).sum(axis=2)
        left_out = 2 * float(ndtr(-LAST_OUTCOME)) + 3 * math.exp(0.5 * reach**2 - CHERNOFF_NATS)
        log_bound = self.count @ np.log(moments + left_out) + p * x + log_kappa(p)
        digits = 16 + 2 * float(np.abs(self.log_odds).max()) + self.most_shift**2
        return float((log_bound + 4 * EPS * (self.total + p * x) * digits).min())
