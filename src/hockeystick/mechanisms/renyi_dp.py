"""A mechanism known by its Rényi curve alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from hockeystick.checks import above_one, checked, declare, declared, non_negative
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


@declared
class RenyiDP(GivenCurve):
    """Any mechanism with Rényi divergence at most `curve(α)` at the orders where it is known.

    Mironov (2017). `curve` is a function of the order, a mapping {order: ε}, or another mechanism
    (of which then only the Rényi curve is used). Between the orders of a mapping (α − 1)·ε(α) is
    interpolated linearly, which is safe because it is convex (Wang, Balle and Kasiviswanathan
    2019, Corollary 10); beyond the last one nothing is known. `RenyiDP.table(2, 0.1, 8, 0.5)` is
    the mapping {2: 0.1, 8: 0.5}.

    >>> RenyiDP({2: 0.1, 8: 0.5}).rdp(2.0)
    Bound(0.1, lower=0.0, method='renyi', order=2.0, relation=ADD_REMOVE)
    """

    source = "Mironov 2017"

    curve: Curve = checked(given_curve("curve", "order", order=above_one, epsilon=non_negative))

    def __init__(self, curve: GivenAs) -> None:
        declare(self, curve=curve)

    def evidence(self, relation: Relation, steps: int = 1) -> Evidence:
        curve = self.curve
        if isinstance(curve, Mechanism):
            return Evidence(curve=renyi_curve(curve, relation))
        return Evidence(curve=partial(_divergences, curve))


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
