"""Chords of a convex K lie above it between integers, and below it beyond them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hockeystick.classical.orders import Remembered, at_orders, below_chords, chord
from hockeystick.errors import NumericalError, ParameterError


def cumulant(order: float) -> float:
    """K of a Gaussian pair, as a function of the order."""
    return order * (order - 1) / 2


@pytest.mark.parametrize("order", [1.01, 1.5, 2.0, 2.3, 7.9, 40.5])
def test_chords_enclose_a_convex_function(order: float) -> None:
    exact = order / 2
    assert below_chords(cumulant, order) <= exact <= chord(cumulant, order)
    if order == 2:
        assert below_chords(cumulant, order) == exact == chord(cumulant, order)
    if order > 2:
        # K'' = 1, so a chord of length 1 is at most 1/8 too high and 1/4 too low.
        assert (chord(cumulant, order) - exact) * (order - 1) <= 1 / 8 + 1e-12
        assert (exact - below_chords(cumulant, order)) * (order - 1) <= 3 / 8 + 1e-12


def test_a_curve_is_asked_once() -> None:
    asked: list[float] = []

    def curve(order: float) -> float:
        asked.append(order)
        return order

    values = Remembered(curve)
    assert values.up_to(4).tolist() == [2, 3, 4]
    assert values.up_to(5).tolist() == [2, 3, 4, 5]
    assert asked == [2, 3, 4, 5]
    assert Remembered.of(values) is values
    assert Remembered.of(curve).up_to(2).tolist() == [2]


def test_shapes_and_domains() -> None:
    assert at_orders(lambda a: a, np.array([[1.0, 2.0]])).tolist() == [[1.0, 2.0]]
    assert at_orders(lambda a: a, 3) == 3.0
    with pytest.raises(ParameterError, match="order must be"):
        at_orders(lambda a: a, [2.0, math.nan])
    with pytest.raises(NumericalError, match="at most"):
        below_chords(cumulant, 1e8)
