"""Coins that fall by exactly a rational probability, or by e^(−γ) for a rational γ.

No float takes part. A uniform real number has the random words as its digits in base 2^64; it is
compared with a fraction digit by digit, and the next digit is drawn only when the ones so far are
equal, which one comparison in 2^64 needs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hockeystick.random.generators import Source, below

Flags = NDArray[np.bool_]
Whole = NDArray[np.int64] | NDArray[np.object_]
"""Integers, as Python's own where they may not fit into 64 bits."""


def rational(numerators: Whole, denominator: int, words: Source) -> Flags:
    """Coins that fall True with probability numerator / denominator, each by its own.

    Parameters
    ----------
    numerators: integers in [0, denominator].

    >>> from hockeystick.random.generators import source
    >>> rational(np.array([0, 3, 3]), 3, source(0)).tolist()
    [False, True, True]
    """
    if denominator < 2**63:
        small: Flags = below(denominator, numerators.size, words) < numerators.astype(np.uint64)
        return small
    shifted = numerators.astype(object) * 2**64
    digits = shifted // denominator
    sure = digits == 2**64
    first = np.where(sure, 0, digits).astype(np.uint64)
    drawn = words(first.size)
    fell: Flags = (drawn < first) | sure.astype(bool)
    for i in np.flatnonzero((drawn == first) & ~fell):
        fell[i] = rational(shifted[i : i + 1] % denominator, denominator, words)[0]
    return fell


def exponential(numerators: Whole, denominator: int, words: Source) -> Flags:
    """Coins that fall True with probability e^(−γ), γ = numerator / denominator >= 0.

    Canonne, Kamath and Steinke 2020, Algorithm 1: for γ <= 1, throw coins of γ, γ/2, γ/3, … until
    one falls False; it is one of odd number with probability Σ (−γ)^k/k!. A larger γ is a sum of
    ones and a rest, whose coins must all fall True.

    >>> from hockeystick.random.generators import source
    >>> 330 < int(exponential(np.full(1000, 3), 3, source(0)).sum()) < 410
    True
    """
    fell = np.ones(numerators.size, dtype=bool)
    ones, rest = numerators // denominator, numerators % denominator
    alive = np.flatnonzero(ones > 0)
    while alive.size:
        fell[alive] = _below_one(np.ones(alive.size, dtype=np.int64), 1, words)
        ones[alive] -= 1
        alive = alive[fell[alive] & (ones[alive] > 0)]
    alive = np.flatnonzero(fell)
    fell[alive] = _below_one(rest[alive], denominator, words)
    return fell


def _below_one(numerators: Whole, denominator: int, words: Source) -> Flags:
    """Coins of e^(−γ) for γ in [0, 1]."""
    odd = np.empty(numerators.size, dtype=bool)
    alive = np.arange(numerators.size)
    k = 1
    while alive.size:
        fell = rational(numerators[alive], k * denominator, words)
        odd[alive[~fell]] = k % 2
        alive = alive[fell]
        k += 1
    return odd
