"""A change of sign is found wherever it is, in few questions, and past bumps."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from hockeystick.numerics.edge import EdgeSearch

TOLERANCE = 5e-10


def found(search: EdgeSearch) -> tuple[float, float]:
    return search.refined(search.bracket(), TOLERANCE)


@pytest.mark.parametrize("root", [1e-60, 1e-3, 0.7, 1.0, 3.5, 1e4, 1e70])
@pytest.mark.parametrize("power", [-2.0, -1.0, 0.5, 1.0])
def test_a_power_is_straight(root: float, power: float) -> None:
    search = EdgeSearch(lambda x: power * (math.log(x) - math.log(root)))
    negative, positive = found(search)
    assert search.asked[negative] < 0 < search.asked[positive]
    assert negative == pytest.approx(root, rel=2 * TOLERANCE)
    assert len(search.asked) <= 8


@pytest.mark.parametrize(
    ("value", "root"),
    [
        (lambda x: math.log(1 / x**2 + 0.1) - math.log(0.2), math.sqrt(10)),
        (lambda x: math.inf if x < 40 else math.log(100 / x), 100),
        (lambda x: -math.inf if x > 40 else 30 - x, 30),
        (lambda x: math.log(x) - 3 + 0.3 * math.sin(5 * math.log(x)), None),
    ],
)
def test_what_is_not_straight(value: Callable[[float], float], root: float | None) -> None:
    search = EdgeSearch(value)
    negative, positive = found(search)
    assert value(negative) <= 0 <= value(positive)
    if root is not None:
        assert negative == pytest.approx(root, rel=2 * TOLERANCE)


def test_counts_end_next_to_each_other() -> None:
    search = EdgeSearch(lambda n: math.log(n / 3362.5), integer=True)
    assert found(search) == (3362, 3363)
    assert len(search.asked) <= 6


def test_a_count_of_one() -> None:
    assert found(EdgeSearch(lambda n: n - 1.5, integer=True)) == (1, 2)


def test_a_bump_at_the_beginning_does_not_end_the_search() -> None:
    """At 2 it is further from the root, which is at 1000, than at 1; at 1/2, too."""
    values = {1.0: 1.0, 2.0: 1.1, 0.5: 1.2}
    search = EdgeSearch(lambda x: values.get(x, 2 - 2 * math.log(x) / math.log(1000)))
    assert found(search)[0] == pytest.approx(1000, rel=2 * TOLERANCE)


def test_the_end_of_the_domain_is_asked_once_and_found_without_asking() -> None:
    search = EdgeSearch(lambda x: -2.0 + x, lambda x: x <= 1)
    assert search.bracket() is None
    assert max(search.asked) == 1
    assert len(search.asked) < 10
    search = EdgeSearch(lambda x: x - 6.9, lambda x: x < 7)
    assert found(search)[0] == pytest.approx(6.9)


def test_a_domain_without_one() -> None:
    search = EdgeSearch(lambda n: math.log(5000 / n), lambda n: n >= 600, integer=True)
    assert found(search) == (5001, 4999) or found(search)[0] == 5000
    assert EdgeSearch(lambda x: 1.0, lambda x: False).bracket() is None


def test_a_flat_function_is_asked_a_few_times_only() -> None:
    search = EdgeSearch(lambda x: 1 + 1 / x)
    assert search.bracket() is None
    assert len(search.asked) < 25


@pytest.mark.parametrize("root", [0.9, 1.04])
def test_across_is_one_step_where_the_slope_is_known(root: float) -> None:
    search = EdgeSearch(lambda x: -1.8 * math.log(x / root))
    ends = search.across(1.0, -1.8)
    assert ends is not None
    negative, positive = ends
    assert positive < root < negative
    assert len(search.asked) == 2
    assert search.across(1.0, 1e-3) is None  # a step that long is none to a place nearby


def test_across_counts() -> None:
    search = EdgeSearch(lambda x: x - 100.5, integer=True)
    assert search.across(97, 90.0) == (97, 101)
    assert search.across(101, 1e9) == (100, 101)
    assert all(isinstance(each, int) for each in search.asked)


@pytest.mark.parametrize("root", [1e-60, 0.3, 1.02, 3.5, 1e70])
@pytest.mark.parametrize("power", [-1.8, 0.5])
def test_chords_of_a_straight_line_lead_to_its_root(root: float, power: float) -> None:
    search = EdgeSearch(lambda x: power * (math.log(x) - math.log(root)), lambda x: x < 1e80)
    place = search.near(0.1)
    assert place is not None
    assert place[0] == pytest.approx(root, rel=1e-9)
    assert place[1] == pytest.approx(power)
    assert len(search.asked) <= 4


@pytest.mark.parametrize(
    ("value", "allowed", "root"),
    [
        (lambda x: math.log(1 / x**2 + 0.1) - math.log(0.2), lambda x: True, math.sqrt(10)),
        (lambda x: math.log(x / 0.2) + 0.3 * x, lambda x: x <= 1, 0.1889),
        # It jumps up where it is near 0, and falls there.
        (lambda x: math.log(x / 7) + (0.5 if x > 6 else -0.2) - 0.01 * x, lambda x: True, 6),
    ],
)
def test_chords_lead_near_the_root_of_what_is_not_straight(
    value: Callable[[float], float], allowed: Callable[[float], bool], root: float
) -> None:
    search = EdgeSearch(value, allowed)
    place = search.near(0.1)
    assert place is not None
    assert place[0] == pytest.approx(root, rel=0.1)
    assert place[1] * (value(root * 1.3) - value(root / 1.3)) > 0
    assert len(search.asked) <= 12


def test_chords_of_counts_and_where_they_lead_nowhere() -> None:
    place = EdgeSearch(lambda n: math.log(n**0.5 + n / 200) - 4.3186, integer=True).near(0.1)
    assert place is not None
    assert isinstance(place[0], int)
    assert 3000 < place[0] < 3700
    assert EdgeSearch(lambda x: 1.0).near(0.1) is None
    assert EdgeSearch(lambda x: math.inf).near(0.1) is None
    assert EdgeSearch(lambda x: 1 + 1 / x).near(0.1) is None
    assert EdgeSearch(lambda x: 1.0, lambda x: False).near(0.1) is None


def test_across_learns_from_a_slope_that_is_off() -> None:
    search = EdgeSearch(lambda x: -1.8 * math.log(x / 1.3))
    ends = search.across(1.0, -6.0)
    assert ends is not None
    assert ends[1] < 1.3 < ends[0]
    assert len(search.asked) == 3
