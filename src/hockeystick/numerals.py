"""Numbers as people write them, read exactly: 1e-5, 256/60000, 1%, inf."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

from hockeystick.checks import shown
from hockeystick.errors import ParameterError

MOST_CHARACTERS = 1000
"""Of a numeral: no float needs more."""
EXPONENTS = range(-400, 400)
"""Of ten: outside, a float is 0 or infinite, and a fraction would fill the memory."""
_NUMERAL = re.compile(r"([+-]?)(\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE]([+-]?\d[\d_]*))?", re.ASCII)


def exact(text: str) -> Fraction:
    """The number that a decimal numeral says.

    >>> exact("0.1"), exact("1e4")
    (Fraction(1, 10), Fraction(10000, 1))
    """
    said = parts(text)
    if said is None:
        raise ParameterError(f"{shown(text)} is not a number")
    number, power = said
    if number == 0:
        return Fraction(0)
    if number.adjusted() + power not in EXPONENTS:
        raise ParameterError(f"it is {_beyond(number.adjusted() + power > 0)}")
    return Fraction(number) * Fraction(10) ** power


def parts(text: str) -> tuple[Decimal, int] | None:
    """The number and the power of ten that it is multiplied by; None if it is not a numeral.

    >>> parts("1.5e-400")
    (Decimal('1.5'), -400)
    """
    groups = _NUMERAL.fullmatch(text)
    if groups is None or len(text) > MOST_CHARACTERS:
        return None
    number = Decimal(f"{groups[1]}{groups[2]}".replace("_", ""))
    return number, int((groups[3] or "0").replace("_", ""))


def rounded(number: Fraction) -> int | float:
    """The nearest float, or the integer itself; neither 0 nor infinity where the number is not.

    >>> rounded(Fraction(256, 60000)), rounded(Fraction(10000))
    (0.004266666666666667, 10000)
    """
    if number.denominator == 1 and abs(number) < 2**62:
        return int(number)
    try:
        value = float(number)
    except OverflowError:
        raise ParameterError(f"it is {_beyond(True)}") from None
    if value == 0:
        raise ParameterError(f"it is {_beyond(False)}")
    return value


def _beyond(large: bool) -> str:
    if large:
        return "too large a number; infinity is written inf"
    return "too small a number: the smallest above 0 is 5e-324, and 0 is written 0"


def read(name: str, text: str) -> float:
    """A number, a fraction of two, either in percent, or inf.

    >>> read("delta", "1/60000"), read("rate", "0.5%"), read("order", "inf")
    (1.6666666666666667e-05, 0.005, inf)
    """
    word = text.strip()
    if word.lower().lstrip("+-") in ("inf", "infinity", "nan"):
        return float(word)
    whole, percent = (word[:-1].strip(), 100) if word.endswith("%") else (word, 1)
    over, slash, under = (part.strip() for part in whole.partition("/"))
    try:
        divisor = exact(under) if slash else Fraction(1)
        if divisor == 0:
            raise ParameterError("it divides by 0")
        return float(rounded(exact(over) / divisor / percent))
    except ParameterError as error:
        if "is not a number" not in str(error):
            reason = str(error).removeprefix("it ")
            raise ParameterError(f"{name} {reason}, got {shown(text)}") from None
        raise ParameterError(
            f"{name} must be a number such as 1e-5 or 1/60000, got {shown(text)}"
        ) from None
