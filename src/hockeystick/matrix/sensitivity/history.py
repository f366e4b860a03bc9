"""Sums over pairs of steps that lie some distance apart, where only near steps interact."""

from __future__ import annotations

import math

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.types import Array

MOST_STATES = 200_000
"""Histories that are looked at in all: about half a second."""
States = dict[tuple[tuple[int, ...], int], float]
"""Steps taken so near that they matter, and how many were taken in all, to the largest sum."""
MOST_TERMS = 100_000_000
"""Of the programme that remembers one step: about a second."""


def largest_form(weights: Array, bands: int, every: int, at_most: int) -> float:
    """max Σ_{i,j∈π} W_ij over sets π of at most `at_most` steps, `every` or more apart.

    W >= 0 is symmetric with W_ij = 0 where |i − j| >= bands. A dynamic programme over the steps:
    what is to come depends on the steps taken within the last bands − 1 only.

    >>> largest_form(np.ones((4, 4)), bands=4, every=2, at_most=2)
    4.0
    """
    steps = len(weights)
    at_most = min(at_most, -(-steps // every))
    if bands <= 2 * every:
        return _one_before(weights, min(bands, steps), every, at_most)
    return _all_before(weights, bands, every, at_most)


def _one_before(weights: Array, bands: int, every: int, at_most: int) -> float:
    """A step interacts with the one before alone: g_q(i) = W_ii + max_j (g_{q−1}(j) + 2·W_ij)."""
    steps = len(weights)
    near = np.arange(every, max(every, bands))
    if steps * (near.size + 1) * at_most > MOST_TERMS:
        raise NumericalError("too many pairs of steps")
    before = np.arange(steps)[:, None] - near
    joint = np.where(
        before >= 0, 2 * np.take_along_axis(weights, np.maximum(before, 0), 1), -np.inf
    )
    alone = np.diag(weights)
    last = alone.copy()
    """The best sum whose last step is i."""
    best = float(last.max())
    for _ in range(1, at_most):
        far = np.full(steps, -np.inf)
        gap = max(bands, every)
        far[gap:] = np.maximum.accumulate(last)[: max(0, steps - gap)]
        chained = (joint + last[np.maximum(before, 0)]).max(axis=1, initial=-np.inf)
        last = alone + np.maximum(far, chained)
        best = max(best, float(last.max()))
    return best


def _all_before(weights: Array, bands: int, every: int, at_most: int) -> float:
    """By step, participations and every history that can matter."""
    steps = len(weights)
    waiting: list[States] = [{} for _ in range(steps + every)]
    waiting[0][(), 0] = 0.0
    best, seen = 0.0, 0
    for i in range(steps):
        states = waiting[i]
        waiting[i] = {}
        seen += len(states)
        if seen > MOST_STATES:
            raise NumericalError("too many histories")
        for (history, count), value in states.items():
            recent = tuple(j for j in history if i - j < bands)
            gain = weights[i, i] + 2 * sum(weights[i, j] for j in recent)
            _keep(waiting[i + 1], (recent, count), value)
            if count < at_most:
                _keep(waiting[i + every], ((*recent, i), count + 1), value + gain)
    for states in waiting[steps:]:
        best = max(best, max(states.values(), default=-math.inf))
    return best


def _keep(
    states: dict[tuple[tuple[int, ...], int], float], at: tuple[tuple[int, ...], int], value: float
) -> None:
    if value > states.get(at, -math.inf):
        states[at] = float(value)
