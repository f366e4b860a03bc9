"""How many balls are thrown at urns: Poisson counts, inverted on 256 bits.

Of n urns each is to be hit by itself with probability q. A Poisson count of balls with the mean
λ = −n·log(1 − q), each at any urn with equal chance, does that: the urns' own counts are then
independent and Poisson with the mean λ/n (Mitzenmacher and Upfal 2005, Theorem 5.6), hence 0 with
probability e^(−λ/n) = 1 − q.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache

import numpy as np
from numpy.random import Generator

BITS = 256
"""A count is decided by so many bits; of them 64 do, unless they are those of a border."""
GUARD = 320
"""Binary digits of the weights, of which the most likely count has all."""
FRACTION = 400
"""Binary digits of the mean after the point."""
MOST = 2**14
"""A table for a larger mean takes more than some milliseconds."""


def balls(urns: int, probability: float, rng: Generator) -> int:
    """How many balls to throw at `urns`, for each to be hit with exactly `probability`, the float.

    #{c : u ≥ F(c)} for u uniform, F the distribution function. It is within 2^−249 of its law in
    total variation: see `_distribution`. The first call for its arguments takes milliseconds.

    Parameters
    ----------
    urns: an integer in [0, 2^62]. probability: in (0, 1/2], with urns · probability <= 2^14.

    >>> from hockeystick.random.generators import generator
    >>> 450 < balls(32_000, 1 / 64, generator(0)) < 550
    True
    """
    first, coarse, fine = _distribution(urns, probability)
    word = int(rng.integers(0, 2**64 - 1, dtype=np.uint64, endpoint=True))
    passed = bisect_right(coarse, word)
    if passed and coarse[passed - 1] == word:
        rest = int.from_bytes(rng.bytes((BITS - 64) // 8), "little")
        passed = bisect_right(fine, word << (BITS - 64) | rest)
    return first + passed


@lru_cache(maxsize=16)  # a run draws from one population, at one rate
def _distribution(urns: int, probability: float) -> tuple[int, list[int], list[int]]:
    """The first count c₀ with a weight, and F(c₀), F(c₀+1), … as ⌊F · 2^64⌋ and ⌊F · 2^256⌋.

    Weights are integers, 2^320 for the count below the mean and from there on by the ratio
    P[c + 1]/P[c] = λ/(c + 1), rounded down, until they are 0. A weight is then too small by less
    than the number of roundings before it, as ratios that matter are below 1: of 2^16 counts at
    most, all together by less than 2^32, or 2^−288 of the whole. The mean is right within 2^−327
    (`_mean`), and so is the law that it decides.
    """
    mean = _mean(urns, probability)
    centre = mean >> FRACTION  # a mode: weights fall to both sides
    up, down = [2**GUARD], [2**GUARD]
    for c in range(centre, 4 * MOST):
        up.append(up[-1] * mean // (c + 1) >> FRACTION)
        if not up[-1]:
            break
    for c in range(centre, 0, -1):
        down.append((down[-1] * c << FRACTION) // mean)
        if not down[-1]:
            break
    weights = down[:0:-1] + up
    total, before, fine = sum(weights), 0, []
    for weight in weights[:-1]:
        before += weight
        fine.append((before << BITS) // total)
    coarse = [min(f, 2**BITS - 1) >> (BITS - 64) for f in fine]
    return centre - len(down) + 1, coarse, fine


def _mean(urns: int, probability: float) -> int:
    """−n·log(1 − q) · 2^400, by its series Σ q^k/k, each term rounded down.

    At most 400 terms, too small by less than 3 each: at most 2^62 · 2^11 in all, or 2^−327.
    """
    p, whole = probability.as_integer_ratio()
    power, k, total = (p << FRACTION) // whole, 1, 0
    while power:
        total += power // k
        power, k = power * p // whole, k + 1
    return urns * total
