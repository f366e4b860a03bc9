"""Finite laws of a privacy loss: their sums, thinning them out either way, and their δ(ε).

A law is a list of losses x with P-masses p; its Q-masses are p·e^{−x}. All that is computed here
are sums of terms that are not negative, so nothing cancels: a δ of 1e-200 has its digits too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hockeystick.numerics.types import Array

EPS = 2.0**-52
SAME = 16 * EPS
"""Losses closer than this, relative to the largest, are taken as one."""
FIRST_POINTS = 33
MOST_LISTED = 1 << 15
"""Outcomes up to which a power of a law is listed outcome by outcome."""
ROUNDS = 40
"""In about how many rounds the points are chosen: a cell can be halved once in each."""
MANY_POINTS = 1 << 15
"""From here on more of them are chosen in a round the more there are, in half the time."""


@dataclass(frozen=True)
class Tilt:
    """How much a loss matters: like e^{order·x}, but from `ceiling` on no more, for δ <= 1."""

    order: float
    ceiling: float

    def __call__(self, losses: Array) -> Array:
        """log of the weight."""
        return np.asarray(self.order * np.minimum(losses, self.ceiling))


def rounding_cost(points: Array, log_mass: Array, mean: Array, tilt: Tilt) -> Array:
    """log of what splitting the cells between the points adds to their weight.

    A cell of P-mass e^{log_mass} at `mean` goes to its two ends, P- and Q-mass kept.
    """
    mean = np.clip(mean, points[:-1], points[1:])
    heights, height = tilt(points), tilt(mean)
    left, right = heights[:-1] - height, heights[1:] - height
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        part = np.expm1(points[:-1] - mean) / np.expm1(-np.diff(points))
        part = np.nan_to_num(part, nan=0.0)
        near = part * np.expm1(np.minimum(right, 50)) + (1 - part) * np.expm1(left)
        grown = np.where(right > 40, right + np.log(part), np.log(np.maximum(near, 0)))
    return np.asarray(log_mass + height + np.nan_to_num(grown, nan=-math.inf))


def costliest(cost: Array, left: int, most: int) -> Array:
    """Places of the cells to halve in this round, growing."""
    growth = (most / FIRST_POINTS) ** (1 / ROUNDS) - 1
    each = growth * len(cost) if most >= MANY_POINTS else most // ROUNDS
    wanted = min(left, max(8, int(each)))
    if wanted <= 0:
        return np.empty(0, dtype=int)
    worst = np.arange(len(cost))
    if wanted < len(cost):
        worst = np.argpartition(cost, -wanted)[-wanted:]
    return np.sort(worst[cost[worst] > -math.inf])


@dataclass(frozen=True, eq=False)
class Law:
    """Growing losses and their P-masses; what is rounded is rounded `up`, or else down.

    δ(ε) = Σ p·(1 − e^{ε−x})₊ grows with every loss, so a law whose losses were moved up, or split
    between two neighbours with P- and Q-mass kept (Doroshenko et al. 2022), is an upper bound; one
    whose losses were lowered, or merged at their mean ratio, is a lower bound.
    """

    losses: Array
    masses: Array
    up: bool

    @classmethod
    def of(cls, losses: Array, masses: Array, up: bool) -> Law:
        """Sorted, and losses that differ by rounding alone merged."""
        order = np.argsort(losses)
        x, p = losses[order], masses[order]
        apart = np.diff(x) > SAME * max(abs(x[0]), abs(x[-1]))
        start = np.flatnonzero(np.append(True, apart))
        last = np.flatnonzero(np.append(apart, True))
        return cls(x[last] if up else x[start], np.add.reduceat(p, start), up)

    def __len__(self) -> int:
        return len(self.losses)

    def plus(self, other: Law) -> Law:
        """The law of the sum of two independent losses."""
        x = np.add.outer(self.losses, other.losses).ravel()
        return Law.of(x, np.multiply.outer(self.masses, other.masses).ravel(), self.up)

    def thinned(self, most: int, tilt: Tilt) -> Law:
        """A law of at most about `most` losses, close where it matters."""
        if len(self) <= most:
            return self
        kept = self._kept(most, tilt)
        return self._split(kept) if self.up else self._merged(kept)

    def _kept(self, most: int, tilt: Tilt) -> Array:
        """Where to cut: the cells that cost most are halved again and again."""
        x, last = self.losses, len(self) - 1
        with np.errstate(divide="ignore"):
            weight = np.log(self.masses) + tilt(x)
        weight = np.exp(weight - weight.max())
        sums = np.append(0.0, np.cumsum(weight)), np.append(0.0, np.cumsum(weight * (x - x[0])))
        kept = np.unique(np.searchsorted(x, np.linspace(x[0], x[-1], FIRST_POINTS)))
        kept = np.unique(np.concatenate([[0], np.minimum(kept, last), [last]]))
        while True:
            mass, moment = (np.diff(each[kept]) for each in sums)
            with np.errstate(divide="ignore", invalid="ignore"):
                mean = np.nan_to_num(x[0] + moment / mass, nan=x[0])
                log_mass = np.log(np.maximum(mass, 0)) - tilt(mean)
            cost = rounding_cost(x[kept], log_mass, mean, tilt)
            cost[np.diff(kept) < 2] = -math.inf
            worst = costliest(cost, most - len(kept), most)
            if not worst.size:
                return kept
            middle = np.searchsorted(x, (x[kept[worst]] + x[kept[worst + 1]]) / 2)
            middle = np.clip(middle, kept[worst] + 1, kept[worst + 1] - 1)
            kept = np.insert(kept, worst + 1, middle)

    def _split(self, kept: Array) -> Law:
        x, p = self.losses, self.masses
        points = x[kept]
        cell = np.minimum(np.searchsorted(kept, np.arange(len(x)), "right") - 1, len(kept) - 2)
        part = np.expm1(points[cell] - x) / np.expm1(points[cell] - points[cell + 1])
        right = p * np.clip(part, 0, 1)
        masses = np.bincount(cell, p - right, len(kept))
        return Law(points, masses + np.bincount(cell + 1, right, len(kept)), True)

    def _merged(self, kept: Array) -> Law:
        x, p = self.losses, self.masses
        first = np.repeat(x[kept], np.diff(np.append(kept, len(x))))
        masses = np.add.reduceat(p, kept)
        lowered = np.add.reduceat(p * -np.expm1(first - x), kept)
        with np.errstate(divide="ignore", invalid="ignore"):
            rise = -np.log1p(-lowered / masses)
        return Law(x[kept] + np.nan_to_num(rise, nan=0.0, posinf=0.0), masses, False)

    @cached_property
    def above(self) -> Array:
        """P-mass from each loss up, and 0 at the end."""
        return np.append(np.cumsum(self.masses[::-1])[::-1], 0.0)

    @cached_property
    def at_losses(self) -> Array:
        """δ at each loss: δ(x_i) = (1 − e^{−gap})·above_{i+1} + e^{−gap}·δ(x_{i+1}).

        The recurrence is solved for all i at once, by doubling the distance it spans.
        """
        factor = np.append(np.exp(-np.diff(self.losses)), 0.0)
        value = (1 - factor) * self.above[1:]
        value[:-1] = -np.expm1(-np.diff(self.losses)) * self.above[1:-1]
        span = 1
        while span < len(value):
            value[:-span] += factor[:-span] * value[span:]
            factor[:-span] *= factor[span:].copy()
            factor[-span:] = 0.0
            if not factor.any():
                break
            span *= 2
        return np.append(value, 0.0)

    def delta(self, epsilon: Array) -> Array:
        """δ of the finite losses at each ε."""
        i = np.searchsorted(self.losses, epsilon, "right")
        gap = epsilon - np.append(self.losses, math.inf)[i]
        return np.asarray(-np.expm1(gap) * self.above[i] + np.exp(gap) * self.at_losses[i])


def power(law: Law, count: int, most: int, tilt: Tilt) -> Law | None:
    """The law of the sum of `count` independent losses, of at most `most`² values; None for 0."""
    if 1 < count <= MOST_LISTED and math.comb(count + len(law) - 1, count) <= MOST_LISTED:
        return listed(law, count)
    total = None
    while count:
        if count & 1:
            total = law if total is None else folded(total, law, most, tilt)
        count >>= 1
        law = folded(law, law, most, tilt) if count else law
    return total


def listed(law: Law, count: int) -> Law:
    """The same, each outcome once: how often which loss, and the multinomial probability of it.

    >>> sums = listed(Law(np.array([0.0, 1.0]), np.array([0.5, 0.5]), True), 2)
    >>> sums.losses.tolist(), sums.masses.round(12).tolist()
    ([0.0, 1.0, 2.0], [0.25, 0.5, 0.25])
    """
    log_factorials = np.array([math.lgamma(k + 1) for k in range(count + 1)])
    left, losses, logs = np.array([count]), np.zeros(1), np.full(1, log_factorials[count])
    log_masses = np.log(law.masses)
    for i, (loss, log_mass) in enumerate(zip(law.losses, log_masses, strict=True)):
        if i == len(law) - 1:
            times, again = left, np.arange(left.size)
        else:
            again = np.repeat(np.arange(left.size), left + 1)
            times = np.arange(again.size) - np.searchsorted(again, again)
        left = left[again] - times
        losses = losses[again] + times * loss
        logs = logs[again] + times * log_mass - log_factorials[times]
    return Law.of(losses, np.exp(logs), law.up)


def folded(a: Law, b: Law, most: int, tilt: Tilt) -> Law:
    """The law of a sum, of at most `most`² values."""
    if len(a) * len(b) <= most * most:
        return a.plus(b)
    thin = a.thinned(most, tilt)
    return thin.plus(thin if b is a else b.thinned(most, tilt))
