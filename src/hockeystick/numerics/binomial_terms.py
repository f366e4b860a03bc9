"""Binomial sums of Rényi moments, Σ_j C(n, j)·γ^j·(1 − γ)^(n − j)·e^{(j − 1)·ε(j)}, in logarithms.

The exponents are sums of numbers in the thousands that nearly cancel, while the answer can be as
small as 1e-12 and is wanted to 12 digits. So each number is split into a multiple of 2^−20, whose
products with integers and sums are exact in float64, and a small rest.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from hockeystick.numerics.series import Array

GRID = 2.0**20
EXACT_ORDERS = 1024
"""Up to this order log C(n, j) comes from the integer itself, beyond it from Stirling's series."""
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


@lru_cache(maxsize=256)
def log_binomials(n: int) -> Array:
    """log C(n, j) for j = 2, …, n."""
    if n <= EXACT_ORDERS:
        half = [math.log(math.comb(n, j)) for j in range(n // 2 + 1)]
        return np.array((half + half[: n - n // 2][::-1])[2:])
    return log_binomial(n, np.arange(2, n + 1))


def log_binomial(n: int, j: Array) -> Array:
    """log C(n, j) by Stirling's series with its remainders, so that nothing large is subtracted."""
    few = np.minimum(j, n - j).astype(float)
    k = np.maximum(few, 1.0)
    rest = n - k
    entropy = k * np.log(n / k) - rest * np.log1p(-k / n)
    scale = np.log(n / (2 * np.pi * k * rest)) / 2
    remainders = _stirling(np.array(float(n))) - _stirling(k) - _stirling(rest)
    return np.where(few > 0, entropy + scale + remainders, 0.0)


SMALL_REMAINDERS = np.array(
    [0.0]
    + [
        math.lgamma(k + 1) - (k + 0.5) * math.log(k) + k - math.log(2 * math.pi) / 2
        for k in range(1, 16)
    ]
)


def _stirling(k: Array) -> Array:
    """log k! − log(√(2πk)·(k/e)^k), for whole numbers k."""
    r = 1 / (k * k)
    series = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r / 1188)))) / k
    return np.where(k < 16, SMALL_REMAINDERS[np.minimum(k, 15).astype(int)], series)


def log_weights(n: int, epsilons: Array, rate: float, *, complement: bool) -> Array:
    """log of C(n, j)·rate^j·(1 − rate)^(n − j)·e^{(j − 1)·ε(j)} for j = 2, …, n.

    Without `complement` the power of 1 − rate is left out.
    """
    j = np.arange(2, n + 1)
    log_rate, moment = split_log(rate), split(epsilons)
    high = j * log_rate.high + (j - 1) * moment.high
    low = log_binomials(n) + j * log_rate.low + (j - 1) * moment.low
    if complement:
        log_rest = split_log(rate, complement=True)
        high = high + (n - j) * log_rest.high
        low = low + (n - j) * log_rest.low
    return np.asarray(high + low)


def log_sum(logs: Array) -> float:
    """log Σ e^x."""
    top = float(logs.max(initial=-math.inf))
    if math.isinf(top):
        return top
    return top + math.log(np.exp(logs - top).sum())


def log_one_plus(logs: Array) -> float:
    """log(1 + Σ e^x), accurate relative to itself however small it is."""
    return float(np.logaddexp(0.0, log_sum(logs)))


def log_expm1(x: Array) -> Array:
    """log(e^x − 1) for x >= 0, without overflow."""
    with np.errstate(divide="ignore"):
        return np.asarray(x + np.log(-np.expm1(-x)))
