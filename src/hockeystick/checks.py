"""Checks of arguments: each returns the value as a plain number or raises `ParameterError`.

Every message names the parameter, its domain and the value that was given, a long one abbreviated.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable
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


def _number(name: str, value: Any, domain: str, inside: Callable[[float], bool]) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ParameterError(f"{name} must be a number {domain}, got {shown(value)}")
    try:
        number = float(value)
    except OverflowError:
        raise ParameterError(
            f"{name} must be a number {domain} that a float can hold, got {shown(value)}"
        ) from None
    if not inside(number):  # which no NaN is
        raise ParameterError(f"{name} must be {domain}, got {shown(value)}")
    return number


def real(name: str, value: Any) -> float:
    """Any number, even NaN."""
    return _number(name, value, "in [-inf, inf]", lambda x: True)


def numbers(name: str, values: Any) -> NDArray[Any]:
    """Numbers in any shape, as an array of floats."""
    import numpy as np

    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(
            f"{name} must be numbers that floats can hold, got {shown(values)}"
        ) from None


def non_negative(name: str, value: Any) -> float:
    """A number in [0, inf]."""
    return _number(name, value, "in [0, inf]", lambda x: x >= 0)


def finite_non_negative(name: str, value: Any) -> float:
    """A number in [0, inf)."""
    return _number(name, value, "in [0, inf)", lambda x: 0 <= x < math.inf)


def finite_positive(name: str, value: Any) -> float:
    """A number in (0, inf)."""
    return _number(name, value, "in (0, inf)", lambda x: 0 < x < math.inf)


def above_one(name: str, value: Any) -> float:
    """A number in (1, inf]."""
    return _number(name, value, "in (1, inf]", lambda x: x > 1)


def order(name: str, value: Any) -> float:
    """A Rényi order: a number in [1, inf]."""
    return _number(name, value, "in [1, inf]", lambda x: x >= 1)


def probability(name: str, value: Any) -> float:
    """A number in [0, 1]."""
    return _number(name, value, "in [0, 1]", lambda x: 0 <= x <= 1)


def whole(name: str, value: Any, least: int) -> int:
    """An integer from `least` to 2^62."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ParameterError(f"{name} must be an integer >= {least}, got {shown(value)}")
    if int(value) > LARGEST_WHOLE:
        raise ParameterError(f"{name} must be an integer in [{least}, 2^62], got {shown(value)}")
    return int(value)


def steps_in_all(number: int) -> int:
    """How many steps run in all: at most 2^62, as of any one of them."""
    if number > LARGEST_WHOLE:
        raise ParameterError(f"counts must add up to at most 2^62 steps, got {shown(number)}")
    return number
