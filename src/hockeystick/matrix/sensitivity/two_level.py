"""Both ends where no programme is fast enough: rows bounded one by one, and a set that is found."""

from __future__ import annotations

import numpy as np

from hockeystick.matrix.sensitivity.spaced import largest_sum
from hockeystick.numerics.types import Array

MOST_NUMBERS = 60_000_000
"""That the programme over all rows holds at once: half a gigabyte."""
CLIMBS = 50


def two_level(weights: Array, every: int, at_most: int) -> float:
    """An upper end of max Σ_{i,j∈π} W_ij, W >= 0, over sets of steps `every` or more apart.

    The largest sum of each row over such sets, and then the largest sum of those: rows may have
    different sets, which a single one cannot do better than.
    """
    steps = len(weights)
    at_most = min(at_most, -(-steps // every))
    apart = np.abs(np.arange(steps)[:, None] - np.arange(steps))
    rows = np.where((apart > 0) & (apart < every), 0.0, weights)
    if every * steps * (at_most + 1) > MOST_NUMBERS:
        most = -np.sort(-rows, axis=1)[:, :at_most].sum(axis=1)
    else:
        most = largest_sum(rows, every, at_most)
    return float(largest_sum(most, every, at_most))


def found_set(weights: Array, every: int, at_most: int) -> Array:
    """A set of steps with a large Σ W_ij: the best of equally spaced ones, each step then moved
    between its neighbours while that helps."""
    steps = len(weights)
    at_most = min(at_most, -(-steps // every))
    starts = [np.arange(j, steps, every)[:at_most] for j in range(min(every, steps))]
    at = max(starts, key=lambda each: float(weights[np.ix_(each, each)].sum())).copy()
    for _ in range(CLIMBS):
        moved = False
        for place in range(len(at)):
            others = np.delete(at, place)
            low = at[place - 1] + every if place else 0
            high = at[place + 1] - every if place + 1 < len(at) else steps - 1
            free = np.arange(low, high + 1)
            gain = np.diag(weights)[free] + 2 * weights[np.ix_(free, others)].sum(axis=1)
            best = int(free[np.argmax(gain)])
            if gain.max() > gain[free == at[place]][0] * (1 + 1e-12) and best != at[place]:
                at[place], moved = best, True
        if not moved:
            break
    return np.asarray(at)
