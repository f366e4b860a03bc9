"""Checks of arguments: each returns the value as a plain number or raises `ParameterError`.

Every message names the parameter, its domain and the value that was given.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

from hockeystick.errors import ParameterError


def _number(name: str, value: Any, domain: str, inside: Callable[[float], bool]) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ParameterError(f"{name} must be a number {domain}, got {value!r}")
    number = float(value)
    if math.isnan(number) or not inside(number):
        raise ParameterError(f"{name} must be {domain}, got {value!r}")
    return number


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
    """An integer of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ParameterError(f"{name} must be an integer >= {least}, got {value!r}")
    return int(value)
