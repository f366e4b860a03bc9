"""Simulation: exact values lie between its ends, also far in the tail."""

from __future__ import annotations

import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.matrix.monte_carlo import Means, _add, _remove, simulated_delta

ONE = Means(np.ones(1), np.ones((1, 1)))


@pytest.mark.parametrize(("epsilon", "width"), [(0.5, 0.3), (6.0, 0.8)])
def test_one_gaussian(epsilon: float, width: float) -> None:
    """δ(6) is 2.8e-9, from 20 000 samples."""
    truth = hs.Gaussian(1.0).delta(epsilon)
    low, high = simulated_delta(ONE, epsilon, 20_000, 1e-9, np.random.default_rng(0))
    assert low < truth < high < (1 + width) * low


@pytest.mark.slow
@pytest.mark.parametrize(("noise", "epsilon"), [(1.0, 0.5), (0.5, 6.0)])
def test_random_allocation(noise: float, epsilon: float) -> None:
    truth = hs.Gaussian(noise).on(hs.RandomAllocation(10)).delta(epsilon)
    run = hs.Correlated(hs.matrix.identity(10), noise, hs.BallsInBins(10))
    answer = run.simulated_delta(epsilon, samples=20_000, rng=1)
    assert answer.lower < truth < answer.upper < 1.8 * truth
    assert not answer.certified
    assert "fails with probability 1e-09" in answer.method


def test_poisson_samples() -> None:
    truth = (hs.Gaussian(1.0).on(hs.Poisson(0.3)) * 4).delta(1.0)
    run = hs.Correlated(hs.matrix.identity(4), 1.0, hs.Poisson(0.3))
    answer = run.simulated_delta(1.0, samples=20_000, rng=1)
    assert answer.lower < truth < answer.upper < 1.4 * truth


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 3.0])
def test_weights_are_bounded(epsilon: float) -> None:
    rng = np.random.default_rng(2)
    pair = Means(np.array([0.2, 0.5, 0.3]), rng.random((3, 2)))
    for draw, most in (_remove(pair, epsilon), _add(pair, epsilon)):
        weights = draw(20_000, rng)
        assert weights.min() >= 0
        assert weights.max() <= most * (1 + 1e-12)


def test_a_matrix_of_either_sign_has_no_lower_end() -> None:
    run = hs.Correlated(hs.matrix.dense([[1, 0], [-1, 1]]), 2.0, hs.BallsInBins(2))
    assert run.simulated_delta(0.1, samples=1000, rng=0).lower == 0.0


def test_what_cannot_be_simulated() -> None:
    strategy = hs.matrix.square_root(16)
    for pattern in (hs.Once(), hs.Poisson(0.1), hs.CyclicPoisson(0.1, 4)):
        with pytest.raises(hs.ParameterError, match="to be simulated"):
            hs.Correlated(strategy, 1.0, pattern).simulated_delta(1.0)
    run = hs.Correlated(strategy, 1.0, hs.BallsInBins(4))
    for options in ({"samples": 0}, {"fails": 0.0}, {"fails": math.nan}):
        with pytest.raises(hs.ParameterError, match="must be"):
            run.simulated_delta(1.0, **options)


def test_a_delta_below_all_floats() -> None:
    run = hs.Correlated(hs.matrix.square_root(4), 3.0, hs.BallsInBins(2))
    answer = run.simulated_delta(1000.0, samples=10, rng=0)
    assert answer.lower == 0.0 < answer.upper < 1e-300
