"""One of several things, drawn in proportion to whole numbers."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from hockeystick.random.generators import Randomness, source


def choice(weights: Sequence[int], rng: Randomness = None) -> int:
    """The place i with probability exactly weights[i] / Σ weights.

    A uniform integer of as many bits as the sum has, drawn again where it is not below the sum.

    Parameters
    ----------
    weights: integers >= 0, of any size, not all 0.

    >>> choice([0, 10**100, 0], rng=0)
    1
    """
    ends = list(accumulate(weights))
    bits = ends[-1].bit_length()
    words = source(rng)
    while True:  # each round ends it with probability above 1/2
        drawn = int.from_bytes(words(-(-bits // 64)).tobytes(), "little") >> (-bits % 64)
        if drawn < ends[-1]:
            return bisect_right(ends, drawn)
