"""r_α, the asymptotes, Theorem 2, Dobrushin's coefficient and order infinity."""

from __future__ import annotations

import math

import mpmath as mp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hockeystick.bernoulli import (
    amplify,
    asymptote,
    contraction,
    largest_loss,
    majority_bound,
    symmetric_divergence,
)
from tests.oracles import bernoulli as oracle


@pytest.mark.parametrize("p", [0.5, 0.499999, 0.3, 0.9, 1e-5, 1e-300])
@pytest.mark.parametrize("order", [1.001, 2, 50, 1000])
def test_symmetric_divergence(p: float, order: float) -> None:
    with mp.workdps(400):
        exact = mp.mpf(p)
        value = float(oracle.renyi([exact, 1 - exact], [1 - exact, exact], order))
    assert symmetric_divergence(p, order) == pytest.approx(value, rel=2e-12, abs=1e-15)


def test_symmetric_divergence_at_the_ends() -> None:
    assert symmetric_divergence(0.0, 2) == symmetric_divergence(1.0, 2) == math.inf
    assert symmetric_divergence(0.2, math.inf) == pytest.approx(math.log(4), rel=1e-15)


def test_the_paper_s_interval_of_epsilon() -> None:
    """After Theorem 2: p in [0.01, 0.49] are ε in [0.026, 4.59] at order 50."""
    assert symmetric_divergence(0.49, 50) == pytest.approx(0.0262, abs=5e-4)
    assert symmetric_divergence(0.01, 50) == pytest.approx(4.595, abs=2e-3)


def test_asymptotes_are_what_the_coins_of_opposite_corners_say() -> None:
    law = [oracle.coin_law([(theta, theta)], [1], 2) for theta in (0.8, 0.2)]
    value = float(oracle.renyi(law[0], law[1], 5))
    assert asymptote(5, 0.2, 2, 2) == pytest.approx(value, rel=1e-13)
    assert amplify(1e6, 5, 0.2, 2, 2).lower == pytest.approx(value, rel=1e-11)


@settings(max_examples=40)
@given(
    st.floats(0.01, 8.0),
    st.floats(1.05, 60.0),
    st.floats(0.001, 0.45),
    st.sampled_from([1, 3, 10, 40, 200]),
)
def test_theorem_2_is_a_lower_bound_and_contraction_an_upper(
    epsilon: float, order: float, c: float, d: int
) -> None:
    answer = amplify(epsilon, order, c, d, close=1e-3)
    assert majority_bound(epsilon, order, c, d) <= answer.upper * (1 + 1e-12)
    assert answer.lower <= contraction(epsilon, order, c, d) <= epsilon * (1 + 1e-12)


def test_theorem_2_says_nothing_for_few_coins() -> None:
    assert majority_bound(1.0, 50, 0.1, dimension=1) == 0.0
    assert majority_bound(1.0, 50, 0.1, dimension=10**4) == pytest.approx(1.0, rel=1e-12)


def test_contraction_by_the_total_variation_of_one_coin() -> None:
    value = math.log(1 + 0.8 * math.expm1(2.0)) / 2.0
    assert contraction(1.0, 3, 0.1) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(("epsilon", "c", "n"), [(1e-8, 0.1, 1), (3.0, 0.3, 5), (800.0, 1e-3, 200)])
def test_largest_loss(epsilon: float, c: float, n: int) -> None:
    with mp.workdps(800):
        g, s = (mp.mpf(c) / (1 - mp.mpf(c))) ** n, mp.exp(-epsilon)
        value = float(mp.log((1 + g * s) / (g + s)))
    assert largest_loss(epsilon, c, n) == pytest.approx(value, rel=1e-13)
