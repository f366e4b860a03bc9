"""The law of the number of occurrences, against exact fractions and 40 digits."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from mpmath import mp, mpf

from hockeystick.classical.occurrences import occurrences


@pytest.mark.parametrize(("size", "population"), [(1, 2), (5, 3), (30, 7), (60, 2), (3, 1)])
def test_small_laws_exactly(size: int, population: int) -> None:
    law = occurrences(size, population)
    p = Fraction(1, population)
    exact = {k: math.comb(size, k) * p**k * (1 - p) ** (size - k) for k in range(1, size + 1)}
    assert dict(law.weights) == {
        k: pytest.approx(float(w), rel=1e-13, abs=0) for k, w in exact.items() if w
    }
    assert law.once == pytest.approx(float(sum(exact.values())), rel=1e-14, abs=0)
    assert law.beyond == 0 or population == 1


@pytest.mark.parametrize(("size", "population"), [(10**6, 10**6), (10**6, 100), (10**6, 10**9)])
def test_large_laws(size: int, population: int) -> None:
    law = occurrences(size, population)
    with mp.workdps(40):
        p = mpf(1) / population
        for k, weight in law.weights[:: max(1, len(law.weights) // 9)]:
            exact = mp.binomial(size, k) * p**k * (1 - p) ** (size - k)
            if exact > 1e-290:
                assert abs(weight - exact) <= 1e-10 * exact
        listed = {k for k, _ in law.weights}
        missing = next(k for k in range(max(listed), size + 1) if k not in listed)
        weight = mp.binomial(size, missing) * p**missing * (1 - p) ** (size - missing)
        assert weight < mpf(10) ** -300
        assert law.once == pytest.approx(float(1 - (1 - p) ** size), rel=1e-14, abs=0)
    assert sum(w for _, w in law.weights) <= law.once * (1 + 1e-12)
    assert law.beyond == 1e-300
