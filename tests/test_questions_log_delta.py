"""δ by its logarithm: the same answers where it is a float, and sound ones where it is not."""

from __future__ import annotations

import math

import pytest
from mpmath import mp, mpf

import hockeystick as hs


@pytest.mark.parametrize("log_delta", [-1.0, -11.5, -300.0, -690.0])
def test_as_delta(log_delta: float) -> None:
    run = hs.Gaussian(2.0).on(hs.Poisson(0.1)) * 10
    expected = run.epsilon(math.exp(log_delta))
    assert run.epsilon(log_delta=log_delta) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("log_delta", [-1000.0, -100_000.0])
def test_gaussian_by_many_digits(log_delta: float) -> None:
    """log δ(ε) = log(Φ(θ/2 − ε/θ) − e^ε·Φ(−θ/2 − ε/θ)), solved with 60 digits."""
    found = hs.Gaussian(1.0).epsilon(log_delta=log_delta)

    def surplus(epsilon: float) -> float:
        e = mpf(epsilon)
        delta = mp.ncdf(0.5 - e) - mp.exp(e) * mp.ncdf(-0.5 - e)
        return float(mp.log(delta) - log_delta)

    with mp.workdps(60):
        low, high = 1.0, 1000.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if surplus(middle) > 0 else (low, middle)
    assert found.lower <= high <= found
    assert found < high * 1.01


def test_pure_dp_needs_no_more_than_its_largest_loss() -> None:
    found = (hs.RandomizedResponse(1.0) * 10).epsilon(log_delta=-1e6)
    assert found == pytest.approx(10.0, rel=1e-9)
    assert hs.Laplace(2.0).epsilon(log_delta=-math.inf) == 0.5


def test_smaller_costs_more() -> None:
    run = hs.Gaussian(1.0) * 3
    costs = [run.epsilon(log_delta=x) for x in (0.0, -10.0, -699.0, -701.0, -5000.0, -1e5)]
    assert costs == sorted(costs)
    assert costs[3] < 1.02 * costs[2]  # across the seam


def test_accountant() -> None:
    spent = hs.Accountant()
    spent.spend(hs.Gaussian(1.0), 3)
    run = hs.Gaussian(1.0) * 3
    for log_delta in (-20.0, -2000.0):
        assert spent.epsilon(log_delta=log_delta) == run.epsilon(log_delta=log_delta)


def test_refused() -> None:
    step = hs.Gaussian(1.0)
    for delta, log_delta in ((None, None), (0.1, -1.0)):
        with pytest.raises(hs.ParameterError, match="one of delta and log_delta"):
            step.epsilon(delta, log_delta=log_delta)
    for bad in (0.1, math.nan):
        with pytest.raises(hs.ParameterError, match="log_delta must be in"):
            step.epsilon(log_delta=bad)
    with pytest.raises(hs.ParameterError, match="method must be"):
        step.epsilon(log_delta=-1000.0, method="contour")
