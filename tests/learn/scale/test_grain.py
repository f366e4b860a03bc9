"""Sums in grains: exact in any order, and never longer than what they are sums of."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

import hockeystick as hs
from hockeystick.learn import Custom, Logistic, Records
from hockeystick.learn.scale.grain import MOST, check_number, grain, grains

X = default_rng(0).normal(size=(500, 6))
Y = (X[:, 0] > 0).astype(float)
THETA = default_rng(1).normal(size=(6, 1))


@pytest.mark.parametrize("clip", [1.0, 0.3, 7e-5, 3e200, 1e-250])
def test_a_clip_has_between_2_24_and_2_25_grains(clip: float) -> None:
    unit = grain(clip)
    assert np.frexp(unit)[0] == 0.5
    assert 2**23 < clip / unit <= 2**24


@pytest.mark.parametrize("norm", ["L1", "L2"])
def test_the_sum_by_fractions(norm: Any) -> None:
    """Each record alone is a whole number of grains; all together are exactly their sum."""
    one_by_one = [
        grains(Logistic(), THETA, Records(X[i : i + 1], Y[i : i + 1]), 0.7, norm)
        for i in range(len(X))
    ]
    assert all((each == np.trunc(each)).all() for each in one_by_one)
    rows = np.concatenate(one_by_one, axis=1)
    sizes = np.abs(rows).sum(axis=0) if norm == "L1" else np.sqrt((rows**2).sum(axis=0))
    assert 0.99 * 0.7 < sizes.max() * grain(0.7) <= 0.7
    exact = [sum(Fraction(value) for value in row) for row in rows.tolist()]
    plain = Logistic().clipped_sum(THETA, Records(X, Y), 0.7, norm)
    assert np.array([float(each) for each in exact]) * grain(0.7) == pytest.approx(
        plain[:, 0], abs=len(X) * grain(0.7)
    )


def test_a_gradient_is_never_made_longer() -> None:
    """Numbers just off the grid are cut towards 0, on either side."""
    unit = grain(1.0)
    near = np.array([[3.9 * unit, -3.9 * unit], [0.99 * unit, -0.99 * unit]])
    objective = Custom(2, lambda t, x, y: 0 * y, lambda t, x, y: near)
    found = grains(objective, np.zeros((2, 1)), Records(np.zeros((2, 1)), np.zeros(2)), 1.0, "L2")
    assert found[:, 0].tolist() == [3.0, -3.0]


def test_a_clip_too_small_for_anybody() -> None:
    assert not grains(Logistic(), THETA, Records(X, Y), 1e-300, "L2").any()


def test_more_records_than_are_added_exactly_are_refused() -> None:
    check_number(MOST)
    with pytest.raises(hs.ParameterError, match=r"at most 2\^28 records"):
        check_number(MOST + 1)
