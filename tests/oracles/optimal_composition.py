"""Optimal composition of (ε, δ)-private steps by Theorem 3.3 of Kairouz, Oh and Viswanath (2015).

The losses of k randomized responses are 2l − k steps of ε, where l is a binomial number: under P
each answer is the truth with probability p = e^ε/(1 + e^ε). For δ(e) = E_P[1 − e^{e − L}]_+ all
that is needed are sums over l >= s of binomial probabilities, in logarithms. Unlike the others this
oracle counts in floats, up to a million steps, to some 1e-13.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MARGIN = 4e-13
"""Relative margin on δ for rounding: the sums are good to some 1e-13."""
ULPS = 1e-15
"""Relative rounding of (1 − δ)^k, within which two of them count as equal."""
REACH = 20.0
"""The sums leave out what is below e^−40 of their largest term."""


def optimal_composition(
    step_epsilon: float, step_delta: float, count: int, *, delta: float
) -> float:
    """The smallest ε that holds for every mechanism composed of k steps, each (ε, δ)-private.

    Rounded up: it is that of a δ smaller by 4e-13 relatively, and 1e-15 more.
    """
    e, d, k, target = step_epsilon, step_delta, count, delta
    if target == 1 or k == 0:
        return 0.0
    lost = _lost(d, k)
    if lost > target * (1 + ULPS):
        return math.inf
    goal = max(0.0, target * (1 - ULPS) - lost) / (1 - lost) * (1 - MARGIN)
    if e == 0 or _log_excess(e, k, 0.0) <= _log(goal):
        return 0.0
    return _solve(e, k, goal)


def optimal_composition_delta(
    step_epsilon: float, step_delta: float, count: int, *, epsilon: float
) -> float:
    """The smallest δ at this ε, to some 1e-13."""
    e, d, k, total = step_epsilon, step_delta, count, epsilon
    lost = _lost(d, k)
    if k == 0 or total >= k * e:
        return lost
    return lost + (1 - lost) * math.exp(_log_excess(e, k, total))


def _lost(delta: float, count: int) -> float:
    """1 − (1 − δ)^k."""
    return (
        1.0 if delta == 1 and count else -math.expm1(count * math.log1p(-delta)) if count else 0.0
    )


def _log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf


def _first_above(step: float, count: int, epsilon: float) -> int:
    """The least l with loss (2l − k)·step > ε."""
    start = max(0, min(count, math.floor((epsilon / step + count) / 2) - 1))
    while start <= count and (2 * start - count) * step <= epsilon:
        start += 1
    return start


def _log_excess(step: float, count: int, epsilon: float) -> float:
    """log E[1 − e^{ε − L}]_+ over the losses L = (2l − k)·step."""
    start = _first_above(step, count, epsilon)
    if start > count:
        return -math.inf
    sums = tail(step, count, start)
    # From the least loss beyond ε to ε itself: 1 − e^{ε−L} = 1 − r + r·(1 − e^{L(s)−L}).
    gap = (2 * start - count) * step - epsilon
    return sums.log_scale + _log(sums.excess - math.expm1(-gap) * sums.reverse)


def _solve(step: float, count: int, goal: float) -> float:
    """The ε > 0 where the excess is `goal`, known to be above it at ε = 0."""
    low, high = _first_above(step, count, 0.0) - 1, count  # losses at which it is above, not above
    while high - low > 1:
        middle = (low + high) // 2
        sums = tail(step, count, middle)
        above = sums.log_scale + _log(sums.excess) > _log(goal)
        low, high = (middle, high) if above else (low, middle)
    sums = tail(step, count, high)
    missing = goal * math.exp(-sums.log_scale) - sums.excess if goal else 0.0
    epsilon = (2 * high - count) * step + math.log1p(-min(missing / sums.reverse, 1 - 1e-16))
    return min(count * step, max(0.0, (2 * low - count) * step, epsilon) * (1 + ULPS))


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

    Loader's (2000) form: exp(−D(l, kp) − D(k − l, kq)) times a smooth factor, with the deviance
    D(x, M) = x·log(x/M) + M − x, in which nothing large cancels.
    """
    log_total = math.log1p(math.exp(-epsilon))
    p, q = math.exp(-log_total), math.exp(-epsilon - log_total)
    # l − kp, from whichever of p − 1/2 and q is the smaller number.
    d = (l - k / 2) - k / 2 * math.tanh(epsilon / 2) if epsilon < 1 else k * q - (k - l)
    log_k = math.log(k)
    deviance = _deviance(l, d, k * p, log_k - log_total)
    deviance += _deviance(k - l, -d, k * q, log_k - epsilon - log_total)
    inside = np.maximum(l * (k - l) / k, 0.25)
    smooth = _stirling(np.array(float(k))) - _stirling(l) - _stirling(k - l)
    smooth -= 0.5 * np.log(2 * math.pi * inside)
    # At both ends the law is a plain power.
    ends = np.where(l == k, -k * log_total, -k * (epsilon + log_total))
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
