"""Minima are found where calculus says they are, with as few values as promised."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hockeystick.errors import NumericalError
from hockeystick.numerics.minimise import at_each, closer, golden, in_valley, value_or_inf

VALLEYS: list[tuple[str, Callable[[float], float], float, float]] = [
    ("x + a/x", lambda x: x + 1e6 / x, 1e3, 2e3),
    ("x·log x", lambda x: x * math.log(x), 1 / math.e, -1 / math.e),
    ("far to the right", lambda x: (math.log2(x) - 40) ** 2, 2.0**40, 0.0),
    ("far to the left", lambda x: (math.log2(x) + 20) ** 2, 2.0**-20, 0.0),
    ("a kink", lambda x: abs(x - math.pi), math.pi, 0.0),
]


def counted(function: Callable[[float], float]) -> tuple[Callable[[float], float], list[float]]:
    asked: list[float] = []

    def at(x: float) -> float:
        asked.append(x)
        return function(x)

    return at, asked


@pytest.mark.parametrize(
    ("function", "place", "least"), [v[1:] for v in VALLEYS], ids=[v[0] for v in VALLEYS]
)
def test_the_lowest_point_of_a_valley(
    function: Callable[[float], float], place: float, least: float
) -> None:
    at, asked = counted(function)
    x, value = in_valley(at, 1e-9)
    assert value == function(x)
    assert least <= value <= least + 1e-8 * (1 + abs(least))
    # Next to a smooth minimum, values tell places apart to about the root of their last digit.
    assert x == pytest.approx(place, rel=1e-6)
    assert len(asked) == len(set(asked)) <= 62 + 75


def test_a_value_is_met_even_where_most_are_out_of_reach() -> None:
    def narrow(x: float) -> float:
        if x > 1e-4:
            raise NumericalError("out of reach")
        return 1 / x

    x, value = in_valley(narrow, 1e-9)
    assert value == 1 / x
    assert 0.5e-4 < x <= 1e-4


@given(st.floats(-5, 5), st.floats(0.1, 50), st.floats(0.1, 50), st.floats(1e-6, 1e-2))
def test_golden_sections_close_in(place: float, left: float, right: float, near: float) -> None:
    at, asked = counted(lambda x: abs(x - place) ** 1.5)
    x, value = golden(at, place - left, place + right, near)
    assert abs(x - place) <= near
    assert value == abs(x - place) ** 1.5
    assert len(asked) <= math.log((left + right) / near) / math.log(1.618) + 3


def test_an_interval_that_is_narrow_already_still_has_a_value() -> None:
    x, value = golden(lambda x: x * x, 1.0, 1.5, 1.0)
    assert 1 < x < 1.5
    assert value == x * x


@given(st.floats(-0.9, 0.9), st.integers(1, 8))
def test_each_grid_is_eight_times_as_fine(place: float, rounds: int) -> None:
    x, value = closer(lambda grid: np.abs(grid - place), 0.0, 1.0, rounds)
    assert value == abs(x - place) <= 8.0**-rounds / 2 + 1e-15


def test_grids_find_the_lower_of_two_valleys() -> None:
    x, value = closer(lambda x: np.minimum(np.abs(x + 0.5) + 0.1, np.abs(x - 0.25)), 0.0, 1.0, 3)
    assert (x, value) == (0.25, 0.0)


def test_numbers_that_cannot_be_computed_are_infinite_and_bugs_surface() -> None:
    def inverse(x: float) -> float:
        if x == 0:
            raise NumericalError("no inverse")
        return 1 / x

    assert at_each(inverse)(np.array([0.0, 4.0])).tolist() == [math.inf, 0.25]
    with pytest.raises(ZeroDivisionError):
        value_or_inf(lambda x: 1 / x, 0.0)
