"""Several sets at once: the joint law of two of them, and their shape."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from hockeystick.errors import ParameterError
from hockeystick.random import subsets as module
from hockeystick.random.generators import generator
from hockeystick.random.subsets import subsets


def test_two_sets_are_independent_and_uniform(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 4 indices 3: repeats are most common, and drawn again more than once."""
    monkeypatch.setattr(module, "DENSE", 1.0)
    rng, draws = generator(1), 2000
    drawn = Counter(tuple(tuple(s.tolist()) for s in subsets(4, 3, 2, rng)) for _ in range(draws))
    law = list(product(combinations(range(4), 3), repeat=2))
    assert set(drawn) <= set(law)
    assert stats.chisquare([drawn[pair] for pair in law]).pvalue > 1e-3


def test_every_index_is_as_likely_in_every_set() -> None:
    population, size, count, draws = 320, 10, 4, 500
    rng, seen, both = generator(2), np.zeros((count, population)), 0
    for _ in range(draws):
        sets = subsets(population, size, count, rng)
        for row, own in zip(seen, sets, strict=True):
            row[own] += 1
        both += sum(np.intersect1d(a, b).size for a, b in combinations(sets, 2))
    share = size / population
    unit = draws * share * (1 - share) * population / (population - 1)  # as sizes are fixed
    spread = ((seen - draws * share) ** 2).sum() / unit
    assert stats.chi2(count * (population - 1)).cdf(spread) == pytest.approx(0.5, abs=0.4995)
    assert stats.binomtest(both, 6 * draws * population, share**2).pvalue > 1e-3


@given(st.integers(0, 3000), st.integers(0, 60), st.integers(0, 5), st.integers(0, 99))
def test_shape(population: int, size: int, count: int, seed: int) -> None:
    size = min(size, population)
    sets = subsets(population, size, count, seed)
    assert len(sets) == count
    for own in sets:
        assert own.dtype == np.int64
        assert own.size == size
        assert (np.diff(own) > 0).all()
        assert ((own >= 0) & (own < population)).all()


@pytest.mark.parametrize(
    ("population", "size", "count", "name"),
    [(5, 6, 2, "size"), (500, -1, 2, "size"), (5, 1, -1, "count"), (2**62, 1, 4, "population")],
)
def test_what_is_refused(population: int, size: int, count: int, name: str) -> None:
    with pytest.raises(ParameterError, match=name):
        subsets(population, size, count, 0)
