"""Rényi divergences that the literature has in closed form, at real orders, 1 and infinity."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

import hockeystick as hs

orders = st.floats(1.001, 200.0)


def exactly(value: float) -> Any:
    """Equal to eleven digits, however small the value is."""
    return pytest.approx(value, rel=1e-11, abs=0.0)


@given(st.floats(0.05, 100.0), orders)
def test_gaussian(noise: float, order: float) -> None:
    """α/2σ² (Mironov 2017, Proposition 7); 2α/σ² when a record is replaced."""
    mechanism = hs.Gaussian(noise)
    assert mechanism.rdp(order) == exactly(order / (2 * noise**2))
    replaced = mechanism.rdp(order, relation=hs.REPLACE_ONE)
    assert replaced == exactly(2 * order / noise**2)
    assert mechanism.rdp(1.0) == exactly(1 / (2 * noise**2))
    assert mechanism.rdp(math.inf) == math.inf


@given(st.floats(0.05, 100.0), orders)
def test_laplace(noise: float, order: float) -> None:
    """Mironov (2017), Proposition 6."""
    a, b = mpf(order), mpf(noise)
    with mp.workdps(50):
        up = a / (2 * a - 1) * mp.exp((a - 1) / b)
        down = (a - 1) / (2 * a - 1) * mp.exp(-a / b)
        truth = float(mp.log(up + down) / (a - 1))
        mean = float(1 / b + mp.expm1(-1 / b))
    mechanism = hs.Laplace(noise)
    assert mechanism.rdp(order) == exactly(truth)
    assert mechanism.rdp(1.0) == exactly(mean)
    assert mechanism.rdp(math.inf) == exactly(1 / noise)


@given(st.floats(0.501, 0.999), orders)
def test_randomized_response(truth: float, order: float) -> None:
    """Mironov (2017), Proposition 5."""
    a, p = mpf(order), mpf(truth)
    with mp.workdps(50):
        q = 1 - p
        value = float(mp.log(p**a * q ** (1 - a) + q**a * p ** (1 - a)) / (a - 1))
        mean = float((2 * p - 1) * mp.log(p / q))
        top = float(mp.log(p / q))
    mechanism = hs.RandomizedResponse.truthful(truth)
    # The mechanism is kept by its ε = log(p/q), whose rounding a small ε feels twice.
    assert mechanism.rdp(order) == pytest.approx(value, rel=1e-11 + 1e-14 / top)
    assert mechanism.rdp(1.0) == pytest.approx(mean, rel=1e-11 + 1e-14 / top)
    assert mechanism.rdp(math.inf) == pytest.approx(top, rel=1e-11 + 1e-14 / top)


@given(st.floats(0.0, 3.0), st.floats(0.0, 1.0), orders)
def test_concentrated(rho: float, xi: float, order: float) -> None:
    assert hs.ZeroConcentratedDP(rho, xi).rdp(order) == pytest.approx(xi + rho * order, rel=1e-12)
    curve = hs.TruncatedConcentratedDP(rho, omega=50.0).rdp(order)
    assert curve == (pytest.approx(rho * order, rel=1e-12) if order < 50 else math.inf)


@pytest.mark.parametrize("noise", [0.5, 1.0, 4.0])
@pytest.mark.parametrize("rate", [0.001, 0.1, 0.7])
@pytest.mark.parametrize("order", [2, 3, 5, 17])
def test_sampled_gaussian_at_integer_orders(noise: float, rate: float, order: int) -> None:
    """The binomial sum of Mironov, Talwar and Zhang (2019), Section 3.3: the remove direction."""
    with mp.workdps(50):
        q, variance = mpf(rate), mpf(noise) ** 2
        moment = mp.fsum(
            mp.binomial(order, k)
            * (1 - q) ** (order - k)
            * q**k
            * mp.exp(k * (k - 1) / 2 / variance)
            for k in range(order + 1)
        )
        truth = float(mp.log(moment) / (order - 1))
    mechanism = hs.Gaussian(noise).on(hs.Poisson(rate))
    assert mechanism.rdp(float(order)) == pytest.approx(truth, rel=1e-11)


def test_arrays_in_arrays_out() -> None:
    curve = hs.Laplace(1.0).rdp(np.array([[1.0, 2.0], [3.0, math.inf]]))
    assert curve.shape == (2, 2)
    assert curve[1, 1] == pytest.approx(1.0, rel=1e-12)
    assert curve[0, 1] == hs.Laplace(1.0).rdp(2.0)
