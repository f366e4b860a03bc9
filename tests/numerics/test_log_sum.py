"""Sums of exponentials against multiple precision, far beyond the range of floats."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from hockeystick.numerics.log_sum import log_expm1, log_one_plus, log_sum_exp

logs = st.lists(st.floats(-5000, 5000), min_size=1, max_size=8)


@given(logs)
def test_log_sum_exp(terms: list[float]) -> None:
    with mp.workdps(60):
        exact = mp.log(mp.fsum(mp.exp(mpf(x)) for x in terms))
        assert abs(mpf(float(log_sum_exp(np.array(terms)))) - exact) <= 1e-15 * (2 + abs(exact))


def test_along_an_axis_with_nothing_in_it_and_with_infinities() -> None:
    rows = np.array([[0.0, math.log(3)], [-math.inf, -math.inf], [math.inf, 0.0]])
    expected = [math.log(4), -math.inf, math.inf]
    assert log_sum_exp(rows).tolist() == pytest.approx(expected, rel=1e-15)
    assert log_sum_exp(rows.T, axis=0).tolist() == log_sum_exp(rows).tolist()
    assert log_sum_exp(np.empty((2, 0))).tolist() == [-math.inf, -math.inf]


@pytest.mark.slow
@given(logs)
@settings(max_examples=10)
def test_log_one_plus(terms: list[float]) -> None:
    with mp.workdps(4500):
        exact = mp.log1p(mp.fsum(mp.exp(mpf(x)) for x in terms))
        value = log_one_plus(np.array(terms))
        assert abs(mpf(value) - exact) <= 1e-12 * exact + mpf(5e-324)


@given(st.floats(0, 3000))
def test_log_expm1(x: float) -> None:
    value = float(log_expm1(np.array(x)))
    with mp.workdps(400):
        if x == 0:
            assert value == -math.inf
        else:
            exact = mp.log(mp.expm1(mpf(x)))
            assert abs(mpf(value) - exact) <= 1e-15 * (1 + abs(exact))
