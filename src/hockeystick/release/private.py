"""Checks of private values: the messages name what is wrong, never the value."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hockeystick.errors import ParameterError

HIDDEN = "(not shown, it is private)"


def any_numbers(name: str, value: Any) -> NDArray[Any]:
    """Integers as they are, for a float would round them, and floats, infinities too."""
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different length
        array = np.asarray(None)
    if array.dtype.kind not in "biuf":
        raise ParameterError(f"{name} must be a number or an array of numbers {HIDDEN}") from None
    return array


def numbers(name: str, value: Any) -> NDArray[Any]:
    """Finite numbers: integers as they are, and floats."""
    array = any_numbers(name, value)
    if not np.isfinite(array).all():
        raise ParameterError(f"{name} must be finite, but holds a NaN or an infinity {HIDDEN}")
    return array


def integers(name: str, value: Any, least: int = -(2**62), most: int = 2**62) -> NDArray[np.int64]:
    """Integers, also as floats without a fraction, in [least, most]."""
    array = any_numbers(name, value)
    with np.errstate(invalid="ignore"):
        fractional = array.dtype.kind == "f" and not (array == np.floor(array)).all()
    if fractional or not ((array >= least) & (array <= most)).all():
        raise ParameterError(f"{name} must be integers in [{least}, {most}] {HIDDEN}")
    return array.astype(np.int64)


def like(value: NDArray[Any]) -> Any:
    """A plain number for an array without dimensions, else the array."""
    return value.item() if value.ndim == 0 else value


def noise_scale(mechanism: object, scale: float) -> float:
    """The scale of the noise, where there is noise to add and an answer that survives it."""
    if not 0 < scale < math.inf:
        raise ParameterError(
            f"noise_multiplier × sensitivity must be in (0, inf) to release, got {mechanism!r}"
        )
    return scale
