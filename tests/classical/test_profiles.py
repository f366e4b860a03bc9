"""Closed-form profiles against the integral of [p − e^ε·q]_+ and against Φ in 60 digits."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from mpmath import mp, mpf

from hockeystick.classical import (
    approximate_profile,
    gaussian_log_profile,
    gaussian_profile,
    hockey_stick,
    laplace_log_profile,
    laplace_profile,
)
from hockeystick.errors import ParameterError


@pytest.fixture(autouse=True)
def precision() -> Iterator[None]:
    with mp.workdps(60):
        yield


def log_gaussian(epsilon: float, shift: float) -> mpf:
    e, t = mpf(epsilon), mpf(shift)
    return mp.log(mp.ncdf(t / 2 - e / t) - mp.exp(e) * mp.ncdf(-t / 2 - e / t))


@pytest.mark.parametrize("shift", [1e-3, 0.05, 0.7, 1.0, 3.0, 20.0, 100.0])
def test_gaussian(shift: float) -> None:
    for deviations in (-60, -9, -3, -2.0001, -1.9, 0, 1, 7, 37):
        epsilon = shift * (deviations + shift / 2)
        if epsilon < 0:
            continue
        exact = log_gaussian(epsilon, shift)
        value = gaussian_log_profile(epsilon, shift)
        assert abs(value - exact) <= 1e-12 + 1e-14 * abs(exact)
        assert gaussian_profile(epsilon, shift) == pytest.approx(
            float(mp.exp(exact)), rel=2e-12, abs=0
        )


def test_gaussian_near_one() -> None:
    """1 − δ to its own relative accuracy, where e^ε overflows: μ = 100, ε = 4700."""
    exact = log_gaussian(4700.0, 100.0)
    assert gaussian_log_profile(4700.0, 100.0) == pytest.approx(float(exact), rel=1e-12, abs=0)


def test_gaussian_where_delta_underflows() -> None:
    for epsilon, shift in ((100.0, 1.0), (5.0, 0.01), (3000.0, 20.0)):
        exact = log_gaussian(epsilon, shift)
        assert gaussian_log_profile(epsilon, shift) == pytest.approx(float(exact), rel=1e-13, abs=0)


@pytest.mark.parametrize("shift", [1e-9, 0.3, 1.0, 40.0])
def test_laplace(shift: float) -> None:
    for share in (0, 0.1, 0.5, 0.999, 1 - 1e-12):
        epsilon = share * shift
        exact = 1 - mp.exp((mpf(epsilon) - mpf(shift)) / 2)
        assert laplace_profile(epsilon, shift) == pytest.approx(float(exact), rel=1e-14, abs=0)
        assert laplace_log_profile(epsilon, shift) == pytest.approx(
            float(mp.log(exact)), rel=1e-13, abs=0
        )
    assert laplace_profile(shift, shift) == 0
    assert laplace_profile(shift * 2, shift) == 0


def test_laplace_is_the_hockey_stick_of_two_laplace_laws() -> None:
    with mp.workdps(20):
        for epsilon in (-0.7, 0.0, 0.4):
            crossing = (mpf(epsilon) + 1) / 2  # where |x| − |x − 1| = ε
            integral = mp.quad(
                lambda x, e=epsilon: (mp.exp(-abs(x - 1)) - mp.exp(e - abs(x))) / 2,
                [crossing, 1, 3, 10, 60] if crossing < 1 else [crossing, 3, 10, 60],
            )
            assert laplace_profile(epsilon, 1.0) == pytest.approx(float(integral), rel=1e-12, abs=0)


@pytest.mark.parametrize("profile", [laplace_profile, gaussian_profile])
def test_below_zero_by_reversal(profile) -> None:  # type: ignore[no-untyped-def]
    for epsilon in (0.1, 1.0, 5.0):
        reverse = -math.expm1(-epsilon) + math.exp(-epsilon) * profile(epsilon, 0.8)
        assert profile(-epsilon, 0.8) == pytest.approx(reverse, rel=1e-13, abs=0)


@pytest.mark.parametrize("profile", [laplace_profile, gaussian_profile])
def test_ends_and_arrays(profile) -> None:  # type: ignore[no-untyped-def]
    assert profile(0.0, 0.0) == 0
    assert profile(3.0, math.inf) == 1
    assert profile(math.inf, 2.0) == 0
    epsilons = np.array([[0.0, 0.5], [1.0, -1.0]])
    values = profile(epsilons, 1.3)
    assert values.shape == (2, 2)
    assert values[0, 1] == profile(0.5, 1.3)
    assert isinstance(profile(0.5, 1.3), float)


def test_approximate_profile_is_that_of_the_extremal_pair() -> None:
    e0, d0 = 0.8, 0.01
    p = math.exp(e0) / (1 + math.exp(e0))
    first = [d0, (1 - d0) * p, (1 - d0) * (1 - p), 0]
    second = [0, (1 - d0) * (1 - p), (1 - d0) * p, d0]
    for epsilon in (0.0, 0.3, 0.8, 2.0):
        exact = hockey_stick(first, second, math.exp(epsilon))
        assert approximate_profile(epsilon, e0, d0) == pytest.approx(exact, rel=1e-12, abs=0)
    assert approximate_profile(0.8, e0, d0) == pytest.approx(d0, rel=1e-12, abs=0)


def test_bad_input() -> None:
    with pytest.raises(ParameterError, match="shift must be in"):
        gaussian_profile(1.0, -1.0)
    with pytest.raises(ParameterError, match="epsilon must be a number"):
        laplace_profile(math.nan, 1.0)
    with pytest.raises(ParameterError, match="epsilon must be in"):
        approximate_profile(-1.0, 1.0, 0.1)
