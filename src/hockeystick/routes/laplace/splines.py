"""δ(ε) of n steps of Laplace noise: a finite sum of B-splines, all of it positive.

With θ = sensitivity/scale one step has P-law e^{(ℓ−θ)/2}·M, where M is 1/2 at ±θ and the density
1/4 between. Expand n steps over the number k of those that are continuous, each −θ + 2θ·(uniform
on [0, 1]), and the number i of atoms at +θ. The sum of the losses is then 2θ·(i + Z_k) − nθ, where
Z_k has the cardinal B-spline N_k as its density, and with Y = (ε + nθ)/(2θ)

    δ(ε) = 2^{1−n}·e^{(ε−nθ)/2}·Σ_k C(n,k)·θ^k·Σ_i C(n−k,i)·E_k(Y − i),
    E_k(y) = ∫_y^∞ sinh(θ(z−y))·N_k(z) dz,      H_k(y) = ∫_y^∞ cosh(θ(z−y))·N_k(z) dz.

- For y <= 0 the whole spline counts: E_k(y) = (2·sinh(θ/2)/θ)^k·sinh(θ(k/2−y)), from E[e^{θZ_k}].
- Else integrate by parts with N_k'(z) = N_{k−1}(z) − N_{k−1}(z−1):

      E_{k−1}(y−1) = E_{k−1}(y) + θ·H_k(y),      H_{k−1}(y−1) = H_{k−1}(y) + θ·E_k(y) + N_k(y),

  so that each level is a sum over the next, of terms that are not negative. It begins with 0 at a
  level m + J: for k <= m that is the Taylor series of sinh without the powers from J on.

What is left out, for any order c > 0 with a = c + 1/2 and the cumulants K of all n steps:

- k > m: a step tilted by e^{cL} is continuous with odds r = tanh(θa)/(2a), so by Chernoff's bound
  these count at most κ(c)·e^{K(c)−cε}·P[Bin(n, r/(1+r)) > m];
- the powers from J on: x^j/j! <= λ^{−j}·e^{λx} with λ = 1 + 2c and x = (S−ε)/2, so they count at
  most 2·λ^{1−J}/(λ−1)·e^{K(c)−cε}, because E_P[e^{−x}·e^{λx}] = e^{K(c)−cε}.

Both are added to the upper end. Nothing cancels: a δ of 1e-100 has its digits too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.series import EPS
from hockeystick.numerics.types import Array
from hockeystick.routes.contour.saddle import log_kappa
from hockeystick.routes.inverting import LogDelta

ORDERS = 2.0 ** np.arange(-12.0, 24.0, 0.125)
LEFT_OUT = math.log(1e-14)
"""log of the part of δ that the terms left out may have, of either kind."""
MOST_STEPS = 4000
MOST_LEVELS = 120
"""Continuous steps and powers together; where more matter, a contour is short."""
LARGEST_SUM = 1200.0
"""Largest sum of losses, nθ, for which e^{nθ/2} is a float with room."""


def laplace_cgf(shift: float, order: Array) -> Array:
    """K(s) of one step at real s > −1/2: e^K = e^{−θ/2}·(cosh θu + sinh(θu)/2u), u = s + 1/2."""
    u = order + 0.5
    back = np.exp(-2 * shift * u)
    return np.asarray(shift * order + np.log((1 + back) / 2 - np.expm1(-2 * shift * u) / (4 * u)))


@dataclass(frozen=True)
class Splines:
    """The sum, with `continuous` continuous steps at the most and `powers` powers of sinh."""

    shift: float
    steps: int
    continuous: int
    powers: int
    left_out: tuple[tuple[float, float], ...]
    """Pairs (a, c): the terms left out are at most Σ e^{a − cε}."""

    @cached_property
    def _log_factorials(self) -> Array:
        return np.array([math.lgamma(i + 1) for i in range(self.steps + 1)])

    @cached_property
    def _whole(self) -> tuple[int, Array, Array, Array]:
        """The first i, then for each: the scale, and sums over k with sinh(θk/2) and cosh."""
        n, lf = self.steps, self._log_factorials
        k, i = np.arange(self.continuous + 1), np.arange(n // 2, n + 1)
        left = n - k[:, None] - i
        log_k = lf[n] - lf[k] + k * math.log(2 * math.sinh(self.shift / 2))
        weight = log_k[:, None] - lf[i] - lf[np.maximum(left, 0)]
        weight[left < 0] = -math.inf
        scale = weight.max(axis=0)
        weight = np.exp(weight - scale)
        half = self.shift * k / 2
        return int(i[0]), scale, np.sinh(half) @ weight, np.cosh(half) @ weight

    def _tables(self, fraction: float) -> tuple[Array, Array]:
        """E_k(f + m) and H_k(f + m) for k = 1, …, and m = 0, 1, …; f in (0, 1]."""
        levels = self.continuous + self.powers
        splines = np.zeros((levels + 1, levels))
        splines[1, 0] = 1.0
        y = fraction + np.arange(levels)
        for k in range(2, levels + 1):  # Cox and de Boor
            row, last = splines[k, :k], splines[k - 1]
            np.multiply(y[:k], last[:k], out=row)
            row[1:] += (k - y[1:k]) * last[: k - 1]
            row /= k - 1
        tables = np.zeros((self.continuous + 1, 2, self.continuous))
        both = np.zeros((2, levels))
        for k in range(levels, 1, -1):
            both = self.shift * both[::-1, 1:]
            both[1] += splines[k, 1 : 1 + both.shape[1]]
            both = np.cumsum(both[:, ::-1], axis=1)[:, ::-1]
            if k - 1 <= self.continuous:
                tables[k - 1, :, : k - 1] = both
        return tables[1:, 0], tables[1:, 1]

    def _at(self, epsilon: float) -> tuple[float, float]:
        """log δ(ε) and its fall."""
        n, lf = self.steps, self._log_factorials
        y = (epsilon + n * self.shift) / (2 * self.shift)
        last = min(math.ceil(y) - 1, n)  # the last i whose splines begin below
        first, scale, sums, cosums = self._whole
        above = slice(max(last + 1 - first, 0), None)
        b = self.shift * (np.arange(first, n + 1)[above] - y)
        e, h = self._tables(y - last)
        k, m = np.arange(1, self.continuous + 1)[:, None], np.arange(self.continuous)
        left = n - k - last + m
        inside = (left >= 0) & (m < k) & (m <= last)
        weight = lf[n] - lf[k] + k * math.log(self.shift)
        weight = weight - lf[np.maximum(last - m, 0)] - lf[np.clip(left, 0, n)]
        weight[~inside] = -math.inf
        with np.errstate(divide="ignore"):
            sizes = (weight + np.log(h)).max(initial=-math.inf)
        peak = max(float(scale[above].max(initial=-math.inf)), float(sizes))
        if peak == -math.inf:  # above every loss
            return -math.inf, math.inf
        whole, part = np.exp(scale[above] - peak), np.exp(np.minimum(weight - peak, 700))
        cosh, sinh = np.cosh(b), np.sinh(b)
        value = whole @ (sums[above] * cosh + cosums[above] * sinh) + (part * e).sum()
        slope = whole @ (cosums[above] * cosh + sums[above] * sinh) + (part * h).sum()
        if not 0 < value < math.inf:
            return (-math.inf, math.inf) if value == 0 else (math.nan, math.nan)
        log_value = (1 - n) * math.log(2) + (epsilon - n * self.shift) / 2 + peak
        return float(log_value + math.log(value)), float(slope / value - 1) / 2

    def __call__(self, epsilon: Array) -> LogDelta:
        """Both ends of log δ.

        Rounding: a level of the splines is a sum of as many positive terms as there are levels, so
        its relative error is at most that number times the last digit, and adds up over levels; a
        weight is the exponential of a few logarithms of factorials.
        """
        values, fall = np.array([self._at(float(each)) for each in epsilon]).T
        n, levels = self.steps, self.continuous + self.powers
        error = EPS * (levels * (self.continuous + 8) + 8 * n * math.log(n + 2) + 64)
        more = np.full(values.shape, -math.inf)
        for log_size, order in self.left_out:
            more = np.logaddexp(more, log_size - order * epsilon)
        return LogDelta(values - error, np.logaddexp(values + error, more), fall)


def splines_for(
    shift: float, steps: int, epsilon: float | None, log_delta: float | None
) -> tuple[Splines, float]:
    """The sum that is good for an ε or a δ, and about the ε."""
    if steps > MOST_STEPS or steps * shift > LARGEST_SUM:
        raise NumericalError(f"the sum over {steps} steps of Laplace noise is too long")
    bound = steps * laplace_cgf(shift, ORDERS) + log_kappa(ORDERS)
    if epsilon is None:
        assert log_delta is not None
        guess = float(((bound - log_delta) / ORDERS).min())
        epsilon = max(min(guess, steps * shift), 0.0)
    elif log_delta is None:
        log_delta = float((bound - ORDERS * epsilon).min())
    levels = bound - ORDERS * epsilon - log_delta  # of the terms left out, over δ
    best = int(np.argmin(levels))
    order = float(ORDERS[best])
    a = order + 0.5
    odds = math.tanh(shift * a) / (2 * a)
    continuous, log_tail = _enough(steps, odds / (1 + odds), LEFT_OUT - float(levels[best]))
    powers, at = _powers(levels - log_kappa(ORDERS))
    if continuous + powers > MOST_LEVELS:
        raise NumericalError(f"{continuous} of {steps} steps of Laplace noise may be continuous")
    beyond = float(bound[at] - log_kappa(ORDERS[at])), float(ORDERS[at])
    growth = 1 + 2 * beyond[1]
    dropped = math.log(2 / (growth - 1)) + (1 - powers) * math.log(growth)
    left_out = ((float(bound[best]) + log_tail, order), (beyond[0] + dropped, beyond[1]))
    start = epsilon - 1 / order if epsilon > 1 / order else epsilon
    return Splines(shift, steps, continuous, powers, left_out), start


def _enough(steps: int, probability: float, log_goal: float) -> tuple[int, float]:
    """How many of the steps may be continuous, and log of the probability of more."""
    k = np.arange(steps + 1)
    lf = np.array([math.lgamma(i + 1) for i in range(steps + 1)])
    log_p = lf[-1] - lf - lf[::-1] + k * math.log(probability / (1 - probability))
    log_p += steps * math.log1p(-probability)
    tail = np.append(np.logaddexp.accumulate(log_p[::-1])[::-1], -math.inf)
    most = max(int(np.argmax(tail <= log_goal)) - 1, 1)
    return most, float(tail[most + 1])


def _powers(levels: Array) -> tuple[int, int]:
    """Powers of sinh that are enough, and the place of the order that says so."""
    growth = 1 + 2 * ORDERS
    wanted = (levels - LEFT_OUT + np.log(2 / (growth - 1))) / np.log(growth) + 1
    place = int(np.argmin(wanted))
    return max(math.ceil(wanted[place]), 2), place
