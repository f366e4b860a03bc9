"""Elementary functions minus the first terms of their Taylor series, without cancellation.

What is added up many times must be accurate relative to its own (second order) size, not
relative to 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from hockeystick.numerics.types import Array as Array
from hockeystick.numerics.types import Complex

EPS = 2.0**-52
SMALL = 0.25
"""Below this the series is used, above it the plain difference: either is good to about 1e-15."""

LEAST = -1e3
"""Stands for log 0, which times a count would not be a number."""

_EXP = [1 / math.factorial(k) for k in range(2, 13)]
_SIN = [(-1) ** k / math.factorial(2 * k + 1) for k in range(1, 7)]
_BERNOULLI = [1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510]
_LOG_SINHC = [b / (2 * n * math.factorial(2 * n)) for n, b in enumerate(_BERNOULLI, 1)]
_ENTROPY = [(k - 1) / math.factorial(k) for k in range(2, 14)]


dot: Callable[[Any, Any], Any] = partial(np.einsum, "ij,j->i")
"""matrix @ vector without BLAS, whose threads cost more than they bring at these sizes."""


def _less_terms(
    x: Array, plain: Array, coefficients: list[float], leading: Array, inner: Array
) -> Array:
    """`plain`; where x is small, `leading` times the rest of the series, in powers of `inner`."""
    small = np.abs(x) < SMALL
    count = np.count_nonzero(small)
    if not count:
        return plain
    if 2 * count < small.size:  # a series for those alone is the faster way
        plain[small] = leading[small] * _polynomial(inner[small], coefficients)
        return plain
    return np.where(small, leading * _polynomial(inner, coefficients), plain)


def _polynomial(inner: Array, coefficients: list[float]) -> Array:
    series = np.full_like(inner, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        series *= inner
        series += coefficient
    return series


def exp_minus(x: Array) -> Array:
    """e^x − 1 − x.

    >>> exp_minus(np.array([1e-8])).tolist()
    [5.000000016666...e-17]
    """
    return _less_terms(x, np.expm1(x) - x, _EXP, x * x, x)


def log_sinhc(x: Array) -> Array:
    """log(sinh(x/2)/(x/2)) = x²/24 − x⁴/2880 + …, for |x| <= 1.

    >>> log_sinhc(np.array([1e-8])).tolist()
    [4.166666666666...e-18]
    """
    return x * x * _polynomial(x * x, _LOG_SINHC)


def sin_minus(x: Array, sine: Array) -> Array:
    """sin x − x, where sin x is already known."""
    square = x * x
    return _less_terms(x, sine - x, _SIN, square * x, square)


def entropy(x: Array) -> Array:
    """x·e^x − e^x + 1, the integrand of a relative entropy: never negative."""
    return _less_terms(x, x * np.exp(x) - np.expm1(x), _ENTROPY, x * x, x)


def log1p(real: Array, imaginary: Array) -> Complex:
    """log(1 + real + i·imaginary), accurate near 0 where numpy's complex log1p is not."""
    square = real * (2 + real) + imaginary * imaginary  # |1 + z|² − 1
    modulus = 0.5 * np.log1p(np.maximum(square, -0.5))
    if square.size and square.min() < -0.5:
        size = np.maximum(np.hypot(1 + real, imaginary), 1e-300)
        modulus = np.where(square < -0.5, np.log(size), modulus)
    return np.asarray(modulus + 1j * np.arctan2(imaginary, 1 + real))


def log_mixed(rate: float, x: Array) -> Array:
    """log(1 − rate + rate·e^x), for a rate in (0, 1] and any x.

    >>> log_mixed(0.5, np.array([0.0, 1000.0])).tolist()
    [0.0, 999.3068528194401]
    """
    mixed = np.log1p(rate * np.expm1(np.minimum(x, 30)))
    if x.size and x.max() >= 30:
        stay = math.log1p(-rate) if rate < 1 else -math.inf
        mixed = np.where(x < 30, mixed, np.logaddexp(stay, x + math.log(rate)))
    if rate > 0.5:  # far below 0 the sum 1 + (a number near −1) has lost its digits
        with np.errstate(divide="ignore"):
            far = np.log((1 - rate) + rate * np.exp(np.minimum(x, 0)))
        mixed = np.where(x < -1, far, mixed)
    return mixed


def log_unmixed(rate: float, x: Array) -> Array:
    """What `log_mixed` takes to each x; −inf below the least that it takes anything to.

    >>> log_unmixed(0.5, np.array([-0.7, 0.0])).tolist()
    [-inf, 0.0]
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        small = np.log1p(np.maximum(np.expm1(np.minimum(x, 700)) / rate, -1))
        large = x - math.log(rate) + np.log1p(-(1 - rate) * np.exp(-x))
        unmixed = np.where(x < 30, small, large)
        if rate > 0.5:
            far = np.log(np.maximum(np.exp(np.minimum(x, 0)) - (1 - rate), 0) / rate)
            unmixed = np.where(x < -0.5, far, unmixed)
    return unmixed
