"""Exact sums of costs: fractions, and infinity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

Amount = Fraction | float
"""A fraction, or infinity."""
Cost = tuple[Amount, ...]
GRAIN = Fraction(1, 2**100)
"""Computed costs are rounded up to multiples of it, so that sums stay short."""
SMALL = 1e-13
"""Relatively, how much a limit that was computed in floats is lowered: many times its rounding."""


def added(one: Sequence[Amount], other: Sequence[Amount]) -> Cost:
    """The sums of two costs."""
    return tuple(a + b for a, b in zip(one, other, strict=True))


def written(amount: Amount) -> str:
    """As text, exactly."""
    return str(amount)


def amounts(texts: Sequence[str]) -> Cost:
    """What `written` wrote."""
    return tuple(math.inf if text == "inf" else Fraction(text) for text in texts)


def rounded_up(value: float) -> Amount:
    """The next multiple of `GRAIN` that is not below."""
    if math.isinf(value):
        return value
    return Fraction(math.ceil(Fraction(value) / GRAIN)) * GRAIN


def lowered(limit: float) -> Fraction:
    """A limit below one that was computed."""
    return Fraction(limit - SMALL * abs(limit))


def below(number: Fraction) -> float:
    """The largest float that is not above."""
    value = float(number)
    return value if value <= number else math.nextafter(value, -math.inf)


def reached(total: Amount, limit: Fraction) -> float:
    """How much of a limit is reached; 1 at the limit."""
    if limit == 0:
        return math.inf if total else 0.0
    return float(total / limit)


def fits(limit: Fraction, total: Amount, more: Amount) -> float:
    """How often a cost fits into what is left: an integer, or infinity."""
    if total > limit or math.isinf(more):
        return 0
    return math.inf if more == 0 else (limit - Fraction(total)) // Fraction(more)
