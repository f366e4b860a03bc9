"""Coins fall by e^(−γ): in their number, and exactly where floats cannot tell."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy import stats

from hockeystick.random.coins import exponential
from hockeystick.random.generators import source
from tests.support.fixed_words import Fixed

COSTS = [0.0, 0.01, 0.7, 1.0, 3.25]


@pytest.mark.parametrize("cost", COSTS)
def test_coins_fall_by_their_exponential(cost: float) -> None:
    coins = exponential(np.full(40_000, cost), lambda i: Fraction(cost), source(6))
    assert stats.binomtest(int(coins.sum()), 40_000, np.exp(-cost)).pvalue > 1e-3


@pytest.mark.parametrize("cost", COSTS[1:])
def test_a_word_at_the_border_is_settled_by_the_next_ones(cost: float) -> None:
    """mpmath says where the border is, in 128 binary digits."""
    with mp.workdps(60):
        border = int(mp.floor(mp.exp(-mpf(cost)) * mpf(2) ** 128))
    first, second = divmod(border, 2**64)
    for step in (-3, -1, 1, 3):
        words = Fixed(first + step)
        coins = exponential(np.array([cost]), lambda i: Fraction(cost), words)
        assert coins.tolist() == [step < 0]
        assert not words.words
    for step in (-1, 1):
        words = Fixed(first, second + step, 0)
        coins = exponential(np.array([cost]), lambda i: Fraction(cost), words)
        assert coins.tolist() == [step < 0]
        assert not words.words


def test_each_coin_is_settled_by_its_own_cost() -> None:
    words = Fixed(0, 2**64 - 1, 2**64 - 1, 0, 1, 0)
    costs = [Fraction(0), Fraction(1), Fraction(0), Fraction(10**6)]
    coins = exponential(np.array([0.0, 1.0, 0.0, 1e6]), lambda i: costs[i], words)
    assert coins.tolist() == [True, False, True, False]


def test_floats_are_as_near_as_is_relied_on() -> None:
    """NumPy's exp within 2^−49, relative; 2^−47 would do (docs/noise.md)."""
    x = np.concatenate([np.linspace(0, 44, 3000), 44 * np.random.default_rng(1).random(3000)])
    with mp.workdps(40):
        pairs = zip(x.tolist(), np.exp(-x).tolist(), strict=True)
        errors = [abs(mpf(y) / mp.exp(-mpf(v)) - 1) for v, y in pairs]
        assert max(errors) < mpf(2) ** -49
