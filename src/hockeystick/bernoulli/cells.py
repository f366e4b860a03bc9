"""Upper bounds on the Lagrangian over cells of pairs: what the certificate is made of.

F(x, y) = J − λ₁·C − λ₂·C' for pairs (x, 1−x), (y, 1−y) on two points, where C and C' are J of the
pair itself in both directions and J is that of the channel's outcomes; all of them less 1 and in
units of J* − 1, the symmetric pair's. J, C and C' are convex in (x, y) and grow with ρ and with σ
(every f-divergence does, the channel included). A cell ρ₀ <= ρ <= ρ₁, σ₀ <= σ <= σ₁ is a convex
quadrilateral of the (x, y) plane, for lines of equal ρ go through (0, 0) and lines of equal σ
through (1, 1). So on a cell, by whichever is least:

- corners: C and C' lie above their tangent planes, and a convex function less an affine one is
  largest at a corner;
- growth: J(ρ₁, σ₁) − λ₁·C(ρ₀, σ₀) − λ₂·C'(ρ₀, σ₀);
- loss: C − J grows too, hence (1 − λ₁)·C(ρ₁, σ₁) − (C − J)(ρ₀, σ₀) − λ₂·C'(ρ₀, σ₀) if λ₁ <= 1;
- rays, for cells with σ₀ = 0: J − 1 is convex along a line of equal ρ and 0 at its end (0, 0), so
  it grows at least as fast as y does, as y·φ(ρ) <= C − 1 does: max(0, J − λ₁·y·φ(ρ)) at σ₁, with
  J at ρ₁ and y·φ(ρ) at ρ₀, which grows with ρ. For ρ₀ = 0 likewise, around (1, 1);
- ratio, for cells far out, where J and C are huge but J/C is not: with k = e^{−w}·a(ρ)/a(σ),
  J = x^α·y^{1−α}·Σ W₁·(1 + k·e^{−σ})^α·(1 + k·e^ρ)^{1−α}, each term of which is largest at
  an end of the range of k. Where that sum is below λ₁, F is at most 0.

Corners are second order in the size of the cell, so few cells suffice however near to the maximum.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hockeystick.bernoulli.channel import Channel
from hockeystick.bernoulli.corners import HUGE, LARGE, Cells, Corners, Side
from hockeystick.numerics.log_sum import log_sum_exp
from hockeystick.numerics.types import Array

UNIT = 2.0**-52
FAR = 20.0
"""Bounds above it call for the comparison by ratio."""


class Lagrangian(NamedTuple):
    """The channel and the multipliers, of which `multiplier` is λ₁.

    The unit is J* − 1 = e^log_unit; λ₁ and λ₂ in that unit are e^log_one and e^log_other.
    """

    channel: Channel
    order: float
    log_unit: float
    multiplier: float
    log_one: float
    log_other: float

    def rounding(self, largest: float) -> float:
        """Relative error of any term, for losses up to `largest`: what the exponents may lose.

        Each term is a product of some ten factors, each good to 4 units, times an exponential whose
        exponent α·loss + logarithms is a sum of terms good to 2 units each; where terms cancel, in
        φ, they are at most 2α/(α − 1) times larger than what remains.
        """
        a = self.order
        logs = abs(self.log_unit) + abs(self.log_one) + abs(self.log_other)
        exponents = 16 * a * (1 + largest) + 4 * logs
        return UNIT * (64 + exponents + 128 * a / (a - 1)) + self.channel.error


def bounds(lagrangian: Lagrangian, cells: Cells) -> tuple[Array, Array, Array]:
    """An upper bound of F on each cell, rounding included; how much ρ and σ each blur it."""
    channel, a, unit, _, one, other = lagrangian
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        rho = Side.of(cells.rho_low, cells.rho_high, a, one, other)
        sigma = Side.of(cells.sigma_low, cells.sigma_high, a, other, one)
        at = Corners.of(channel, cells, rho, sigma, a, unit)
        slack = lagrangian.rounding(rho.largest + sigma.largest)
        upper, rho_blur, sigma_blur = _by_corners(at, rho, sigma, slack)
        upper = np.minimum(upper, _by_growth(lagrangian, cells, at, slack))
        for edge in _by_rays(lagrangian, cells, at, slack):
            upper = np.minimum(upper, edge)
        upper = _by_ratio(lagrangian, cells, upper)
    return upper, *_blur(rho_blur, sigma_blur, at.j)


def _number(value: Array) -> Array:
    return np.where(np.isnan(value), math.inf, value)


def _by_corners(at: Corners, rho: Side, sigma: Side, slack: float) -> tuple[Array, Array, Array]:
    """The largest J less tangent planes at a corner; and how far the planes are below C and C'."""
    pairs = at.pairs
    plane, size = rho.tangent(rho.ends[[0, 0, 1, 1]], pairs.y, pairs.x)
    other, other_size = sigma.tangent(sigma.ends[[0, 1, 0, 1]], pairs.not_x, pairs.not_y)
    upper = at.j - plane - other + slack * (at.j + size + other_size)
    upper = np.where(rho.finite & sigma.finite, _number(upper).max(axis=0), math.inf)
    return upper, sum(at.by_rho) - plane, sum(at.by_sigma) - other


