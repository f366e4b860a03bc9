"""Large orders of a mechanism that is known by its profile alone."""

from __future__ import annotations

import math

import pytest

import hockeystick as hs


def laplace(epsilon: float) -> float:
    return -math.expm1(min(epsilon - 1, 0) / 2)


def laplace_divergence(order: float) -> float:
    back = (order - 1) / (2 * order - 1) * math.exp(1 - 2 * order)
    return 1 + math.log(order / (2 * order - 1) + back) / (order - 1)


@pytest.mark.parametrize("order", [1.5, 20.0, 1000.0, 1e5])
def test_a_bounded_loss(order: float) -> None:
    truth = laplace_divergence(order)
    assert truth <= hs.ProfileDP(laplace).rdp(order) * (1 + 1e-12) <= truth * (1 + 1e-10)


@pytest.mark.slow
def test_what_floats_cannot_hold_is_an_error_not_a_small_answer() -> None:
    curve = hs.ProfileDP(hs.Gaussian(1.0))
    assert curve.rdp(20.0) == pytest.approx(10.0, rel=1e-9)
    for mechanism in (curve, curve.on(hs.Poisson(0.1))):
        with pytest.raises(hs.NumericalError, match="below 1e-270"):
            mechanism.rdp(100.0)
        assert mechanism.rdp(math.inf) == math.inf
        assert mechanism.epsilon(0) == math.inf
