"""What a believed family adds to the counts of an audit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import hockeystick as hs
from hockeystick.audit import Audit, lower_bound

DELTA = 1e-5


def counts(likely: int, unlikely: int, runs: int, confidence: float = 0.95) -> Audit:
    return Audit(0.0, DELTA, confidence, "at least", 0.0, False, likely, unlikely, runs)


@pytest.mark.slow
@pytest.mark.parametrize(("likely", "unlikely"), [(800, 200), (300, 20), (999, 500), (1000, 0)])
def test_gaussian_noise_against_its_closed_form(likely: int, unlikely: int) -> None:
    """μ = Φ⁻¹(p) − Φ⁻¹(q) of the bounds, by another library, and ε(δ) of two normal laws."""
    found = counts(likely, unlikely, 1000)
    low = stats.binomtest(likely, 1000).proportion_ci(0.95, "exact").low
    high = stats.binomtest(unlikely, 1000).proportion_ci(0.95, "exact").high
    mu = stats.norm.ppf(low) - stats.norm.ppf(high)

    def delta(epsilon: float) -> float:
        first, second = mu / 2 - epsilon / mu, -mu / 2 - epsilon / mu
        return float(stats.norm.cdf(first) - math.exp(epsilon) * stats.norm.cdf(second))

    epsilon = found.epsilon_assuming(hs.Gaussian)
    assert delta(epsilon * (1 - 1e-5)) > DELTA > delta(epsilon * (1 + 1e-5))


def test_randomized_response_against_its_closed_form() -> None:
    """f is 1 − e^ε·α up to its corner, where q may not lie: then p <= 1 − e^{−ε}·(1 − q)."""
    found = counts(70, 300, 1000).epsilon_assuming(hs.RandomizedResponse, delta=0.0)
    assert found == 0
    found = counts(900, 200, 1000).epsilon_assuming(hs.RandomizedResponse, delta=0.0)
    low = stats.binomtest(900, 1000).proportion_ci(0.95, "exact").low
    high = stats.binomtest(200, 1000).proportion_ci(0.95, "exact").high
    assert found == pytest.approx(max(math.log(low / high), math.log((1 - high) / (1 - low))))


@pytest.mark.slow
def test_sampled_and_composed_noise_is_a_family() -> None:
    """At the true parameter's own counts the bound is near ε from below."""
    run = hs.Gaussian(1.0).on(hs.Poisson(0.3)) * 4
    alpha = 0.05
    beta = float(run.tradeoff([alpha])[0])
    n = 10**6
    found = counts(round((1 - beta) * n), round(alpha * n), n)
    shown = found.epsilon_assuming(lambda s: hs.Gaussian(s).on(hs.Poisson(0.3)) * 4)
    assert 0.97 * run.epsilon(DELTA) < shown < run.epsilon(DELTA)


@pytest.mark.slow
def test_it_says_more_than_the_tail_and_stays_below_the_truth() -> None:
    rng, truth = np.random.default_rng(1), hs.Gaussian(1.0).epsilon(DELTA)
    for _ in range(5):
        found = lower_bound(
            lambda x, n: x + rng.normal(size=n), 0, 1, delta=DELTA, runs=10_000, batched=True
        )
        assert found.epsilon < 2.5
        assert 2.9 < found.epsilon_assuming(hs.Gaussian) < truth


@pytest.mark.slow
def test_it_is_wrong_no_more_often_than_announced() -> None:
    """200 audits at 80 %: the bound is above the truth where the counts refute the true member."""
    rng, truth = np.random.default_rng(2), hs.Gaussian(1.0)
    options: Any = {"delta": DELTA, "runs": 600, "confidence": 0.8, "batched": True}
    found = [lower_bound(lambda x, n: x + rng.normal(size=n), 0, 1, **options) for _ in range(200)]
    refuted = [each.contradicts(truth) for each in found]
    assert 0 < sum(refuted) <= stats.binom.isf(1e-4, 200, 0.2)
    some = [*np.flatnonzero(refuted)[:2], *np.flatnonzero(~np.array(refuted))[:8]]
    shown = [found[i].epsilon_assuming(hs.Gaussian) for i in some]
    assert [each > truth.epsilon(DELTA) for each in shown] == [refuted[i] for i in some]
    assert np.median(shown) > 0.6 * truth.epsilon(DELTA)


def test_counts_that_show_nothing() -> None:
    assert counts(500, 500, 1000).epsilon_assuming(hs.Gaussian) == 0
    assert counts(0, 0, 1000).epsilon_assuming(hs.Gaussian) == 0


def test_a_family_of_which_no_member_ran() -> None:
    with pytest.raises(hs.ParameterError, match="what ran is none of them"):
        counts(900, 10, 1000).epsilon_assuming(lambda x: hs.RandomizedResponse(min(x, 1.0)))


def test_a_family_that_makes_nothing() -> None:
    with pytest.raises(hs.ParameterError, match="rate must be in"):
        counts(900, 10, 1000).epsilon_assuming(lambda x: hs.Gaussian(1.0).on(hs.Poisson(-x)))
