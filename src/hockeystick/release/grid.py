"""The grid that a value and its noise are rounded to, so that no low digit tells the value.

With the step g = 2^k, a value that is rounded to a multiple of g plus g·round(Z/g) is the noisy
value v + Z, rounded: what is computed afterwards of the sum in steps of g reveals nothing more.
Rounding the value moves it by g/2 at most in each entry, two neighbours by g apart, for which the
noise is made wider by as much. See docs/noise.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hockeystick.errors import ParameterError
from hockeystick.release.private import HIDDEN, numbers
from hockeystick.sensitivity import Norm

Integers = NDArray[np.int64]
Draw = Callable[[float, int], Integers]
"""round(scale·Z) for a scale and a count."""

FINE, FINEST = 30, 36
"""A noise scale is 2^30 to 2^31 steps; up to 2^36 where the value has very many entries."""
WIDER = 2.0**-20
"""The grid is made finer where the noise would be wider by more than this."""
ROUNDED_UP = 1 + 2.0**-50
"""More than the rounding of a scale that is computed by four operations."""
EXPONENTS = (-900, 900)
"""Of the scale: a step is a float with all its digits, and so is what noise adds up to."""
WHOLE = 52
"""Up to so many binary digits after the point, integers and rests are told apart in 64 bits."""
LARGE = 2**62
"""Integers that are larger leave 64 bits with their noise; they are added as Python's own."""


def spread(size: int, norm: Norm) -> float:
    """How far entries can move together, in this norm, that move by 1 each.

    >>> spread(9, "L1"), spread(9, "L2")
    (9.0, 3.0)
    """
    return float(size) if norm == "L1" else math.sqrt(size)


def released(answer: NDArray[Any], scale: float, moved: float, draw: Draw) -> NDArray[np.float64]:
    """The answer plus noise of the scale, on the grid of the scale.

    moved: how far apart rounding by one unit in each entry moves two answers, over the least
        distance of neighbours that the guarantee is about. Charged where values are rounded.

    >>> released(np.array([1.0, 2.5]), 4.0, 0.0, lambda scale, count: np.arange(count)).tolist()
    [1.0, 2.500000003725...]
    """
    exact = answer.dtype.kind in "biu" and math.frexp(scale)[1] - 1 <= FINE
    exponent, steps = _steps(scale, 0.0 if exact else moved)
    noise = draw(steps, answer.size).reshape(answer.shape)
    with np.errstate(over="ignore"):
        if answer.dtype.kind in "biu":
            noisy = _integers(answer, noise, exponent)
        else:
            step = 2.0**exponent  # times it is `ldexp` to the last bit, and quicker
            noisy = np.asarray((np.rint(answer.astype(float) / step) + noise) * step)
    if not np.isfinite(noisy).all():
        numbers("value", answer)  # an error of its own, where noise is not the reason
        raise ParameterError(
            f"value must be below 2^1023 steps of the grid of its noise, 2^{exponent} each, and a "
            f"float with its noise {HIDDEN}"
        )
    return noisy


def _steps(scale: float, moved: float) -> tuple[int, float]:
    """The exponent of the step, and the noise scale in steps, wider by what is charged."""
    mantissa, exponent = math.frexp(scale)
    if not EXPONENTS[0] <= exponent <= EXPONENTS[1]:
        raise ParameterError(
            "noise_multiplier × sensitivity must be in [2^-901, 2^900) to be rounded to a grid, "
            f"got {scale!r}"
        )
    wider = moved * scale
    more = math.ceil(math.log2(max(wider / 2.0**FINE / WIDER, 1.0)))
    fine = min(FINE + more, FINEST)
    wider /= 2.0**fine
    if wider > 1:
        raise ParameterError(
            "noise_multiplier times the entries of the value (their square root in L2) must be "
            f"below 2^{FINEST}, for a grid that is fine beside the sensitivity, got "
            f"{wider * 2.0**FINEST!r}"
        )
    return exponent - 1 - fine, math.ldexp(mantissa, fine + 1) * (1 + wider) * ROUNDED_UP


def _integers(answer: NDArray[Any], noise: Integers, exponent: int) -> NDArray[np.float64]:
    """The sum in steps of 2^exponent, by integers, and rounded to a float in the end."""
    small = answer.size == 0 or (int(answer.min()) >= -LARGE and int(answer.max()) <= LARGE)
    if not small or not -WHOLE <= exponent <= WHOLE:
        return _large_integers(answer, noise, exponent)
    value = answer.astype(np.int64)
    if exponent > 0:
        steps = ((value >> (exponent - 1)) + 1 >> 1) + noise
        return np.asarray(np.ldexp(steps.astype(float), exponent))
    whole = value + (noise >> -exponent)
    rest = noise & (2**-exponent - 1)
    return np.asarray(whole + np.ldexp(rest.astype(float), exponent))


def _large_integers(answer: NDArray[Any], noise: Integers, exponent: int) -> NDArray[np.float64]:
    """The same for integers and steps of any size, one by one."""
    up, down = 2 ** max(exponent, 0), 2 ** max(-exponent, 0)
    pairs = zip(answer.ravel().tolist(), noise.ravel().tolist(), strict=True)
    sums = [((value * down + up // 2) // up + added) * up / down for value, added in pairs]
    return np.array(sums, dtype=float).reshape(answer.shape)
