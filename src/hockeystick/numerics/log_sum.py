"""Sums of exponentials, by their logarithms."""

from __future__ import annotations

from typing import Any

import numpy as np

from hockeystick.numerics.series import Array


def log_sum_exp(terms: Array, axis: int = -1) -> Any:
    """log Σ e^term along one axis, without overflow; −inf where every term is.

    >>> round(float(log_sum_exp(np.array([1000.0, 1000.0]))), 9)
    1000.693147181
    """
    peak = terms.max(axis=axis, keepdims=True)
    peak = np.where(np.isfinite(peak), peak, 0.0)
    with np.errstate(divide="ignore"):
        total = np.log(np.exp(terms - peak).sum(axis=axis))
    return total + peak.squeeze(axis)