def _by_growth(lagrangian: Lagrangian, cells: Cells, at: Corners, slack: float) -> Array:
    """J at the far corner less C and C' at the near one, or by way of C − J."""
    _, a, unit, multiplier, one, other = lagrangian
    c, c_other = at.c, at.c_other
    upper = _number(at.j[3] * (1 + slack) - (c[0] + c_other[0]) * (1 - slack))
    log_c = np.maximum(
        one + np.log(at.pairs.y[0]) + a * cells.rho_low,
        other + np.log(at.pairs.not_x[0]) + a * cells.sigma_low,
    )
    if max(one, other) + unit <= 0:  # with λ <= 1, F <= 0 if J <= λ·(a part of C)
        upper = np.where(log_c - 1 > at.log_j[3], np.minimum(upper, 0.0), upper)
    if 0.3 < multiplier <= 1:
        # What is too large for floats is known from below only.
        finite = (cells.rho_high < LARGE) & (cells.sigma_high < LARGE) & (c[3] < HUGE)
        gain = np.where(finite, (1 - multiplier) * c[3] / multiplier, math.inf)
        lost = c[0] / multiplier - at.j[0] + c_other[0]
        size = gain + c[0] / multiplier + at.j[0] + c_other[0]
        upper = np.minimum(upper, _number(gain - lost + slack * size))
    return upper


def _by_rays(
    lagrangian: Lagrangian, cells: Cells, at: Corners, slack: float
) -> tuple[Array, Array]:
    """For cells that touch P = Q at one of the ends (0, 0) and (1, 1); inf for others."""
    _, a, unit, _, one, other = lagrangian
    uppers = []
    for low, begin, log_scale, weight, part in (
        (cells.rho_low, cells.sigma_low, one, at.pairs.y[1], at.by_rho[0][1]),
        (cells.sigma_low, cells.rho_low, other, at.pairs.not_x[2], at.by_sigma[0][2]),
    ):
        upper = at.j[3] * (1 + slack) - part * (1 - slack)
        far = log_scale + np.log(weight) + a * low - 1 > at.log_j[3]
        far &= log_scale + unit <= 0  # λ <= 1, as above
        upper = np.where(far, 0.0, np.maximum(_number(upper), 0.0))
        uppers.append(np.where(begin == 0, upper, math.inf))
    return uppers[0], uppers[1]


def _by_ratio(lagrangian: Lagrangian, cells: Cells, upper: Array) -> Array:
    """0 for the cells on which J is certainly below λ₁·x^α·y^{1−α}, with much to spare."""
    channel, a, unit, _, one, _ = lagrangian
    log_multiplier = one + unit
    huge = np.flatnonzero(upper > FAR)
    if not huge.size or log_multiplier > 0:
        return upper
    rho_low, rho_high, sigma_low, sigma_high = (part[huge] for part in cells)
    sigma_low = np.where(sigma_low > 0, sigma_low, sigma_high)  # along the ray to (0, 0)
    ends = [
        np.exp(-channel.w) * (np.expm1(-rho) / np.expm1(-sigma))[:, None]
        for rho, sigma in ((rho_low, sigma_high), (rho_high, sigma_low))
    ]
    log_one = np.where(channel.one, channel.log_mass, channel.log_mass + channel.w)
    near, far = (
        a * np.log1p(k * np.exp(-sigma_low)[:, None])
        - (a - 1) * np.log1p(k * np.exp(rho_low)[:, None])
        for k in ends
    )
    log_terms = log_one + np.maximum(near, far)
    log_sum = log_sum_exp(log_terms)
    log_size = np.log(-np.expm1(-sigma_low)) + (a - 1) * rho_low  # of x^α·y^{1−α}, at least
    below = (log_sum < log_multiplier - 0.01) & (log_size > math.log(1000 * a) - log_multiplier)
    upper[huge[below]] = 0.0
    return upper


def _blur(rho_gap: Array, sigma_gap: Array, j: Array) -> tuple[Array, Array]:
    """How much is lost to the extent in ρ and in σ: only to choose where to cut."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        log_j = np.log(np.maximum(j, 1e-300))
        blurs = []
        for gap, side in ((rho_gap, 1), (sigma_gap, 2)):
            bend = j[3] * np.minimum(log_j[3] - log_j[side], 1.0) ** 2 / 8
            value = np.maximum(gap.reshape(4, -1).max(axis=0), bend)
            blurs.append(np.where(np.isfinite(value), value, 1e300))
    return blurs[0], blurs[1]
