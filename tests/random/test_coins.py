"""Coins: a comparison of integers that is right in every case, and the law of e^(−γ)."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

from hockeystick.random import coins
from hockeystick.random.coins import exponential, rational
from hockeystick.random.generators import source
from tests.support.choices import Choices, law
from tests.support.fixed_words import Fixed

LARGE = 3**50  # above 2^63, so that a fraction of it is compared digit by digit


def big(*values: int) -> Any:
    return np.array(values, dtype=object)


@pytest.mark.parametrize("numerator", [1, 3**49, 3**49 + 1, 2 * 3**49, 3**50 - 1])
def test_the_first_digit_decides_unless_it_is_the_fractions_own(numerator: int) -> None:
    digit, rest = divmod(numerator * 2**64, LARGE)
    if digit:
        assert rational(big(numerator), LARGE, Fixed(digit - 1)).tolist() == [True]
    if digit + 1 < 2**64:
        assert rational(big(numerator), LARGE, Fixed(digit + 1)).tolist() == [False]
    second, rest = divmod(rest * 2**64, LARGE)
    third = rest * 2**64 // LARGE
    words = digit, second, third
    assert rational(big(numerator), LARGE, Fixed(digit, second - 1)).tolist() == [True]
    assert rational(big(numerator), LARGE, Fixed(digit, second + 1)).tolist() == [False]
    assert rational(big(numerator), LARGE, Fixed(*words[:2], third - 1)).tolist() == [True]
    assert rational(big(numerator), LARGE, Fixed(*words[:2], third + 1)).tolist() == [False]


def test_the_ends_are_certain() -> None:
    ends = [rational(big(0, LARGE, 0, LARGE), LARGE, source(seed)) for seed in range(20)]
    assert np.array(ends).tolist() == [[False, True] * 2] * 20
    worst = Fixed(0, 2**64 - 1, 1, 1)
    assert rational(big(0, LARGE), LARGE, worst).tolist() == [False, True]


def test_a_digit_that_ties_is_settled_for_its_own_coin_alone() -> None:
    first = 3**49 * 2**64 // LARGE
    fell = rational(big(3**49, 3**49, 3**49), LARGE, Fixed(0, first, 2**64 - 1, 0))
    assert fell.tolist() == [True, True, False]


@pytest.mark.parametrize(("numerator", "denominator"), [(1, 3), (5, 7), (3**49, LARGE)])
def test_coins_fall_by_their_fraction(numerator: int, denominator: int) -> None:
    fell = int(rational(big(*[numerator] * 30_000), denominator, source(2)).sum())
    assert stats.binomtest(fell, 30_000, numerator / denominator).pvalue > 1e-3


@pytest.mark.parametrize("gamma", [(0, 1), (1, 3), (1, 1), (5, 4), (7, 2)])
def test_the_law_of_the_exponential_coin(gamma: tuple[int, int], monkeypatch: Any) -> None:
    """Every sequence of rational coins, followed to its end: Pr[True] is e^(−γ)."""
    choices = Choices()

    def chosen(numerators: Any, denominator: int, words: Any) -> Any:
        (numerator,) = numerators
        p = Fraction(int(numerator), denominator)
        assert 0 <= p <= 1
        return np.array([bool(choices.one_of([float(1 - p), float(p)]))])

    monkeypatch.setattr(coins, "rational", chosen)
    numerator, denominator = gamma
    program = lambda: int(exponential(np.array([numerator]), denominator, Fixed())[0])  # noqa: E731
    found = law(program, choices, 1e-10)
    assert found.get(1, 0.0) == pytest.approx(math.exp(-numerator / denominator), abs=1e-9)


@pytest.mark.parametrize("denominator", [12, 12 * 3**60])
def test_exponential_coins_of_many_rates_at_once(denominator: int) -> None:
    gammas = np.array([0, 1, 6, 12, 30, 120])
    numerators = np.repeat(gammas, 5000).astype(object) * (denominator // 12)
    fell = exponential(numerators, denominator, source(3)).reshape(6, 5000).sum(axis=1)
    assert fell[0] == 5000
    for count, gamma in zip(fell[1:], gammas[1:], strict=True):
        assert stats.binomtest(int(count), 5000, math.exp(-gamma / 12)).pvalue > 1e-4
