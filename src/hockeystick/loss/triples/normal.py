"""What three normal laws can do together: E (X − b − a·Y)_+ of two log-normal variables.

With the law of the answer without the record as the measure, N(0, I), the densities of the two
others are X = e^{⟨g,v⟩ − |v|²/2} and Y = e^{⟨g,w⟩ − |w|²/2}; only |v|², |w|² and ⟨v, w⟩ matter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np

from hockeystick.numerics.series import dot
from hockeystick.numerics.special import erfcx, ndtr
from hockeystick.numerics.types import Array

EVERY = 8
"""The number of steps of the integral is a multiple of this."""
LARGEST_EXPONENT = 600.0
"""Of a density; beyond it the integrand is 0."""
BEYOND = 6e-17
"""What the integral leaves out at its ends, and across, and more."""
THINNEST = 0.08
"""A triangle this thin is made a little thicker, which only adds: its edge takes many points."""
FARTHEST = 8.5
"""Standard deviations across, from which on the integrand counts as 0."""
WORTH_CHOOSING = 0.8
"""Part of the terms that are not 0, below which those are picked out."""
MOST_TERMS = 30_000
"""Terms of the sums that are held at a time: most of them fit into a processor's cache."""


class Rule(NamedTuple):
    """How the integral is taken, by the trapezoid rule."""

    reach: float
    """Standard deviations that it runs over."""
    widest: float
    """Its steps: so much of a standard deviation, of the strip in which the logarithm of the
    mixture is analytic, and of the width of the edge."""


FINE = Rule(8.5, 0.6)
"""To 1e-11 of the largest value; each side beyond has mass 1e-17."""
ROUGH = Rule(8.0, 0.85)
"""To 1e-5 of any value above 1e-9: to choose what is looked at."""


@dataclass(frozen=True)
class Gram:
    """|x − y|², |x' − y|² and ⟨x − y, x' − y⟩ of triples (y, x, x'), in standard deviations.

    The divergence of every pair that follows from a triple grows when a positive semidefinite
    matrix is added (Jensen: a factor of mean 1 that is independent) and when the inner product
    falls (the hinge (X − b − a·Y)_+ has a negative mixed derivative).
    """

    first: Array
    second: Array
    inner: Array

    def swapped(self) -> Gram:
        """With x and x' exchanged."""
        return Gram(self.second, self.first, self.inner)

    def take(self, which: Array) -> Self:
        """Some of the triples."""
        return replace(
            self, first=self.first[which], second=self.second[which], inner=self.inner[which]
        )


def excess(gram: Gram, a: Array, b: Array, rule: Rule = FINE) -> Array:
    """E (X − b − a·Y)_+ for each triple, to 1e-11 of the largest; more where a triple is thin."""
    axis = np.sqrt(np.maximum(gram.second, 1e-14))
    along = gram.inner / axis
    bend = np.maximum(np.abs(along), np.abs(axis - along))
    across = np.sqrt(np.maximum(gram.first - along**2, np.maximum(THINNEST * bend, 1e-9) ** 2))
    step = rule.widest * np.minimum(1.0, np.minimum(0.8 / axis, across / np.maximum(bend, 1e-300)))
    counts = (EVERY * np.ceil(2 * rule.reach / step / EVERY)).astype(int)
    total = np.empty(axis.shape)
    for count in np.unique(counts).tolist():
        rows = np.flatnonzero(counts == count)
        for some in np.array_split(rows, max(1, rows.size * count // MOST_TERMS)):
            z = np.linspace(-rule.reach, rule.reach, count + 1)
            total[some] = _trapezoid(axis[some], along[some], across[some], a[some], b[some], z)
    return total + BEYOND


def _trapezoid(axis: Array, along: Array, across: Array, a: Array, b: Array, z: Array) -> Array:
    """The integral along w, on which Y depends alone; that across it has a closed form."""
    normal = np.exp(-0.5 * z * z) * ((z[1] - z[0]) / math.sqrt(2 * math.pi))
    # a·Y by few exponentials: at each eighth point, and from there to the next
    log_y = axis[:, None] * (z[::EVERY] + (along - axis / 2)[:, None])
    factors = np.exp(np.multiply.outer(axis, z[:EVERY] - z[0]))
    with np.errstate(over="ignore"):  # at inf the integrand is 0
        firsts = a[:, None] * np.exp(np.minimum(log_y, LARGEST_EXPONENT))
        high = (firsts[:, :, None] * factors[:, None, :]).reshape(axis.size, -1)[:, : z.size]
    high += b[:, None]
    np.log(high, out=high)
    high /= across[:, None]
    low = np.multiply.outer(along / across, z)  # log X, in the same units
    low += (along**2 / (2 * across) + across / 2)[:, None]
    high -= low
    np.add(high, across[:, None], out=low)
    near = high < FARTHEST
    if np.count_nonzero(near) < WORTH_CHOOSING * near.size:
        values = np.zeros(near.shape)
        values[near] = _above(high[near], low[near])
    else:
        values = _above(high, low)
    return np.asarray(dot(values, normal))


def _above(high: Array, low: Array) -> Array:
    """Φ(−high) − e^{low²/2 − high²/2}·Φ(−low), the second by Mills' ratio: the integral across."""
    second = erfcx(np.maximum(low, -6.0) * math.sqrt(0.5))
    second *= np.exp(-0.5 * high * high)
    values = ndtr(-high)
    values -= 0.5 * second
    left = np.nonzero(low < -5)
    if left[0].size:
        high, low = high[left], low[left]
        tilt = 0.5 * (low - high) * (low + high)
        values[left] = ndtr(-high) - np.exp(np.minimum(tilt, 0.0)) * ndtr(-low)
    return np.asarray(np.maximum(values, 0.0, out=values))
