"""Integer noise on a record that is there several times."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

import hockeystick as hs
from hockeystick.loss.integer_copies import integer_copies


@pytest.mark.parametrize("rate", [1e-2, 1e-5, 1e-8, 1e-12])
def test_rare_copies_keep_their_digits(rate: float) -> None:
    """Losses of the size of the rate were differences of logarithms: off by 1e-16, of a rate of
    1e-8 by 1e-8 of themselves."""
    law = integer_copies(np.array([1 - rate, rate]), 1, 1.0, lambda x: -np.abs(x))
    assert law is not None
    with mp.workdps(40):
        highest, least = (float(mp.log1p(rate * mp.expm1(moved))) for moved in (1, -1))
    assert law.top == pytest.approx(highest, rel=1e-14)
    assert law.bottom == pytest.approx(least, rel=1e-14)


@pytest.mark.parametrize("population", [100, 10**4, 10**7])
def test_one_draw_is_a_sample_of_one(population: int) -> None:
    """With replacement and without it are the same then."""
    step = hs.DiscreteLaplace(1.0)
    drawn = (step.on(hs.WithReplacement(1, population)) * 50).epsilon(1e-3 / population)
    sampled = (step.on(hs.WithoutReplacement(1, population)) * 50).epsilon(1e-3 / population)
    assert drawn.lower <= sampled.upper * (1 + 1e-12)
    assert drawn.lower >= 0.5 * sampled.upper
