"""Elementary functions without their first terms, against multiple precision."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpc, mpf

from hockeystick.numerics import series

numbers = st.one_of(
    st.floats(-30, 30),
    st.floats(-0.3, 0.3),
    st.floats(-1e-6, 1e-6),
    st.sampled_from([0.0, series.SMALL, -series.SMALL, np.nextafter(series.SMALL, 0), 1e-99]),
).map(lambda x: x if abs(x) > 1e-100 else 0.0)


def relative(value: float, truth: mpf) -> float:
    if truth == 0:
        return abs(value)
    return float(abs(mpf(float(value)) - truth) / abs(truth))


@given(st.lists(numbers, min_size=1, max_size=8))
def test_exp_minus(xs: list[float]) -> None:
    """Mixed sizes in one array: series and plain difference are blended element by element."""
    with mp.workdps(320):
        for x, value in zip(xs, series.exp_minus(np.array(xs)), strict=True):
            assert relative(value, mp.expm1(mpf(x)) - mpf(x)) < 2e-14


@given(st.lists(numbers, min_size=1, max_size=8))
def test_sin_minus(xs: list[float]) -> None:
    x = np.array(xs)
    with mp.workdps(320):
        for each, value in zip(xs, series.sin_minus(x, np.sin(x)), strict=True):
            assert relative(value, mp.sin(mpf(each)) - mpf(each)) < 1e-13


@given(st.lists(numbers, min_size=1, max_size=8))
def test_entropy(xs: list[float]) -> None:
    values = series.entropy(np.array(xs))
    assert (values >= 0).all()
    with mp.workdps(320):
        for x, value in zip(xs, values, strict=True):
            e = mp.exp(mpf(x))
            assert relative(value, x * e - e + 1) < 2e-14


@given(numbers, numbers)
def test_log1p(real: float, imaginary: float) -> None:
    """Accurate near 0 in each component, where numpy's own complex log1p loses the real part."""
    value = series.log1p(np.array([real]), np.array([imaginary]))[0]
    with mp.workdps(320):
        inside = 1 + mpc(real, imaginary)
        # Near a zero of e^K only its absolute accuracy is left, and matters.
        assert abs(mp.exp(mpc(complex(value))) - inside) <= 1e-14 * (1 + abs(inside))
        if abs(inside) > 0.1:
            truth = mp.log(inside)
            assert abs(mpc(complex(value)) - truth) <= 1e-14 * abs(truth)


@pytest.mark.parametrize("x", [1e-8, 1e-12, 1e-100])
def test_log1p_keeps_a_tiny_real_part(x: float) -> None:
    """K is of this size at one step, and is then multiplied by the number of steps."""
    value = series.log1p(np.array([x]), np.array([0.0]))[0]
    assert relative(value.real, mp.log1p(mpf(x))) < 1e-15


@pytest.mark.parametrize("gap", [0.0, 1e-12, 1e-6])
def test_log1p_near_the_zero_of_the_argument(gap: float) -> None:
    """e^K of a symmetric law does vanish; there its absolute value must be right."""
    value = series.log1p(np.array([-1.0]), np.array([gap]))[0]
    assert abs(np.exp(value) - 1j * gap) <= 1e-15
