"""How batches are drawn: indices of records, by exactly the law that the accountant assumes.

Every function takes `rng` as `hockeystick.random.generator` does: None is secure, and anything
else is for experiments, or the caller's own secure generator. Give a generator, not an integer,
to draw more than one batch: an integer draws the same batch each time.

Batches are int64 arrays, sorted wherever their order carries no meaning, which is everywhere: an
index says which record takes part, the order of an array nothing. One batch takes time and memory
in proportion to the batch, not to the population; an epoch in proportion to its batches together.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from hockeystick.checks import probability, whole
from hockeystick.errors import ParameterError
from hockeystick.random.generators import Randomness, binomial, coins, generator

Indices = NDArray[np.int64]

DENSE = 2.0**-5  # from this rate on, a coin for every record is the quicker way


def poisson(population: int, rate: float, rng: Randomness = None) -> Indices:
    """Each index by itself with probability exactly `rate`, the float that was given.

    For small rates: a uniform subset of binomial size draws with probability 2^−k ≥ rate, and
    each of them stays with probability rate · 2^k, in [1/2, 1). See `randomness.binomial` for what
    "exactly" means.

    Parameters
    ----------
    population: an integer in [0, 2^62].
    rate: in [0, 1].

    >>> batch = poisson(100_000_000, 1e-6, rng=0)  # about 100 of them, at the cost of 100
    >>> 50 < batch.size < 150
    True
    """
    return _poisson(_population(population), probability("rate", rate), generator(rng))


def _poisson(population: int, rate: float, rng: Generator) -> Indices:
    if rate == 0 or population == 0:
        return np.empty(0, dtype=np.int64)
    if rate == 1:
        return np.arange(population, dtype=np.int64)
    if rate >= DENSE:
        return np.flatnonzero(coins(population, rate, rng))
    k = min(-math.frexp(rate)[1], 60)
    candidates = _poisson_power(population, k, rng)
    return candidates[_poisson(candidates.size, math.ldexp(rate, k), rng)]


def _poisson_power(population: int, k: int, rng: Generator) -> Indices:
    """Rate 2^−k, over whole blocks of 2^k indices; those beyond the population are dropped."""
    blocks = -(-population >> k)
    drawn = _subset(blocks << k, binomial(blocks, k, rng), rng)
    return drawn[: drawn.searchsorted(population)]


def subset(population: int, size: int, rng: Randomness = None) -> Indices:
    """A set of `size` different indices, all such sets equally likely.

    Parameters
    ----------
    population: an integer in [0, 2^62].
    size: an integer in [0, population].

    >>> np.unique(subset(10, 4, rng=0)).size
    4
    """
    population = _population(population)
    if whole("size", size, 0) > population:
        raise ParameterError(f"size must be at most the population {population}, got {size!r}")
    return _subset(population, int(size), generator(rng))


def _subset(population: int, size: int, rng: Generator) -> Indices:
    # numpy takes Floyd's algorithm, or shuffles a tail if the population is under 20 times `size`.
    return np.sort(rng.choice(population, size, replace=False, shuffle=False))


def multiset(population: int, size: int, rng: Randomness = None) -> Indices:
    """`size` draws with replacement: each is any index with equal chance; repeats are kept.

    Parameters
    ----------
    population: an integer in [1, 2^62], or 0 where `size` is 0.
    size: an integer >= 0.

    >>> multiset(1, 3, rng=0)
    array([0, 0, 0])
    """
    population, size = _population(population), whole("size", size, 0)
    if size and not population:
        raise ParameterError(f"population must be an integer >= 1 to draw {size} from, got 0")
    return np.sort(generator(rng).integers(0, max(population, 1), size))


def truncated_poisson(population: int, rate: float, limit: int, rng: Randomness = None) -> Indices:
    """Poisson sampling; of more than `limit` indices, a uniform subset of `limit`.

    Parameters
    ----------
    population: an integer in [0, 2^62].
    rate: in [0, 1].
    limit: an integer >= 0.

    >>> truncated_poisson(1000, 0.5, 3, rng=0).size
    3
    """
    limit, rng = whole("limit", limit, 0), generator(rng)
    batch = poisson(population, rate, rng)
    return batch if batch.size <= limit else batch[_subset(batch.size, limit, rng)]


def allocation(
    population: int, steps: int, participations: int = 1, rng: Randomness = None
) -> list[Indices]:
    """The batches of an epoch in which every index takes part in `participations` steps.

    All sets of that many different steps are equally likely, independently for each index.

    Parameters
    ----------
    population: an integer in [0, 2^62].
    steps: an integer >= 1.
    participations: an integer in [1, steps].

    >>> sorted(np.concatenate(allocation(4, 3, 2, rng=0)).tolist())
    [0, 0, 1, 1, 2, 2, 3, 3]
    """
    population, steps = _population(population), whole("steps", steps, 1)
    if whole("participations", participations, 1) > steps:
        raise ParameterError(
            f"participations must be at most the steps {steps}, got {participations!r}"
        )
    chosen = _rows(population, steps, int(participations), generator(rng))
    # The narrowest type: numpy sorts 16 bits by radix.
    flat = chosen.ravel().astype(np.min_scalar_type(steps - 1))
    members = np.argsort(flat, kind="stable") // int(participations)
    return np.split(members, np.cumsum(np.bincount(flat, minlength=steps))[:-1])


def _rows(rows: int, columns: int, size: int, rng: Generator) -> Indices:
    """A row for each index: `size` different columns out of `columns`, uniformly."""
    if 2 * size > columns:
        absent = np.ones((rows, columns), dtype=bool)
        np.put_along_axis(absent, _rows(rows, columns, columns - size, rng), False, axis=1)
        return np.nonzero(absent)[1].reshape(rows, size)
    chosen = rng.integers(0, columns, (rows, size))
    repeated = np.arange(rows)
    # Repeats are drawn again: the first `size` different values of one uniform sequence.
    while repeated.size:
        part = np.sort(chosen[repeated], axis=1)
        again = np.zeros(part.shape, dtype=bool)
        again[:, 1:] = part[:, 1:] == part[:, :-1]
        part[again] = rng.integers(0, columns, np.count_nonzero(again))
        chosen[repeated] = part
        repeated = repeated[again.any(axis=1)]
    return chosen


def partition(population: int, size: int, rng: Randomness = None) -> list[Indices]:
    """A uniformly random permutation cut into batches of `size`; the last may be smaller.

    Every index is in exactly one batch, and which one is not independent of the others: this is
    shuffling, which no sampling theorem covers.

    Parameters
    ----------
    population: an integer in [0, 2^62]; 0 has no batches.
    size: an integer >= 1.

    >>> [batch.size for batch in partition(7, 3, rng=0)]
    [3, 3, 1]
    """
    population, size = _population(population), whole("size", size, 1)
    order = np.arange(population, dtype=np.int64)
    generator(rng).shuffle(order)
    return [np.sort(order[start : start + size]) for start in range(0, population, size)]


def _population(population: int) -> int:
    return whole("population", population, 0)  # and the block after it still fits into an int64
