"""Values found elsewhere: in multiple precision, and in the papers."""

from __future__ import annotations

import json

import pytest

import hockeystick as hs
from tests.reference import DATA

FIXED_SIZE = json.loads(
    (DATA / "samplers" / "without_replacement_gaussian_epsilon.json").read_text()
)


@pytest.mark.parametrize("row", FIXED_SIZE)
def test_gaussian_without_replacement(row: dict[str, float]) -> None:
    population = 1_000_000
    sampler = hs.WithoutReplacement(round(row["gamma"] * population), population)
    noise = row["sigma_over_replace_sensitivity"]
    step = hs.Gaussian(noise, replace_sensitivity=1).on(sampler)
    run = step * int(row["steps"])
    found = run.epsilon(row["delta"], method="contour")
    expected = row["epsilon_by_symmetric_profile"]
    assert found == pytest.approx(expected, rel=1e-9)
    assert found.lower <= run.epsilon(row["delta"]) <= expected * (1 + 1e-9)


FIGURE_4 = [
    (hs.Gaussian(5, replace_sensitivity=1), 2.0270076),
    (hs.Gaussian(1, replace_sensitivity=1), 12.696294),
    (hs.Laplace(2, replace_sensitivity=1), 3.5312377),
    (hs.Laplace(0.5, replace_sensitivity=1), 18.029524),
    (hs.RandomizedResponse.truthful(0.6), 2.6319745),
    (hs.RandomizedResponse.truthful(0.9), 23.853724),
]


@pytest.mark.parametrize(("mechanism", "theorem"), FIGURE_4, ids=[repr(m) for m, _ in FIGURE_4])
def test_below_the_renyi_bound(mechanism: hs.Mechanism, theorem: float) -> None:
    """Figure 4 of Wang, Balle and Kasiviswanathan (2019), whose Theorem 9 gives the numbers."""
    run = mechanism.on(hs.WithoutReplacement(60, 60_000)) * 600_000
    found = run.epsilon(1e-8)
    assert 0.2 * theorem < found.lower <= found < theorem


def test_figure_4_gaussian() -> None:
    run = hs.Gaussian(5, replace_sensitivity=1).on(hs.WithoutReplacement(60, 60_000)) * 600_000
    assert run.epsilon(1e-8, method="contour") == pytest.approx(0.852086, abs=5e-7)
    assert 0.792 < run.epsilon(1e-8, method="game") < 0.8


def test_a_thousand_steps_between_both_ends() -> None:
    step = hs.Gaussian(1, replace_sensitivity=1).on(hs.WithoutReplacement(100, 10_000))
    found = (step * 1000).epsilon(1e-6)
    assert 2.1245 <= found.lower <= found <= 2.5129


ONE_STEP = [
    (hs.Gaussian(1).on(hs.Poisson(0.1)), 0.3, 9.6965638e-3),
    (hs.Gaussian(0.7).on(hs.Poisson(0.4)), 1.5, 6.67159375e-2),
    (hs.Gaussian(1).on(hs.WithoutReplacement(1, 10)), 0.3, 4.18498051e-2),
    (hs.Gaussian(0.7).on(hs.WithoutReplacement(4, 10)), 1.5, 2.43921864e-1),
]


@pytest.mark.parametrize(("mechanism", "epsilon", "delta"), ONE_STEP)
def test_replace_one(mechanism: hs.Mechanism, epsilon: float, delta: float) -> None:
    """Quadrature of the pairs in multiple precision."""
    found = mechanism.delta(epsilon, relation=hs.REPLACE_ONE)
    assert found == pytest.approx(delta, rel=2e-8)
    assert found.lower == pytest.approx(delta, rel=2e-8)


def test_random_allocation() -> None:
    """Ten steps: the larger direction, by a contour integral of the mean ratio's transform."""
    found = hs.Gaussian(1).on(hs.RandomAllocation(10)).delta(0.5)
    assert found == pytest.approx(2.68504e-2, rel=5e-4)
    assert found.lower <= 2.68504e-2 * (1 + 2e-6)
    assert found >= 2.68504e-2 * (1 - 2e-6)
