"""Sums of terms with huge exponents that cancel, against 60 digits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpmath import mp, mpf

from hockeystick.numerics.binomial import log_binomial, log_binomials
from hockeystick.numerics.binomial_terms import log_weights, split, split_log
from hockeystick.numerics.log_sum import log_expm1, log_one_plus, log_sum_exp


def test_split_is_exact() -> None:
    values = np.array([0.0, 1e-30, math.pi, 6999.123456789, math.inf])
    parts = split(values)
    assert np.array_equal(parts.high + parts.low, values)
    assert np.array_equal(parts.high[:4] * 2**20, np.rint(parts.high[:4] * 2**20))
    assert np.abs(parts.low).max() <= 2.0**-21


@pytest.mark.parametrize("rate", [1e-300, 1e-6, 0.3, 1 - 2**-53])
def test_split_logarithms(rate: float) -> None:
    with mp.workdps(60):
        for complement, x in ((False, mpf(rate)), (True, 1 - mpf(rate))):
            parts = split_log(rate, complement)
            assert abs(mpf(float(parts.high)) + mpf(float(parts.low)) - mp.log(x)) < mpf(10) ** -22


@pytest.mark.parametrize("n", [2, 3, 10, 511, 512, 1024, 3000])
def test_binomials(n: int) -> None:
    with mp.workdps(60):
        logs = log_binomials(n)
        assert len(logs) == n - 1
        allowed = 1e-13 if n <= 1024 else 1e-12
        for j in sorted({2, n // 3 + 2, n // 2 + 1, n - 1, n} & set(range(2, n + 1))):
            assert abs(logs[j - 2] - mp.log(mp.binomial(n, j))) <= allowed


def test_one_binomial_of_a_million_is_as_good_as_its_logarithm() -> None:
    n = 10**6
    chosen = [0, 1, 2, 15, 16, 17, 1000, n // 3, n // 2, n - 1000, n - 16, n - 2, n - 1, n]
    logs = log_binomial(n, np.array(chosen))
    with mp.workdps(40):
        for j, value in zip(chosen, logs, strict=True):
            exact = mp.loggamma(n + 1) - mp.loggamma(j + 1) - mp.loggamma(n - j + 1)
            assert abs(value - exact) <= 1e-15 * exact + mpf(10) ** -30


def test_weights_keep_thirteen_digits() -> None:
    """C(512, j)·q^j·(1 − q)^(512 − j)·e^{(j−1)ε}, exponents to 7000."""
    epsilon = 13.77
    logs = log_weights(512, np.full(511, epsilon), 1e-6, complement=True)
    with mp.workdps(60):
        for j in (2, 100, 300, 512):
            truth = (
                mp.log(mp.binomial(512, j))
                + j * mp.log(mpf(1e-6))
                + (512 - j) * mp.log1p(-mpf(1e-6))
                + (j - 1) * mpf(epsilon)
            )
            assert abs(logs[j - 2] - truth) <= 1.2e-13


def test_sums() -> None:
    assert log_sum_exp(np.array([-math.inf, -math.inf])) == -math.inf
    assert log_sum_exp(np.array([1.0, math.inf])) == math.inf
    assert log_sum_exp(np.array([1000.0, 1000.0])) == pytest.approx(
        1000 + math.log(2), rel=1e-15, abs=0
    )
    assert log_one_plus(np.array([-40.0])) == pytest.approx(math.exp(-40), rel=1e-14, abs=0)
    assert log_one_plus(np.array([])) == 0
    assert float(log_expm1(np.array(1e-9))) == pytest.approx(math.log(1e-9), rel=1e-9, abs=0)
    assert float(log_expm1(np.array(2000.0))) == 2000
    assert float(log_expm1(np.array(0.0))) == -math.inf
