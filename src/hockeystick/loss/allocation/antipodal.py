"""One record replaced by its opposite in random allocation: the profile, point by point.

Of t steps one, at random, moves Gaussian noise by μ with the record and by −μ with the one in its
place. With x_i the outcomes, standard normal where neither takes part,

    δ(ε) = E(D_1 + … + D_t)+/t        D = e^{μx − μ²/2} − e^ε·e^{−μx − μ²/2}

which takes the law of a sum of independent numbers on a line. No two vectors of norm at most μ, be
they chosen by what was seen so far, are easier to tell apart: along the Brownian motions of which
the steps are increments, V = E G(Σ u_i ξ_i − e^ε·Σ w_i ξ'_i), with G convex and ξ, ξ' the factors
of the remaining steps for μ and −μ, has ∂²V/∂u∂u >= 0, ∂²V/∂w∂w >= 0 and ∂²V/∂u∂w <= 0, and inner
products are at most μ² within and at least −μ² between the families; so V can only fall. Two
records at opposite ends attain it. The profile is its own reverse.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.allocation.grid import contract, spread
from hockeystick.numerics.series import EPS
from hockeystick.numerics.types import Array

CELLS = 2**16
"""Points of the line on which the sum lives."""
RARE = 1e-4
"""Probability of a step, among all of them, or of a sum so low that it may be cut off; the ends
move apart by about that much, relative."""
OUTSIDE = 1e-17
"""Probability of a sum beyond the ends of the line: it is bounded and counted."""
LEAST_SHIFT, LARGEST_SHIFT = 1e-3, 1.7
"""Below the first D has too few digits; above the second a line of equal cells is too coarse."""
LARGEST_JUMP = 8.0
"""Deviations beyond which no step that moves is followed."""


class Point(NamedTuple):
    """Both ends of δ."""

    lower: float
    upper: float


def antipodal_point(shift: float, steps: int, epsilon: float) -> Point:
    """Both ends of δ(ε) at one ε >= 0, for t = `steps` >= 2.

    D is kept between −B and A and rounded to a grid up or down in convex order, and the law of the
    sum is a convolution power. For the upper end (S)+ <= (S')+ + Σ (D_i − A)+ where S' is of what
    is kept. For the lower end the last term counts only where all other steps sum to more than −A;
    and a step below −B, with the others independent of it, has taken E(S')+·P(D < −B) at most.

    >>> ends = antipodal_point(1.0, 1000, 0.3)
    >>> [f"{end:.1e}" for end in ends]
    ['1.4e-07', '1.4e-07']
    """
    if not LEAST_SHIFT <= shift <= LARGEST_SHIFT:
        raise NumericalError(f"a shift of {shift:g} has no law on a line of {CELLS} points")
    step = _Step(shift, epsilon)
    low, high, least, most = _line(step, steps)
    width = (high - low) / CELLS
    first, last = math.floor(least / width), math.ceil(most / width)
    d = width * np.arange(first, last + 1)
    mass, up = step.cells(d)
    below, above, beyond = step.below(d[0]), step.above(d[-1]), step.call(d[-1])
    ends = []
    for rounded in (contract(d, mass, up), spread(mass, up)):
        q = rounded
        q[0] += below
        q[-1] += above
        ends.append(_Sum(q / q.sum(), d, steps, width, math.floor(low / width)))
    down, over = ends
    if not math.isfinite(over.missed):
        raise NumericalError("the sum reaches beyond the line")
    upper = over.mean + over.error + over.missed + beyond + EPS * step.size
    alone = 1 - over.chance_below(-float(d[-1]), steps - 1)
    lower = (down.mean - down.error - down.folded + alone * beyond) * (1 - steps * below)
    return Point(max(0.0, lower - EPS * step.size), upper)


class _Step:
    """The law of D, an increasing function of a standard normal number."""

    def __init__(self, shift: float, epsilon: float) -> None:
        self.shift, self.factor = shift, math.exp(epsilon)
        self.size = 64 * (1 + self.factor)
        """Errors of means of D, in units of EPS: those of neighbouring cells cancel."""

    def value(self, x: float) -> float:
        u = self.shift * x
        return (math.exp(u) - self.factor * math.exp(-u)) * math.exp(-(self.shift**2) / 2)

    def place(self, d: Array) -> Array:
        """The x at which D is d."""
        half = math.exp(self.shift**2 / 2) * np.asarray(d) / 2
        root = np.hypot(half, math.sqrt(self.factor))
        positive = root + np.abs(half)
        return np.asarray(np.log(np.where(half > 0, positive, self.factor / positive)) / self.shift)

    def below(self, d: float) -> float:
        return float(_normal(self.place(np.array([d])))[0])

    def above(self, d: float) -> float:
        return float(_normal(-self.place(np.array([d])))[0])

    def call(self, d: float) -> float:
        """E(D − d)+."""
        x = self.place(np.array([d]))
        with_it, without = _normal(self.shift - x), _normal(-self.shift - x)
        return max(0.0, float((with_it - self.factor * without - d * _normal(-x))[0]))

    def cells(self, d: Array) -> tuple[Array, Array]:
        """Masses between neighbouring points, and the part that moves up: it keeps the mean."""
        x = self.place(d)
        mass = _between(x)
        mean = _between(x - self.shift) - self.factor * _between(x + self.shift)
        return mass, np.clip((mean - d[:-1] * mass) / np.diff(d), 0.0, mass)


class _Sum:
    """The law of t steps with masses q at points d, on a line that is folded at its ends."""

    def __init__(self, q: Array, d: Array, steps: int, width: float, first: int) -> None:
        import scipy.fft

        self.q, self.d, self.steps = q, d, steps
        places = np.round(d / width).astype(int)
        line = np.zeros(CELLS)
        np.add.at(line, places % CELLS, q)
        law = scipy.fft.irfft(scipy.fft.rfft(line) ** steps, CELLS)
        sums = np.arange(first, first + CELLS)
        positive = sums > 0
        s, p = width * sums[positive], law[sums[positive] % CELLS]
        self.top = width * float(sums[-1])
        self.mean = float(s @ p) / steps
        # Of the transforms, and of a power of t: in the 2-norm, relative.
        spoilt = 4 * EPS * (steps + math.log2(CELLS)) * float(np.linalg.norm(law))
        self.error = float(np.linalg.norm(s)) * spoilt / steps
        self.missed = self._more_than(self.top)
        self.folded = self.top * self.chance_below(width * first, steps) / steps

    def _more_than(self, top: float) -> float:
        """At least E[S; S > top]/t, by s <= top·e^{λ(s − top)} for λ·top >= 1."""
        log_bound = _chernoff(self.q, self.d, self.steps, top, 1 / top)
        return top / self.steps * math.exp(log_bound) if log_bound < 0 else math.inf

    def chance_below(self, bottom: float, steps: int) -> float:
        """At least the probability that so many steps sum to less."""
        return math.exp(min(0.0, _chernoff(self.q, -self.d, steps, -bottom)))


def _chernoff(q: Array, d: Array, steps: int, top: float, least: float = 0.0) -> float:
    """log of E e^{λ(S − top)} for the best of some λ, of those that are not too small."""
    rates = [max(rate, least) for rate in _rates(q, d, steps)]
    return min(steps * _log_mean(q, d, rate) - rate * top for rate in rates)


def _rates(q: Array, d: Array, steps: int) -> list[float]:
    mean = float(q @ d)
    deviation = math.sqrt(steps * float(q @ (d - mean) ** 2))
    largest = float(d.max())
    return [*np.geomspace(0.5 / deviation, 20 / deviation + 40 / max(largest, deviation), 16)]


def _log_mean(q: Array, d: Array, rate: float) -> float:
    """log E e^{λD}."""
    shift = rate * float(d.max())
    return shift + math.log(float(np.sum(np.exp(rate * d - shift) * q)) + 1e-300)


def _line(step: _Step, steps: int) -> tuple[float, float, float, float]:
    """Where the sum lives, and between which values D is kept: guesses that are checked later."""
    from scipy.special import ndtri

    least = step.value(float(ndtri(RARE / steps)))
    most = step.value(step.shift + LARGEST_JUMP)
    if most <= 0:
        raise NumericalError("the probability that the loss is so large is too small to be found")
    scale = 1e-3 * min(-least, most)
    parts = -np.geomspace(-least, scale, 400), [0.0], np.geomspace(scale, most, 400)
    d = np.concatenate(parts)
    mass, up = step.cells(d)
    q = spread(mass, up)
    bottom = _end(q, -d, steps, RARE)
    if bottom < most:
        most = max(bottom, -least)
        kept = d <= most
        d, q = d[kept], q[kept] / q[kept].sum()
    low, high = -_end(q, -d, steps, OUTSIDE), _end(q, d, steps, OUTSIDE)
    return min(low, least), max(high, most), least, most


def _end(q: Array, d: Array, steps: int, chance: float) -> float:
    """A sum that is exceeded at most so rarely."""
    return min(
        (steps * _log_mean(q, d, rate) - math.log(chance)) / rate for rate in _rates(q, d, steps)
    )


def _normal(x: Array) -> Array:
    from scipy.special import ndtr

    return np.asarray(ndtr(x))


def _between(x: Array) -> Array:
    """Normal probabilities between neighbours, from the nearer tail."""
    below, above = _normal(x), _normal(-x)
    return np.asarray(np.maximum(np.where(x[1:] < 0, np.diff(below), -np.diff(above)), 0.0))
