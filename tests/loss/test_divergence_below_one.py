"""Rényi divergences at orders in [0, 1): sums and integrals of p^α·q^(1−α)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

import hockeystick as hs

ORDERS = (0.1, 0.5, 0.9)


@pytest.mark.parametrize("order", ORDERS)
def test_gaussian(order: float) -> None:
    assert hs.Gaussian(2.0).rdp(order) == pytest.approx(order / 8, rel=1e-12)


@pytest.mark.parametrize("order", ORDERS)
def test_randomized_response(order: float) -> None:
    p, q = np.array([0.7, 0.3]), np.array([0.3, 0.7])
    truth = math.log((p**order * q ** (1 - order)).sum()) / (order - 1)
    found = (hs.RandomizedResponse(math.log(7 / 3)) * 5).rdp(order)
    assert found.lower <= 5 * truth * (1 + 1e-12)
    assert found == pytest.approx(5 * truth, rel=1e-11)


@pytest.mark.parametrize("order", ORDERS)
def test_the_larger_direction_of_a_sample(order: float) -> None:
    def power(a: float) -> float:
        def density(x: float) -> float:
            p = 0.8 * stats.norm.pdf(x) + 0.2 * stats.norm.pdf(x, 1)
            return float(p**a * stats.norm.pdf(x) ** (1 - a))

        return math.log(integrate.quad(density, -12, 14, epsabs=1e-14)[0])

    truth = max(power(order) / (order - 1), power(1 - order) / (order - 1))
    assert hs.Gaussian(1.0).on(hs.Poisson(0.2)).rdp(order) == pytest.approx(truth, rel=1e-9)


def test_where_outcomes_give_the_record_away() -> None:
    """(ε, δ)-DP: infinite from order 1 on, finite below; at 0 the mass that is never reached."""
    found = hs.ApproximateDP(1.0, 0.1).rdp([0.0, 0.5, 1.0])
    assert found[0] == pytest.approx(-math.log(0.9), rel=1e-12)
    p = 0.9 * math.e / (1 + math.e)
    half = -2 * math.log(2 * math.sqrt(p * (0.9 - p)))
    assert found[1] == pytest.approx(half, rel=1e-12)
    assert math.isinf(found[2])
    assert hs.Laplace(1.0).rdp(0) == 0.0


def test_of_a_curve_the_bound_at_order_one() -> None:
    found = hs.RenyiDP({1.5: 0.2, 2: 0.3}).rdp(0.5)
    assert (found.lower, found.upper) == (0.0, 0.2)
