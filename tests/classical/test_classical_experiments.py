"""What Wang, Balle and Kasiviswanathan (2019, Section 5) report about their curves, γ = 0.001."""

from __future__ import annotations

import math
from functools import cache, partial

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.classical import (
    approximate_divergence_on_bad_data,
    approximate_divergence_on_good_data,
    base_epsilon,
    compose_profile,
    gaussian_profile,
    get_epsilon,
    mironov_epsilon,
    naive_composition,
    rdp_lower_bound,
    rdp_without_replacement,
    strong_composition,
)
from tests.support.bases import Base, far_truthful, gaussian, laplace

GAMMA, STEPS, DELTA = 0.001, 600_000, 1e-8
PANELS = {
    "gaussian 5": gaussian("5"),
    "gaussian 1": gaussian("1"),
    "laplace 2": laplace("2"),
    "laplace 0.5": laplace("0.5"),
    "response 0.6": far_truthful("0.6"),
    "response 0.9": far_truthful("0.9"),
}
HEADLINES = dict(
    zip(
        PANELS,
        (2.0270076, 12.696294, 3.5312377, 18.029524, 2.6319745, 23.853724),
        strict=True,
    )
)


def upper(base: Base, order: float) -> float:
    return float(rdp_without_replacement(base.curve, GAMMA, order, base.pure))


def lower(base: Base, order: float) -> float:
    return float(rdp_lower_bound(base.curve, GAMMA, order))


def composed(name: str, steps: int) -> float:
    base = PANELS[name]
    known = cache(partial(upper, base))
    return get_epsilon(lambda x: steps * x * known(1 + x), DELTA, tolerance=1e-9)


# Figure 4 ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PANELS)
def test_the_last_point_of_each_curve(name: str) -> None:
    """k = 600 000, by the accountant's search over real λ and by all integer orders up to 64."""
    assert composed(name, STEPS) == pytest.approx(HEADLINES[name], rel=3e-8, abs=0)
    integers = range(2, 65)
    scanned = min(mironov_epsilon(a, STEPS * upper(PANELS[name], a), DELTA) for a in integers)
    assert scanned == pytest.approx(HEADLINES[name], rel=3e-8, abs=0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mechanism", "name"),
    [
        (hs.Gaussian(5, replace_sensitivity=1), "gaussian 5"),
        (hs.Laplace(0.5, replace_sensitivity=1), "laplace 0.5"),
        (hs.RandomizedResponse.truthful(0.9), "response 0.9"),
    ],
)
def test_the_same_from_the_librarys_mechanisms(mechanism: hs.Mechanism, name: str) -> None:
    """And the exact answer is below, with what some data costs below that."""
    known = cache(partial(mechanism.rdp, relation=hs.REPLACE_ONE))

    def cgf(x: float) -> float:
        return STEPS * x * float(rdp_without_replacement(known, GAMMA, 1 + x, known(math.inf)))

    theirs = get_epsilon(cgf, DELTA)
    assert theirs == pytest.approx(HEADLINES[name], rel=3e-8, abs=0)
    exact = (mechanism.on(hs.WithoutReplacement(60, 60_000)) * STEPS).epsilon(DELTA)
    assert 0 < exact.lower <= exact < 0.8 * theirs


