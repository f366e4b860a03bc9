"""Terms of binomial sums with large exponents, C(n, j)·γ^j·(1 − γ)^(n − j)·e^{(j − 1)·x(j)}.

The exponents are sums of numbers in the thousands that nearly cancel, while the answer can be as
small as 1e-12 and is wanted to 12 digits. So each number is split into a multiple of 2^−20, whose
products with integers and sums are exact in float64, and a small rest.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from hockeystick.numerics.binomial import log_binomials
from hockeystick.numerics.types import Array

GRID = 2.0**20
"""Numbers are split at multiples of its inverse."""
NEVER = -1e12
"""Stands for log 0: 0·NEVER is 0, and no exponent outweighs it."""


class Split(NamedTuple):
    """A number, or an array of them, as high + low."""

    high: Array
    low: Array


def split(values: Array) -> Split:
    """The multiple of 2^−20 nearest to each value, and the rest."""
    finite = np.where(np.isfinite(values), values, 0.0)
    high = np.rint(finite * GRID) / GRID
    return Split(np.where(np.isfinite(values), high, values), finite - high)


@lru_cache(maxsize=256)
def split_log(rate: float, complement: bool = False) -> Split:
    """log(rate), or log(1 − rate), to 30 digits."""
    with localcontext() as context:
        context.prec = 60
        exact = 1 - Decimal(rate) if complement else Decimal(rate)
        if exact == 0:
            return Split(np.array(NEVER), np.array(0.0))
        logarithm = exact.ln()
        high = round(float(logarithm) * GRID) / GRID
        return Split(np.array(high), np.array(float(logarithm - Decimal(high))))


def log_weights(n: int, exponents: Array, rate: float, *, complement: bool) -> Array:
    """log of C(n, j)·rate^j·(1 − rate)^(n − j)·e^{(j − 1)·x(j)} for j = 2, …, n.

    exponents: x(2), …, x(n). Without `complement` the power of 1 − rate is left out.

    >>> np.exp(log_weights(2, np.array([3.0]), 0.5, complement=True)).round(9).tolist()  # e³/4
    [5.021384231]
    """
    j = np.arange(2, n + 1)
    log_rate, exponent = split_log(rate), split(exponents)
    high = j * log_rate.high + (j - 1) * exponent.high
    low = log_binomials(n) + j * log_rate.low + (j - 1) * exponent.low
    if complement:
        log_rest = split_log(rate, complement=True)
        high = high + (n - j) * log_rest.high
        low = low + (n - j) * log_rest.low
    return np.asarray(high + low)
