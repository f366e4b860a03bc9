"""Checks of arguments: each returns the value as a plain number or raises `ParameterError`.

Every message names the parameter, its domain and the value that was given, a long one abbreviated.
"""

from __future__ import annotations

import math
import reprlib
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from hockeystick.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST_WHOLE = 2**62
"""No count of anything is larger: half of what an integer of 64 bits holds."""
LARGEST_FLOAT_INTEGER = 2**1024 - 2**970 - 1
"""Larger integers round to no float."""
MOST_DIGITS = 40
MOST_SHOWN = 60


class _Shown(reprlib.Repr):
    """`repr` in few characters and few levels, whatever it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = MOST_SHOWN

    def repr_int(self, x: int, level: int) -> str:
        """The digits; how many they are about, where they are too many (Python may refuse them)."""
        if abs(x) < 10**MOST_DIGITS:
            return repr(x)
        sign = "a negative" if x < 0 else "an"
        return f"{sign} integer of about {int(math.log10(abs(x))) + 1} digits"


_SHOWN = _Shown()


def shown(value: object) -> str:
    """A value as the messages show it.

    >>> shown("text"), shown(1.5), shown(10**400)
    ("'text'", '1.5', 'an integer of about 401 digits')
    """
    return _SHOWN.repr(value)


class Between:
    """A domain of numbers, as data: called with a name and a value, it checks.

    The domain is written as one reads it; a round bracket leaves the end out.

    >>> Between("[0, 1)")("momentum", 1)
    Traceback (most recent call last):
    ...
    hockeystick.errors.ParameterError: momentum must be in [0, 1), got 1
    """

    def __init__(self, written: str) -> None:
        low, high = map(float, written[1:-1].split(","))
        self.words = f"in {written}"
        self.least = low if written[0] == "[" else math.nextafter(low, math.inf)
        self.most = high if written[-1] == "]" else math.nextafter(high, -math.inf)

    def __call__(self, name: str, value: Any) -> float:
        """The value as a float, if it is in the domain (no NaN is)."""
        number = value if type(value) is float else self._number(name, value)
        if self.least <= number <= self.most:
            return number
        raise ParameterError(f"{name} must be {self.words}, got {shown(value)}")

    def _number(self, name: str, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, Real)):
            raise ParameterError(f"{name} must be a number {self.words}, got {shown(value)}")
        try:
            return float(value)
        except OverflowError:
            raise ParameterError(
                f"{name} must be a number {self.words} that a float can hold, got {shown(value)}"
            ) from None


class Whole:
    """The integers from `least` to 2^62: a domain, as `Between` is one of numbers."""

    def __init__(self, least: int) -> None:
        self.least = least

    def __call__(self, name: str, value: Any) -> int:
        """The value as an int, if it is in the domain."""
        return whole(name, value, self.least)


non_negative = Between("[0, inf]")
finite_non_negative = Between("[0, inf)")
finite_positive = Between("(0, inf)")
positive = Between("(0, inf]")
above_one = Between("(1, inf]")
order = Between("[1, inf]")
"""A Rényi order."""
probability = Between("[0, 1]")
_EVERY_NUMBER = Between("[-inf, inf]")


def real(name: str, value: Any) -> float:
    """Any number, even NaN."""
    return _EVERY_NUMBER._number(name, value)


def whole(name: str, value: Any, least: int) -> int:
    """An integer from `least` to 2^62."""
    if isinstance(value, bool) or not isinstance(value, (int, Integral)) or value < least:
        raise ParameterError(f"{name} must be an integer >= {least}, got {shown(value)}")
    if int(value) > LARGEST_WHOLE:
        raise ParameterError(f"{name} must be an integer in [{least}, 2^62], got {shown(value)}")
    return int(value)


def yes_or_no(name: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise ParameterError(f"{name} must be True or False, got {value!r}")
    return value


def numbers(name: str, values: Any) -> NDArray[Any]:
    """Numbers in any shape, as an array of floats."""
    import numpy as np

    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(
            f"{name} must be numbers that floats can hold, got {shown(values)}"
        ) from None


def steps_in_all(number: int) -> int:
    """How many steps run in all: at most 2^62, as of any one of them."""
    if number > LARGEST_WHOLE:
        raise ParameterError(f"counts must add up to at most 2^62 steps, got {shown(number)}")
    return number
