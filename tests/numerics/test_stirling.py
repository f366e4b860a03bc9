"""What Stirling's formula leaves, against multiple precision; one series for all that use it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpmath import mp, mpc, mpf

from hockeystick.numerics.stirling import factorial_remainder, remainder


def left_over(z: mpc) -> mpc:
    return mp.loggamma(z) - (z - 0.5) * mp.log(z) + z - mp.log(2 * mp.pi) / 2


@pytest.mark.parametrize("n", [1, 2, 7, 15, 16, 17, 100, 10**6, 10**15])
def test_of_factorials(n: int) -> None:
    value = float(factorial_remainder(np.array([float(n)]))[0])
    with mp.workdps(60):
        exact = mp.loggamma(n + 1) - (n + mpf(0.5)) * mp.log(n) + n - mp.log(2 * mp.pi) / 2
        assert abs(mpf(value) - exact) <= 1e-14  # below 16 by subtraction
        if n >= 16:
            assert abs(mpf(value) - exact) <= 1e-15 * exact


def test_of_factorials_is_that_of_gamma() -> None:
    n = np.arange(1.0, 60.0)
    assert factorial_remainder(n) == pytest.approx(remainder(n).real, abs=1e-14)
    assert factorial_remainder(np.zeros(1)).tolist() == [0.0]


@pytest.mark.parametrize("size", [0.3, 2.0, 15.9, 16.0, 40.0, 1e6])
@pytest.mark.parametrize("angle", [0.0, 0.7, -1.5])
def test_on_the_right_half_plane(size: float, angle: float) -> None:
    z = size * complex(math.cos(angle), math.sin(angle))
    value = complex(remainder(z))
    with mp.workdps(60):
        exact = left_over(mpc(z))
        # Below 16 the formula is subtracted from log Γ, which is of this size.
        allowed = 1e-14 * (1 + abs(z) * (1 + abs(mp.log(abs(z))))) if size < 16 else 1e-15
        assert abs(mpc(value) - exact) <= allowed
