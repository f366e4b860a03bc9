"""The accountant inside dp_accounting: that library's own tests, and answers of its accountants."""

from __future__ import annotations

import math
import unittest
from typing import Any

import pytest

import hockeystick as hs
from tests.adapters.hosts import adapter, host

dp = host("dp_accounting", "dp-accounting")
ours = adapter("dp_accounting", "dp_accounting", "dp-accounting")

pytestmark = pytest.mark.filterwarnings("ignore")

ANSWERED = "UnsupportedEventError not raised"
OTHERWISE = {
    "test_additive_noise_mechanisms_with_zero_noise_multiplier": "Bound(0.1, ",
    "test_composition_errors_for_neighboring_relation": ANSWERED,
    "test_poisson_subsampling_laplace_not_supported_for_replace_one": "True is not false",
    "test_truncated_subsampled_gaussian_basic": "Bound(2.15",
}
"""Tests that the accountant fails on purpose, and what it says there. No noise at all on a sample
gives a record away with the probability 0.1, not 1. Laplace noise and mixtures are answered when a
record is replaced. Truncated batches are bounded loosely there, as it says: its 1e-6 is 2.2e-7."""


def ran(name: str, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The names and messages of what failed in the library's tests of its PLD accountant."""
    suite = host("dp_accounting.pld.pld_privacy_accountant_test", "dp-accounting")
    monkeypatch.setattr(suite.pld_privacy_accountant, "PLDAccountant", ours.Accountant)
    tests = unittest.defaultTestLoader.loadTestsFromTestCase(getattr(suite, name))
    result = unittest.TestResult()
    tests.run(result)
    assert result.testsRun >= 68
    assert not result.errors
    return [(getattr(case, "_testMethodName", ""), text) for case, text in result.failures]


@pytest.mark.slow
def test_the_librarys_own_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = ran("PldPrivacyAccountantTest", monkeypatch)
    for name, message in failed:
        (reason,) = [said for test, said in OTHERWISE.items() if name.startswith(test)]
        assert reason in message, (name, message)
    assert len(failed) == 8


def composed(event: Any, relation: hs.Relation = hs.ADD_REMOVE, count: int = 1) -> Any:
    return ours.Accountant(relation).compose(event, count)


@pytest.mark.parametrize("count", [1, 7])
def test_counts_of_randomized_response(count: int) -> None:
    """δ(ε) of k reports by hand: the number of true ones is binomial."""
    event = dp.RandomizedResponseDpEvent(0.5, 2)
    answer = composed(event, hs.REPLACE_ONE, count).get_delta(1.5)
    truth = 0.0
    for n in range(count + 1):
        p = math.comb(count, n) * 0.75**n * 0.25 ** (count - n)
        q = math.comb(count, n) * 0.25**n * 0.75 ** (count - n)
        truth += max(0.0, p - math.exp(1.5) * q)
    assert answer.lower <= truth <= answer.upper
    assert answer.upper - answer.lower < 1e-9


def test_the_special_record_answers_uniformly() -> None:
    """(1 − p + p/k, p/k, …) against (1/k, …), in both directions, three times."""
    lie, k = 0.3, 4
    answer = composed(dp.RandomizedResponseDpEvent(lie, k), hs.ZERO_OUT, 3).get_delta(0.7)
    truth = 1 - lie + lie / k
    sides = []
    for one, other in ((truth, 1 / k), (1 / k, truth)):
        total = 0.0
        for n in range(4):
            p = math.comb(3, n) * one**n * (1 - one) ** (3 - n)
            q = math.comb(3, n) * other**n * (1 - other) ** (3 - n)
            total += max(0.0, p - math.exp(0.7) * q)
        sides.append(total)
    assert answer.lower <= max(sides) <= answer.upper
    assert answer.upper - answer.lower < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize(
    ("event", "count"),
    [
        (dp.PoissonSampledDpEvent(0.01, dp.GaussianDpEvent(1.0)), 500),
        (dp.dp_event.DiscreteLaplaceDpEvent(0.3, 2), 10),
    ],
    ids=["sampled", "discrete"],
)
def test_a_little_below_the_librarys_own_accountant(event: Any, count: int) -> None:
    pld = host("dp_accounting.pld", "dp-accounting")
    theirs = pld.PLDAccountant().compose(event, count).get_epsilon(1e-6)
    answer = composed(event, count=count).get_epsilon(1e-6)
    assert answer.lower <= theirs
    assert answer == pytest.approx(theirs, rel=1e-3)


def test_replaced_records_move_the_query_twice_as_far() -> None:
    answer = composed(dp.GaussianDpEvent(2.0), hs.REPLACE_ONE).get_epsilon(1e-6)
    assert answer == pytest.approx(4.886554, abs=1e-6)  # N(1, 1) against N(0, 1)


def test_trees() -> None:
    event = dp.SingleEpochTreeAggregationDpEvent(8.83, 1600)
    accountant = composed(event, hs.ZERO_OUT)
    assert accountant.spent == hs.Correlated(hs.matrix.tree(1600), 8.83, hs.Once())
    assert accountant.get_epsilon(1e-6) == pytest.approx(1.64865884, abs=1e-8)
    several = dp.SingleEpochTreeAggregationDpEvent(8.83, [3, 8, 5])
    run = ours.from_event(several, hs.ZERO_OUT)
    assert run.epsilon(1e-6) == pytest.approx((hs.Gaussian(8.83) * 4).epsilon(1e-6), rel=1e-12)
    assert not ours.Accountant().supports(event)


@pytest.mark.slow
def test_the_best_of_several_runs_costs_less_than_by_renyi() -> None:
    rdp = host("dp_accounting.rdp", "dp-accounting")
    event = dp.dp_event.RepeatAndSelectDpEvent(dp.GaussianDpEvent(2.0), 10.0, 1.0)
    theirs = rdp.RdpAccountant(neighboring_relation=dp.NeighboringRelation.ADD_OR_REMOVE_ONE)
    answer = composed(event).get_epsilon(1e-6)
    assert 3.2 < answer.lower < answer < 3.3826
    assert theirs.compose(event).get_epsilon(1e-6) > 1.3 * answer


def test_non_private_is_infinite_even_where_everything_is_allowed() -> None:
    hidden = dp.PoissonSampledDpEvent(0.5, dp.NonPrivateDpEvent())
    for event in (dp.NonPrivateDpEvent(), dp.SelfComposedDpEvent(hidden, 2)):
        accountant = composed(event)
        assert accountant.get_epsilon(1.0) == math.inf
        assert accountant.get_delta(math.inf) == 1
        assert accountant.get_true_positive_rates(0.1) == 1


@pytest.mark.parametrize(
    "event",
    [
        dp.GaussianDpEvent(-1.0),
        dp.GaussianDpEvent(math.nan),
        dp.SelfComposedDpEvent(dp.GaussianDpEvent(1.0), -1),
        dp.PoissonSampledDpEvent(1.5, dp.GaussianDpEvent(1.0)),
        dp.RandomizedResponseDpEvent(0.5, 2),
        dp.SingleEpochTreeAggregationDpEvent(1.0, []),
        dp.dp_event.DiscreteLaplaceDpEvent(math.nan, 1),
        dp.dp_event.DiscreteLaplaceDpEvent("1", 1),
        dp.dp_event.MixtureOfGaussiansDpEvent(1.0, 2.0, [1.0]),
        dp.SingleEpochTreeAggregationDpEvent(1.0, 4),
        type("Another", (dp.GaussianDpEvent,), {})(1.0),
    ],
    ids=str,
)
def test_what_is_unsupported_is_told_and_not_raised(event: Any) -> None:
    accountant = ours.Accountant()
    told = accountant._maybe_compose(dp.ComposedDpEvent([event]), 1, False)
    assert told.error_message
    assert not accountant.supports(event)
    with pytest.raises(dp.UnsupportedEventError):
        accountant.compose(event)
    assert accountant.spent == hs.Composition()


@pytest.mark.parametrize(
    "event", [dp.RandomizedResponseDpEvent(2.0, 2), dp.RandomizedResponseDpEvent(None, 2)], ids=str
)
def test_no_probability(event: Any) -> None:
    assert not ours.Accountant(hs.REPLACE_ONE).supports(event)


@pytest.mark.parametrize("rate", [1e-4, 0.1, 0.3, 7.0, 1e300, math.inf])
def test_discrete_noise_is_never_more_than_it_is(rate: float) -> None:
    answer = composed(dp.dp_event.DiscreteLaplaceDpEvent(rate, 3)).get_epsilon(0)
    assert answer >= rate * 3 * (1 - 1e-15)


def test_true_positive_rates_of_gaussian_noise() -> None:
    """1 − β = Φ(Φ⁻¹(α) + 1/σ), from above."""
    from scipy.stats import norm

    rates = [1e-6, 0.01, 0.5]
    answers = composed(dp.GaussianDpEvent(1.5)).get_true_positive_rates(rates)
    truth = norm.cdf(norm.ppf(rates) + 1 / 1.5)
    assert (answers >= truth * (1 - 1e-12)).all()
    assert answers == pytest.approx(truth, rel=1e-6)


BOTH_WAYS = [
    hs.Composition(),
    hs.Gaussian(1.5),
    hs.Laplace(2.0) * 3 + hs.Gaussian(1.1).on(hs.Poisson(0.01)) * 100,
    hs.Gaussian(1.5).on(hs.WithoutReplacement(5, 50)) + hs.Laplace(3).on(hs.WithReplacement(2, 9)),
    hs.Gaussian(1.5).on(hs.TruncatedPoisson(0.1, 20, 100)),
    (hs.Gaussian(2.0) + hs.Laplace(1.0)).on(hs.Poisson(0.5)),
    hs.MixtureOfGaussians(2.0, [0, 1, 2], [0.5, 0.25, 0.25]),
    hs.ZeroConcentratedDP(0.5, 0.25),
    hs.RepeatAndSelect(hs.Gaussian(2.0) * 3, 10.0, math.inf),
]


@pytest.mark.parametrize("mechanism", BOTH_WAYS, ids=repr)
def test_to_events_and_back(mechanism: hs.Mechanism) -> None:
    assert ours.from_event(ours.to_event(mechanism)) == mechanism


@pytest.mark.parametrize(
    "mechanism", [hs.DiscreteLaplace(2.5, 3), hs.RandomizedResponse(0.7, 5)], ids=repr
)
def test_to_events_and_back_but_for_rounding(mechanism: hs.Mechanism) -> None:
    back = ours.from_event(ours.to_event(mechanism))
    assert back.delta(0.1) == pytest.approx(mechanism.delta(0.1), rel=1e-12)


def test_the_size_of_the_data_comes_first_in_events_and_last_in_samplers() -> None:
    event = dp.SampledWithoutReplacementDpEvent(60_000, 60, dp.GaussianDpEvent(5.0))
    assert ours.from_event(event) == hs.Gaussian(5.0).on(hs.WithoutReplacement(60, 60_000))


@pytest.mark.parametrize(
    "mechanism", [hs.PureDP(1.0), hs.Gaussian(1.0, replace_sensitivity=1.0)], ids=repr
)
def test_what_has_no_event(mechanism: hs.Mechanism) -> None:
    with pytest.raises(hs.ParameterError, match="has no event"):
        ours.to_event(mechanism)


def test_events_of_newer_versions_are_known_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    import attr

    for name in ("PermuteAndFlip", "ExponentialMechanism"):
        fields = {"epsilon": attr.ib(type=float)}
        made = attr.make_class(f"{name}DpEvent", fields, bases=(dp.DpEvent,), frozen=True)
        monkeypatch.setattr(dp.dp_event, f"{name}DpEvent", made, raising=False)
        mechanism = getattr(hs, name)(0.5)
        assert ours.to_event(mechanism) == made(0.5)
        assert ours.from_event(made(0.5)) == mechanism


def test_calibration_by_the_library() -> None:
    """Its search, with this accountant in it, finds the least noise."""

    def event(noise: float) -> Any:
        return dp.SelfComposedDpEvent(dp.GaussianDpEvent(noise), 16)

    least = hs.calibrate(hs.Gaussian, epsilon=1.0, delta=1e-6)
    bracket = dp.ExplicitBracketInterval(1.0, 100.0)
    noise = dp.calibrate_dp_mechanism(ours.Accountant, event, 1.0, 1e-6, bracket, tol=1e-6)
    assert noise == pytest.approx(4 * least.noise_multiplier, abs=1e-5)
