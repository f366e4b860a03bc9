"""Several sets of fixed size, drawn at once."""

from __future__ import annotations

import numpy as np

from hockeystick.checks import whole
from hockeystick.random.batches import DENSE, Indices, subset
from hockeystick.random.generators import Randomness, generator


def subsets(population: int, size: int, count: int, rng: Randomness = None) -> list[Indices]:
    """`count` independent sets, each by the law of `batches.subset`, at once where they are sparse.

    A set is then the first `size` different values of a uniform sequence: repeats are drawn again.

    Parameters
    ----------
    population: an integer in [0, 2^62 / count]. size: an integer in [0, population].
    count: an integer >= 0.

    >>> [np.unique(batch).size for batch in subsets(200, 4, 3, rng=0)]
    [4, 4, 4]
    """
    rng, count = generator(rng), whole("count", count, 0)
    whole("population times count", population * count, 0)
    if count <= 1 or size > population * DENSE:
        return [subset(population, size, rng) for _ in range(count)]
    starts = np.repeat(np.arange(count) * population, whole("size", size, 0))
    pairs = starts + rng.integers(0, max(population, 1), starts.size)
    pairs.sort()
    while (again := np.flatnonzero(pairs[1:] == pairs[:-1])).size:
        pairs[again] = starts[again] + rng.integers(0, population, again.size)
        pairs.sort()  # the pairs of a set stay where they are
    return list((pairs - starts).reshape(count, size))
