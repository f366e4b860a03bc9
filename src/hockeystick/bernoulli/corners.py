"""Cells of pairs on two points, and what is known at the corners of each.

Cells are cut into cells, so that most have their corners and their sides in common with others:
what depends on these alone is computed once for each.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hockeystick.bernoulli.channel import Channel
from hockeystick.bernoulli.excess import TwoPoints, excess, steepness, two_points
from hockeystick.numerics.types import Array

LARGE, HUGE = 600.0, 1e250
"""Losses and terms that are floats with much to spare."""


TABLE = 1 << 20
"""Up to so many combinations of two numbers, those that occur are marked in a table."""


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
    different: Array
    """The losses that occur as ends,"""
    place: Array
    """and which of them each end is; rows as `ends`."""

    @classmethod
    def of(cls, low: Array, high: Array, a: float, log_one: float, log_other: float) -> Side:
        """At the intervals from low to high, of which most occur often."""
        (low, high), place = _different(*_ranked(low), *_ranked(high))
        middle = np.where(np.isinf(high), low + 1 / a, (low + high) / 2)
        places = np.stack([low, high, middle])
        ahead, behind = excess(places, a, log_one), excess(-places, a, log_other)
        ends, ranks = _ranked(places[:2])
        parts = (
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
        return cls._make([*(part[..., place] for part in parts), ends, ranks[..., place]])

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
        losses, place = _different(
            rho.different, rho.place[rows], sigma.different, sigma.place[columns]
        )
        different = two_points(*losses)
        j, log_j = channel.excess(different, a, unit)
        pairs = TwoPoints(*(part[place] for part in different))
        return cls(
            pairs,
            j[place],
            log_j[place],
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


def _ranked(values: Array) -> tuple[Array, Array]:
    """The different ones, and which of them each is."""
    different, place = np.unique(values, return_inverse=True)
    return different, place


def _different(
    ones: Array, one: Array, others: Array, other: Array
) -> tuple[tuple[Array, Array], Array]:
    """The different pairs of ones[one] and others[other], and which of them each is."""
    code = one * others.size + other
    if ones.size * others.size <= TABLE:  # faster than to sort
        table = np.zeros(ones.size * others.size, dtype=int)
        table[code] = 1
        found = np.flatnonzero(table)
        table[found] = np.arange(found.size)
        place = table[code]
    else:
        found, place = np.unique(code, return_inverse=True)
    return (ones[found // others.size], others[found % others.size]), place
