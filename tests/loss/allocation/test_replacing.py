"""Replacing a record by way of the data without it."""

from __future__ import annotations

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.loss.allocation.replacing import replaced
from hockeystick.loss.gaussian import GaussianLoss


@pytest.mark.parametrize("shift", [0.1, 0.5, 2.0])
def test_two_moves_of_a_gaussian_are_one_of_twice_the_shift(shift: float) -> None:
    epsilons = np.array([0.0, 0.1, 0.5, 1.0, 2.0]) * shift
    bound = replaced(GaussianLoss(shift)).profile(epsilons)
    exact = GaussianLoss(2 * shift).profile(epsilons)
    assert (bound >= exact * (1 - 1e-12)).all()
    assert (bound <= exact * 1.1).all()


def test_an_epoch_of_two_steps() -> None:
    """Both records on opposite sides, by summing the densities over a plane."""
    epoch = hs.Gaussian(1.0).on(hs.RandomAllocation(2))
    x = np.linspace(-9.0, 9.0, 901)
    one = np.exp(-0.5 * (x - 1) ** 2) / np.sqrt(2 * np.pi)
    none = np.exp(-0.5 * x**2) / np.sqrt(2 * np.pi)
    p = 0.5 * (np.outer(one, none) + np.outer(none, one))
    q = p[::-1, ::-1]
    for epsilon in (0.2, 1.0, 2.0):
        exact = np.maximum(p - np.exp(epsilon) * q, 0).sum() * (x[1] - x[0]) ** 2
        found = epoch.delta(epsilon, relation=hs.REPLACE_ONE)
        assert found.lower <= exact * (1 + 1e-3)
        assert exact * (1 - 1e-3) <= found <= 1.02 * exact
        assert found.lower >= 0.97 * exact


def test_never_more_than_unsampled() -> None:
    run = hs.Gaussian(1.0).on(hs.RandomAllocation(2)) * 50  # the epoch of above, made once
    unsampled = (hs.Gaussian(1.0) * 50).epsilon(1e-6, relation=hs.REPLACE_ONE)
    assert run.epsilon(1e-6, relation=hs.REPLACE_ONE) <= unsampled
