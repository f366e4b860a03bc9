"""Both ends hold the real number, and are the floats next to it."""

from __future__ import annotations

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from hockeystick.numerics.rounding import (
    added,
    around,
    around_product,
    exact_sum,
    probability_of_any,
    quotient_error,
)

probabilities = st.floats(0, 1)
ordinary = st.floats(-1e100, 1e100, allow_subnormal=False)


def tight(low: float, high: float, real: Fraction) -> bool:
    """Whether these are the floats next to a number, or the number itself."""
    inside = Fraction(low) <= real <= Fraction(high)
    return inside and (high == low or high == math.nextafter(low, math.inf))


@given(st.fractions(-(10**9), 10**9))
def test_around(real: Fraction) -> None:
    assert tight(*around(real), real)


def test_around_what_no_float_can_hold() -> None:
    largest = math.nextafter(math.inf, 0.0)
    assert around(Fraction(10) ** 400) == (largest, math.inf)
    assert around(-(Fraction(10) ** 400)) == (-math.inf, -largest)
    assert around(Fraction(1, 10**400)) == (0.0, 5e-324)


@given(ordinary, ordinary)
def test_around_product(one: float, other: float) -> None:
    assert tight(*around_product(one, other), Fraction(one) * Fraction(other))


@given(ordinary, st.floats(1e-100, 1e100))
def test_quotient_error(top: float, bottom: float) -> None:
    real = Fraction(top) / Fraction(bottom)
    quotient = top / bottom
    error = Fraction(quotient_error(quotient, top, bottom))
    if abs(quotient) >= 2.3e-308:
        assert abs(Fraction(quotient) - real) <= error
        assert error <= abs(real) / 2**50
        assert (error == 0) == (Fraction(quotient) == real)


@given(st.lists(st.tuples(ordinary, st.integers(0, 1000)), max_size=5))
def test_exact_sum(terms: list[tuple[float, int]]) -> None:
    one_by_one = Fraction(0)
    for value, count in terms:
        for digit, bit in enumerate(reversed(bin(count)[2:])):
            one_by_one += Fraction(value) * 2**digit * int(bit)
    assert exact_sum(terms) == one_by_one


@given(st.lists(st.tuples(probabilities, st.integers(0, 6)), max_size=4))
def test_probability_of_any(events: list[tuple[float, int]]) -> None:
    none = math.prod(((1 - Fraction(p)) ** count for p, count in events), start=Fraction(1))
    low, high = probability_of_any(events)
    assert Fraction(low) <= 1 - none <= Fraction(high)
    assert high - low <= 2**-52 * high or high <= 5e-324


@given(probabilities, probabilities, probabilities, probabilities)
def test_added(a: float, b: float, c: float, d: float) -> None:
    least, most, rest = min(a, b), max(a, b), (min(c, d), max(c, d))
    low, high = added(least, most, rest)
    assert Fraction(low) <= Fraction(least) + Fraction(rest[0])
    assert Fraction(high) >= min(Fraction(1), Fraction(most) + Fraction(rest[1]))
    assert low >= (least + rest[0]) * (1 - 2**-51) - 5e-324
    assert high <= (most + rest[1]) * (1 + 2**-51) + 5e-324
