"""Tables of what may be told: one Gaussian release of each shift, with its probability.

- *Copies*: each step is a release of shift k·μ, and k is told. The squares of all k add up to S,
  and steps with them are one release of shift √S·μ.
- *Coins*: with probability q a step is a release of shift μ, else nothing. k of n equal steps are
  one release of shift √k·μ. Of different steps Σ k_j·μ_j² is counted in whole units, of which each
  μ_j² has some more than it should, for a table above, or some less, for one below.

All are sums of terms that are not negative; what a table leaves out is added up too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.binomial import binomial_above, binomial_weights
from hockeystick.numerics.log_sum import log_sum_exp
from hockeystick.numerics.special import erfcx, ndtr
from hockeystick.numerics.types import Array

MOST_COUNTS = 10_000
"""Steps, of those that may see the record, that are told apart."""
MOST_SUM = 4096
"""Sums of squares of copies that are told apart: convolutions of some milliseconds."""
UNITS = 100_000
"""Units of the squared shifts of different steps."""
ORDERS = np.geomspace(1e-4, 30.0, 100)
"""Of Chernoff's bound on sums of squares."""


class Coins(NamedTuple):
    """So many steps that are, with probability `rate`, a release of this shift."""

    rate: float
    shift: float
    steps: int


class Table(NamedTuple):
    """Shifts and their probabilities; others have the probability `beyond` at most."""

    weights: Array
    shifts: Array
    beyond: float

    def delta(self, epsilon: float | Array) -> float:
        """Σ weight·h(ε) with h = Φ(−a) − φ(a)·Φ(−b)/φ(b), a and b = ε/shift ∓ shift/2."""
        a = epsilon / self.shifts - self.shifts / 2
        near, far = (erfcx(each / math.sqrt(2)) for each in (np.maximum(a, 0.0), a + self.shifts))
        bell = 0.5 * np.exp(-0.5 * a * a)
        profiles = np.where(a > 0, bell * (near - far), ndtr(-a) - bell * far)
        return float(self.weights @ profiles)


def told_copies(copies: Array, shift: float, steps: int, negligible: float) -> Table:
    """From the probabilities of 0, 1, … copies in one step."""
    squares = np.zeros((copies.size - 1) ** 2 + 1)
    squares[np.arange(copies.size) ** 2] = copies
    most, beyond = _last_sum(squares, steps, negligible)
    law = _summed(squares, steps, most)
    kept = np.flatnonzero(law[1:] > 0) + 1
    return Table(law[kept], np.sqrt(kept) * shift, beyond)


def told_coins(coins: Coins, negligible: float) -> Table:
    """Of equal steps; where most see the record, by how many do not."""
    rate, shift, steps = coins
    rarer = min(rate, 1 - rate)
    most = last_count(steps, rarer, negligible)
    weights, counts = binomial_weights(steps, rarer, most), np.arange(most + 1.0)
    if rate > rarer:
        counts = steps - counts
    seen = counts > 0
    beyond = binomial_above(most, steps, rarer)
    return Table(weights[seen], np.sqrt(counts[seen]) * shift, beyond)


def told_different(parts: Sequence[Coins], negligible: float, up: bool) -> Table:
    """Of different steps."""
    unit = _largest_sum(parts, negligible) / UNITS
    law, beyond = np.zeros(UNITS + 1), 0.0
    law[0] = 1.0
    for rate, shift, count in parts:
        most = last_count(count, rate, negligible / len(parts))
        size = shift * shift / unit
        units = math.ceil(size * (1 + 1e-12)) if up else math.floor(size * (1 - 1e-12))
        beyond += binomial_above(most, count, rate)
        total = np.zeros_like(law)
        for k, weight in enumerate(binomial_weights(count, rate, most).tolist()):
            kept = max(law.size - k * units, 0)
            total[law.size - kept :] += weight * law[:kept]
            beyond += weight * float(law[kept:].sum())
        law = total
    kept_units = np.flatnonzero(law[1:] > 0) + 1
    return Table(law[kept_units], np.sqrt(kept_units * unit), beyond)


def last_count(steps: int, rate: float, negligible: float) -> int:
    """A number of steps such that more see the record with at most this probability."""
    most = min(steps, math.ceil(steps * rate) + 8)
    while most <= MOST_COUNTS:
        if binomial_above(most, steps, rate) <= negligible:
            return most
        most = min(steps, most + 8 + most // 8)
    raise NumericalError(f"too many of {steps} steps may see the record")


def _largest_sum(parts: Sequence[Coins], negligible: float) -> float:
    """Σ k·μ² is more with about this probability at the most, by Chernoff's bound."""
    largest = max(each.shift for each in parts) ** 2
    log_moment = np.zeros(ORDERS.size)
    for rate, shift, count in parts:
        log_moment += count * np.log1p(rate * np.expm1(ORDERS * (shift * shift / largest)))
    return largest * float(((log_moment - math.log(negligible)) / ORDERS).min())


def _last_sum(squares: Array, steps: int, negligible: float) -> tuple[int, float]:
    """A sum of squares beyond which there is at most so much, and how much that may be:
    P[S > m] <= e^{−t·m}·E[e^{tS}] for every t > 0."""
    with np.errstate(divide="ignore"):
        logs = np.log(squares)
    moments = steps * log_sum_exp(np.multiply.outer(ORDERS, np.arange(squares.size)) + logs)
    most = 64
    while most <= MOST_SUM:
        beyond = math.exp(min(float((moments - ORDERS * most).min()), 0.0))
        if most >= steps * (squares.size - 1):
            beyond = 0.0
        if beyond <= negligible:
            return most, beyond
        most *= 2
    raise NumericalError(f"too many copies of the record may be seen in {steps} steps")


def _summed(squares: Array, steps: int, most: int) -> Array:
    """The law of the sum of so many, up to `most`."""
    total, law = np.ones(1), squares[: most + 1]
    while steps:
        if steps & 1:
            total = np.convolve(total, law)[: most + 1]
        steps >>= 1
        law = np.convolve(law, law)[: most + 1] if steps else law
    return total
