"""Coins whose probabilities lie in a box with its own interval [c_i, d_i] in each coordinate.

Two points of the box are a garbling of two of its corners (Imola and Chaudhuri, Lemma 2), and the
coin of one coordinate one of a symmetric coin: (Bern(d), Bern(c)) can be made of (Bern(1−s),
Bern(s)), whichever is which, if 1 − 2s >= (d − c)/min(c + d, 2 − c − d), and makes such a coin
itself if 1 − 2s <= (d − c)/max(c + d, 2 − c − d). So the coins of the box tell no more than those
of one symmetric box and no less than those of another; where all d_i = 1 − c_i, they are one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from hockeystick.bernoulli.channel import MOST_COINS, Channel, coins, fewer_outcomes
from hockeystick.bernoulli.closed_forms import symmetric_divergence, up
from hockeystick.bernoulli.parameters import Coins, clipping
from hockeystick.checks import probability, whole
from hockeystick.errors import ParameterError
from hockeystick.numerics.types import Array

MOST_OUTCOMES = 4000
"""More outcomes of coins are merged, to the safe side."""
SAME = 1e-13
"""Likelihood ratios so close count as equal, which is part of the channel's error."""


@dataclass(frozen=True)
class Box:
    """Π [c_i, d_i], of which `samples` vectors of coins are released."""

    intervals: tuple[tuple[float, float], ...]
    samples: int

    @cached_property
    def outer(self) -> tuple[float, ...]:
        """The s of symmetric coins that tell no less."""
        return tuple(_symmetric(c, d, min(c + d, 2 - c - d)) for c, d in self.intervals)

    @cached_property
    def inner(self) -> tuple[float, ...]:
        """The s of symmetric coins that tell no more."""
        return tuple(_symmetric(c, d, max(c + d, 2 - c - d)) for c, d in self.intervals)

    @property
    def tells_all(self) -> bool:
        """Whether a coin may be certain, so that nothing is hidden, or there are too many."""
        return min(self.outer) == 0 or len(self.intervals) * self.samples > MOST_COINS

    @property
    def tells_nothing(self) -> bool:
        """Whether all probabilities are fixed."""
        return min(self.inner) == 0.5

    def reach(self, each: tuple[float, ...]) -> float:
        """Σ log((1 − s)/s), the most that one vector of such symmetric coins tells."""
        return sum(Coins(1, s).reach for s in each)

    def channel(self, *, above: bool) -> Channel:
        """The channel of the coins, or of some that tell no less, or no more."""
        return product_channel(self.outer if above else self.inner, self.samples, above)

    def asymptote(self, order: float) -> float:
        """Σ k·max(R_α(Bern(d), Bern(c)), R_α(Bern(c), Bern(d))), which is never exceeded.

        Imola and Chaudhuri, Theorem 5, whose proof takes two corners.
        """
        return self.samples * sum(_apart(c, d, order) for c, d in self.intervals)

    def symmetric_asymptote(self, order: float) -> float:
        """The same of the symmetric coins that tell no less."""
        return self.samples * sum(symmetric_divergence(s, order) for s in self.outer)


def box_of(c: Any, d: Any, dimension: Any, samples: Any) -> Box:
    """The box, if its ends are in order: d_i = 1 − c_i by default.

    >>> box_of([0.25, 0.5], None, 1, 3)
    Box(intervals=((0.25, 0.75), (0.5, 0.5)), samples=3)
    """
    end = clipping if d is None else probability
    low = [end("c", each) for each in _each(c, dimension)]
    high = [1 - each for each in low] if d is None else _each(d, len(low))
    high = [probability("d", each) for each in high]
    if len(high) != len(low):
        raise ParameterError(f"c and d must be equally many, got {len(low)} and {len(high)}")
    for one, other in zip(low, high, strict=True):
        if one > other:
            raise ParameterError(f"c must be at most d in each coordinate, got {one!r} > {other!r}")
    return Box(tuple(zip(low, high, strict=True)), whole("samples", samples, 1))


