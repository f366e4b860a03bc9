"""ε after many numbers of steps: as one by one, and right where a line's range begins and ends."""

from __future__ import annotations

import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.routes.steps import FEW, RANGE

from ..oracles.truth import truth

STEP = hs.Gaussian(1.0).on(hs.Poisson(0.01))
STEPS = [
    STEP,
    hs.Gaussian(2.0).on(hs.Poisson(0.2)),
    hs.Gaussian(1.5).on(hs.Poisson(0.05)) + hs.Laplace(20.0),
]


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS, ids=repr)
def test_as_one_by_one(step: hs.Mechanism) -> None:
    counts = range(FEW + 10, 1000)
    together = step.epsilons(1e-6, counts)
    edge = int((FEW + 10) * RANGE)
    for n in (counts[0], edge - 1, edge, edge + 1, 999):
        alone = (step * n).epsilon(1e-6)
        i = n - counts[0]
        assert together.lower[i] <= alone.upper
        assert alone.lower <= together.upper[i]
        assert together.upper[i] - together.lower[i] <= 1e-9 * alone + 2 * (alone - alone.lower)


@pytest.mark.slow
@pytest.mark.parametrize("count", [126, 127, 600])
def test_ends_of_a_range_hold_the_truth(count: int) -> None:
    curve = STEP.epsilons(1e-5, range(97, 800))
    interval = truth(f"Gaussian(1.0).on(Poisson(0.01)) * {count}", "epsilon", 1e-5, "add_remove")
    assert interval is not None
    assert curve.lower[count - 97] <= interval[1]
    assert curve.upper[count - 97] >= interval[0]
    assert curve.upper[count - 97] - curve.lower[count - 97] < 1e-9


def test_epsilon_grows_with_the_count() -> None:
    curve = STEP.epsilons(1e-5, range(97, 5000))
    assert (np.diff(curve.upper) > 0).all()
    assert (curve.upper - curve.lower < 1e-9).all()


def test_counts_may_be_numbers_of_numpy_in_any_order() -> None:
    counts = np.array([300, 0, 1, 200, 300])
    curve = STEP.epsilons(1e-5, counts)
    assert list(curve) == list(STEP.epsilons(1e-5, counts.tolist()))
    assert curve[0] == curve[4] > curve[3] > curve[2] > curve[1] == 0


def test_a_long_run_of_parts_with_the_milder_direction_first() -> None:
    """Both directions are asked where neither is milder by Chernoff's bound."""
    step = hs.Laplace(1.0).on(hs.Poisson(0.5))
    curve = step.epsilons(1e-3, range(100, 140))
    for i in (0, 39):
        alone = (step * (100 + i)).epsilon(1e-3)
        assert abs(curve[i] - alone) < 1e-8


def test_counts_of_plain_gaussians_have_the_closed_form() -> None:
    """Losses of tens of thousands of nats on a grid: its ends were 17 above the truth."""
    run = hs.Gaussian(0.012345937996266322) * 22
    several = run.epsilons(1e-10, [1, 2])
    for count, lower, upper in zip((1, 2), several.lower, several.upper, strict=True):
        one = hs.Gaussian(0.012345937996266322 / math.sqrt(22 * count)).epsilon(1e-10)
        assert lower <= upper
        assert upper == pytest.approx(one, rel=1e-12)
        assert lower == pytest.approx(one, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("delta", [1e-5, 1e-9])
def test_few_steps_are_as_near_as_many(delta: float) -> None:
    """Counts up to 96 once came from a grid, with ends 1e-3 apart."""
    curve = STEP.epsilons(delta, range(1, 400))
    assert (curve.upper - curve.lower <= 1e-9 * curve.upper).all()
    assert (np.diff(curve.upper) > 0).all()
    for count in (1, 2, 3, 7, 50, 96, 97, 299, 300, 301):
        alone = (STEP * count).epsilon(delta)
        assert curve.lower[count - 1] <= alone.upper
        assert alone.lower <= curve.upper[count - 1]


def test_few_steps_that_a_record_is_often_in() -> None:
    """From three samples of a record on, up to 96 steps, these came from a grid, 4e-6 apart."""
    step = hs.Gaussian(1.0).on(hs.Poisson(0.3))
    curve = step.epsilons(1e-5, range(2, 101))
    assert (curve.upper - curve.lower <= 1e-8 * curve.upper).all()
    for count in (2, 9, 11, 40, 95, 96):
        alone = (step * count).epsilon(1e-5)
        assert curve.lower[count - 2] <= alone.upper
        assert alone.lower <= curve.upper[count - 2]


@pytest.mark.parametrize(
    ("count", "low", "high"),
    [
        (3, 0.2753377810231231, 0.27533778106183626),
        (10, 0.37990223658059297, 0.3799022365808977),
        (100, 0.7180356613386633, 0.7180356613388393),
    ],
)
def test_few_steps_among_many_hold_what_is_proven(count: int, low: float, high: float) -> None:
    """Proven in ball arithmetic, by other code (see `contour/test_few_steps.py`)."""
    curve = STEP.epsilons(1e-5, range(1, 201))
    assert curve.lower[count - 1] <= high
    assert low <= curve.upper[count - 1]


@pytest.mark.slow
@pytest.mark.parametrize(
    "before",
    [
        hs.Gaussian(2.0).on(hs.Poisson(0.005)) * 400,
        hs.Gaussian(3.0) * 2,
        STEP * 50 + hs.Gaussian(4.0).on(hs.Poisson(0.3)) * 30,
    ],
    ids=repr,
)
def test_after_something_else(before: hs.Mechanism) -> None:
    accountant = hs.Accountant()
    accountant.spend(before)
    counts = [0, 1, 2, 5, 40, 41, 500, 900]
    curve = accountant.epsilons(1e-6, range(901), mechanism=STEP)
    for count in counts:
        alone = (before + STEP * count).epsilon(1e-6)
        assert curve.lower[count] <= alone.upper
        assert alone.lower <= curve.upper[count]
        assert curve.upper[count] - curve.lower[count] <= 1e-9 * alone.upper
    assert (np.diff(curve.upper) > 0).all()


@pytest.mark.slow
def test_where_steps_are_sampled_with_a_fixed_size() -> None:
    """Both ends are those of other laws: of a game where it pays, and what is attained."""
    step = hs.Gaussian(2.0).on(hs.WithoutReplacement(20, 1000))
    curve = step.epsilons(1e-5, range(200, 230))
    for place in (0, 29):
        alone = (step * (200 + place)).epsilon(1e-5)
        pair = (step * (200 + place)).epsilon(1e-5, method="contour")
        assert curve.lower[place] == pytest.approx(alone.lower, rel=1e-9)
        assert alone.upper * (1 - 2e-3) <= curve.upper[place] <= pair.upper * (1 + 2e-3)
    assert curve.upper[29] == pytest.approx(alone.upper, rel=2e-3)
