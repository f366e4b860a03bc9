"""A lower end of ε from δ and its rate at an upper end: a tangent lies below a convex curve.

δ is a convex function of a = e^ε. So from ε = u with δ(u) >= d and −δ'(u) = r, in terms of ε,

    δ(ε) >= d + r·(1 − e^{ε−u})        for every ε <= u,

which is at least the δ that was asked for at ε = u + log(1 − (δ − d)/r).
"""

from __future__ import annotations

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.series import EPS
from hockeystick.numerics.types import Array

RATE = 0.9
"""Of the rate that was computed so much is relied on,"""
KNOWN = 1e-3
"""where δ itself, and with it the rate, is known so well, relatively."""


def lower_end(upper: Array, least: Array, rate: Array, delta: float) -> Array:
    """ε at which δ is at least `delta`, from `least` <= δ(upper) and about its rate there.

    >>> ends = lower_end(np.array([2.0]), np.array([1e-5 - 1e-12]), np.array([1e-4]), 1e-5)
    >>> bool(0 < 2.0 - ends[0] < 1.2e-8)
    True
    """
    missing = np.maximum(delta - least, 0.0)
    if not ((missing <= KNOWN * delta) & (rate > 0) & (missing < 0.5 * RATE * rate)).all():
        raise NumericalError("delta is not known well enough at the upper end")
    lower = upper + np.log1p(-missing / (RATE * rate))
    return np.asarray(lower - 4 * EPS * np.abs(upper))
