"""How often one record turns up in a sample with replacement."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from hockeystick.checks import whole

CUT = 720.0
"""What is more than so many nats unlikely is left out."""


class Occurrences(NamedTuple):
    """The law of the number k >= 1 of occurrences of one record."""

    weights: tuple[tuple[int, float], ...]
    """k and its probability."""
    beyond: float
    """At least the probability of all k >= 1 that are not listed."""
    once: float
    """The probability of k >= 1: η = 1 − (1 − 1/n)^m."""


@lru_cache(maxsize=64)
def occurrences(size: int, population: int) -> Occurrences:
    """Binomial(m, 1/n) at k = 1, 2, …: by ratios from the mode outwards, then normalised.

    No gamma function, so nothing is lost at m = 10^6. By Bernstein's inequality all but 2·e^−720 of
    the law lies within the distance that is kept; that, and what underflows, is `beyond`.

    >>> occurrences(2, 2)
    Occurrences(weights=((1, 0.5), (2, 0.25)), beyond=0.0, once=0.75)
    """
    m, n = whole("size", size, 1), whole("population", population, 1)
    if n == 1:
        return Occurrences(((m, 1.0),), 0.0, 1.0)
    once = -math.expm1(m * math.log1p(-1 / n))
    mode = (m + 1) // n
    reach = math.ceil(CUT / 3 + math.sqrt((CUT / 3) ** 2 + 2 * CUT * m / n)) + 2
    low, high = max(0, mode - reach), min(m, mode + reach)
    k = np.arange(low, high)
    ratios = np.log(m - k) - np.log(k + 1.0) - math.log(n - 1)  # of weight k + 1 to weight k
    up, down = np.cumsum(ratios[mode - low :]), -np.cumsum(ratios[: mode - low][::-1])[::-1]
    masses = np.exp(np.concatenate([down, [0.0], up]))
    masses /= masses.sum()
    listed = tuple((i, w) for i, w in enumerate(masses.tolist(), start=low) if i and w)
    return Occurrences(listed, 0.0 if len(listed) == m else 1e-300, once)
