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
from hockeystick.numerics.types import Array, Complex

LOG_ROOT = 0.5 * math.log(2 * math.pi)
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
