"""What a law on a grid says of δ and ε, and how far off it may be."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.types import Array

NEGLIGIBLE = 1e-9
"""Part of δ that the rounding may hide from the lower end."""


@dataclass(frozen=True)
class Sums:
    """What the finite losses give away at every point of the window, and how far off it may be."""

    points: Array
    above: Array
    """P-mass from each point up, in units of e^{log_unit}."""
    values: Array
    """δ at each point, in the same units."""
    errors: Array
    """What δ may be off by at each point and above."""
    log_unit: float
    width: float
    tilt: float
    steps: int
    lifted: float
    """P-mass of the event that some loss was below the grid and has been lifted onto it."""
    wobble: float
    """How far rounding may have moved the sum."""

    def slack(self, log_delta: float) -> tuple[float, float]:
        """How far the sum rounded up can be above the true one, but for an event of small mass.

        Each loss moves to one of its neighbours at random, by at most `width` and by at most
        width²/8 in the mean (Hoeffding 1963, Theorem 2).
        """
        rare = max(NEGLIGIBLE * math.exp(log_delta), 5e-324)
        drift = self.steps * self.width**2 / 8 * math.exp(self.width)
        return drift + self.width * math.sqrt(self.steps / 2 * -math.log(rare)), self.lifted + rare

    def least_values(self, log_delta: float) -> Array:
        """A lower end of δ of the losses themselves at each point, from the sum rounded up.

        Rounding adds M to the sum S, with E[e^−M | S] = 1, 0 <= E[M | S] <= n·width²·e^width/8 =: d
        and tails e^{−t²/2v}, v = n·width²/4, about its mean (Hoeffding 1963, Theorem 2). For the
        kernel k(x) = (1 − e^−x)₊ at x = S − ε this gives

            E[k(x + M)] − k(x) <= h = √(2πv)·e^{v/2}·Φ(√v) + d,

        because for x >= 0 the left is E[(e^{−x−M} − 1)₊], for x < 0 at most E[(x + M)₊]; and where
        |x| > r = d + √(2v·log(1/ρ)) it is ρ·h. So δ is below by at most h·(P[|S − ε| <= r] + ρ),
        and that probability at most P[|S + M − ε| <= 2r] + 2ρ.
        """
        v, d = self.steps * self.width**2 / 4, self.steps * self.width**2 / 8 * math.exp(self.width)
        if v > 1:
            return np.zeros_like(self.values)
        h = math.sqrt(2 * math.pi * v) * math.exp(v / 2) * 0.5 * math.erfc(-math.sqrt(v / 2)) + d
        log_rare = log_delta + math.log(NEGLIGIBLE)
        far = math.ceil(2 * (d + math.sqrt(-2 * v * log_rare) + self.wobble) / self.width) + 1
        place = np.arange(len(self.points))
        start = np.maximum(place - far, 0)
        above = np.append(self.above, 0.0)
        near = above[start] - above[np.minimum(place + far + 1, len(self.points))]
        with np.errstate(over="ignore"):
            near += (self.tilt + 2) * self.errors[start]
            lost = h * (near + 3 * math.exp(min(log_rare - self.log_unit, 700.0)))
        lost[place < far] = math.inf
        return np.asarray(
            self.values - self.errors - lost - self.lifted * math.exp(min(-self.log_unit, 700.0))
        )

    def least_delta(self, epsilon: float) -> float:
        """The lower end of δ(ε) that `least_values` gives, at the next point."""
        j = int(np.searchsorted(self.points, epsilon + self.wobble))
        if j >= len(self.points) or self.values[j] <= 0:
            return 0.0
        log_delta = min(math.log(self.values[j]) + self.log_unit, 0.0)
        return max(float(self.least_values(log_delta)[j]), 0.0) * math.exp(self.log_unit)

    def least_epsilon(self, delta: float) -> float:
        """The lower end of ε(δ) that `least_values` gives, at a point; −inf if there is none."""
        log_delta = math.log(delta)
        enough = self.least_values(log_delta) >= math.exp(min(log_delta - self.log_unit, 700.0))
        last = len(enough) - 1 - int(np.argmax(enough[::-1]))
        return float(self.points[last]) - self.wobble if enough.any() else -math.inf

    def delta(self, epsilon: float, sign: int) -> float:
        """The upper (sign 1) or lower (sign −1) end of δ(ε) of the finite losses."""
        epsilon -= sign * self.wobble
        j = int(np.searchsorted(self.points, epsilon))
        if j == 0 and epsilon < self.points[0]:
            raise NumericalError("epsilon is below the window of the lattice")
        if j == len(self.points):
            value = 0.0
        else:
            gap = epsilon - float(self.points[j])
            value = -math.expm1(gap) * float(self.above[j]) + math.exp(gap) * float(self.values[j])
        value += sign * float(self.errors[max(j - 1, 0)])
        return math.exp(min(self.log_unit + math.log(value), 700.0)) if value > 0 else 0.0

    def epsilon(self, delta: float, sign: int) -> float:
        """The least ε at which δ is surely at most this (sign 1), or the largest at which it surely
        is at least this (sign −1); −inf if there is none in the window, or it may be left of it."""
        target = math.exp(min(math.log(delta) - self.log_unit, 700.0))
        if sign > 0:
            j = int(np.argmax(np.append(self.values + self.errors <= target, True)))
            if j == len(self.points):
                return math.inf
        else:
            j = len(self.points) - int(np.argmax((self.values - self.errors >= target)[::-1]))
            if not (self.values - self.errors >= target).any():
                return -math.inf
        if j == 0:
            return -math.inf
        if j == len(self.points):
            return float(self.points[-1]) - self.wobble
        # Between the points: δ = above − e^{ε − point}·(above − value).
        wanted = float(self.above[j]) - target + sign * float(self.errors[j - 1])
        rest = float(self.above[j] - self.values[j])
        rise = math.log(wanted / rest) if wanted > 0 and rest > 0 else -math.inf
        return float(self.points[j]) + min(max(rise, -self.width), 0.0) + sign * self.wobble
