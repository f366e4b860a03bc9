"""Laplace noise on a Poisson sample, of a record that is replaced by one on the other side."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from hockeystick.loss.measure import Atoms
from hockeystick.loss.two_sided.panels import PanelCurve, Panels, panels_of
from hockeystick.numerics.series import EPS, log_mixed, log_unmixed
from hockeystick.numerics.types import Array

FIRST_PANELS = 32
FARTHEST = 600.0
"""A move whose exponential a float holds."""


@dataclass(frozen=True)
class OppositeLaplace(PanelCurve):
    """(1−q)·Lap(0) + q·Lap(θ) against (1−q)·Lap(0) + q·Lap(−θ), for noise of scale 1.

    At an outcome x in [0, θ] the loss is log(1 − q + q·e^{2x−θ}) − c, c = log(1 − q + q·e^{−θ}),
    beyond θ what it is there, and at −x the opposite. So δ(u) = q·(1 − e^{x−θ}) at the x whose loss
    is u: what one record removed has at u + c.
    """

    reach: float
    """θ."""
    rate: float
    extra: float = 0.0
    """Added to the curve, at every u."""

    def __post_init__(self) -> None:
        low, high = log_mixed(self.rate, np.array([-self.reach, self.reach]))
        self.__dict__.update(infinite=self.extra, offset=float(low), top=float(high - low))

    offset = 0.0
    """c."""

    @property
    def slip(self) -> float:
        return 4 * EPS * self.reach

    def _short(self, u: Array) -> Array:
        """θ − x of a loss."""
        loss = log_unmixed(self.rate, np.asarray(u) + self.offset)
        return np.asarray((self.reach - np.clip(loss, -self.reach, self.reach)) / 2)

    def delta(self, u: Array) -> Array:
        return self.extra - self.rate * np.expm1(-self._short(u))

    def above(self, u: Array) -> tuple[Array, Array]:
        short = self._short(u)
        still = np.exp(-self.reach) * np.expm1(short) / 2
        moved = -np.expm1(-short) / 2
        return (1 - self.rate) * still + self.rate * moved, math.exp(self.offset) * still

    @cached_property
    def atoms(self) -> Atoms:
        return Atoms(np.array([self.top]), np.array([self.offset - math.log(2) - self.reach]))

    @cached_property
    def panels(self) -> Panels:
        even = np.linspace(-self.reach, self.reach, FIRST_PANELS + 1)[1:-1]
        inside = log_mixed(self.rate, even) - self.offset
        inside = inside[(inside > 0) & (inside < self.top)]
        return panels_of(self.delta, self.infinite, np.concatenate([[0.0], inside, [self.top]]))

    def log_beyond(self, powers: Array, least: Array) -> Array:
        return np.full(powers.shape, -math.inf)

    def truncated(self, mass: float) -> tuple[Self, float]:
        return self, 0.0

    def raised(self, by: float) -> Self:
        return replace(self, extra=self.extra + by)
