"""Sensitivities of binary trees, which may have any number of leaves.

A record that takes part in N_v of the steps below a node v moves the sums in all nodes by Σ_v N_v²
together. A tree is a row of perfect trees (of 9 leaves: 8 and 1), each taken apart into two halves
(as in Kairouz et al. 2021, Appendix D.2, and the code that came with it).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.types import Array

COARSE_GAP, FINE_GAP = 48, 128
"""Separations up to these many units of a power of two are followed, at first, and where the ends
then differ: the time grows with the third power."""
MOST_UNALIGNED_GAP = 200
"""Separations up to this where no power of two fits the places at which trees restart."""
NONE = -1e300
"""No such set of steps: less than any sum, also where several are added."""


def largest_tree_sum(trees: Sequence[int], every: int, at_most: int) -> tuple[int, int]:
    """Both ends of max Σ_v N_v² over sets of at most `at_most` leaves, `every` or more apart.

    trees: the leaves of perfect trees, from left to right. In units of a power of two that divides
    the separation a set may be moved to the left onto multiples of it, one block of leaves being
    one, and the ends are the same; else they are those of the separation rounded up and down.

    >>> largest_tree_sum([8, 1], every=4, at_most=3)
    (11, 11)
    """
    if at_most == 1:
        most = max(trees).bit_length()
        return most, most
    low, high = cyclic_tree_sum(trees, every, at_most), math.inf
    for widest in (COARSE_GAP, FINE_GAP):
        if low == high:
            break
        unit = 1
        while -(-every // unit) > widest and _is_aligned(trees, 2 * unit):
            unit *= 2
        gaps = {-(-every // unit), every // unit}
        if max(gaps) > MOST_UNALIGNED_GAP:
            raise NumericalError(f"trees that restart off multiples of {2 * unit} take too long")
        sums = [_by_halves(trees, unit, gap, at_most) for gap in gaps]
        low, high = max(low, min(sums)), min(high, max(sums))
    return low, int(high)


def _is_aligned(trees: Sequence[int], unit: int) -> bool:
    """Whether trees of less than a unit are at the end alone."""
    small = [leaves < unit for leaves in trees]
    return small == sorted(small) and sum(trees[small.index(True) :] if any(small) else ()) < unit


def _by_halves(trees: Sequence[int], unit: int, every: int, at_most: int) -> int:
    """Exactly, if steps are multiples of `unit` and the separation is `every` of them.

    Trees of less than a unit at the end are together one place, in which one step may be: the
    first and largest of them has the most nodes above it.
    """
    tables = _Tables(unit, every, at_most)
    best = np.full((at_most + 1, every), NONE)
    best[0] = 0.0
    """[q, w]: the most of q steps so far, of which the last leaves w free places after it."""
    small = [leaves for leaves in trees if leaves < unit][:1]
    for leaves in [leaves for leaves in trees if leaves >= unit] + small:
        best = _appended(best, tables.of(leaves), max(1, leaves // unit))
    return int(best.max())


class _Tables:
    """F[q, u, w] of perfect trees: the most of q steps that leave u places free before the first
    and w after the last one."""

    def __init__(self, unit: int, every: int, at_most: int) -> None:
        self.unit, self.every, self.at_most = unit, every, at_most
        self._known: dict[int, Array] = {}

    def of(self, leaves: int) -> Array:
        if leaves not in self._known:
            self._known[leaves] = (
                self._leaf(leaves) if leaves <= self.unit else self._joined(leaves)
            )
        return self._known[leaves]

    def _leaf(self, leaves: int) -> Array:
        """One place, in which a step has every node up to the top."""
        table = np.full((2, self.every, self.every), NONE)
        table[0] = 0.0
        table[1, 0, 0] = leaves.bit_length()
        return table

    def _joined(self, leaves: int) -> Array:
        half, places = self.of(leaves // 2), leaves // 2 // self.unit
        most = min(self.at_most, -(-2 * places // self.every))
        table = np.full((most + 1, self.every, self.every), NONE)
        table[0] = 0.0
        free = np.maximum(np.arange(self.every) - places, 0)
        for q in range(1, most + 1):
            if q < len(half):
                table[q] = np.maximum(half[q][free], half[q][:, free])
            for left in range(max(1, q - len(half) + 1), min(q, len(half))):
                both = half[left], half[q - left]
                if both[0].max() + both[1].max() > table[q].min():  # else it is no better anywhere
                    np.maximum(table[q], _beside(*both), out=table[q])
            table[q] += q * q
        return table


def _beside(left: Array, right: Array) -> Array:
    """Two sets side by side: places free after one and before the other are every − 1 together."""
    turned = right[::-1]
    best = left[:, 0, None] + turned[None, 0]
    for t in range(1, left.shape[1]):
        np.maximum(best, left[:, t, None] + turned[None, t], out=best)
    return np.asarray(best)


def _appended(best: Array, table: Array, places: int) -> Array:
    """One more tree at the end."""
    every = best.shape[1]
    new = np.array(best[:, np.maximum(np.arange(every) - places, 0)])
    for q in range(1, len(best)):
        for added in range(1, min(q, len(table) - 1) + 1):
            both = (best[q - added][:, None] + table[added][::-1]).max(axis=0)
            np.maximum(new[q], both, out=new[q])
    return new


def cyclic_tree_sum(trees: Sequence[int], period: int, at_most: int) -> int:
    """max_j Σ_v N_v² of the steps j, j + period, …, at most so many.

    >>> cyclic_tree_sum([8], period=8, at_most=1)
    4
    """
    steps = sum(trees)
    shifts = np.arange(min(period, steps))
    times = min(at_most, -(-steps // period))
    total, start = np.zeros(shifts.size, dtype=np.int64), 0
    for leaves in trees:
        ends = np.array([start, start + leaves])
        low = min(leaves, period).bit_length()  # levels whose nodes have one step or none
        total += low * _counts(ends, shifts, period, times)[:, 0]
        for level in range(low, leaves.bit_length()):
            edges = np.arange(start, start + leaves + 1, 2**level)
            total += _squares(edges, shifts, period, times)
        start += leaves
    return int(total.max())


def _squares(edges: Array, shifts: Array, period: int, times: int) -> Array:
    """Σ (steps of the set of each shift between neighbouring edges)², a few shifts at a time."""
    total = np.zeros(shifts.size, dtype=np.int64)
    rows = max(1, 4_000_000 // edges.size)
    for i in range(0, shifts.size, rows):
        counts = _counts(edges, shifts[i : i + rows], period, times)
        total[i : i + rows] = (counts * counts).sum(axis=1)
    return total


def _counts(edges: Array, shifts: Array, period: int, times: int) -> Array:
    """Steps of the set of each shift between neighbouring edges."""
    before = -((shifts[:, None] - edges) // period)
    return np.diff(np.clip(before, 0, times), axis=1)
