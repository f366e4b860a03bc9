"""Sums and quotients of floats, and between which floats the real ones lie."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from decimal import Decimal, localcontext
from fractions import Fraction

from hockeystick.numerics.series import EPS

DIGITS = 800
"""The smallest float is 5e-324 and has that many decimals, and some more of the answer are left."""


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


def probability_of_any(events: Iterable[tuple[float, int]]) -> tuple[float, float]:
    """1 − Π(1 − p)^count, the probability that any of independent events happens, from both sides.

    In so many digits that 1 − p is exact for every float p, and so the answer is to the last digit.

    >>> probability_of_any([(0.5, 2)]), probability_of_any([(1e-9, 1)])
    ((0.75, 0.75), (1e-09, 1e-09))
    """
    real = [(p, count) for p, count in events if p and count]
    if sum(count for _, count in real) <= 1:
        alone = real[0][0] if real else 0.0
        return alone, alone
    with localcontext(prec=DIGITS):
        none = math.prod((1 - Decimal(p)) ** count for p, count in real)
    return around(1 - Fraction(none))


def around(value: Fraction, error: float = 0.0) -> tuple[float, float]:
    """The nearest floats at or below value − error and at or above value + error.

    >>> around(Fraction(1, 2)), around(Fraction(1, 3))
    ((0.5, 0.5), (0.3333333333333333, 0.33333333333333337))
    """
    return -_above(Fraction(error) - value), _above(Fraction(error) + value)


def added(least: float, most: float, rest: tuple[float, float]) -> tuple[float, float]:
    """Both ends of a sum of two probabilities, [least, most] and `rest`, rounded outwards.

    >>> added(0.0, 0.0, (0.5, 0.5)), added(0.25, 1e-30, (0.0, 0.25))
    ((0.5, 0.5), (0.24999999999999997, 0.25000000000000006))
    """
    low, high = rest[0] + least, rest[1] + most
    if least > 0:
        low = math.nextafter(low, -math.inf)
    return low, min(1.0, math.nextafter(high, math.inf) if most else high)


def around_product(one: float, other: float) -> tuple[float, float]:
    """The nearest floats at or below the product and at or above it.

    >>> around_product(0.5, 0.5), around_product(0.1, 0.0)
    ((0.25, 0.25), (0.0, 0.0))
    """
    return around(Fraction(one) * Fraction(other)) if one and other else (0.0, 0.0)


def _above(value: Fraction) -> float:
    try:
        near = float(value)
    except OverflowError:
        return math.inf if value > 0 else -sys.float_info.max
    return near if Fraction(near) >= value else math.nextafter(near, math.inf)
