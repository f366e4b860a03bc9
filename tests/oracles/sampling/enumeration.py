"""Every sample of every small data set: the exact law of what a sampled mechanism puts out.

Records are −1, 0 or 1. The query is the sum of the batch plus integer noise, or a randomized
response to whether the batch holds a 1. Laws are tables over outcomes; nothing is approximated but
that outputs far out are gathered in two outermost cells, which can only hide.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Data = tuple[int, ...]
Batches = Callable[[Data], Iterator[tuple[tuple[int, ...], float]]]
"""The samples of a data set, as records, with their probabilities."""
Release = Callable[[tuple[int, ...]], Array]
"""The law of the output on a batch."""

UNIVERSE = (-1, 0, 1)
REACH = 40


def noisy_sum(weight: Callable[[Array], Array]) -> Release:
    """The sum plus integer noise with mass ∝ weight."""
    grid = np.arange(-3 * REACH, 3 * REACH + 1)
    mass = weight(np.abs(grid).astype(float))
    mass = mass / mass.sum()

    def release(batch: tuple[int, ...]) -> Array:
        law = np.zeros(2 * REACH + 1)
        np.add.at(law, np.clip(grid + sum(batch), -REACH, REACH) + REACH, mass)
        return law

    return release


def discrete_laplace(scale: float) -> Release:
    return noisy_sum(lambda x: np.exp(-x / scale))


def discrete_gaussian(scale: float) -> Release:
    return noisy_sum(lambda x: np.exp(-x * x / (2 * scale**2)))


def response(epsilon: float) -> Release:
    """Says, usually truthfully, whether the batch holds a 1."""
    truth = 1 / (1 + math.exp(-epsilon))

    def release(batch: tuple[int, ...]) -> Array:
        return np.array([truth, 1 - truth] if 1 in batch else [1 - truth, truth])

    return release


def poisson(rate: float) -> Batches:
    def batches(data: Data) -> Iterator[tuple[tuple[int, ...], float]]:
        for coins in itertools.product((False, True), repeat=len(data)):
            drawn = sum(coins)
            chance = rate**drawn * (1 - rate) ** (len(data) - drawn)
            yield tuple(itertools.compress(data, coins)), chance

    return batches


def truncated_poisson(rate: float, limit: int) -> Batches:
    def batches(data: Data) -> Iterator[tuple[tuple[int, ...], float]]:
        for batch, chance in poisson(rate)(data):
            kept = list(itertools.combinations(batch, min(limit, len(batch))))
            yield from ((some, chance / len(kept)) for some in kept)

    return batches


def without_replacement(size: int) -> Batches:
    def batches(data: Data) -> Iterator[tuple[tuple[int, ...], float]]:
        every = list(itertools.combinations(data, size))
        yield from ((batch, 1 / len(every)) for batch in every)

    return batches


def with_replacement(size: int) -> Batches:
    def batches(data: Data) -> Iterator[tuple[tuple[int, ...], float]]:
        yield from (
            (batch, len(data) ** -float(size)) for batch in itertools.product(data, repeat=size)
        )

    return batches


def law(batches: Batches, release: Release, data: Data) -> Array:
    """The law of one step."""
    chances: dict[tuple[int, ...], float] = defaultdict(float)
    for batch, chance in batches(data):
        chances[tuple(sorted(batch))] += chance
    return np.asarray(sum(chance * release(batch) for batch, chance in chances.items()))


def allocation(steps: int, release: Release, data: Data) -> Array:
    """The law of an epoch in which each record takes part in one step, chosen by itself."""
    epochs: Counter[tuple[tuple[int, ...], ...]] = Counter()
    for places in itertools.product(range(steps), repeat=len(data)):
        batches = [
            tuple(sorted(r for r, place in zip(data, places, strict=True) if place == step))
            for step in range(steps)
        ]
        epochs[tuple(batches)] += 1
    return _epochs(epochs, release)


def shuffled(size: int, release: Release, data: Data) -> Array:
    """The law of an epoch of a random order, cut into batches."""
    epochs: Counter[tuple[tuple[int, ...], ...]] = Counter()
    for order in itertools.permutations(data):
        cuts = [tuple(sorted(order[i : i + size])) for i in range(0, len(order), size)]
        epochs[tuple(cuts)] += 1
    return _epochs(epochs, release)


def _epochs(epochs: Counter[tuple[tuple[int, ...], ...]], release: Release) -> Array:
    total = None
    for batches, count in epochs.items():
        joint = np.ones(1)
        for batch in batches:
            joint = np.multiply.outer(joint, release(batch)).ravel()
        total = count * joint if total is None else total + count * joint
    assert total is not None
    return np.asarray(total / epochs.total())


def neighbours(relation: str, size: int) -> Iterator[tuple[Data, Data]]:
    """All pairs, up to the order of the records; the larger data set has `size` records."""
    for others in itertools.combinations_with_replacement(UNIVERSE, size - 1):
        for record in UNIVERSE:
            if relation == "ADD_REMOVE":
                yield (*others, record), others
            elif relation == "ZERO_OUT":
                yield (*others, record), (*others, 0)
            else:
                yield from (((*others, record), (*others, other)) for other in UNIVERSE)


def divergence(p: Array, q: Array, epsilon: float, steps: int) -> float:
    """The larger of H(P‖Q) and H(Q‖P), of one step or of two alike."""
    if steps == 2:
        p, q = np.multiply.outer(p, p), np.multiply.outer(q, q)
    growth = math.exp(epsilon)
    return float(max(np.maximum(p - growth * q, 0).sum(), np.maximum(q - growth * p, 0).sum()))
