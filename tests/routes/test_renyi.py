"""What is asked of a Rényi curve, and where it has no answer."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.numerics.types import Array
from hockeystick.routes import renyi


def test_each_order_is_asked_for_once() -> None:
    asked: Counter[float] = Counter()

    def curve(orders: Array) -> tuple[Array, Array]:
        asked.update(orders.tolist())
        return 0.5 * orders, 0.4 * orders

    renyi.epsilon(curve, 1e-6)
    assert max(asked.values()) == 1


def test_the_worse_direction_counts_in_either_order() -> None:
    def curve(orders: Array) -> tuple[Array, Array]:
        return 0.1 * orders, 0.5 * orders

    def turned(orders: Array) -> tuple[Array, Array]:
        return curve(orders)[::-1]

    one, other = renyi.epsilon(curve, 1e-6), renyi.epsilon(turned, 1e-6)
    assert one.upper == pytest.approx(other.upper, rel=1e-8)
    # No less than the smaller of them alone costs, no more than the larger one both ways.
    assert hs.Gaussian(5**0.5).epsilon(1e-6) < one.upper <= renyi_of(0.5)


def renyi_of(slope: float) -> float:
    return renyi.epsilon(lambda orders: (slope * orders, slope * orders), 1e-6).upper * (1 + 1e-8)


def test_orders_without_an_answer_are_left_out() -> None:
    def curve(orders: Array) -> tuple[Array, Array]:
        if (orders > 3).any():
            raise hs.NumericalError("too large")
        return 0.5 * orders, 0.5 * orders

    upper = renyi.epsilon(curve, 1e-6).upper
    at_three = 1.5 + np.log(2 / 3) - np.log(3e-6) / 2
    assert renyi_of(0.5) < upper <= at_three * (1 + 1e-6)
