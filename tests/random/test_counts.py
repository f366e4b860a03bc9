"""Counts of balls: each urn is hit with its probability, and the bits that decide at a border."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from scipy import stats

from hockeystick.random import counts
from hockeystick.random.batches import poisson
from hockeystick.random.generators import generator

CASES = [(1, 0.03), (7, 0.5), (40, 0.1), (200, 1e-3), (3, 1e-80), (2**62, 2.0**-60), (600, 0.03)]


@pytest.mark.parametrize(("urns", "probability"), [*CASES, (32_561, 512 / 32_561)])
def test_urns_are_hit_independently(urns: int, probability: float) -> None:
    """m given urns of n stay empty of N balls with probability E[(1 − m/n)^N] = (1 − q)^m."""
    first, _, fine = counts._distribution(urns, probability)
    with mpmath.workprec(700):
        weights = np.diff([mpmath.mpf(f) / 2**256 for f in (0, *fine, 2**256)])
        for empty in {1, urns // 2, urns - 1} - {0}:
            base = 1 - mpmath.mpf(empty) / urns
            found = mpmath.fsum(w * base**c for c, w in enumerate(weights, first))
            truth = (1 - mpmath.mpf(probability)) ** empty
            assert abs(found - truth) < mpmath.mpf(2) ** -249


@pytest.mark.parametrize(("urns", "probability"), CASES)
def test_the_table_is_the_distribution_function(urns: int, probability: float) -> None:
    first, coarse, fine = counts._distribution(urns, probability)
    with mpmath.workprec(700):
        mean = -urns * mpmath.log(1 - mpmath.mpf(probability))
        for c in range(first + len(fine) + 20):
            truth = int(mpmath.floor(mpmath.gammainc(c + 1, mean, regularized=True) * 2**256))
            if c < first:
                assert truth < 2**6
            elif c - first < len(fine):
                assert abs(fine[c - first] - truth) < 2**6
                assert coarse[c - first] == min(fine[c - first], 2**256 - 1) >> 192
            else:
                assert 2**256 - truth < 2**6


def test_a_large_table_against_scipy() -> None:
    first, _, fine = counts._distribution(2**62, 2.0**-52)
    places = first + np.arange(len(fine))
    cdf = stats.poisson(2.0**10).cdf(places)
    assert np.array([f / 2**256 for f in fine]) == pytest.approx(cdf, abs=1e-12)


class Bits:
    """A generator that returns one word, and then the rest."""

    def __init__(self, *parts: int) -> None:
        self.parts = list(parts)

    def integers(self, *_: object, **__: object) -> int:
        return self.parts.pop(0)

    def bytes(self, count: int) -> bytes:
        return self.parts.pop(0).to_bytes(count, "little")


def test_a_border_is_settled_by_the_other_bits() -> None:
    first, coarse, fine = counts._distribution(40, 0.1)
    for i in (0, 3, 10):
        word, rest = coarse[i], fine[i] & (2**192 - 1)
        found = [counts.balls(40, 0.1, Bits(word, rest + d)) for d in (-1, 0)]  # type: ignore[arg-type]
        assert found == [first + i, first + i + 1]
        found = [counts.balls(40, 0.1, Bits(word + d, 0)) for d in (-1, 1)]  # type: ignore[arg-type]
        assert found == [first + i, first + i + 1]


def test_many_draws() -> None:
    rng = generator(5)
    drawn = np.array([counts.balls(5000, 0.004, rng) for _ in range(4000)])
    law = stats.poisson(-5000 * np.log1p(-0.004))
    observed = np.bincount(drawn, minlength=60)[:60]
    expected = 4000 * law.pmf(np.arange(60))
    many = expected > 10
    observed, expected = (np.append(x[many], 4000 - x[many].sum()) for x in (observed, expected))
    assert stats.chisquare(observed, expected).pvalue > 1e-3


@pytest.mark.slow
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
