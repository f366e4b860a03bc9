"""A mechanism known by its Rényi curve alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Self

import numpy as np

from hockeystick.checks import above_one, checked, declare, declared, non_negative, yes_or_no
from hockeystick.errors import ParameterError
from hockeystick.evidence import Evidence
from hockeystick.mechanism import Mechanism
from hockeystick.mechanisms.bases.given_curve import (
    Curve,
    GivenAs,
    GivenCurve,
    Points,
    given_curve,
)
from hockeystick.numerics.types import Array
from hockeystick.questions import renyi_curve
from hockeystick.relation import Relation


def _yes_or_no(name: str, value: Any) -> bool:
    """True or False, or 1 or 0 as in the text form."""
    return yes_or_no(name, bool(value) if type(value) is int and value in (0, 1) else value)


@declared
class RenyiDP(GivenCurve):
    """Any mechanism with Rényi divergence at most `curve(α)` at the orders where it is known.

    Mironov (2017). `curve` is a function of the order, a mapping {order: ε}, or another mechanism
    (of which then only the Rényi curve is used). Between the orders of a mapping (α − 1)·ε(α) is
    interpolated linearly, which is safe because it is convex (Wang, Balle and Kasiviswanathan
    2019, Corollary 10); beyond the last one nothing is known. `RenyiDP.table(2, 0.1, 8, 0.5)` is
    the mapping {2: 0.1, 8: 0.5}.

    `tight=True` says more: one pair of data sets attains the curve at every order, and the largest
    E_q|p/q − 1|^j for every j (their Definition 18; Gaussian noise does). Then on a sample without
    replacement their Theorem 19 applies, else their Theorem 9 or better.

    >>> RenyiDP({2: 0.1, 8: 0.5}).rdp(2.0)
    Bound(0.1, lower=0.0, method='renyi', order=2.0, relation=ADD_REMOVE)
    """

    source = "Mironov 2017"

    curve: Curve = checked(given_curve("curve", "order", order=above_one, epsilon=non_negative))

    tight: bool = checked(_yes_or_no, default=False)

    def __init__(self, curve: GivenAs, tight: bool = False) -> None:
        declare(self, curve=curve, tight=tight)

    def evidence(self, relation: Relation, steps: int = 1) -> Evidence:
        curve = self.curve
        if isinstance(curve, Mechanism):
            return Evidence(curve=renyi_curve(curve, relation), curve_is_attained=self.tight)
        return Evidence(curve=partial(_divergences, curve), curve_is_attained=self.tight)

    def group(self, size: int) -> Mechanism:
        if isinstance(self.curve, Mechanism):
            return RenyiDP(self.curve.group(size))  # which pair attains it is another question
        return super().group(size)

    @classmethod
    def table(cls, *numbers: float, tight: bool = False) -> Self:
        """From orders and divergences, one number after the other: α, ε, α, ε, …"""
        points: Self = super().table(*numbers)
        return cls(dict(points.curve), tight)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        text = super().__repr__()
        return f"{text[:-1]}, tight=1)" if self.tight else text


def _divergences(curve: Callable[[float], float] | Points, orders: Array) -> tuple[Array, Array]:
    """The curve at each order, for both directions."""
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


def _interpolate(points: Points, orders: Array) -> Array:
    finite = [(a, e) for a, e in points if math.isfinite(a)]
    ceiling = min((e for a, e in points if math.isinf(a)), default=math.inf)
    x = np.array([0.0] + [a - 1 for a, _ in finite])
    y = np.array([0.0] + [(a - 1) * e for a, e in finite])
    s = orders - 1
    with np.errstate(invalid="ignore"):
        inside = np.interp(s, x, y) / np.where(s > 0, s, 1)
    at_one = finite[0][1] if finite else math.inf  # the divergence grows with the order
    inside = np.where(s == 0, at_one, inside)
    return np.minimum(np.where(s <= x[-1], inside, math.inf), ceiling)
