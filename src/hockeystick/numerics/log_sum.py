"""Sums of exponentials, by their logarithms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hockeystick.numerics.types import Array


def log_sum_exp(terms: Array, axis: int = -1) -> Any:
    """log Σ e^term along one axis, without overflow; −inf where there is none, or every one is.

    >>> round(float(log_sum_exp(np.array([1000.0, 1000.0]))), 9)
    1000.693147181
    """
    peak = terms.max(axis=axis, keepdims=True, initial=-math.inf)
    peak = np.where(np.isfinite(peak), peak, 0.0)
    with np.errstate(divide="ignore"):
        total = np.log(np.exp(terms - peak).sum(axis=axis))
    return total + peak.squeeze(axis)


def log_one_plus(terms: Array) -> float:
    """log(1 + Σ e^term), accurate relative to itself however small it is.

    >>> round(log_one_plus(np.array([-50.0, -50.0])) * 1e22, 9)  # 2·e^−50
    3.857499696
    """
    return float(np.logaddexp(0.0, log_sum_exp(terms)))


def log_expm1(x: Array) -> Array:
    """log(e^x − 1) for x >= 0, without overflow.

    >>> log_expm1(np.array([0.0, 2000.0])).tolist()
    [-inf, 2000.0]
    """
    with np.errstate(divide="ignore"):
        return np.asarray(x + np.log(-np.expm1(-x)))
