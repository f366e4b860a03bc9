"""Numbers in a few decimal digits, rounded to the side that is asked for."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

DIGITS = 13


def at_most(value: float, digits: int = DIGITS) -> str:
    """So many significant digits, rounded up.

    >>> at_most(2 / 3), at_most(2 / 3, 3), at_most(0.5)
    ('0.6666666666667', '0.667', '0.5')
    """
    return _digits(value, ROUND_CEILING, digits)


def at_least(value: float, digits: int = DIGITS) -> str:
    """So many significant digits, rounded down.

    >>> at_least(2 / 3), at_least(2 / 3, 3)
    ('0.6666666666666', '0.666')
    """
    return _digits(value, ROUND_FLOOR, digits)


def _digits(value: float, rounding: str, digits: int) -> str:
    rounded = Context(prec=digits, rounding=rounding).plus(Decimal(repr(float(value))))
    return f"{float(rounded):.{digits}g}"
