"""A loop that asks at every step gets the answers that it would get alone, and soon."""

from __future__ import annotations

import time

import numpy as np
import pytest

import hockeystick as hs

STEP = hs.Gaussian(1.1).on(hs.Poisson(0.01))


@pytest.mark.parametrize("stride", [1, 7])
def test_every_answer_is_that_of_its_own_count(stride: int) -> None:
    accountant = hs.Accountant()
    for done in range(1, 41):
        accountant.spend(STEP, stride)
        found = accountant.epsilon(1e-5)
        assert (found.mechanism, found.delta) == (accountant.spent, 1e-5)
        assert found.relation is hs.ADD_REMOVE
        if done % 8 < 2:
            alone = (STEP * (stride * done)).epsilon(1e-5)
            assert found.lower <= alone.upper
            assert alone.lower <= found.upper
            assert found == pytest.approx(alone, rel=1e-4)


def test_what_is_not_foreseen_is_answered_too() -> None:
    accountant, step = hs.Accountant(), hs.Laplace(2.0)
    counts = [1, 2, 3, 10, 11, 11, 100, 1000, 1001]
    before = 0
    for count in counts:
        accountant.spend(step, count - before)
        before = count
        assert accountant.epsilon(0) == count / 2
        assert accountant.epsilon(1.0) == 0.0
        assert accountant.epsilon(0, method="closed form").method == "closed form"
    accountant.spend(hs.Laplace(4.0))
    assert accountant.epsilon(0) == before / 2 + 0.25


def test_the_curve_ahead_of_what_was_spent() -> None:
    accountant = hs.Accountant()
    accountant.spend(STEP, 100)
    ahead = accountant.epsilons(1e-5, [0, 50], mechanism=STEP)
    np.testing.assert_allclose(ahead, STEP.epsilons(1e-5, [100, 150]), rtol=1e-9)
    accountant.spend(hs.Laplace(5.0))
    ahead = accountant.epsilons(1e-5, [0, 50], mechanism=STEP)
    expected = [(STEP * n + hs.Laplace(5.0)).epsilon(1e-5) for n in (100, 150)]
    np.testing.assert_allclose(ahead, expected, rtol=1e-9)
    assert (ahead.delta, ahead.relation, ahead.counts.tolist()) == (1e-5, hs.ADD_REMOVE, [0, 50])


@pytest.mark.slow
def test_a_loop_takes_about_a_millisecond_a_step() -> None:
    """A thousand steps asked one by one took minutes; the margin is for a loaded machine."""
    accountant, start = hs.Accountant(budget=(8.0, 1e-5)), time.process_time()
    for _ in range(1000):
        accountant.spend(STEP)
        accountant.epsilon(1e-5)
    assert time.process_time() - start < 3.0
