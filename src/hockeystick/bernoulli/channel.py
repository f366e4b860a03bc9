"""The channel of n = dimension·samples coins: Bin(n, 1−c) for the bit 1, Bin(n, c) for the bit 0.

Two opposite corners of [c, 1−c]^d are a bit, and n coins of either are a number of ones. The log
likelihood ratio of j ones is w_j = (2j − n)·log((1−c)/c).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from hockeystick.bernoulli.excess import NEAR, TwoPoints
from hockeystick.numerics.series import exp_minus
from hockeystick.numerics.types import Array

MOST_COINS = 1 << 21
"""More coins are taken for so many from below, and for no channel at all from above."""


@dataclass(frozen=True, eq=False)
class Channel:
    """Outcomes with likelihood ratios e^w and the logarithm of the larger of their two masses.

    `error` bounds the relative error of the masses, where they matter.
    """

    w: Array
    log_mass: Array
    error: float

    @cached_property
    def one(self) -> Array:
        """Whether an outcome speaks for the bit 1."""
        return self.w >= 0

    @cached_property
    def ratio(self) -> Array:
        """The smaller mass by the larger."""
        return np.exp(-np.abs(self.w))

    @cached_property
    def lean(self) -> Array:
        """(larger − smaller)/larger, negative where the bit 0 is likelier."""
        return np.where(self.one, 1.0, -1.0) * -np.expm1(-np.abs(self.w))

    @cached_property
    def masses(self) -> tuple[Array, Array]:
        """Masses under the bit 1 and under the bit 0."""
        larger = np.exp(self.log_mass)
        smaller = larger * self.ratio
        return np.where(self.one, larger, smaller), np.where(self.one, smaller, larger)

    @property
    def total_variation(self) -> float:
        """TV(Bin(n, 1−c), Bin(n, c))."""
        return float((np.exp(self.log_mass) * np.abs(self.lean)).sum() / 2)

    def losses(self, pairs: TwoPoints) -> tuple[Array, Array]:
        """log P/Q of each outcome (columns) for each pair (rows), and log Q."""
        _, _, y, not_y, apart = (part[:, None] for part in pairs)
        q = np.where(self.one, y, not_y) + np.where(self.one, not_y, y) * self.ratio
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return np.log1p(self.lean * apart / q), self.log_mass + np.log(q)

    def shares(self, pairs: TwoPoints, order: float) -> Array:
        """What each outcome contributes to J of a single pair, as a fraction."""
        loss, log_q = self.losses(pairs)
        power = log_q[0] + order * loss[0]
        return np.asarray(np.exp(power - power.max()))

    def excess(self, pairs: TwoPoints, order: float, log_scale: float) -> tuple[Array, Array]:
        """(J − 1)·e^−log_scale of the outcomes, and a bound on its logarithm, which is finite."""
        loss, log_q = self.losses(pairs)
        a, power = order, log_q + order * loss - log_scale
        with np.errstate(over="ignore", invalid="ignore"):
            q = np.exp(log_q - log_scale)
            terms = np.exp(power) - q * (1 + a * np.expm1(loss))
            near = np.abs(a * loss) < NEAR
            if near.any():
                small = loss[near]
                terms[near] = q[near] * (exp_minus(a * small) - a * exp_minus(small))
            return terms.sum(axis=1), power.max(axis=1) + math.log(self.w.size)


@lru_cache(maxsize=8)
def coins(count: int, c: float) -> Channel:
    """The channel of `count` coins, every outcome by itself."""
    j = np.arange(count + 1)
    step = math.log1p(-c) - math.log(c)
    peak = min(count, math.floor((count + 1) * (1 - c)))
    # Masses of Bin(n, 1−c) from the likeliest outwards, each from the one before by their ratio.
    up = np.cumsum(np.log((count - j[peak:-1]) / (j[peak:-1] + 1)) + step)
    down = np.cumsum((np.log((j[1 : peak + 1]) / (count - j[1 : peak + 1] + 1)) - step)[::-1])
    log_one = np.concatenate([down[::-1], [0.0], up])
    log_one -= math.log(np.exp(log_one).sum())
    # Sums of logarithms below 100 in size, and 16 standard deviations of steps.
    error = 100 * 2.0**-53 * min(count, 16 * math.sqrt(count) + 16)
    return Channel((2 * j - count) * step, np.maximum(log_one, log_one[::-1]), error)


def fewer_outcomes(full: Channel, relevance: Array, most: int) -> Channel:
    """A channel of about `most` outcomes that tells no less than `full`, a channel of coins.

    An outcome that is left out is split between its two kept neighbours such that both its masses
    stay what they are: from those two, it could be made again (connect the dots, Doroshenko et al.
    2022). The kept ones lie denser where the relevance, a sum over all outcomes, is. They are a
    symmetric set, so one half says all.
    """
    last = (full.w.size - 1) // 2  # the left half, with the middle outcome or the one next to it
    w, log_mass = full.w[: last + 1], full.log_mass[: last + 1]
    both = (relevance + relevance[::-1])[: last + 1]
    share = np.cumsum(np.cbrt(both))  # the loss is as the cube of the gaps
    wanted = np.searchsorted(share, np.linspace(share[0], share[-1], most // 2))
    kept = np.unique(np.concatenate([[0, last - 1, last], wanted]))
    merged = _spread(w, log_mass, kept)
    middle = slice(None, -1 if full.w.size % 2 else None)
    return Channel(
        np.concatenate([w[kept], -w[kept][middle][::-1]]),
        np.concatenate([merged, merged[middle][::-1]]),
        full.error,
    )


def _spread(w: Array, log_mass: Array, kept: Array) -> Array:
    """Log masses of the kept outcomes with what falls to them of those between."""
    total = log_mass[kept]
    j = np.setdiff1d(np.arange(w.size), kept)
    if not j.size:
        return total
    above = np.searchsorted(kept, j)
    below = above - 1
    low, high = w[kept][below], w[kept][above]
    # (e^{w_j} − e^low)/(e^high − e^low) to the upper neighbour, the rest to the lower one.
    to_high = w[j] - high + np.log(-np.expm1(low - w[j])) - np.log(-np.expm1(low - high))
    to_low = np.log(-np.expm1(w[j] - high)) - np.log(-np.expm1(low - high))
    for place, share in ((above, to_high), (below, to_low)):
        starts = np.flatnonzero(np.append(True, np.diff(place) > 0))
        logs = log_mass[j] + share
        peaks = np.maximum.reduceat(logs, starts)
        sums = np.add.reduceat(
            np.exp(logs - np.repeat(peaks, np.diff(np.append(starts, j.size)))), starts
        )
        where = place[starts]
        total[where] = np.logaddexp(total[where], peaks + np.log(sums))
    return total
