"""Pairs on a lattice are above and below those that they stand for, and near them."""

from __future__ import annotations

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.classical import optimal_composition
from hockeystick.evidence import known
from hockeystick.figures import on_lattice
from hockeystick.figures.lattice_sums import LatticeSum
from hockeystick.figures.wang_baselines import optimal
from hockeystick.loss.base import Loss
from hockeystick.loss.sum import ComposedLoss
from hockeystick.routes.auto import answer
from hockeystick.routes.question import EpsilonAt

STEPS = [
    hs.Gaussian(1, replace_sensitivity=1).on(hs.WithoutReplacement(100, 200)),
    hs.Laplace(2, replace_sensitivity=1).on(hs.WithoutReplacement(100, 1000)),
]


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS)
def test_profiles_are_on_their_side_and_near(step: hs.Mechanism) -> None:
    evidence = known(step, hs.REPLACE_ONE, 2)
    for loss in (evidence.loss, evidence.attained, *evidence.also_attained):
        assert loss is not None
        high, low = on_lattice.above(loss, 1000), on_lattice.below(loss, 1000)
        for each, one, other in (
            (loss, high, low),
            (loss.reverse(), high.reverse(), low.reverse()),
        ):
            reach = min(each.top, 5.0)
            x = np.linspace(0.0, 1.01 * reach, 5001)
            exact = each.profile(x)
            assert (one.profile(x) >= exact * (1 - 1e-9) - 1e-15).all()
            assert (other.profile(x) <= exact * (1 + 1e-9) + 1e-15).all()
            near = x < reach / 2
            assert one.profile(x[near]) == pytest.approx(exact[near], rel=2e-2, abs=1e-4)


@pytest.mark.parametrize("count", [2, 28, 398])
def test_sums_are_those_of_the_routes(count: int) -> None:
    loss = known(STEPS[1], hs.REPLACE_ONE, 2).loss
    assert_sums(on_lattice.above(loss, count), count)


@pytest.mark.parametrize(
    ("truth", "population", "count"), [(0.9, 10_000, 600_000), (0.6, 1000, 300_000), (0.6, 200, 7)]
)
def test_sums_of_two_losses(truth: float, population: int, count: int) -> None:
    """Which are no multiples of their distance; after many steps δ is far below what rounds."""
    step = hs.RandomizedResponse.truthful(truth).on(hs.WithoutReplacement(100, population))
    loss = known(step, hs.REPLACE_ONE, 2).attained
    assert loss is not None
    for side in (loss, loss.reverse()):
        assert_sums(side, count)


def assert_sums(loss: Loss, count: int) -> None:
    """On both sides of the exact ε, and within 1e-6 of it."""
    exact = answer(EpsilonAt(1e-8), ComposedLoss([(loss, count)]))
    one = LatticeSum(loss)
    assert exact.lower * (1 - 1e-6) <= one.lower(count, 1e-8) <= exact.upper
    assert exact.lower <= one.upper(count, 1e-8) <= exact.upper * (1 + 1e-6)
    assert one.most(count, 1e-8) >= exact.lower


@pytest.mark.parametrize(
    ("epsilon", "delta", "count"),
    [(0.1, 0.0, 100), (1e-3, 1e-12, 5000), (3.0, 1e-10, 60), (0.5, 0.0, 1), (0.2, 1e-9, 100)],
)
def test_optimal_composition_by_its_binomial_law(epsilon: float, delta: float, count: int) -> None:
    exact = optimal_composition(epsilon, delta, count, delta=1e-8)
    assert optimal(epsilon, delta, count, 1e-8) == pytest.approx(exact, rel=1e-8)
