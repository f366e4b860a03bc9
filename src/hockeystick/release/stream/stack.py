"""Noise of trees, from one vector for each level."""

from __future__ import annotations

import numpy as np

from hockeystick.matrix.tree import Tree, block_variance
from hockeystick.numerics.types import Array
from hockeystick.release.stream.recursion import DEVIATIONS, Recursion, check_reach

BITS = 16
"""Weights are multiples of 2^−16, so that integers of 64 bits hold what they weigh."""


class Stack(Recursion):
    """Honaker's estimates of the blocks of a prefix, in integers; W is how their sum changes.

    A block of 2^l steps is estimated by [α·K + (1 − α)·(left + right)], K its own noise, `left`
    and `right` the estimates of its halves, α the multiple of 2^−16 next to its variance. Whatever
    α is, the sum of the block itself enters with weight 1. Nothing but that bracket is rounded, and
    a whole number that is added inside it comes out of it: there is no error to pay for.
    """

    def __init__(self, strategy: Tree, dimension: int) -> None:
        self.dimension, self._period = dimension, strategy.period
        self._estimates: list[Array] = []
        self._trees = np.zeros(dimension, dtype=np.int64)
        self._last = np.zeros(dimension, dtype=np.int64)

    def fresh(self, step: int) -> tuple[int, float]:
        inside = step % self._period + 1
        return (inside & -inside).bit_length(), 1.0

    def next(self, step: int, drawn: Array) -> Array:
        estimate = drawn[0].copy()
        check_reach(estimate, self._most)
        for level, own in enumerate(drawn[1:], start=1):
            check_reach(own, self._most)
            estimate = _weighed(own, self._estimates.pop() + estimate, level)
            check_reach(estimate, self._most)
        self._estimates.append(estimate)
        now = sum(self._estimates, start=self._trees)
        noise, self._last = now - self._last, now
        if (step + 1) % self._period == 0:
            self._trees, self._estimates = now, []
        return np.asarray(noise.astype(float))

    def reach(self, scale: float) -> float:
        return DEVIATIONS * (1 + scale)

    def limit(self, scale: float) -> None:
        self._most = self.reach(scale)

    def error(self, scale: float) -> float:
        return 0.0

    def spread(self, secret: bool) -> float:
        return 0.0


def _weighed(own: Array, halves: Array, level: int) -> Array:
    """[α·own + (1 − α)·halves], where a half is rounded up."""
    weight = round(block_variance(level) * 2**BITS)
    weighed: Array = own * weight + halves * (2**BITS - weight)
    return np.asarray((weighed + 2 ** (BITS - 1)) >> BITS)
