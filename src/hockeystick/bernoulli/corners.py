"""Cells of pairs on two points, and what is known at the corners of each."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hockeystick.bernoulli.channel import Channel
from hockeystick.bernoulli.excess import TwoPoints, excess, steepness, two_points
from hockeystick.numerics.types import Array

LARGE, HUGE = 600.0, 1e250
"""Losses and terms that are floats with much to spare."""


class Cells(NamedTuple):
    """ρ₀, ρ₁, σ₀, σ₁ of each cell, in [0, inf]."""

    rho_low: Array
    rho_high: Array
    sigma_low: Array
    sigma_high: Array


class Side(NamedTuple):
    """One of the losses, ρ or σ: its two ends and the middle, and λ·φ there in both directions."""

    ends: Array
    middle: Array
    ahead: Array
    """λ·φ(loss) with the multiplier of the direction in which it is positive; rows as `ends`."""
    behind: Array
    """λ'·φ(−loss) with the other one."""
    ahead_middle: Array
    behind_middle: Array
    ahead_slope: Array
    behind_slope: Array
    finite: Array
    """Whether all of that are floats."""

    @classmethod
    def of(cls, low: Array, high: Array, a: float, log_one: float, log_other: float) -> Side:
        middle = np.where(np.isinf(high), low + 1 / a, (low + high) / 2)
        places = np.stack([low, high, middle])
        ahead, behind = excess(places, a, log_one), excess(-places, a, log_other)
        return cls(
            places[:2],
            middle,
            ahead[:2],
            behind[:2],
            ahead[2],
            behind[2],
            steepness(middle, a, log_one),
            steepness(-middle, a, log_other),
            (middle < LARGE) & (a * middle + log_one + math.log(a) < math.log(HUGE)),
        )

    @property
    def largest(self) -> float:
        """The largest finite loss."""
        return float(self.ends[np.isfinite(self.ends)].max())

    def tangent(self, row: Array, weight: Array, other_weight: Array) -> tuple[Array, Array]:
        """weight·λ·φ(loss) + other_weight·λ'·φ(−loss) by its tangent plane at the middle.

        With the sum of the absolute values of its terms. `weight` is the mass under the law that
        is the smaller one there, and other_weight = weight·e^loss: the tangent of y·φ(ρ) at ρ' is
        y·φ(ρ') + φ'(e^ρ')·(x − e^ρ'·y), where x − e^ρ'·y = −x·(e^{ρ'−ρ} − 1).
        """
        away = other_weight * np.expm1(self.middle - row)
        terms = (
            weight * self.ahead_middle,
            -away * self.ahead_slope,
            other_weight * self.behind_middle,
            away * np.exp(-self.middle) * self.behind_slope,
        )
        one, two, three, four = terms
        return one + two + three + four, abs(one) + abs(two) + abs(three) + abs(four)


class Corners(NamedTuple):
    """Values at (ρ₀, σ₀), (ρ₀, σ₁), (ρ₁, σ₀), (ρ₁, σ₁) of each cell, one row for each."""

    pairs: TwoPoints
    j: Array
    log_j: Array
    by_rho: tuple[Array, Array]
    """The parts of λ₁·C and of λ₂·C' at the point that P prefers."""
    by_sigma: tuple[Array, Array]
    """The parts of λ₂·C' and of λ₁·C at the other point."""

    @classmethod
    def of(
        cls, channel: Channel, cells: Cells, rho: Side, sigma: Side, a: float, unit: float
    ) -> Corners:
        rows, columns = [0, 0, 1, 1], [0, 1, 0, 1]
        shape = (4, cells.rho_low.size)
        pairs = two_points(rho.ends[rows], sigma.ends[columns])
        j, log_j = channel.excess(TwoPoints(*(part.ravel() for part in pairs)), a, unit)
        return cls(
            pairs,
            j.reshape(shape),
            log_j.reshape(shape),
            (pairs.y * rho.ahead[rows], pairs.x * rho.behind[rows]),
            (pairs.not_x * sigma.ahead[columns], pairs.not_y * sigma.behind[columns]),
        )

    @property
    def c(self) -> Array:
        """λ₁·C."""
        return self.by_rho[0] + self.by_sigma[1]

    @property
    def c_other(self) -> Array:
        """λ₂·C'."""
        return self.by_rho[1] + self.by_sigma[0]
