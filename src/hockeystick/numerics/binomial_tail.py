"""Sums over l >= s of binomial probabilities and of their likelihood ratios, in logarithms.

l counts the successes of k trials, each with the log odds x under P and −x under Q, so that
log P[l]/Q[l] = (2l − k)·x.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hockeystick.numerics.stirling import factorial_remainder
from hockeystick.numerics.types import Array

REACH = 20.0
"""The sums leave out what is below e^−40 of their largest term."""


class Tail(NamedTuple):
    """Sums over l >= s with W(l) = (2l − k)·x, as factors of e^{log_scale}."""

    log_scale: float
    excess: float
    """Σ P[l]·(1 − e^{W(s) − W(l)}): P[l >= s] − e^{W(s)}·Q[l >= s]."""
    reverse: float
    """Σ P[l]·e^{W(s) − W(l)}: e^{W(s)}·Q[l >= s]."""


def tail(log_odds: float, count: int, start: int) -> Tail:
    """The sums from l = start on; start in [0, count].

    >>> sums = tail(math.log(3), 2, 2)  # both of two coins of 3/4, against both of two of 1/4
    >>> round(math.exp(sums.log_scale) * sums.reverse, 9), sums.excess
    (0.5625, 0.0)
    """
    k, e = count, log_odds
    mean = k / (1 + math.exp(-e))
    # The logarithm of a binomial law is concave with second difference at most −4/k.
    reach = math.ceil(math.sqrt(REACH * k)) + 2
    low = max(start, math.floor(mean) - reach)
    high = min(k, max(start, math.ceil(mean)) + reach)
    l = np.arange(low, high + 1, dtype=float)  # noqa: E741
    logs = log_mass(l, k, e)
    scale = float(logs.max())
    mass = np.exp(logs - scale)
    behind = -2 * e * (l - start)
    return Tail(scale, float(mass @ -np.expm1(behind)), float(mass @ np.exp(behind)))


def log_mass(l: Array, k: int, log_odds: float) -> Array:  # noqa: E741
    """log of the binomial probability of l successes in k trials, to about 1e-15 times itself.

    Loader's (2000) form: exp(−D(l, kp) − D(k − l, kq)) times a smooth factor, with the deviance
    D(x, M) = x·log(x/M) + M − x, in which nothing large cancels.
    """
    log_total = math.log1p(math.exp(-log_odds))
    p, q = math.exp(-log_total), math.exp(-log_odds - log_total)
    # l − kp, from whichever of p − 1/2 and q is the smaller number.
    d = (l - k / 2) - k / 2 * math.tanh(log_odds / 2) if log_odds < 1 else k * q - (k - l)
    log_k = math.log(k)
    deviance = _deviance(l, d, k * p, log_k - log_total)
    deviance += _deviance(k - l, -d, k * q, log_k - log_odds - log_total)
    inside = np.maximum(l * (k - l) / k, 0.25)
    smooth = factorial_remainder(np.array(float(k)))
    smooth = smooth - factorial_remainder(l) - factorial_remainder(k - l)
    smooth -= 0.5 * np.log(2 * math.pi * inside)
    # At both ends the law is a plain power.
    ends = np.where(l == k, -k * log_total, -k * (log_odds + log_total))
    return np.where((l == 0) | (l == k), ends, smooth - deviance)


def _deviance(x: Array, d: Array, mean: float, log_mean: float) -> Array:
    """x·log(x/mean) − d, where d = x − mean is known better than the difference would be.

    With t = d/mean it is mean·((1 + t)·log(1 + t) − t), of which the series is taken near t = 0.
    """
    near, far = np.abs(d) < 0.1 * mean, d > 1e3 * mean
    t = np.where(far, 0.0, d) / (mean or 1.0)
    series = np.zeros_like(t)
    for n in range(18, 1, -1):
        series = series * np.where(near, t, 0.0) + (-1) ** n / (n * (n - 1))
    log_ratio = np.log1p(np.maximum(t, -1 + 1e-16))
    log_ratio = np.where(far, np.log(np.maximum(x, 1.0)) - log_mean, log_ratio)
    return np.where(near, mean * series * t * t, x * log_ratio - d)
