"""Batches of several steps, drawn at once where the sampler's law lets them: the quicker way.

They are independent, and each is by its law, as if `sampler.draw` were called for each.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.random import Generator

from hockeystick.random.batches import Indices
from hockeystick.random.subsets import subsets
from hockeystick.samplers.poisson import Poisson
from hockeystick.samplers.sampler import Sampler
from hockeystick.samplers.without_replacement import WithoutReplacement, same_population

TOGETHER = 2**13
"""So many records are drawn at once, at most, where one batch has fewer."""


def drawn_ahead(sampler: Sampler, population: int, steps: int, rng: Generator) -> list[Any]:
    """What `sampler.draw` returns, for as many draws as are best drawn at once.

    Parameters
    ----------
    steps: as many at most, and one at least.

    >>> from hockeystick.random.generators import generator
    >>> [batch.size for batch in drawn_ahead(WithoutReplacement(2, 90), 90, 3, generator(0))]
    [2, 2, 2]
    """
    several = SEVERAL.get(type(sampler))
    if several is None:
        return [sampler.draw(population, rng)]
    return several(sampler, population, steps, rng)


def _poisson(sampler: Poisson, population: int, steps: int, rng: Generator) -> list[Indices]:
    """One batch of all pairs of a draw and a record, each of them by itself and as likely."""
    draws = _draws(sampler.rate * population, steps)
    starts = np.arange(draws) * population
    pairs = sampler.draw(draws * population, rng)
    ends = [*pairs.searchsorted(starts).tolist(), pairs.size]
    return [pairs[a:b] - start for (a, b), start in zip(pairwise(ends), starts, strict=True)]


def _fixed_size(
    sampler: WithoutReplacement, population: int, steps: int, rng: Generator
) -> list[Indices]:
    population = same_population(sampler.population, population)
    return subsets(population, sampler.size, _draws(sampler.size, steps), rng)


def _draws(size: float, steps: int) -> int:
    return max(1, min(steps, int(TOGETHER / max(1.0, size))))


SEVERAL: dict[type[Sampler], Callable[[Any, int, int, Generator], list[Indices]]] = {
    Poisson: _poisson,
    WithoutReplacement: _fixed_size,
}
"""By the class itself: one that is derived from it may draw otherwise."""
