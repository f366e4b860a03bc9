"""A choice falls in proportion to its weights."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy import stats

from hockeystick.random.choice import choice


@pytest.mark.parametrize("scale", [1, 3**60])
def test_law(scale: int) -> None:
    weights, rng = [3, 0, 1, 4, 1], np.random.default_rng(0)
    drawn = Counter(choice([scale * w for w in weights], rng) for _ in range(5000))
    assert drawn[1] == 0
    expected = [5000 * w / 9 for w in weights if w]
    found = [drawn[i] for i, w in enumerate(weights) if w]
    assert stats.chisquare(found, expected).pvalue > 1e-4


def test_a_weight_of_one_bit_in_many() -> None:
    assert {choice([1, 0], seed) for seed in range(5)} == {0}
    assert {choice([1, 2**200], seed) for seed in range(50)} == {1}
