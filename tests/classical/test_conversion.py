"""From Rényi divergences to (ε, δ): each form above the exact profile, in their known order."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpmath import mp, mpf

from hockeystick.classical import (
    epsilon_from_curve,
    gaussian_profile,
    hockey_stick,
    improved_delta,
    improved_epsilon,
    mironov_delta,
    mironov_epsilon,
    optimal_delta,
    optimal_epsilon,
    pearson_vajda_delta,
    rdp_poisson,
)
from hockeystick.errors import ParameterError


def gaussian(order: float) -> float:
    return order / 2


def test_there_and_back() -> None:
    for order, value in ((1.5, 0.75), (6.0, 3.0), (80.0, 40.0)):
        for to_epsilon, to_delta in (
            (mironov_epsilon, mironov_delta),
            (improved_epsilon, improved_delta),
        ):
            epsilon = to_epsilon(order, value, 1e-7)
            assert to_delta(order, value, epsilon) == pytest.approx(1e-7, rel=1e-11, abs=0)


def test_improved_is_the_best_constant_of_its_kind() -> None:
    """δ = sup over losses of (1 − e^{ε − L})_+ / e^{(α−1)L}, times the moment: by a search."""
    order, value, epsilon = 3.5, 0.9, 1.2
    losses = np.linspace(epsilon, epsilon + 20, 2_000_001)
    ratio = -np.expm1(epsilon - losses) * np.exp(-(order - 1) * losses)
    best = float(ratio.max()) * math.exp((order - 1) * value)
    assert improved_delta(order, value, epsilon) == pytest.approx(best, rel=1e-9, abs=0)


def test_the_order_of_the_forms() -> None:
    for delta in (0.1, 1e-5, 1e-20):
        plain = epsilon_from_curve(gaussian, delta, mironov_epsilon)
        improved = epsilon_from_curve(gaussian, delta)
        joint = optimal_epsilon(gaussian, delta)
        assert joint <= improved * (1 + 1e-8)
        assert improved < plain
        assert gaussian_profile(joint, 1.0) < delta
        assert joint > 0


def test_the_closed_form_for_a_linear_curve() -> None:
    """ρα with ρ = 1/2: ρ + 2·√(ρ·log(1/δ)) by Mironov's form (Bun and Steinke 2016)."""
    for delta in (0.3, 1e-5, 1e-200):
        exact = 0.5 + 2 * math.sqrt(0.5 * -math.log(delta))
        assert epsilon_from_curve(gaussian, delta, mironov_epsilon) == pytest.approx(
            exact, rel=1e-8
        )


def test_improved_minimum_in_fifty_digits() -> None:
    with mp.workdps(50):

        def value(a: mpf) -> mpf:
            return a / 2 + mp.log(1 - 1 / a) - mp.log(mpf(1e-5) * a) / (a - 1)

        a = mp.findroot(lambda a: mp.diff(value, a), mpf(5))
        assert epsilon_from_curve(gaussian, 1e-5) == pytest.approx(float(value(a)), rel=1e-9, abs=0)


def test_optimal_delta_known_values() -> None:
    """On 13 orders the joint conversion of μ = 1 at ε = 1 is 0.2169; the exact profile 0.1269."""
    value = optimal_delta(gaussian, 1.0)
    assert gaussian_profile(1.0, 1.0) < value < 0.2170
    assert value < min(improved_delta(a, a / 2, 1.0) for a in np.linspace(1.1, 5, 200))


def test_both_directions_matter() -> None:
    weak = optimal_epsilon(gaussian, 1e-3)
    strong = optimal_epsilon(gaussian, 1e-3, lambda order: 2 * order)
    assert strong > weak


def test_a_sampled_curve() -> None:
    """Ten thousand steps of a sampled Gaussian (σ = 1.1, q = 0.01, δ = 1e-5: exactly 5.1926)."""
    epsilon = epsilon_from_curve(
        lambda order: 10_000 * rdp_poisson(lambda a: a / (2 * 1.1**2), 0.01, order, factor=1), 1e-5
    )
    assert 5.1926 < epsilon < 5.9


def test_moments_bound_delta_and_the_printed_lemma_does_not() -> None:
    """Two outcomes: p/q = 1 + x with q-probability m. At e^ε = 11 the printed form is below."""
    mass, ratio = 0.01, 24.81
    p, q = [mass * ratio, 1 - mass * ratio], [mass, 1 - mass]
    moment = sum(b * (a / b - 1) ** 2 for a, b in zip(p, q, strict=True))
    truth = hockey_stick(p, q, 11.0)
    bound = pearson_vajda_delta(2.0, math.log(moment), math.log(11.0))
    assert moment / 10**2 < truth <= bound < 1.1 * truth


@pytest.mark.parametrize("order", [1.5, 2.0, 7.0])
def test_moments_bound_delta(order: float) -> None:
    rng = np.random.default_rng(2)
    for _ in range(200):
        p, q = rng.dirichlet(np.full(4, 0.4), size=2) + 1e-9
        p, q = p / p.sum(), q / q.sum()
        log_moment = math.log(float((q * np.abs(p / q - 1) ** order).sum()))
        for epsilon in (0.1, 1.0, 4.0):
            bound = pearson_vajda_delta(order, log_moment, epsilon)
            assert hockey_stick(p, q, math.exp(epsilon)) <= bound * (1 + 1e-12)


def test_arrays_and_ends() -> None:
    orders = np.array([2.0, 4.0])
    assert improved_epsilon(orders, orders / 2, 1e-3).shape == (2,)
    assert isinstance(improved_epsilon(2.0, 1.0, 1e-3), float)
    assert improved_epsilon(2.0, 0.0, 0.9) == 0
    assert mironov_delta(2.0, 3.0, 1.0) == 1
    assert improved_delta(2.0, math.inf, 1.0) == 1
    assert epsilon_from_curve(lambda order: math.inf, 1e-3) == math.inf


def test_bad_input() -> None:
    with pytest.raises(ParameterError, match="order must be in"):
        mironov_epsilon(1.0, 1.0, 0.1)
    with pytest.raises(ParameterError, match="delta must be in"):
        improved_epsilon(2.0, 1.0, 0.0)
    with pytest.raises(ParameterError, match="divergence must be in"):
        improved_delta(2.0, -1.0, 0.1)
