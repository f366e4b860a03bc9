"""The accountant inside JAX Privacy: a plan, and noise found for a budget."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hockeystick as hs
from tests.adapters.hosts import adapter, host

host("jax_privacy", "jax-privacy")
dp = host("dp_accounting", "jax-privacy")
plans = host("jax_privacy.experimental.execution_plan", "jax-privacy")
analysis = host("jax_privacy.accounting.analysis", "jax-privacy")
calibrate = host("jax_privacy.accounting.calibrate", "jax-privacy")
ours = adapter("jax_privacy", "jax_privacy", "jax-privacy")

pytestmark = pytest.mark.filterwarnings("ignore")


def plan(accountant: Any) -> Any:
    return plans.BandMFExecutionPlanConfig(
        iterations=400,
        strategy=[1.0, 0.5],
        epsilon=1.0,
        delta=1e-6,
        sampling_prob=0.02,
        accountant=accountant,
    ).plan


def test_a_plan_keeps_its_budget_with_the_least_noise() -> None:
    """Two bands: each record is in every second step, on a Poisson sample."""
    event = plan(ours.Accountant(hs.ZERO_OUT)).dp_event
    spent = ours.Accountant(hs.ZERO_OUT).compose(event)
    assert 0.999 < spent.get_epsilon(1e-6) <= 1.0
    ((step, count),) = spent.spent.parts.items()
    assert (count, step.sampler) == (200, hs.Poisson(0.02))


def test_training_is_accounted_and_calibrated() -> None:
    accountant = analysis.DpsgdTrainingAccountant(dp_accountant_config=ours.AccountantConfig())
    params = analysis.DpParams(
        noise_multipliers=1.1, num_samples=10_000, delta=1e-5, batch_size=100
    )
    answer = accountant.compute_epsilon(10_000, params)
    assert answer == pytest.approx(5.192583, abs=1e-6)
    noise = calibrate.calibrate_noise_multiplier(
        target_epsilon=2.0,
        accountant=accountant,
        batch_sizes=100,
        num_updates=1000,
        num_samples=10_000,
        target_delta=1e-5,
        tol=1e-4,
    )
    step = hs.Gaussian(noise).on(hs.Poisson(0.01))
    assert (step * 1000).epsilon(1e-5) == pytest.approx(2.0, abs=2e-3)


def test_band_matrices_both_ways() -> None:
    banded = host("jax_privacy.matrix_factorization.banded", "jax-privacy")
    theirs = banded.ColumnNormalizedBanded.default(12, 3)
    strategy = ours.from_banded(theirs)
    np.testing.assert_allclose(strategy.dense(), theirs.materialize(), atol=1e-6)
    back = ours.to_banded(strategy).materialize()
    np.testing.assert_allclose(back, theirs.materialize(), atol=1e-6)
    run = hs.Correlated(strategy, 2.0, hs.CyclicPoisson(0.1, 3))
    assert run.epsilon(1e-6) > 0
