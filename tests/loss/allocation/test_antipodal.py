"""Replacing a record in random allocation: both ends, by quadrature and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.loss.allocation.antipodal import antipodal_point
from hockeystick.loss.gaussian import GaussianLoss
from hockeystick.numerics.types import Array


def laws(shift: float, steps: int) -> tuple[Array, Array]:
    """Both laws of a few steps on a grid: the mean of the steps moved by +μ, and by −μ."""
    x = np.linspace(-9.0, 9.0, 601 if steps < 3 else 181)
    density = [np.exp(-0.5 * (x - at) ** 2) for at in (0.0, shift)]
    density = [each / each.sum() for each in density]
    p = np.zeros([x.size] * steps)
    for moved in range(steps):
        part = np.ones(())
        for step in range(steps):
            part = np.multiply.outer(part, density[int(step == moved)])
        p += part / steps
    return p.ravel(), p[(slice(None, None, -1),) * steps].ravel()


def losses(shift: float, steps: int, count: int, epochs: int = 1) -> Array:
    """Losses of epochs under the law with the record."""
    rng = np.random.default_rng(7)
    total = np.zeros(count)
    for _ in range(epochs):
        x = rng.standard_normal((count, steps))
        x[:, 0] += shift  # all steps are alike
        total += np.log(np.exp(shift * x).mean(axis=1) / np.exp(-shift * x).mean(axis=1))
    return total


def simulated(total: Array, epsilon: float) -> tuple[float, float]:
    """δ and its standard error."""
    each = np.maximum(-np.expm1(epsilon - total), 0.0)
    return float(each.mean()), float(each.std() / math.sqrt(total.size))


@pytest.mark.parametrize(("shift", "steps"), [(0.5, 2), (1.0, 2), (1.0, 3), (1.5, 2)])
@pytest.mark.parametrize("epsilon", [0.0, 0.4, 1.5])
def test_a_point_by_quadrature(shift: float, steps: int, epsilon: float) -> None:
    p, q = laws(shift, steps)
    truth = float(np.maximum(p - math.exp(epsilon) * q, 0).sum())
    ends = antipodal_point(shift, steps, epsilon)
    # A sum over a grid of a function with an edge is good to about 1e-3.
    assert ends.lower <= truth * 1.001
    assert truth * 0.999 <= ends.upper <= ends.lower * 1.005


@pytest.mark.parametrize(("shift", "steps", "epsilon"), [(1.0, 10, 1.0), (0.5, 30, 0.2)])
def test_a_point_by_simulation(shift: float, steps: int, epsilon: float) -> None:
    truth, error = simulated(losses(shift, steps, 200_000), epsilon)
    ends = antipodal_point(shift, steps, epsilon)
    assert ends.lower - 4 * error <= truth <= ends.upper + 4 * error
    assert ends.upper <= ends.lower * 1.001
    assert error < 0.01 * truth


@pytest.mark.parametrize(("shift", "steps"), [(1.0, 1000), (0.2, 10_000), (1.5, 10), (0.7, 50)])
def test_not_less_than_the_sum_of_all_outcomes(shift: float, steps: int) -> None:
    """Which moves by 2μ and has the deviation √t; and not more than when the step is known."""
    for epsilon in np.array([0.0, 0.5, 1.0, 2.0]) * shift / math.sqrt(steps):
        ends = antipodal_point(shift, steps, float(epsilon))
        place = np.array([epsilon])
        assert ends.upper >= GaussianLoss(2 * shift / math.sqrt(steps)).profile(place)[0]
        assert ends.lower <= GaussianLoss(2 * shift).profile(place)[0]


@pytest.mark.slow
@pytest.mark.parametrize(("steps", "epochs"), [(10, 1), (10, 4), (50, 3)])
def test_epochs_by_simulation(steps: int, epochs: int) -> None:
    run = hs.Gaussian(1.0).on(hs.RandomAllocation(steps)) * epochs
    total = losses(1.0, steps, 200_000, epochs)
    for epsilon in (0.0, 1.0, 2.0):
        truth, error = simulated(total, epsilon)
        found = run.delta(epsilon, relation=hs.REPLACE_ONE)
        assert found.lower - 4 * error <= truth <= found + 4 * error
        assert found <= 1.12 * found.lower


@pytest.mark.slow
def test_both_ends_of_a_thousand_steps() -> None:
    epoch = hs.Gaussian(1.0).on(hs.RandomAllocation(1000))
    found = epoch.epsilon(1e-6, relation=hs.REPLACE_ONE)
    assert 0.264 < found.lower <= found < 1.006 * found.lower
    ends = antipodal_point(1.0, 1000, float(found))
    assert 0.95e-6 < ends.lower <= ends.upper < 1.001e-6


@pytest.mark.slow
def test_where_points_end_the_other_bounds_go_on() -> None:
    epoch = hs.Gaussian(1.0).on(hs.RandomAllocation(10))
    small = epoch.delta(6.5, relation=hs.REPLACE_ONE)
    removed = epoch.delta(6.5, relation=hs.ADD_REMOVE)
    unsampled = hs.Gaussian(1.0).delta(6.5, relation=hs.REPLACE_ONE)
    assert 0.9 * removed.lower <= small.lower <= small <= unsampled


@pytest.mark.slow
def test_a_replacement_that_moves_less_than_twice_as_far() -> None:
    """Two records cannot be opposite, so that is no lower end."""
    sampler = hs.RandomAllocation(10)
    near = hs.Gaussian(1.0, replace_sensitivity=1.2)
    less = near.on(sampler).delta(1.0, relation=hs.REPLACE_ONE)
    more = hs.Gaussian(1.0).on(sampler).delta(1.0, relation=hs.REPLACE_ONE)
    assert less.lower < 0.8 * more.lower
    assert less.lower <= less <= near.delta(1.0, relation=hs.REPLACE_ONE)


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.1, 100.0, 1e4])
@pytest.mark.parametrize("steps", [2, 10_000])
def test_extremes(noise: float, steps: int) -> None:
    run = hs.Gaussian(noise).on(hs.RandomAllocation(steps))
    found = run.delta(1e-3, relation=hs.REPLACE_ONE)
    assert 0 <= found.lower <= found <= hs.Gaussian(noise).delta(1e-3, relation=hs.REPLACE_ONE)


@pytest.mark.slow
@pytest.mark.parametrize("order", [pytest.param(1.5, marks=pytest.mark.slow), 2.0, 4.0])
def test_divergences_by_quadrature(order: float) -> None:
    p, q = laws(1.0, 2)
    truth = math.log(float((p**order * q ** (1 - order)).sum())) / (order - 1)
    epoch = hs.Gaussian(1.0).on(hs.RandomAllocation(2))
    found = epoch.rdp(order, relation=hs.REPLACE_ONE)
    assert truth <= found * (1 + 1e-6)
    assert found <= 1.45 * truth


@pytest.mark.slow
def test_divergences_of_many_steps_are_far_below_those_of_one() -> None:
    epoch = hs.Gaussian(1.0).on(hs.RandomAllocation(1000))
    assert 0.016 < epoch.rdp(8.0, relation=hs.REPLACE_ONE) < 0.03  # 8·(2/√1000)²/2 of the sum


@pytest.mark.slow
def test_several_participations() -> None:
    run = hs.Gaussian(2.0).on(hs.RandomAllocation(100, 4))
    found = run.epsilon(1e-6, relation=hs.REPLACE_ONE)
    of_sum = hs.Gaussian(2.0 * 10 / 4).epsilon(1e-6, relation=hs.REPLACE_ONE)
    assert found.lower == pytest.approx(of_sum, rel=1e-6)
    assert found.lower <= found < 1.1 * found.lower
