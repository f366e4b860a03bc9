"""The batches of a whole run: in which steps each record takes part, decided for all steps.

Each function yields one batch for each step, as sorted indices. Steps in which nobody takes part
have a batch, too. `rng` is as in `hockeystick.random.batches`.

But for `cyclic`, each record draws its own steps, independently of all others: one record more
leaves the law of the others' steps as it is. Equal parts of one order would not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from hockeystick.checks import whole
from hockeystick.random import batches
from hockeystick.random.batches import Indices
from hockeystick.random.generators import Randomness, generator


def once(population: int, steps: int, rng: Randomness = None) -> Iterator[Indices]:
    """Each record draws one of the steps.

    >>> [batch.tolist() for batch in once(4, 3, rng=0)]
    [[3], [1, 2], [0]]
    """
    yield from balls_in_bins(population, steps, steps, rng)


def cyclic(
    population: int, period: int, times: int | None, steps: int, rng: Randomness = None
) -> Iterator[Indices]:
    """A random order, cut into `period` equal batches once; they take turns, `times` at most.

    Steps after the last turn are empty.

    >>> [batch.tolist() for batch in cyclic(4, 2, 2, 4, rng=0)]
    [[0, 2], [1, 3], [0, 2], [1, 3]]
    """
    count, parts = whole("steps", steps, 1), whole("period", period, 1)
    turns = count if times is None else min(count, parts * whole("times", times, 1))
    order = np.arange(whole("population", population, 0), dtype=np.int64)
    generator(rng).shuffle(order)
    yield from _in_turn([np.sort(part) for part in np.array_split(order, parts)], turns)
    yield from (order[:0] for _ in range(count - turns))


def separated(
    population: int, every: int, at_most: int | None, steps: int, rng: Randomness = None
) -> Iterator[Indices]:
    """Bins in the shortest turns in which nobody comes again too early or too often.

    >>> [batch.tolist() for batch in separated(4, 1, 2, 4, rng=0)]
    [[3], [0, 1, 2], [3], [0, 1, 2]]
    """
    count = whole("steps", steps, 1)
    often = count if at_most is None else whole("at_most", at_most, 1)
    period = max(whole("every", every, 1), -(-count // often))
    yield from balls_in_bins(population, period, count, rng)


def cyclic_poisson(
    population: int, rate: float, period: int, steps: int, rng: Randomness = None
) -> Iterator[Indices]:
    """Each record joins one of `period` groups at random, and takes part by coins in its turns.

    The group of a record does not depend on any other record.

    >>> [batch.tolist() for batch in cyclic_poisson(4, 1.0, 2, 3, rng=0)]
    [[3], [0, 1, 2], [3]]
    """
    source = generator(rng)
    for group in _in_turn(batches.allocation(population, period, 1, source), steps):
        yield group[batches.poisson(group.size, rate, source)]


def balls_in_bins(
    population: int, bins: int, steps: int, rng: Randomness = None
) -> Iterator[Indices]:
    """Each record chooses one of the bins at random, which take turns.

    >>> [batch.tolist() for batch in balls_in_bins(4, 2, 4, rng=0)]
    [[3], [0, 1, 2], [3], [0, 1, 2]]
    """
    yield from _in_turn(batches.allocation(population, bins, 1, rng), steps)


def _in_turn(groups: Sequence[Indices], steps: int) -> Iterator[Indices]:
    for step in range(steps):
        yield groups[step % len(groups)]
