"""Integrals of functions with one peak, of which only the logarithm is a float."""

from __future__ import annotations

import math
from collections.abc import Callable

import mpmath as mp
import numpy as np
import pytest

from hockeystick.errors import NumericalError
from hockeystick.numerics.peak import log_integrals
from hockeystick.numerics.roots import last_true_by_grids
from hockeystick.numerics.types import Array


def one_integral(log_height: Callable[[Array], Array], start: float) -> float:
    return float(log_integrals(log_height, np.zeros(1), start)[0])


@pytest.mark.parametrize("farthest", [1.0, 60.0, 1e4])
def test_many_powers_share_a_table(farthest: float) -> None:
    """Peaks at the start, side by side, and so far apart that no table is fine enough."""
    powers, places = np.linspace(-5.0, farthest, 50), []

    def log_height(u: Array) -> Array:
        places.append(u.size)
        return np.asarray(-0.5 * u * u)

    found = log_integrals(log_height, powers, 3.0)
    with mp.workdps(40):
        truth = [
            mp.log(mp.sqrt(2 * mp.pi) * mp.ncdf(s - 3)) + s * s / 2 for s in map(mp.mpf, powers)
        ]
    np.testing.assert_allclose(found, np.array(truth, dtype=float), rtol=1e-13, atol=1e-13)
    assert farthest != 60 or sum(places) < 50 * 600  # without a table, 711 each


def test_several_powers_at_once() -> None:
    """∫ e^{power·u − u²/2} du over u > 3."""
    powers = np.array([0.0, 2.5, 60.0, 1e7])
    found = log_integrals(lambda u: -0.5 * u * u, powers, 3.0)
    with mp.workdps(40):
        truth = [
            mp.log(mp.sqrt(2 * mp.pi) * mp.ncdf(s - 3)) + s * s / 2 for s in map(mp.mpf, powers)
        ]
    np.testing.assert_allclose(found, np.array(truth, dtype=float), rtol=1e-13)


def test_what_ends_before_it_falls_is_an_error() -> None:
    with pytest.raises(NumericalError, match="not known"):
        one_integral(lambda u: np.where(u < 40, -0.01 * u, -math.inf), 0.0)


@pytest.mark.parametrize("start", [-3.0, 0.0, 7.0, 900.0, 1000.0, 1100.0])
@pytest.mark.parametrize("width", [0.3, 20.0])
def test_a_normal_peak_cut_anywhere(start: float, width: float) -> None:
    found = one_integral(lambda u: -0.5 * ((u - 1000) / width) ** 2, start)
    with mp.workdps(40):
        truth = mp.log(width * mp.sqrt(2 * mp.pi) * mp.ncdf((1000 - mp.mpf(start)) / width))
    assert found == pytest.approx(float(truth), abs=1e-11, rel=1e-13)


@pytest.mark.parametrize("power", [0.5, 40.0, 1e4])
def test_gamma_functions(power: float) -> None:
    """∫ e^{power·y − e^y} dy = Γ(power)."""
    found = one_integral(lambda y: power * y - np.exp(np.minimum(y, 600)), -60 / power - 30)
    assert found == pytest.approx(math.lgamma(power), abs=1e-10, rel=1e-14)


def test_what_does_not_fall_is_an_error() -> None:
    with pytest.raises(NumericalError, match="does not fall"):
        one_integral(lambda u: 2 * u, 0.0)


@pytest.mark.parametrize("level", [0.0, -12.339604])
def test_what_falls_by_rounding_only_is_an_error(level: float) -> None:
    """level + 4u − 4u, of which the last digits fall and rise."""
    with pytest.raises(NumericalError, match=r"does not fall|too slowly"):
        log_integrals(lambda u: level - 4 * u * (1 + 1e-16), np.array([4.0]), 152.3396)


def test_grids_close_in_from_either_side() -> None:
    low, high = last_true_by_grids(lambda x: x**3 < 10, 0.0, 100.0, 9)
    assert low**3 < 10 <= high**3
    assert high - low < 1e-11
    inside, outside = last_true_by_grids(lambda x: x**3 > 10, 100.0, 0.0, 9)
    assert outside**3 <= 10 < inside**3
    assert inside - outside < 1e-11