@pytest.mark.parametrize("name", PANELS)
def test_in_the_end_epsilon_grows_as_the_root_of_the_steps(name: str) -> None:
    growth = composed(name, STEPS) / composed(name, STEPS // 4)
    assert 1.9 < growth < 2.4


@pytest.mark.slow
@pytest.mark.parametrize(("sigma", "gains"), [(5.0, 6.0), (1.0, 9_000.0)])
def test_renyi_loses_at_first_and_wins_in_the_end(sigma: float, gains: float) -> None:
    """For Gaussian noise, against composition of the best (ε, δ) of one sampled step."""

    def step(epsilon: float) -> float:
        return GAMMA * float(gaussian_profile(base_epsilon(epsilon, GAMMA), 1 / sigma))

    name = f"gaussian {sigma:g}"
    for steps in (1, 10):
        simple = compose_profile(step, steps, delta=DELTA, theorem=naive_composition)
        assert 0 < simple < 0.9 * composed(name, steps)
    strong = compose_profile(step, STEPS, delta=DELTA, theorem=strong_composition)
    simple = compose_profile(step, STEPS, delta=DELTA, theorem=naive_composition)
    assert gains * composed(name, STEPS) < min(strong, simple)


# Figure 3 ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PANELS)
def test_the_bounds_differ_by_a_factor(name: str) -> None:
    ratios = [upper(PANELS[name], a) / lower(PANELS[name], a) for a in (2, 5, 20, 80, 320, 1000)]
    assert 1 < min(ratios) <= max(ratios) < (11 if name == "gaussian 5" else 4)


@pytest.mark.parametrize(("sigma", "far"), [(5.0, 600), (1.0, 30)])
def test_gaussian_bounds_meet_at_large_orders(sigma: float, far: int) -> None:
    """Up to log(2)/(α − 1) and α·log(1/(1 − γ))/(α − 1), as Section 3.3 says."""
    base = PANELS[f"gaussian {sigma:g}"]
    for order in (far, 10 * far):
        gap = upper(base, order) - lower(base, order)
        assert 0 < gap <= (math.log(2) - order * math.log1p(-GAMMA)) / (order - 1)


def transition(sigma: float) -> float:
    """α* with γ·α*·e^{ε(α*)} = 1."""
    low, high = 1.0, 1e6
    for _ in range(100):
        middle = (low + high) / 2
        above = math.log(GAMMA * middle) + middle / (2 * sigma**2) > 0
        low, high = (low, middle) if above else (middle, high)
    return high


@pytest.mark.slow
@pytest.mark.parametrize("sigma", [5.0, 1.0])
def test_the_phase_transition(sigma: float) -> None:
    """Up to α* the curve is about 2αγ²(e^{ε(2)} − 1), linear; before 4α* it leaps to ε(α).

    What it leaps to does not depend on γ but by log γ: (α − 1)·ε' = (α − 1)·ε + log(2·γ^α).
    """
    base, turn = PANELS[f"gaussian {sigma:g}"], transition(sigma)
    linear = 2 * GAMMA**2 * math.expm1(base.curve(2.0))
    for order in np.unique(np.rint(np.linspace(2, turn, 12))).tolist():
        assert 0.7 < upper(base, order) / (order * linear) < 1.6
        assert 0.99 < 4 * lower(base, order) / (order * linear) < 1.03
    for order in (math.ceil(4 * turn), math.ceil(10 * turn)):
        leapt = base.curve(order) + (math.log(2) + order * math.log(GAMMA)) / (order - 1)
        assert upper(base, order) == pytest.approx(leapt, rel=1e-3, abs=0)
    orders = np.arange(2, math.ceil(6 * turn))
    values = np.array([upper(base, float(a)) for a in orders])
    steepness = np.diff(np.log(values)) / np.diff(np.log(orders))
    leap = int(orders[np.argmax(steepness)])
    assert turn < leap < 4 * turn
    assert steepness.max() > 50
    assert steepness[: math.floor(turn) - 2].max() < 1.5


@pytest.mark.slow
@pytest.mark.parametrize("name", ["laplace 2", "laplace 0.5", "response 0.6", "response 0.9"])
def test_bounded_losses_are_linear_and_then_flatten(name: str) -> None:
    """To log(1 + γ·e^ε·min(1, e^ε − 1)), ε = ε(∞), as said after Theorem 9 for small ε."""
    base = PANELS[name]
    assert upper(base, 20) / upper(base, 2) == pytest.approx(10, rel=0.07, abs=0)
    limit = math.log1p(GAMMA * math.exp(base.pure) * min(1, math.expm1(base.pure)))
    assert 0.99 * limit < upper(base, 1e6) < limit * (1 + 1e-6)
    assert upper(base, 1e6) / upper(base, 1e5) < 1.02
    assert lower(base, 50_000) < math.log1p(GAMMA * math.expm1(base.pure)) < limit


@pytest.mark.parametrize(("sigma", "near"), [(5.0, 1e-3), (1.0, 0.15)])
def test_the_approximations_beside_the_lower_bound(sigma: float, near: float) -> None:
    """Bad data is near the lower bound up to the transition and no longer, good data below it."""
    base, population = PANELS[f"gaussian {sigma:g}"], round(100 / GAMMA)
    bad = partial(approximate_divergence_on_bad_data, noise_multiplier=sigma, gamma=GAMMA)
    good = partial(approximate_divergence_on_good_data, noise_multiplier=sigma, gamma=GAMMA)
    turn = transition(sigma)
    for order in (2, math.floor(turn / 2), math.floor(turn)):
        assert bad(order, population=population) == pytest.approx(
            lower(base, order), rel=near, abs=0
        )
        assert good(order, population=population + 1) < 0.5 * lower(base, order)
    far = math.ceil(4 * turn)
    assert bad(far, population=population) < 1e-4 * lower(base, far)
