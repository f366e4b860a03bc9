"""Sensitivities by brute force: every set of steps, each by a semidefinite programme whose ends
are proven here, by another method than the library's."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from hockeystick.matrix.strategy import Strategy

Array = NDArray[np.float64]


def sets(steps: int, every: int, at_most: int, first: int = 0) -> Iterator[tuple[int, ...]]:
    """All sets of at most `at_most` steps, `every` or more apart."""
    yield ()
    if at_most:
        for step in range(first, steps):
            for rest in sets(steps, every, at_most - 1, step + every):
                yield (step, *rest)


def cyclic_sets(steps: int, period: int, times: int) -> list[tuple[int, ...]]:
    return [tuple(range(j, steps, period))[:times] for j in range(min(period, steps))]


def by_signs(gram: Array) -> float:
    """max sᵀXs over signs: contributions in one dimension."""
    every = (np.array(signs) for signs in product([1.0, -1.0], repeat=len(gram)))
    return max(float(s @ gram @ s) for s in every)


def by_vectors(gram: Array) -> tuple[float, float]:
    """max tr(HᵀXH) over rows of length 1 in as many dimensions as steps: projected gradients from
    several starts below, and Diag(y) >= X above."""
    size, rng, low, high = len(gram), np.random.default_rng(7), 0.0, np.inf
    for _ in range(3):
        rows = rng.normal(size=(size, size))
        for _ in range(20):
            for _ in range(100):
                rows = gram @ rows  # X is positive semidefinite: a step uphill
                rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)
            low = max(low, float(np.trace(rows.T @ gram @ rows)))
            y = np.einsum("ij,ij->i", gram @ rows, rows)
            lift = max(0.0, -float(np.linalg.eigvalsh(np.diag(y) - gram)[0]))
            high = min(high, float(y.sum()) + size * lift)
            if high - low < 1e-11 * high:
                return low, high
    return low, high


def largest(strategy: Strategy, patterns: list[tuple[int, ...]]) -> tuple[float, float]:
    """Both ends of the squared sensitivity over given sets of steps."""
    gram = strategy.gram()
    parts = [gram[np.ix_(each, each)] for each in patterns if each]
    if (gram >= 0).all():
        most = max(float(part.sum()) for part in parts)
        return most, most
    low = high = 0.0
    for part in sorted(parts, key=lambda part: -float(np.abs(part).sum())):
        if np.abs(part).sum() > low:  # else it is no larger than another
            least, most = by_vectors(part)
            low, high = max(low, least), max(high, most)
    return low, high
