"""The exponential mechanism: the largest Rényi divergence of bounded range, against 50 digits."""

from __future__ import annotations

import mpmath as mp
import pytest

from hockeystick import ExponentialMechanism


def largest(epsilon: float, order: float) -> mp.mpf:
    """Over the pairs with losses t and t − ε (Dong, Durfee and Rogers 2020), by halving."""
    with mp.workdps(80):
        e, s = mp.mpf(epsilon), mp.mpf(order) - 1

        def moment(t: mp.mpf) -> mp.mpf:
            low = mp.expm1(t) / mp.expm1(e)
            return s * t + mp.log(1 - low + low * mp.exp(-s * e))

        low, high = mp.mpf(0), e
        for _ in range(60):  # the least digits of the place do not matter: it is a maximum
            middle = (low + high) / 2
            step = e * mp.mpf("1e-30")
            low, high = (middle, high) if moment(middle + step) > moment(middle) else (low, middle)
        return moment(low) / s


@pytest.mark.parametrize("epsilon", [1e-8, 1e-4, 0.012, 0.49, 0.51, 2.0])
@pytest.mark.parametrize("order", [1 + 1e-6, 1.0202968291163335, 2.0, 70.0, 1e4])
def test_divergences_have_all_their_digits(epsilon: float, order: float) -> None:
    """Where (s+1)·ε < 1 the formula cancelled: at ε = 0.012 it was off by 1e-12."""
    truth = largest(epsilon, order)
    said = ExponentialMechanism(epsilon).rdp(order)
    assert said.lower <= truth <= said.upper
    assert said.upper - said.lower < 1e-12 * truth


def test_a_range_that_no_exponential_holds() -> None:
    said = ExponentialMechanism(900.0).delta(800.0)
    assert 1 - 1e-12 < said.lower <= said.upper <= 1
