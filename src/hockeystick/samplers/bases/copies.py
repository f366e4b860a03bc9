"""The Rényi curve when a record is drawn at least once, from that of one copy."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from hockeystick.errors import ParameterError
from hockeystick.loss.atoms import AtomicLoss
from hockeystick.loss.base import Loss
from hockeystick.mechanism import Mechanism
from hockeystick.numerics.binomial import binomial_weights
from hockeystick.numerics.log_sum import log_sum_exp
from hockeystick.numerics.types import Array
from hockeystick.relation import REPLACE_ONE
from hockeystick.samplers.sampler import renyi_curve

MOST_COPIES = 64
"""Copies whose divergence is put together step by step; of more, by the largest loss alone."""

CELLS = 4000
"""Cells of the outcomes of Laplace noise between no copy and the most,"""
FEW_CELLS = 400
"""and of several steps, whose losses are added up."""

RenyiCurve = Callable[[float], float]


def group_curve(curve: RenyiCurve, size: int) -> RenyiCurve:
    """ε_k(α) of k records together, from ε(α) of one, at most k·ε(∞).

    ε_k(α) <= kα/(kα − 1)·ε_{k−1}((kα − 1)/(k − 1)) + ε(kα) (Bun and Steinke 2016, Lemma 5.2): of a
    curve ρ·α it makes k²·ρ·α.

    >>> round(group_curve(lambda order: 0.5 * order, 3)(2.0), 12)
    9.0
    """

    def together(order: float) -> float:
        pure, total, factor, alpha = size * curve(math.inf), 0.0, 1.0, order
        if size > MOST_COPIES or math.isinf(order):
            return pure
        for k in range(size, 1, -1):
            total += factor * curve(k * alpha)
            factor *= k * alpha / (k * alpha - 1)
            alpha = (k * alpha - 1) / (k - 1)
        return min(total + factor * curve(alpha), pure)

    return together


def drawn_curve(mechanism: Mechanism, size: int, population: int) -> RenyiCurve:
    """log Σ_{k>=1} (B_k/η)·e^{(α−1)·ε_k(α)}/(α − 1), B_k = Binomial(k; size, 1/population).

    What the mechanism says of groups is used where it says so, else what follows from its curve.
    """
    curve = renyi_curve(mechanism, REPLACE_ONE)
    weights = binomial_weights(size, 1 / population, min(size, MOST_COPIES))[1:]
    groups = [_of_group(mechanism, curve, k) for k in range(1, weights.size + 1)]
    drawn = -math.expm1(size * math.log1p(-1 / population)) if population > 1 else 1.0
    top = size * curve(math.inf)

    @lru_cache(maxsize=4096)
    def value(order: float) -> float:
        if math.isinf(order):
            return top
        if size > MOST_COPIES and math.isinf(top):
            return math.inf
        s = max(order - 1, 1e-9)
        with np.errstate(divide="ignore"):
            logs = np.log(weights / drawn)
        terms = [
            log + s * group(1 + s)
            for log, group in zip(logs.tolist(), groups, strict=True)
            if log > -math.inf
        ]
        if size > MOST_COPIES:
            terms.append(_log_rest(size, population, drawn) + s * top)
        return max(0.0, float(log_sum_exp(np.array(terms)))) / s

    return value


def laplace_copies(weights: Array, reach: float, cells: int = CELLS) -> Loss:
    """Σ B_k·Lap(k·reach) against Lap(0), as seen through cells: a lower end.

    What lies below 0 has one loss, what lies beyond the last copy another; between them cells merge
    outcomes, which can only hide. `weights`: B_0, B_1, …; the last stands for all more, too.
    """
    weights = weights.copy()
    weights[-1] += max(0.0, 1 - float(weights.sum()))
    shifts = reach * np.arange(weights.size)
    edges = np.linspace(0.0, shifts[-1], cells + 1)
    q, p = _laplace_masses(edges), np.zeros(cells + 2)
    for weight, shift in zip(weights.tolist(), shifts.tolist(), strict=True):
        p += weight * _laplace_masses(edges - shift)
    return AtomicLoss(np.log(p) - np.log(q), np.log(q))


def _laplace_masses(edges: Array) -> Array:
    """Masses of Laplace noise below the first edge, between neighbours, and above the last."""
    below, above = np.exp(-np.abs(edges)) / 2, np.exp(-np.abs(edges)) / 2
    left = edges <= 0
    inside = np.where(
        left[1:],
        below[1:] - below[:-1],
        np.where(left[:-1], 1 - below[:-1] - above[1:], above[:-1] - above[1:]),
    )
    first = below[0] if left[0] else 1 - above[0]
    last = above[-1] if not left[-1] else 1 - below[-1]
    return np.concatenate([[first], inside, [last]])


def _of_group(mechanism: Mechanism, curve: RenyiCurve, size: int) -> RenyiCurve:
    if size == 1:
        return curve
    try:
        return renyi_curve(mechanism.group(size), REPLACE_ONE)
    except ParameterError:  # it says nothing of groups
        return group_curve(curve, size)


def _log_rest(size: int, population: int, drawn: float) -> float:
    """log of an upper bound of the probability of more copies, given that there is one."""
    k = MOST_COPIES + 1  # C(size, k)·population^−k bounds the probability of k copies or more
    log_choose = math.lgamma(size + 1) - math.lgamma(k + 1) - math.lgamma(size - k + 1)
    return log_choose - k * math.log(population) - math.log(drawn)
