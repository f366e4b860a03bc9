"""Binomial sums of Rényi moments at large orders: an upper bound by few values of the curve.

Wang, Balle and Kasiviswanathan (2019, Section 4) bound the sum of Theorem 9 by its largest term
times their number, with O(log n) values of the curve. Here as many values K(j) = (j − 1)·ε(j) are
joined by chords, which a convex K stays below, and the terms so raised are added up. So nothing is
lost but the chords' height: 0.012 % of K if K is quadratic, nothing where it is linear.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from hockeystick.numerics.binomial import log_binomial
from hockeystick.numerics.log_sum import log_sum_exp
from hockeystick.numerics.types import Array

SINGLE = 128
"""Up to this j the curve is asked at every j."""
NODES_PER_DOUBLING = 32
BLOCKS_PER_DOUBLING = 128
MOST_TERMS = 1 << 15
"""No more terms than this are added one by one."""
NEGLIGIBLE = 45.0
"""A block whose terms are this much below the largest, in logarithms, need not be looked into."""
ROUNDING = 2.0**-49
"""Relative error of what the logarithm of a term is added up from, with room to spare."""


class Sum(NamedTuple):
    """Σ_{j=2}^n C(n, j)·e^{offset + slope·j + K(j) + growth}, where growth(j, K(j)) never falls."""

    order: int
    offset: float
    slope: float
    growth: Callable[[Array, Array], Array]


def log_sum_above(total: Sum, cumulant: Callable[[int], float], first: int = 2) -> float:
    """An upper bound of the logarithm of the sum for every convex K not above the values given.

    Of the terms from `first` on, 2 to 128.

    The j are cut into blocks in which the chord of K is one line. There the logarithm of a term
    without its growth is concave, so its peak is known and bounds the block. The terms of the
    blocks that may count are added one by one.
    """
    n = total.order
    nodes = ladder(n, NODES_PER_DOUBLING)
    values = np.array([cumulant(j) for j in nodes.tolist()])
    if not np.isfinite(values).all():
        return math.inf
    starts = ladder(n, BLOCKS_PER_DOUBLING)
    starts = starts[starts >= first]
    sizes = np.diff(starts, append=n + 1)
    ends = starts + sizes - 1
    rise = np.diff(np.interp(starts, nodes, values), append=0.0) / sizes  # last, n is by itself
    odds = 1 / (1 + np.exp(-np.clip(total.slope + rise, -700.0, 700.0)))
    peaks = np.clip(np.floor((n + 1) * odds), starts, ends)
    reach = total.growth(ends, np.interp(ends, nodes, values))
    bounds = _log_terms(total, peaks, np.interp(peaks, nodes, values)) + reach + np.log(sizes)
    many = _worth_a_look(bounds, sizes)
    blocks = zip(starts[many].tolist(), ends[many].tolist(), strict=True)
    j = np.concatenate([np.arange(0), *(np.arange(a, b + 1) for a, b in blocks)])
    k = np.interp(j, nodes, values)
    terms = np.append(_log_terms(total, j, k) + total.growth(j, k), bounds[~many])
    return float(log_sum_exp(terms))


@lru_cache(maxsize=64)
def ladder(n: int, per_doubling: int) -> Array:
    """2, 3, …, 128, from there in equal ratios, the same for every n, and at last n itself."""
    count = math.ceil(per_doubling * math.log2(max(n / SINGLE, 1.0))) + 1
    rungs = np.rint(SINGLE * 2.0 ** (np.arange(count) / per_doubling)).astype(int)
    below = np.unique(np.concatenate([np.arange(2, SINGLE), rungs]))
    return np.append(below[below < n], n)


def _log_terms(total: Sum, j: Array, k: Array) -> Array:
    """The logarithms of terms without their growth, rounded up."""
    parts = [log_binomial(total.order, j), total.slope * j, k]
    doubt = abs(total.offset) + np.sum(np.abs(parts), axis=0)
    return np.asarray(total.offset + np.sum(parts, axis=0) + ROUNDING * doubt)


def _worth_a_look(bounds: Array, sizes: Array) -> Array:
    """Which blocks count, the largest first, as long as their terms are not too many."""
    order = np.argsort(-bounds)
    few = np.cumsum(sizes[order]) <= MOST_TERMS
    few &= bounds[order] >= bounds[order[0]] - NEGLIGIBLE
    chosen = np.zeros(bounds.shape, dtype=bool)
    chosen[order] = few
    return chosen
