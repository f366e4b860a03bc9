"""The budget accountant inside PipelineDP: noise that keeps the budget, and a pipeline."""

from __future__ import annotations

import math
from typing import Any

import pytest

import hockeystick as hs
from tests.adapters.hosts import adapter, host

pipeline_dp = host("pipeline_dp", "pipelinedp")
budgets = host("pipeline_dp.budget_accounting", "pipelinedp")
ours = adapter("pipelinedp", "pipeline_dp", "pipelinedp")

pytestmark = pytest.mark.filterwarnings("ignore")

Kind = ours.MechanismType


def requested(accountant: Any, *requests: Any) -> list[Any]:
    specs = [accountant.request_budget(kind, **how) for kind, how in requests]
    accountant.compute_budgets()
    return specs


def test_the_least_noise_for_several_mechanisms() -> None:
    accountant = ours.BudgetAccountant(1.0, 1e-6)
    gaussian, laplace = requested(
        accountant,
        (Kind.GAUSSIAN, {"sensitivity": 5.0, "weight": 2.0}),
        (Kind.LAPLACE, {"sensitivity": 0.5, "count": 3}),
    )
    one = hs.Gaussian(gaussian.noise_standard_deviation / 5.0)
    other = hs.Laplace(laplace.noise_standard_deviation / math.sqrt(2) / 0.5)
    epsilon = (one + other * 3).epsilon(1e-6)
    assert 1 - 1e-6 < epsilon <= 1 + 1e-9


def test_the_class_it_extends_counts_sensitivity_twice() -> None:
    """Asked for ε = 1 at sensitivity 5, its noise gives 5.93 (of which this test is the proof)."""
    noises = []
    for kind in (budgets.PLDBudgetAccountant, ours.BudgetAccountant):
        (spec,) = requested(kind(1.0, 1e-6), (Kind.GAUSSIAN, {"sensitivity": 5.0}))
        noises.append(spec.noise_standard_deviation / 5.0)
    theirs, least = noises
    assert hs.Gaussian(theirs).epsilon(1e-6) > 5
    assert hs.Gaussian(least).epsilon(1e-6) == pytest.approx(1.0, abs=1e-6)


def test_a_budget_of_pure_privacy() -> None:
    accountant = ours.BudgetAccountant(1.0, 0.0)
    requested(accountant, (Kind.LAPLACE, {}), (Kind.LAPLACE, {"weight": 3.0}))
    assert accountant.spent.epsilon(0.0) == pytest.approx(1.0, rel=1e-12)
    with pytest.raises(ours.Overspent):  # the library forgets the count when there is no delta
        requested(ours.BudgetAccountant(1.0, 0.0), (Kind.LAPLACE, {"count": 2}))


def test_thresholds_and_other_mechanisms_are_paid_for() -> None:
    accountant = ours.BudgetAccountant(1.0, 1e-6)
    requested(
        accountant,
        (Kind.GAUSSIAN, {}),
        (Kind.GAUSSIAN_THRESHOLDING, {}),
        (Kind.GENERIC, {"weight": 2.0}),
    )
    assert 0.999 < accountant.spent.epsilon(0.75e-6) <= 1 + 1e-9


def test_a_pipeline() -> None:
    """Counts of visits, over a local backend, with the noise that was found."""
    rows = [(user, user % 3) for user in range(3000)]
    accountant = ours.BudgetAccountant(1.0, 1e-6)
    engine = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend())
    params = pipeline_dp.AggregateParams(
        metrics=[pipeline_dp.Metrics.COUNT],
        noise_kind=pipeline_dp.NoiseKind.GAUSSIAN,
        max_partitions_contributed=1,
        max_contributions_per_partition=1,
    )
    extractors = pipeline_dp.DataExtractors(
        privacy_id_extractor=lambda row: row[0],
        partition_extractor=lambda row: row[1],
        value_extractor=lambda row: 1,
    )
    results = engine.aggregate(rows, params, extractors, public_partitions=[0, 1, 2])
    accountant.compute_budgets()
    counts = {place: metrics.count for place, metrics in results}
    assert accountant.spent.epsilon(1e-6) <= 1 + 1e-9
    assert all(abs(count - 1000) < 100 for count in counts.values())