def _each(values: Any, dimension: Any) -> Sequence[Any]:
    """One end for each coordinate."""
    if not isinstance(values, Sequence | np.ndarray) or isinstance(values, str):
        return [values] * whole("dimension", dimension, 1)
    if whole("dimension", dimension, 1) not in (1, len(values)) or not len(values):
        raise ParameterError(
            f"dimension must be the number of bounds, {len(values)}, or left out, got {dimension}"
        )
    return list(values)


def _symmetric(c: float, d: float, over: float) -> float:
    """(1 − (d − c)/over)/2, in [0, 1/2]."""
    if d == 1 - c:
        return c
    return min(max((1 - (d - c) / over) / 2, 0.0), 0.5) if over and d > c else 0.5


def _apart(c: float, d: float, order: float) -> float:
    """The larger Rényi divergence of two coins."""
    if c == d:
        return 0.0
    if c == 0 or d == 1:
        return math.inf
    if c == 1 - d:
        return symmetric_divergence(c, order)
    one, other = math.log(d) - math.log(c), math.log1p(-c) - math.log1p(-d)
    if math.isinf(order):
        return max(one, other)
    s = order - 1
    forward = np.logaddexp(math.log(d) + s * one, math.log1p(-d) - s * other) / s
    backward = np.logaddexp(math.log(c) - s * one, math.log1p(-c) + s * other) / s
    return float(max(forward, backward, 0.0)) * up(order)


@lru_cache(maxsize=16)
def product_channel(each: tuple[float, ...], samples: int, above: bool) -> Channel:
    """Symmetric coins of several kinds: likelihood ratios multiply.

    Where the outcomes are too many, `above` splits some between others, so that the rest tells no
    less; else neighbours are merged, which tells no more.
    """
    counts = Counter(s for s in each if s < 0.5)
    channel = Channel(np.zeros(1), np.zeros(1), 0.0)
    for s, number in counts.items():
        channel = _thinned(coins(number * samples, s), above)
        break
    for s, number in list(counts.items())[1:]:
        channel = _thinned(_together(channel, _thinned(coins(number * samples, s), above)), above)
    return channel


def _together(one: Channel, other: Channel) -> Channel:
    """Both channels at once, outcomes of equal likelihood ratios as one."""
    w = np.add.outer(one.w, other.w).ravel()
    mass = np.multiply.outer(one.masses[0], other.masses[0]).ravel()
    order = np.argsort(w, kind="stable")
    w, mass = w[order], mass[order]
    scale = SAME * max(1.0, float(np.abs(w).max()))
    starts = np.flatnonzero(np.append(True, np.diff(w) > scale))
    error = one.error + other.error + scale * np.log2(w.size + 1)
    return _of_masses(w[starts], np.add.reduceat(mass, starts), error)


def _of_masses(w: Array, mass: Array, error: float) -> Channel:
    """The channel with these likelihood ratios and masses under the bit 1, made symmetric."""
    w = (w - w[::-1]) / 2
    with np.errstate(divide="ignore"):
        log_one = np.log(mass)
    # Under the bit 0 the masses are the same backwards; the larger of the two is kept.
    return Channel(w, np.maximum(log_one, log_one[::-1]), error)


def _thinned(channel: Channel, above: bool) -> Channel:
    if channel.w.size <= MOST_OUTCOMES:
        return channel
    if above:
        return fewer_outcomes(channel, np.exp(channel.log_mass), MOST_OUTCOMES)
    one, zero = channel.masses
    half = channel.w.size // 2
    steps = np.unique(np.linspace(0, half, MOST_OUTCOMES // 2).astype(int))[:-1]
    starts = np.unique(np.concatenate([steps, [half], channel.w.size - steps[1:]]))
    p, q = np.add.reduceat(one, starts), np.add.reduceat(zero, starts)
    kept = (p > 0) & (q > 0)
    return _of_masses(np.log(p[kept] / q[kept]), p[kept], channel.error)
