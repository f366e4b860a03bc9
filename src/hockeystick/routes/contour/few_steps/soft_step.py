"""A soft step in ζ = log X: nearly 0 below its centre, nearly 1 above, and entire.

    w(ζ) = Φ(T),      T = (0.6·y + 0.4·(e^y − 1))/τ,      y = ζ − centre.

T grows like X, so that 1 − w falls faster than any e^{sX} grows. (A step that is normal in log X
does not: an integrand with it comes back far out.)
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hockeystick.numerics.types import Array, Complex

LINEAR = 0.6
"""Part of T that is linear in ζ; the rest grows like X."""
ROOT2 = math.sqrt(2.0)


def inverse(t: Any) -> Array:
    """y with 0.6·y + 0.4·(1 − e^{−y}) = t, by Newton's method: the left side is concave.

    >>> round(float(inverse(1.0)), 12)
    1.200663047936
    """
    t = np.asarray(t, dtype=float)
    y = t.copy()
    for _ in range(7):
        excess = LINEAR * y - (1 - LINEAR) * np.expm1(-y) - t
        y = y - excess / (LINEAR + (1 - LINEAR) * np.exp(-y))
    return np.asarray(y)


def turn(zeta: Array | Complex, centre: Any, width: float) -> Complex:
    """T/√2."""
    y = zeta - centre
    return np.asarray((LINEAR * y + (1 - LINEAR) * np.expm1(y)) / (width * ROOT2))


def log_below(turned: Complex) -> Complex:
    """log(1 − w) = log(erfc(T/√2)/2), also where 1 − w is less than any float."""
    from scipy.special import erfc, wofz

    right = turned.real > 0
    far = np.where(right, turned, 0.0)
    scaled = 0.5 * wofz(1j * far)  # erfc(z) = e^{−z²}·wofz(iz)
    near = 0.5 * erfc(np.where(right, 0.0, turned))
    return np.asarray(np.log(np.where(right, scaled, near)) - far * far)
