"""From integer Rényi orders to real ones, and the values of a curve at the integers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from hockeystick.checks import Between
from hockeystick.checks import order as checked_order
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.numerics.types import Array

Curve = Callable[[float], float]
"""A Rényi curve: order to ε(order)."""
from_one = Between("[1, inf)")
"""A finite order, or another number from 1 on."""
MOST = 1_000_000
"""The largest finite order: the sums have as many terms."""
Cumulant = Callable[[int], float]
"""K at integers n >= 1, as a function of the order: (n − 1)·ε(n), with K = 0 at order 1."""


def at_orders(value: Callable[[float], float], orders: Any) -> Any:
    """The value at one order as a float, at an array of orders as an array."""
    if np.ndim(orders) == 0:
        return value(checked_order("order", orders))
    flat = [value(checked_order("order", x)) for x in np.ravel(orders).tolist()]
    return np.array(flat).reshape(np.shape(orders))


def chord(cumulant: Cumulant, order: float) -> float:
    """ε at a real order by the chord of K between integers, which lies above a convex K.

    With α = n + v, ε(α) <= ((1 − v)·K(n) + v·K(n + 1))/(α − 1), and ε(α) <= ε(2) below order 2
    because K(0) = 0 (Wang, Balle and Kasiviswanathan 2019, Corollary 10).
    """
    if order <= 2:
        return cumulant(2)
    n = _floor(order)
    v = order - n
    below = cumulant(n)
    return (below if v == 0 else (1 - v) * below + v * cumulant(n + 1)) / (order - 1)


def below_chords(cumulant: Cumulant, order: float) -> float:
    """A lower bound of ε at a real order: the chords of K on both sides, prolonged."""
    n = _floor(order)
    v = order - n
    if v == 0:
        return cumulant(n) / (order - 1) if n > 1 else 0.0
    here, above = (cumulant(n) if n > 1 else 0.0), cumulant(n + 1)
    right = above - (1 - v) * (cumulant(n + 2) - above)
    left = here + v * (here - (cumulant(n - 1) if n > 2 else 0.0)) if n > 1 else 0.0
    return max(0.0, left, right) / (order - 1)


def _floor(order: float) -> int:
    if order > MOST:
        raise NumericalError(
            f"order must be at most {MOST} or inf for a sum over orders, got {order!r}"
        )
    return math.floor(order)


class Remembered:
    """A curve of which each value is asked for once and checked.

    A theorem that is given one keeps using it: for those who ask at one order after the other.

    >>> Remembered(lambda order: order / 50).up_to(4).tolist()
    [0.04, 0.06, 0.08]
    """

    @classmethod
    def of(cls, curve: Curve) -> Remembered:
        """The curve itself, where it remembers already."""
        return curve if isinstance(curve, Remembered) else cls(curve)

    def __init__(self, curve: Curve) -> None:
        self._curve = curve
        self._known: dict[int, float] = {}
        self._together = np.empty(0)
        """ε(2), ε(3), …, as far as they were asked for together."""

    def __call__(self, order: float) -> float:
        """ε at any order, as it is."""
        return self._curve(order)

    def up_to(self, n: int) -> Array:
        """ε(2), …, ε(n)."""
        for j in range(self._together.size + 2, n + 1):
            self.at(j)
        if n - 1 > self._together.size:
            self._together = np.array([self._known[j] for j in range(2, n + 1)])
        return self._together[: n - 1]

    def at(self, j: int) -> float:
        """ε(j)."""
        if j not in self._known:
            epsilon = float(self._curve(float(j)))
            if not epsilon >= 0:
                raise ParameterError(f"curve must have values in [0, inf], got {epsilon!r} at {j}")
            self._known[j] = epsilon
        return self._known[j]

    def cumulant(self, j: int) -> float:
        """K = (j − 1)·ε(j)."""
        return (j - 1) * self.at(j)
