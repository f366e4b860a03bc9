"""Numbers that are drawn digit by digit are compared and rounded as mpmath says."""

from __future__ import annotations

from fractions import Fraction

import pytest
from mpmath import mp, mpf

from hockeystick.random.digits import Digits, exponential_ends, under
from hockeystick.random.generators import source
from tests.support.fixed_words import Fixed


@pytest.mark.parametrize("cost", [0, 1, Fraction(1, 3), Fraction(44 * 2**60 + 1, 2**60), 5000])
@pytest.mark.parametrize("precision", [10, 30, 70])
def test_the_ends_enclose_the_exponential(cost: Fraction, precision: int) -> None:
    low, high = exponential_ends(Fraction(cost), precision)
    with mp.workdps(precision + 30):
        top = mpf(Fraction(cost).numerator) / Fraction(cost).denominator
        truth = mp.exp(-top)
        below, above = (mpf(end.numerator) / end.denominator for end in (low, high))
        assert below <= truth <= above
        assert below < truth < above or not cost
        assert above - below < truth * mpf(10) ** (3 - precision) * (1 + top)


def test_costs_beyond_all_floats_have_ends_too() -> None:
    low, high = exponential_ends(Fraction(10) ** 600, 30)
    assert low <= 0 < high < Fraction(1, 10**1000)


@pytest.mark.parametrize("steps", [-2, -1, 0, 1, 2])
def test_a_uniform_is_compared_with_all_the_digits_that_it_takes(steps: int) -> None:
    """Its first 128 digits are those of e^(−1/3)/2, and some steps of 2^−128 more."""
    with mp.workdps(80):
        truth = mp.exp(-mpf(1) / 3) / 2
        digits = int(mp.floor(truth * mpf(2) ** 192))
    first, second, third = digits >> 128, digits >> 64 & (2**64 - 1), digits & (2**64 - 1)
    words = Fixed(second + steps, 0, third - 1, 0)
    uniform, place = Digits(first, 64, words), Digits(0, 0, words)
    assert under(uniform, Fraction(2), lambda _: Fraction(1, 3), place) == (steps <= 0)
    assert uniform.places == (192 if steps == 0 else 128)


def test_a_place_is_drawn_on_while_it_matters() -> None:
    """Whether 1/2 < e^(−x): x below or above log 2."""
    with mp.workdps(80):
        digits = int(mp.floor(mp.log(2) * mpf(2) ** 192))
    for step, wanted in ((-4, True), (1, False)):
        words = Fixed(0, (digits >> 64 & (2**64 - 1)) + step)
        place = Digits(digits >> 128, 64, words)
        assert under(Digits(2**63, 64, words), Fraction(1), lambda x: x, place) == wanted


def test_the_integer_part_by_fractions() -> None:
    words = source(3)
    for _ in range(300):
        whole, factor = int(words(1)[0]), Fraction(int(words(1)[0]), 2**33)
        number = Digits(whole, 64, words)
        floor = number.floor(factor, Fraction(1, 2))
        low, high = number.ends
        assert Fraction(whole, 2**64) <= low < high <= Fraction(whole + 1, 2**64)
        assert floor <= factor * low + Fraction(1, 2)
        assert factor * high + Fraction(1, 2) <= floor + 1


def test_a_border_is_decided_by_the_first_word_that_can() -> None:
    """3x + 1/2 is 2 at x = 1/2 exactly; 2^64/3 lies between two words."""
    assert Digits(2**63, 64, Fixed()).floor(Fraction(3), Fraction(1, 2)) == 2
    assert Digits(2**63 - 1, 64, Fixed()).floor(Fraction(3), Fraction(1, 2)) == 1
    third = 2**64 // 3
    low, high = Digits(third, 64, Fixed(0)), Digits(third, 64, Fixed(2**64 - 1))
    assert (low.floor(Fraction(3), Fraction(0)), high.floor(Fraction(3), Fraction(0))) == (0, 1)
