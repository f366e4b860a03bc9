"""Binomial probabilities by Loader's form, at the middle and at both ends."""

from __future__ import annotations

import numpy as np
import pytest
from mpmath import mp, mpf

from hockeystick.numerics.binomial_tail import log_mass, tail


def exact(l: int, k: int, epsilon: float) -> mpf:  # noqa: E741
    choose = mp.loggamma(k + 1) - mp.loggamma(l + 1) - mp.loggamma(k - l + 1)
    return choose - (k - l) * mpf(epsilon) - k * mp.log1p(mp.exp(-mpf(epsilon)))


@pytest.mark.parametrize("k", [1, 2, 17, 100, 10**4, 10**6])
@pytest.mark.parametrize("epsilon", [1e-9, 1e-3, 0.5, 1.5, 20.0, 2000.0])
def test_log_mass(k: int, epsilon: float) -> None:
    with mp.workdps(50):
        for l in sorted({0, 1, k // 3, k // 2, k // 2 + k // 100, k - k // 50, k - 1, k}):  # noqa: E741
            value = float(log_mass(np.array([float(l)]), k, epsilon)[0])
            truth = exact(l, k, epsilon)
            assert abs(value - truth) <= 2e-14 + 4e-15 * abs(truth)


def test_tail_sums() -> None:
    with mp.workdps(40):
        for k, epsilon, start in ((30, 0.3, 20), (400, 0.05, 150), (400, 0.05, 400), (5, 3.0, 0)):
            sums = tail(epsilon, k, start)
            masses = [mp.exp(exact(l, k, epsilon)) for l in range(start, k + 1)]  # noqa: E741
            behind = [mp.exp(-2 * mpf(epsilon) * i) for i in range(k - start + 1)]
            reverse = mp.fsum(m * b for m, b in zip(masses, behind, strict=True))
            excess = mp.fsum(m * (1 - b) for m, b in zip(masses, behind, strict=True))
            scale = mp.exp(mpf(sums.log_scale))
            assert abs(sums.reverse * scale - reverse) <= 1e-13 * reverse
            assert abs(sums.excess * scale - excess) <= 1e-13 * excess
