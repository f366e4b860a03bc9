"""The root finder brackets, is tight, and raises rather than answer without a sign change."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hockeystick.errors import NumericalError
from hockeystick.numerics.roots import find_root, last_true, last_whole

CASES: list[tuple[str, Callable[[float], float], float, float, float]] = [
    ("line", lambda x: 3 * x - 1, -1.0, 2.0, 1 / 3),
    ("decreasing", lambda x: 2 - x**3, 0.0, 2.0, 2 ** (1 / 3)),
    ("steep", lambda x: math.exp(50 * x) - 1e10, 0.0, 3.0, math.log(1e10) / 50),
    ("flat at the root", lambda x: (x - 0.5) ** 9, 0.0, 2.0, 0.5),
    ("a jump", lambda x: -1.0 if x < math.pi else 1.0, 0.0, 100.0, math.pi),
    ("far away", lambda x: math.log(x) - 200, 1.0, 1e100, math.exp(200)),
    ("tiny", lambda x: x - 1e-200, 0.0, 1.0, 1e-200),
]


@pytest.mark.parametrize(
    ("function", "low", "high", "root"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_brackets_the_root(
    function: Callable[[float], float], low: float, high: float, root: float
) -> None:
    a, b = find_root(function, low, high)
    assert low <= a <= b <= high
    assert function(a) * function(b) <= 0
    assert a == pytest.approx(root, rel=1e-12, abs=1e-300) or a <= root <= b
    assert b - a <= 1e-14 * max(abs(a), abs(b)) + 1e-300


@given(st.floats(-1e3, 1e3), st.floats(0.01, 1e3), st.floats(0.01, 1e3))
def test_brackets_any_cubic(root: float, left: float, right: float) -> None:
    def function(x: float) -> float:
        return (x - root) * (1 + (x - root) ** 2)

    a, b = find_root(function, root - left, root + right)
    assert a <= root <= b or function(a) == 0
    assert b - a <= 1e-14 * max(abs(a), abs(b))


@given(st.floats(1e-9, 1e-2))
def test_stops_at_the_tolerance(tolerance: float) -> None:
    calls = 0

    def function(x: float) -> float:
        nonlocal calls
        calls += 1
        return x * x - 2

    a, b = find_root(function, 0.0, 2.0, tolerance)
    assert b - a <= tolerance
    assert a * a <= 2 <= b * b
    assert calls < 40


def test_an_end_that_is_a_root_is_the_answer() -> None:
    assert find_root(lambda x: x, 0.0, 1.0) == (0.0, 0.0)
    assert find_root(lambda x: x - 1, 0.0, 1.0) == (1.0, 1.0)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: 1.0,
        lambda x: x * x + 1,
        lambda x: math.nan,
        lambda x: math.nan if x == 1 else -1.0,
    ],
    ids=["constant", "no root", "not a number", "not a number at one end"],
)
def test_no_sign_change_is_an_error(function: Callable[[float], float]) -> None:
    with pytest.raises(NumericalError):
        find_root(function, -1.0, 1.0)


def test_not_a_number_inside_is_an_error() -> None:
    with pytest.raises(NumericalError, match="not a number"):
        find_root(lambda x: math.nan if 0.1 < x < 0.9 else x - 0.5, 0.0, 1.0)


@given(st.integers(-(10**6), 10**6), st.integers(1, 10**6), st.booleans())
def test_the_last_whole_number_in_either_direction(last: int, gap: int, up: bool) -> None:
    sign = 1 if up else -1
    start, beyond = last - sign * (gap // 2), last + sign * gap
    assert last_whole(lambda n: sign * (n - last) <= 0, start, beyond) == (last, last + sign)


@given(st.floats(0.0, 1.0, exclude_max=True), st.integers(0, 60))
def test_halving_keeps_the_edge_between_its_ends(edge: float, rounds: int) -> None:
    low, high = last_true(lambda x: x <= edge, 0.0, 1.0, rounds)
    assert low <= edge < high
    assert high - low <= max(2.0**-rounds, math.ulp(high))


def test_a_nearly_straight_function_is_asked_on_its_chord_first() -> None:
    asked: list[float] = []

    def function(x: float) -> float:
        asked.append(x)
        return 3 * x - 1

    low, high = find_root(function, -1.0, 2.0, 1e-9, straight=True)
    assert low <= 1 / 3 <= high
    assert high - low <= 1e-9
    assert asked[2] == pytest.approx(1 / 3, abs=1e-15)
    assert len(asked) <= 5
    # An end without a finite value has no chord.
    low, high = find_root(lambda x: math.log(x) if x else -math.inf, 0.0, 3.0, 1e-9, straight=True)
    assert low <= 1 <= high
    assert high - low <= 1e-9
