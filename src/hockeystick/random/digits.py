"""Real numbers that are drawn digit by digit, and questions that are decided by enough of them.

A real number has no last digit. Whatever is asked of it is answered from an interval that holds
it, and where the interval does not decide, more digits are drawn. No float takes part.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from hockeystick.random.generators import Source

PRECISION, MORE = 30, 20
"""Decimal digits of e^(−γ) at first, and how many are added with each word of 64 bits."""
EXPONENTS = 10**5
"""Beyond these powers of ten e^(−γ) is 0, or below the least positive number; both are ends."""


@dataclass
class Digits:
    """A number in [whole, whole + 1) / 2^places, uniform there; its further digits are words.

    >>> from hockeystick.random.generators import source
    >>> half = Digits(1, 1, source(0))
    >>> half.ends
    (Fraction(1, 2), Fraction(1, 1))
    >>> half.floor(Fraction(1), Fraction(0))
    0
    """

    whole: int
    places: int
    words: Source

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """The least value, and the end that is not attained."""
        return Fraction(self.whole, 2**self.places), Fraction(self.whole + 1, 2**self.places)

    def more(self) -> None:
        """Draw the next 64 digits."""
        self.whole = self.whole << 64 | int(self.words(1)[0])
        self.places += 64

    def floor(self, factor: Fraction, offset: Fraction) -> int:
        """⌊factor·x + offset⌋ of this number x, for a factor > 0."""
        while True:
            low, high = self.ends
            first = math.floor(factor * low + offset)
            if first == math.ceil(factor * high + offset) - 1:
                return first
            self.more()


def under(
    uniform: Digits, height: Fraction, cost: Callable[[Fraction], Fraction], position: Digits
) -> bool:
    """Whether uniform · height < e^(−cost(position)), for a cost that does not decrease.

    >>> from hockeystick.random.generators import source
    >>> quarter, anything = Digits(1, 2, source(0)), Digits(0, 0, source(0))
    >>> under(quarter, Fraction(1), lambda x: Fraction(1, 2), anything)  # e^(−1/2) > 1/2
    True
    """
    precision = PRECISION
    while True:
        (least, most), (near, far) = uniform.ends, position.ends
        if most * height <= exponential_ends(cost(far), precision)[0]:
            return True
        if least * height >= exponential_ends(cost(near), precision)[1]:
            return False
        uniform.more()
        position.more()
        precision += MORE


def exponential_ends(cost: Fraction, precision: int) -> tuple[Fraction, Fraction]:
    """Ends of an interval that holds e^(−cost), apart by some units of so many decimal digits.

    The argument is rounded outwards. `Decimal.exp` is correctly rounded, so its neighbours enclose
    the truth.

    >>> low, high = exponential_ends(Fraction(1), 20)
    >>> float(low), float(high)
    (0.367879441171442..., 0.367879441171442...)
    """
    if cost == 0:
        return Fraction(1), Fraction(1)
    down, up = (
        Context(precision, rounding, Emin=-EXPONENTS, Emax=EXPONENTS)
        for rounding in (ROUND_FLOOR, ROUND_CEILING)
    )
    top, bottom = Decimal(-cost.numerator), Decimal(cost.denominator)
    low = down.next_minus(down.exp(down.divide(top, bottom)))
    high = up.next_plus(up.exp(up.divide(top, bottom)))
    return Fraction(low), Fraction(high)
