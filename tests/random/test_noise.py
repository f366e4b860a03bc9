"""Continuous noise has its law, as far as floats can tell."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from hockeystick.random.generators import source
from hockeystick.random.noise import laplace, normal
from tests.support.fixed_words import Fixed


@pytest.mark.parametrize(("draw", "law"), [(normal, stats.norm), (laplace, stats.laplace)])
def test_the_law(draw, law) -> None:  # type: ignore[no-untyped-def]
    drawn = draw(100_000, source(11))
    assert stats.kstest(drawn, law.cdf).pvalue > 1e-3
    beyond = int((np.abs(drawn) > law.isf(5e-4)).sum())
    assert stats.binomtest(beyond, 100_000, 1e-3).pvalue > 1e-3
    assert abs(np.corrcoef(drawn[1:], drawn[:-1])[0, 1]) < 0.015


@pytest.mark.parametrize(("draw", "reach"), [(normal, 9.15), (laplace, 44.36)])
def test_the_ends(draw, reach: float) -> None:  # type: ignore[no-untyped-def]
    """The smallest and the largest word: finite, and the sign is the lowest bit."""
    low, high = draw(2, Fixed(0, 1))
    assert (low, high) == (-high, high)
    assert high == pytest.approx(reach, abs=0.05)
    near = draw(2, Fixed(2**64 - 1, 2**64 - 2))
    assert np.abs(near).max() < 1e-15
    assert draw(0, Fixed()).shape == (0,)


def test_one_word_by_hand() -> None:
    word = 2**62 + 1  # a quarter, sign +
    assert laplace(1, Fixed(word))[0] == pytest.approx(math.log(4), abs=1e-15)
    assert normal(1, Fixed(word))[0] == pytest.approx(stats.norm.isf(0.125), abs=1e-15)
