"""A mechanism known by its Rényi curve alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from hockeystick.checks import above_one, non_negative
from hockeystick.errors import ParameterError
from hockeystick.mechanism import Mechanism, call_text
from hockeystick.numerics.series import Array
from hockeystick.relation import Relation

Points = tuple[tuple[float, float], ...]


@dataclass(frozen=True, repr=False)
class RenyiDP(Mechanism):
    """Any mechanism with Rényi divergence at most `curve(α)` at the orders where it is known.

    Mironov (2017). `curve` is a function of the order, a mapping {order: ε}, or another mechanism
    (of which then only the Rényi curve is used). Between the orders of a mapping (α − 1)·ε(α) is
    interpolated linearly, which is safe because it is convex (Wang, Balle and Kasiviswanathan
    2019, Corollary 10); beyond the last one nothing is known.

    >>> RenyiDP({2: 0.1, 8: 0.5}).rdp(2.0)
    Bound(0.1, lower=0.0, method='renyi')
    """

    source = "Mironov 2017"

    text_constructors = ("table",)

    curve: Callable[[float], float] | Points | Mechanism

    def __init__(self, curve: Callable[[float], float] | Mapping[float, float] | Mechanism) -> None:
        value: object = curve
        if isinstance(curve, Mapping):
            value = _points(curve)
        elif not isinstance(curve, Mechanism) and not callable(curve):
            raise ParameterError(
                f"curve must be a function, a mapping or a mechanism, got {curve!r}"
            )
        object.__setattr__(self, "curve", value)

    @classmethod
    def table(cls, *numbers: float) -> RenyiDP:
        """From order, ε, order, ε, … one after the other: `RenyiDP.table(2, 0.1, 8, 0.5)`."""
        return cls(_pairs(numbers))

    def loss(self, relation: Relation) -> None:
        return None

    def renyi(self, orders: Array, relation: Relation) -> tuple[Array, Array]:
        curve = self.curve
        if isinstance(curve, Mechanism):
            return curve.renyi(orders, relation)
        if isinstance(curve, tuple):
            value = _interpolate(curve, orders)
        else:
            value = np.array([float(curve(float(order))) for order in orders])
            if np.isnan(value).any() or (value < 0).any():
                raise ParameterError(
                    f"curve must have values in [0, inf], got {value[~(value >= 0)][0]!r} "
                    f"at order {orders[~(value >= 0)][0]!r}"
                )
        return value, value

    def __repr__(self) -> str:
        if isinstance(self.curve, tuple):
            return call_text("RenyiDP.table", *(x for point in self.curve for x in point))
        return call_text("RenyiDP", self.curve)


def _pairs(numbers: tuple[float, ...]) -> dict[float, float]:
    if not numbers or len(numbers) % 2:
        raise ParameterError(f"table must hold pairs of numbers, got {len(numbers)} numbers")
    return dict(zip(numbers[::2], numbers[1::2], strict=True))


def _points(curve: Mapping[float, float]) -> Points:
    if not curve:
        raise ParameterError("curve must hold at least one order, got an empty mapping")
    return tuple(
        sorted((above_one("order", a), non_negative("epsilon", e)) for a, e in curve.items())
    )


def _interpolate(points: Points, orders: Array) -> Array:
    known = [(a, e) for a, e in points if math.isfinite(a)]
    ceiling = min((e for a, e in points if math.isinf(a)), default=math.inf)
    x = np.array([0.0] + [a - 1 for a, _ in known])
    y = np.array([0.0] + [(a - 1) * e for a, e in known])
    s = orders - 1
    with np.errstate(invalid="ignore"):
        inside = np.interp(s, x, y) / np.where(s > 0, s, 1)
    at_one = known[0][1] if known else math.inf  # the divergence grows with the order
    inside = np.where(s == 0, at_one, inside)
    return np.minimum(np.where(s <= x[-1], inside, math.inf), ceiling)
