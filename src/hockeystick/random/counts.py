"""How many of many coins fall True: binomial counts, inverted on 256 bits."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache

from numpy.random import Generator

BITS = 256
"""A count is decided by so many bits; of them 64 do, unless they are those of a border."""
GUARD = 320
"""Binary digits of the weights, of which the most likely count has all."""
MOST = 2**14
"""A table for a larger mean takes more than some milliseconds."""


def count(coins: int, probability: float, rng: Generator) -> int:
    """How many of `coins` fall True, each with exactly `probability`, the float that was given.

    #{c : u ≥ F(c)} for u uniform, F the distribution function. It is within 2^−249 of its law in
    total variation: see `_distribution`. The first call for its arguments takes milliseconds.

    Parameters
    ----------
    coins: an integer >= 0. probability: in (0, 1), with coins · probability <= 2^14.

    >>> from hockeystick.random.generators import generator
    >>> 450 < count(32_000, 1 / 64, generator(0)) < 550
    True
    """
    first, coarse, fine = _distribution(coins, probability)
    word = int.from_bytes(rng.bytes(8), "little")
    passed = bisect_right(coarse, word)
    if passed and coarse[passed - 1] == word:
        rest = int.from_bytes(rng.bytes((BITS - 64) // 8), "little")
        passed = bisect_right(fine, word << (BITS - 64) | rest)
    return first + passed


@lru_cache(maxsize=16)  # a run draws from one population, at one rate
def _distribution(coins: int, probability: float) -> tuple[int, list[int], list[int]]:
    """The first count c₀ with a weight, and F(c₀), F(c₀+1), … as ⌊F · 2^64⌋ and ⌊F · 2^256⌋.

    Weights are integers, 2^320 for a count near the mean and from there on by the ratio
    P[c + 1]/P[c] = (n − c)·p / ((c + 1)·(1 − p)), rounded down, until they are 0. A weight is
    then too small by less than the number of roundings before it, as ratios that matter are below
    1: of 2^16 counts at most, all together by less than 2^32, or 2^−288 of the whole.
    """
    p, whole = probability.as_integer_ratio()
    centre = min(coins, (coins + 1) * p // whole)  # the mode: weights fall to both sides
    up, down = [2**GUARD], [2**GUARD]
    for c in range(centre, coins):
        up.append(up[-1] * (coins - c) * p // ((c + 1) * (whole - p)))
        if not up[-1]:
            break
    for c in range(centre, 0, -1):
        down.append(down[-1] * c * (whole - p) // ((coins - c + 1) * p))
        if not down[-1]:
            break
    weights = down[:0:-1] + up
    total, before, fine = sum(weights), 0, []
    for weight in weights[:-1]:
        before += weight
        fine.append((before << BITS) // total)
    coarse = [min(f, 2**BITS - 1) >> (BITS - 64) for f in fine]
    return centre - len(down) + 1, coarse, fine
