"""Binomial counts: their table against fractions, and the bits that decide at a border."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from hockeystick.random import counts
from hockeystick.random.batches import poisson
from hockeystick.random.generators import generator

CASES = [(1, 0.3), (7, 0.5), (40, 0.1), (300, 0.97), (200, 1e-3)]


@pytest.mark.parametrize(("coins", "probability"), CASES)
def test_the_table_is_the_distribution_function(coins: int, probability: float) -> None:
    first, coarse, fine = counts._distribution(coins, probability)
    p, whole = probability.as_integer_ratio()
    total, error = 0, 2**6
    for c in range(coins + 1):
        total += math.comb(coins, c) * p**c * (whole - p) ** (coins - c)
        truth = (total << 256) // whole**coins
        if c < first:
            assert truth < error
        elif c - first < len(fine):
            assert abs(fine[c - first] - truth) < error
            assert coarse[c - first] == min(fine[c - first], 2**256 - 1) >> 192
        else:
            assert 2**256 - truth < error


@pytest.mark.parametrize(("coins", "probability"), [(32_561, 512 / 32_561), (2**62, 2.0**-52)])
def test_large_tables_against_scipy(coins: int, probability: float) -> None:
    first, _, fine = counts._distribution(coins, probability)
    law = stats.binom(coins, probability) if coins < 2**40 else stats.poisson(coins * probability)
    places = first + np.arange(len(fine))
    assert np.array([f / 2**256 for f in fine]) == pytest.approx(law.cdf(places), abs=1e-12)


class Bits:
    """A generator that returns one word, and then the rest."""

    def __init__(self, *parts: int) -> None:
        self.parts = list(parts)

    def bytes(self, count: int) -> bytes:
        return self.parts.pop(0).to_bytes(count, "little")


def test_a_border_is_settled_by_the_other_bits() -> None:
    first, coarse, fine = counts._distribution(40, 0.1)
    for i in (0, 3, 10):
        word, rest = coarse[i], fine[i] & (2**192 - 1)
        found = [counts.count(40, 0.1, Bits(word, rest + d)) for d in (-1, 0)]  # type: ignore[arg-type]
        assert found == [first + i, first + i + 1]
        found = [counts.count(40, 0.1, Bits(word + d, 0)) for d in (-1, 1)]  # type: ignore[arg-type]
        assert found == [first + i, first + i + 1]


def test_many_draws() -> None:
    rng = generator(5)
    drawn = np.array([counts.count(5000, 0.004, rng) for _ in range(4000)])
    law = stats.binom(5000, 0.004)
    observed = np.bincount(drawn, minlength=60)[:60]
    expected = 4000 * law.pmf(np.arange(60))
    many = expected > 10
    observed, expected = (np.append(x[many], 4000 - x[many].sum()) for x in (observed, expected))
    assert stats.chisquare(observed, expected).pvalue > 1e-3


@pytest.mark.parametrize("rate", [2.0**-6, 0.01, 1e-4])
def test_every_index_is_as_likely(rate: float) -> None:
    rng = generator(3)
    population, draws = 400, 2500
    seen = np.zeros(population)
    together = 0
    for _ in range(draws):
        batch = poisson(population, rate, rng)
        assert (np.diff(batch) > 0).all()
        seen[batch] += 1
        together += int(np.isin([7, 8], batch).all())
    spread = ((seen - draws * rate) ** 2).sum() / (draws * rate * (1 - rate))
    assert stats.chi2(population).cdf(spread) == pytest.approx(0.5, abs=0.4995)
    assert stats.binomtest(int(together), draws, rate**2).pvalue > 1e-3
