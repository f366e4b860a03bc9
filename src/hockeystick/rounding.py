"""Sums and quotients of floats, and between which floats the real ones lie."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from fractions import Fraction

from hockeystick.series import EPS


def quotient_error(quotient: float, top: float, bottom: float | Fraction) -> float:
    """How far a computed `top / bottom` may be from the real one: 0 where it is exact.

    >>> quotient_error(0.5, 1, 2.0), 0 < quotient_error(1 / 3, 1, 3.0) < 1e-15
    (0.0, True)
    """
    if math.isinf(quotient) or Fraction(quotient) * Fraction(bottom) == Fraction(top):
        return 0.0
    return 2 * EPS * abs(quotient)


def exact_sum(terms: Iterable[tuple[float, int]]) -> Fraction:
    """Σ value·count of finite floats, as the rational number it is.

    >>> exact_sum([(0.5, 3), (0.25, 1)])
    Fraction(7, 4)
    """
    return sum((Fraction(value) * count for value, count in terms), Fraction(0))


def around(value: Fraction, error: float = 0.0) -> tuple[float, float]:
    """The nearest floats at or below value − error and at or above value + error.

    >>> around(Fraction(1, 2)), around(Fraction(1, 3))
    ((0.5, 0.5), (0.3333333333333333, 0.33333333333333337))
    """
    return -_above(Fraction(error) - value), _above(Fraction(error) + value)


def _above(value: Fraction) -> float:
    try:
        near = float(value)
    except OverflowError:
        return math.inf if value > 0 else -sys.float_info.max
    return near if Fraction(near) >= value else math.nextafter(near, math.inf)
