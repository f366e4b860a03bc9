"""Rényi bounds for Poisson samples: the exact divergence of known pairs, and that they bound."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from mpmath import mp, mpf

from hockeystick.classical import rdp_lower_bound, rdp_poisson
from hockeystick.errors import ParameterError
from hockeystick.numerics.types import Array
from tests.support.bases import gaussian, truthful


@pytest.fixture(autouse=True)
def precision() -> Iterator[None]:
    with mp.workdps(50):
        yield


def bracket(curve, rate: float, order: int, factor: int) -> mpf:  # type: ignore[no-untyped-def]
    """(λ − 1)·ε'(λ) as the papers print it."""
    q = mpf(rate)
    total = (1 - q) ** (order - 1) * (1 + (order - 1) * q)
    for k in range(2, order + 1):
        power = mp.exp((k - 1) * mpf(curve(float(k))))
        weight = mp.binomial(order, k) * (1 - q) ** (order - k) * q**k
        total += weight * power * (factor if k > 2 else 1)
    return mp.log(total)


@pytest.mark.slow
@pytest.mark.parametrize("order", [2, 3, 30, 512])
@pytest.mark.parametrize("rate", [1e-6, 0.01, 0.5, 0.9])
def test_the_printed_formula_to_twelve_digits(rate: float, order: int) -> None:
    for base in (gaussian("5"), gaussian("0.8"), truthful("0.6")):
        for factor in (1, 3):
            exact = bracket(base.curve, rate, order, factor) / (order - 1)
            value = rdp_poisson(base.curve, rate, order, factor)
            assert abs(value - exact) <= 2e-13 * exact


@pytest.mark.parametrize("rate", [0.001, 0.3, 1.0])
def test_factor_one_is_the_divergence_of_the_mixed_pair(rate: float) -> None:
    """Randomized response: E_q(1 − γ + γ·p/q)^λ, summed over its two answers."""
    p, q = mpf(3) / 4, mpf(1) / 4
    for order in (2, 5, 40):
        moment = sum(b * (1 - mpf(rate) + mpf(rate) * a / b) ** order for a, b in ((p, q), (q, p)))
        value = rdp_poisson(truthful("0.75").curve, rate, order, factor=1)
        assert value == pytest.approx(float(mp.log(moment) / (order - 1)), rel=1e-13, abs=0)


def renyi(p: Array, q: Array, order: float) -> float:
    return float(np.log((p**order * q ** (1 - order)).sum()) / (order - 1))


def test_adding_a_record_costs_no_more_than_factor_one_says() -> None:
    """Random pairs, asymmetric ones above all, in both directions."""
    rng = np.random.default_rng(3)
    nearest = 0.0
    for _ in range(400):
        n = int(rng.integers(2, 5))
        laws = np.exp(rng.choice([0.5, 2.0, 5.0]) * rng.normal(size=(2, n)))
        with_it, without = laws / laws.sum(axis=1, keepdims=True)
        rate, order = float(rng.choice([0.01, 0.2, 0.7])), int(rng.choice([2, 3, 8]))

        def curve(a: float, p: Array = with_it, q: Array = without) -> float:
            return max(0.0, renyi(p, q, a), renyi(q, p, a))

        mixed = (1 - rate) * without + rate * with_it
        truth = max(renyi(mixed, without, order), renyi(without, mixed, order))
        bound = rdp_poisson(curve, rate, order, factor=1)
        assert truth <= bound * (1 + 1e-12) + 1e-14
        nearest = max(nearest, truth / bound)
    assert nearest > 0.99


def test_the_ends() -> None:
    base = truthful("0.75")
    assert rdp_poisson(base.curve, 0, 7) == 0
    assert rdp_poisson(base.curve, 1, 7, factor=1) == pytest.approx(base.curve(7), rel=1e-14, abs=0)
    assert rdp_poisson(lambda order: 0.0, 0.5, 7, factor=1) == 0
    top = rdp_poisson(lambda order: math.log(3), 0.25, math.inf)
    assert top == pytest.approx(math.log(1.5), rel=1e-14, abs=0)
    assert rdp_poisson(lambda order: math.inf, 0.25, 3) == math.inf


@pytest.mark.parametrize("factor", [0.5, math.nan, math.inf])
def test_bad_factor(factor: float) -> None:
    with pytest.raises(ParameterError, match="factor must be in"):
        rdp_poisson(lambda order: 1.0, 0.5, 3, factor)


def test_the_lower_bound_between_integers_is_below_the_pair_and_near() -> None:
    """The divergence of the mixed pair at real orders, which the chords must not exceed."""
    base = truthful("0.8")
    law = np.array([[0.8, 0.2], [0.2, 0.8]])
    for gamma in (0.05, 0.6):
        mixed = (1 - gamma) * law[1] + gamma * law[0]
        for order in np.arange(1.1, 9, 0.3):
            lower = rdp_lower_bound(base.curve, gamma, float(order))
            truth = renyi(mixed, law[1], float(order))
            assert lower <= truth * (1 + 1e-12)
            if order > 2:
                assert lower >= 0.8 * truth
    assert rdp_lower_bound(base.curve, 0.3, 1) == 0
