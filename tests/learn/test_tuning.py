"""The cost of tuning, against closed forms and against the best of K written out."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

import hockeystick as hs
from hockeystick.classical.selection import expected_trials
from hockeystick.learn import Plan, Privacy, draw_trials, tuned, tuning_cost
from hockeystick.learn.tuning import Shape
from hockeystick.numerics.types import Array
from hockeystick.random.generators import generator

SHAPES = [-0.5, 0.0, 1.0, 2.5]


def gamma_of(trials: float, shape: float) -> float:
    """γ with that mean, by a root finder of its own."""
    from scipy.optimize import brentq

    def mean(log: float) -> float:
        g = math.exp(log)
        return (1 / g - 1) / -log if shape == 0 else shape * (1 - g) / (g * (1 - g**shape))

    return math.exp(brentq(lambda log: mean(log) - trials, -60, -1e-9, xtol=1e-14))


def pgf(x: Array, trials: float, shape: Shape) -> Array:
    """E[x^K] of the law of K, in closed form."""
    if shape == "poisson":
        return np.exp(trials * (x - 1))
    g = gamma_of(trials, shape)
    if shape == 0:
        return np.asarray(np.log1p(-(1 - g) * x) / math.log(g))
    return np.asarray(((1 - (1 - g) * x) ** -shape - 1) / (g**-shape - 1))


def mass(k: Array, trials: float, shape: float) -> Array:
    g = gamma_of(trials, shape)
    if shape == 0:
        return np.asarray((1 - g) ** k / (k * math.log(1 / g)))
    rising = special.gammaln(k + shape) - special.gammaln(k + 1)
    return np.asarray((1 - g) ** k * np.exp(rising) / (special.gamma(shape) * (g**-shape - 1)))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("trials", [1.5, 10.0, 1000.0])
def test_gaussian_noise_has_a_closed_form(shape: float, trials: float) -> None:
    """ε(λ) = λρ; the best λ̂ is √(log(1/γ)/ρ): Papernot and Steinke (2022), Corollary 4."""
    sigma = 4.0
    rho, log = 1 / (2 * sigma**2), -math.log(gamma_of(trials, shape))
    assert math.sqrt(log / rho) >= 1
    curve = tuned(hs.Gaussian(sigma), trials, shape=shape)
    for order in (1.5, 4.0, 60.0):
        extra = (1 + shape) * (2 * math.sqrt(rho * log) - rho)
        wanted = rho * order + extra + math.log(trials) / (order - 1)
        assert curve.rdp(order) == pytest.approx(wanted, rel=1e-7)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("trials", [1.5, 10.0, 1000.0])
def test_the_mean_loss_is_below_every_order(shape: float, trials: float) -> None:
    """At order 1 log E[K]/(λ − 1) is infinite, but D_1 <= D_λ; the best λ is 1 + √(log E[K]/ρ)."""
    rho, log = 1 / 32, -math.log(gamma_of(trials, shape))
    extra = (1 + shape) * (2 * math.sqrt(rho * log) - rho)
    least = rho + 2 * math.sqrt(rho * math.log(trials)) + extra
    found = tuned(hs.Gaussian(4.0), trials, shape=shape).rdp(1)
    assert least * (1 - 1e-12) <= found <= least * 1.07  # orders are tried by powers of 2


@pytest.mark.slow
def test_the_mean_loss_of_poisson_trials_and_of_what_has_none() -> None:
    curve = tuned(hs.Gaussian(4.0), 10, shape="poisson")
    assert 1 / 32 < curve.rdp(1) <= min(curve.rdp(x) for x in (1.5, 2.0, 3.0, 5.0, 9.0))
    assert tuned(hs.Gaussian(0.0), 10).rdp(1) == math.inf
    assert tuned(hs.RenyiDP({2: 0.1}), 10, shape="poisson").rdp(1) < math.inf


@pytest.mark.parametrize("shape", SHAPES)
def test_pure_privacy_costs_two_plus_eta_times(shape: float) -> None:
    """Papernot and Steinke (2022), Corollary 3; three times for the geometric law."""
    found = tuned(hs.Laplace(4.0), 50, shape=shape).rdp(math.inf)
    assert found == pytest.approx((2 + shape) * 0.25, rel=1e-9)


@pytest.mark.parametrize("shape", [*SHAPES, "poisson"])
@pytest.mark.parametrize("trials", [1.5, 8.0])
@pytest.mark.parametrize("epsilon", [0.3, 1.5])
def test_no_best_of_k_costs_more(shape: Shape, trials: float, epsilon: float) -> None:
    """Answers 0 to 3 by randomized response, the highest is best; its law by the pgf of K."""
    base = hs.RandomizedResponse(epsilon, categories=4)
    top = math.exp(epsilon) / (math.exp(epsilon) + 3)
    curve = tuned(base, trials, shape=shape, relation=hs.REPLACE_ONE)
    best = 0.0
    for one, other in [(0, 3), (3, 0), (1, 2), (2, 3)]:
        laws = []
        for truth in (one, other):
            law = np.full(4, (1 - top) / 3)
            law[truth] = top
            below = np.concatenate([[0.0], np.cumsum(law)])
            below[-1] = 1.0
            masses = np.diff(pgf(below, trials, shape))
            nothing = math.exp(-trials) if shape == "poisson" else 0.0
            laws.append(np.append(masses, nothing)[: 5 if nothing else 4])
        p, q = laws
        assert p.sum() == pytest.approx(1.0, abs=1e-9)
        for order in (1.2, 2.0, 8.0, 100.0):
            logs = order * np.log(p) + (1 - order) * np.log(q)
            exact = special.logsumexp(logs) / (order - 1)
            assert exact <= curve.rdp(order) * (1 + 1e-9)
            best = max(best, exact)
    assert best > epsilon / 4  # the comparison is not empty


def test_poisson_trials_by_theorem_six() -> None:
    base, mean, order = hs.Gaussian(6.0), 20.0, 3.0
    profile = base.delta(math.log(1.5))
    wanted = order / 72 + mean * profile + math.log(mean) / 2
    assert tuned(base, mean, shape="poisson").rdp(order) == pytest.approx(wanted, rel=1e-9)


def test_the_cost_lies_between_one_run_and_all_of_them() -> None:
    one = hs.Gaussian(20.0)
    cost = tuning_cost(one, trials=30, delta=1e-6)
    assert one.epsilon(1e-6) < cost < (one * 30).epsilon(1e-6)
    assert cost.method == "renyi"
    assert cost < tuning_cost(one, trials=60, delta=1e-6)
    assert cost == pytest.approx(tuned(one, 30).epsilon(1e-6), rel=1e-6)
    pure = tuning_cost(hs.Laplace(4.0), trials=30, delta=0.0)
    assert pure == pytest.approx(0.75, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("shape", [1.0, "poisson"])
def test_a_model_is_tuned_for_its_own_neighbours(shape: Shape) -> None:
    """Replacing a record moves clipped gradients twice as far as removing one."""
    plan = Plan(hs.Gaussian(40.0), hs.EveryRecord(), 4, 1.0, 8, relation=hs.REPLACE_ONE)
    privacy = Privacy(plan, 1e-6)
    cost = tuning_cost(privacy, trials=10, delta=1e-6, shape=shape)
    same = hs.Gaussian(10.0)  # 4 steps, twice as far
    assert cost == pytest.approx(tuning_cost(same, trials=10, delta=1e-6, shape=shape), rel=1e-6)
    assert tuned(privacy, 10, shape=shape).rdp(3.0) == pytest.approx(
        tuned(same, 10, shape=shape).rdp(3.0), rel=1e-9
    )
    removed = tuning_cost(privacy, trials=10, delta=1e-6, shape=shape, relation=hs.ADD_REMOVE)
    assert removed < 0.6 * cost


@pytest.mark.parametrize("shape", SHAPES)
def test_the_expected_number_of_trials(shape: float) -> None:
    g = gamma_of(7.0, shape)
    assert expected_trials(g, shape) == pytest.approx(7.0, rel=1e-9)
    ks = np.arange(1, 4000)
    assert np.sum(ks * mass(ks, 7.0, shape)) == pytest.approx(7.0, rel=1e-6)


@pytest.mark.parametrize("shape", SHAPES)
def test_drawn_numbers_of_trials_follow_the_law(shape: float) -> None:
    source = generator(5)
    counts = Counter(min(draw_trials(4.0, shape=shape, rng=source), 12) for _ in range(4000))
    expected = mass(np.arange(1, 12), 4.0, shape) * 4000
    expected = np.append(expected, 4000 - expected.sum())
    observed = [counts[k] for k in range(1, 13)]
    assert counts[0] == 0
    assert stats.chisquare(observed, expected).pvalue > 0.001


def test_drawn_poisson_numbers_may_be_zero() -> None:
    source = generator(5)
    draws = [draw_trials(1.0, shape="poisson", rng=source) for _ in range(200)]
    assert min(draws) == 0
    assert 0.7 < np.mean(draws) < 1.3


@pytest.mark.parametrize(
    ("trials", "shape", "message"),
    [
        (0.5, 1.0, "trials must be in"),
        (1.0, 1.0, "trials must be above 1"),
        (math.nan, 1.0, "trials must be"),
        (5, -1.0, "shape must be"),
        (5, "geometric", "shape must be"),
    ],
)
def test_refusals(trials: float, shape: Any, message: str) -> None:
    with pytest.raises(hs.ParameterError, match=message):
        tuned(hs.Gaussian(1.0), trials, shape=shape)
