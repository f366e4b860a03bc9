"""The binomial law against fractions, and its confidence bounds against sums of it."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hockeystick.numerics.binomial import binomial_above, binomial_weights
from hockeystick.numerics.clopper_pearson import at_least, at_most


def law(trials: int, probability: float) -> list[Fraction]:
    p = Fraction(probability)
    return [math.comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(trials + 1)]


@given(st.integers(1, 60), st.floats(1e-6, 1 - 1e-6))
def test_weights(trials: int, probability: float) -> None:
    exact = [float(mass) for mass in law(trials, probability)]
    assert binomial_weights(trials, probability, trials).tolist() == pytest.approx(exact, rel=1e-12)
    few = binomial_weights(trials, probability, trials // 2)
    assert few.tolist() == pytest.approx(exact[: trials // 2 + 1], rel=1e-12)


def test_weights_of_what_is_certain() -> None:
    assert binomial_weights(3, 1.0, 3).tolist() == [0, 0, 0, 1]
    assert binomial_weights(3, 0.0, 3).tolist() == [1, 0, 0, 0]


@given(st.integers(1, 60), st.floats(1e-6, 1 - 1e-6), st.data())
def test_above(trials: int, probability: float, data: st.DataObject) -> None:
    count = data.draw(st.integers(-1, trials))
    exact = float(sum(law(trials, probability)[count + 1 :]))
    assert binomial_above(count, trials, probability) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize(("happened", "trials"), [(1, 1), (3, 20), (20, 20), (40, 60)])
@pytest.mark.parametrize("miss", [0.05, 1e-6])
def test_confidence_bounds_miss_as_often_as_they_say(
    happened: int, trials: int, miss: float
) -> None:
    low, high = float(at_least(happened, trials, miss)), float(at_most(happened, trials, miss))
    assert 0 < low < happened / trials <= high <= 1
    assert float(sum(law(trials, low)[happened:])) == pytest.approx(miss, rel=1e-9)
    if happened < trials:
        assert float(sum(law(trials, high)[: happened + 1])) == pytest.approx(miss, rel=1e-9)


def test_confidence_bounds_of_what_never_happened() -> None:
    assert float(at_least(0, 7, 0.05)) == 0
    assert float(at_most(7, 7, 0.05)) == 1
