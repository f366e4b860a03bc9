"""The loss of k randomized responses: 2l − k steps of ε, where l is a binomial number.

Under P each answer is the truth with probability p = e^ε/(1 + e^ε). For δ(e) = E_P[1 − e^{e − L}]_+
all that is needed are sums over l >= s of binomial probabilities, in logarithms.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hockeystick.series import Array

REACH = 20.0
"""The sums leave out what is below e^−40 of their largest term."""


class Tail(NamedTuple):
    """Sums over l >= s of the probabilities P[l], as factors of e^{log_scale}."""

    log_scale: float
    excess: float
    """Σ P[l]·(1 − e^{L(s) − L(l)}): the δ of the losses beyond L(s)."""
    reverse: float
    """Σ P[l]·e^{L(s) − L(l)}: e^{L(s)} times the probability of l >= s under Q."""


def tail(step_epsilon: float, count: int, start: int) -> Tail:
    """The sums from l = start on; start in [0, count]."""
    k, e = count, step_epsilon
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


def log_mass(l: Array, k: int, epsilon: float) -> Array:  # noqa: E741
    """log of the binomial probability of l truths among k, to about 1e-15 times itself.

    Loader's (2000) form: with d = l − kp, exp(−kp·φ(d/(kp)) − kq·φ(−d/(kq))) times a smooth factor,
    φ(t) = (1 + t)·log(1 + t) − t, in which nothing large cancels.
    """
    p, q = 1 / (1 + math.exp(-epsilon)), math.exp(-epsilon) / (1 + math.exp(-epsilon))
    d = (l - k / 2) - k / 2 * math.tanh(epsilon / 2)
    deviance = k * p * _phi(d / (k * p)) + k * q * _phi(-d / (k * q))
    other = k - l
    inside = np.maximum(l * other / k, 0.25)
    smooth = _stirling(np.array(float(k))) - _stirling(l) - _stirling(other)
    smooth -= 0.5 * np.log(2 * math.pi * inside)
    # At both ends the law is a plain power.
    ends = np.where(l == k, -k * math.log1p(math.exp(-epsilon)), 0.0)
    ends = np.where(l == 0, -k * (epsilon + math.log1p(math.exp(-epsilon))), ends)
    return np.where((l == 0) | (l == k), ends, smooth - deviance)


def _phi(t: Array) -> Array:
    """(1 + t)·log(1 + t) − t for t >= −1."""
    small = np.abs(t) < 0.1
    series = np.zeros_like(t)
    x = np.where(small, t, 0.0)
    for n in range(18, 1, -1):
        series = series * x + (-1) ** n / (n * (n - 1))
    inside = np.maximum(1 + t, 0.0)
    plain = inside * np.log1p(np.maximum(t, -1 + 1e-16)) - t
    return np.where(small, series * x * x, plain)


def _stirling(n: Array) -> Array:
    """log n! − ((n + ½)·log n − n + ½·log 2π): a table, and the asymptotic series from 16 on."""
    small = np.arange(16)
    exact = np.array([math.lgamma(m + 1) for m in small])
    with np.errstate(divide="ignore", invalid="ignore"):
        table = exact - ((small + 0.5) * np.log(small) - small + 0.5 * math.log(2 * math.pi))
    x = np.maximum(n, 16.0)
    y = 1 / (x * x)
    series = (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y / 1188)))) / x
    return np.where(n < 16, table[np.minimum(n, 15).astype(int)], series)
