"""How batches are drawn: indices of records, by exactly the law that the accountant assumes.

Every function takes `rng` as `hockeystick.random.generator` does: None is secure, and anything
else is for experiments, or the caller's own secure generator. Give a generator, not an integer,
to draw more than one batch: an integer draws the same batch each time.

Batches are int64 arrays, sorted wherever their order carries no meaning, which is everywhere: an
index says which record takes part, the order of an array nothing. One batch takes time and memory
in proportion to the batch, not to the population; an epoch in proportion to its batches together.

The accountant's theorems are about exact laws. A batch whose law is off by τ in total variation
adds (1 + e^ε)·τ to δ at every step, so floats are kept out of the draws: an integer below a bound
is exact (numpy rejects, after Lemire 2019), a coin is a comparison of integers, and a count is
inverted on 256 bits. numpy's `Generator.binomial` is not exact: it takes uniforms of 53 bits and
float recurrences, never returns a count far in the tail (2e-14 of the law for a mean of 1), and
some versions round 1 − rate, so that a rate of 1e-17 draws nothing.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from decimal import Context, Decimal, localcontext
from functools import cache

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from hockeystick.checks import probability, whole
from hockeystick.errors import ParameterError
from hockeystick.random import counts
from hockeystick.random.generators import Randomness, Words, generator

Indices = NDArray[np.int64]

DENSE = 2.0**-5
"""From this rate on, a coin for every record is the quicker way."""
TABLE = 64
"""Counts above it have probability < 1/64! < 2^−295."""
BITS = 256
"""A count is within 2^−249 of its law by so many bits."""


def poisson(population: int, rate: float, rng: Randomness = None) -> Indices:
    """Each index by itself with probability exactly `rate`, the float that was given.

    For small rates: those that are hit where a Poisson count of balls is thrown at all of them.
    Where more than 2^14 are expected, a uniform subset of binomial size, which draws with
    probability 2^−k ≥ rate, and each of them stays with probability rate · 2^k, in [1/2, 1). See
    `binomial` and `counts.balls` for what "exactly" means.

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
    if population * rate <= counts.MOST:
        return _hit(population, counts.balls(population, rate, rng), rng)
    k = min(-math.frexp(rate)[1], 60)
    candidates = _poisson_power(population, k, rng)
    return candidates[_poisson(candidates.size, math.ldexp(rate, k), rng)]


def _hit(population: int, balls: int, rng: Generator) -> Indices:
    """The indices that are hit by so many balls, each thrown at any of them with equal chance."""
    hits = np.empty(balls + 1, dtype=np.int64)
    hits[:balls] = rng.integers(0, population, balls)
    hits[balls] = population  # beyond all: the last of every run of equal ones is kept
    hits.sort()
    return hits[:-1][hits[1:] > hits[:-1]]


def _poisson_power(population: int, k: int, rng: Generator) -> Indices:
    """Rate 2^−k, over whole blocks of 2^k indices; those beyond the population are dropped."""
    blocks = -(-population >> k)
    drawn = _subset(blocks << k, binomial(blocks, k, rng), rng)
    return drawn[: drawn.searchsorted(population)]


def coins(count: int, probability: float, rng: Generator) -> NDArray[np.bool_]:
    """Independent coins that fall True with exactly `probability`.

    A word of 64 uniform bits against probability · 2^64, which is a whole number.

    Parameters
    ----------
    count: an integer >= 0.
    probability: in [2^−11, 1), where every float is a multiple of 2^−64.

    >>> 900 < int(coins(4000, 0.25, generator(0)).sum()) < 1100
    True
    """
    if not 2.0**-11 <= probability < 1:
        raise ParameterError(f"probability must be in [2^-11, 1), got {probability!r}")
    return _words(count, rng) < np.uint64(int(probability * 2.0**64))


def binomial(blocks: int, exponent: int, rng: Generator) -> int:
    """How many of blocks · 2^exponent coins fall True, each with probability 2^−exponent.

    A sum of `blocks` counts from Binomial(n, 1/n), n = 2^exponent, each by inversion of the
    distribution function F: #{c : u ≥ F(c)} for u uniform. The first 64 bits of u decide, unless
    they are the first 64 bits of some F(c); then 256 bits do. One count is within 2^−249 of its
    law in total variation. Time and memory O(blocks).

    Parameters
    ----------
    blocks: an integer >= 0.
    exponent: an integer in [1, 60].

    >>> 900 < binomial(1000, 20, generator(0)) < 1100
    True
    """
    if not 1 <= exponent <= 60:
        raise ParameterError(f"exponent must be an integer in [1, 60], got {exponent!r}")
    coarse, fine = _distribution(exponent)
    words = _words(blocks, rng)
    counts = coarse.searchsorted(words, side="right")
    # At a count of 0 this asks for the last F, which such a word is below.
    open_ = np.flatnonzero(coarse.take(counts - 1) == words)
    for i in open_:
        rest = int.from_bytes(rng.bytes((BITS - 64) // 8), "little")
        counts[i] = bisect_right(fine, int(words[i]) << (BITS - 64) | rest)
    return int(counts.sum())


def _words(count: int, rng: Generator) -> Words:
    return rng.integers(0, 2**64 - 1, count, dtype=np.uint64, endpoint=True)


@cache
def _distribution(exponent: int) -> tuple[Words, list[int]]:
    """F(0), F(1), … of Binomial(n, 1/n), n = 2^exponent, as ⌊F · 2^64⌋ and ⌊F · 2^256⌋."""
    n = 2**exponent
    fine = []
    with localcontext(Context(prec=120)):
        mass = total = (1 - 1 / Decimal(n)) ** n
        for c in range(min(n, TABLE)):
            fine.append(min(int(total * 2**BITS), 2**BITS - 1))
            mass = mass * (n - c) / ((c + 1) * (n - 1))
            total += mass
    return np.array([f >> (BITS - 64) for f in fine], dtype=np.uint64), fine


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
