"""A record that is there several times, seen through integer noise: a pair that is attained."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from hockeystick.loss.atoms import AtomicLoss
from hockeystick.loss.base import Loss
from hockeystick.numerics.types import Array

REACH = 60.0
"""Outcomes so many scales away from every centre are as rare as e^−60 together, or far rarer."""
MOST_OUTCOMES = 200_000
MOST_ATOMS = 400
"""More outcomes are merged with their neighbours, which can only hide."""
LEAST_MASS = 1e-280
ALIKE = 1e-12
"""Neighbouring losses that are nearer are one: rounding alone tells them apart."""


def integer_copies(
    weights: Array, reach: int, scale: float, log_density: Callable[[Array], Array]
) -> Loss | None:
    """Σ B_k·(noise + k·reach) against the noise; None where there are too many outcomes.

    weights: B_0, B_1, …; the last stands for all more, too. log_density: of the noise on the
    integers, up to a constant.

    >>> law = integer_copies(np.array([0.5, 0.5]), 1, 1.0, lambda x: -np.abs(x))
    >>> bool(abs(law.top - math.log((1 + math.e) / 2)) < 1e-12)  # as of a Poisson sample
    True
    """
    last, wide = reach * (weights.size - 1), math.ceil(REACH * scale) + 1
    if last + 2 * wide > MOST_OUTCOMES:
        return None
    x = np.arange(-wide, last + wide + 1)
    total = np.exp(log_density(np.arange(-wide, wide + 1))).sum()
    q, p = np.exp(log_density(x)) / total, np.zeros(x.size)
    for k, weight in enumerate(weights.tolist()):
        more = max(0.0, 1 - float(weights.sum())) if k == weights.size - 1 else 0.0
        p += (weight + more) * np.exp(log_density(x - k * reach)) / total
    p, q = _merged(p, q)
    return AtomicLoss(np.log(p) - np.log(q), np.log(q))


def _merged(p: Array, q: Array) -> tuple[Array, Array]:
    """The masses with what is too rare, alike or too much put together with its neighbours."""
    kept = np.flatnonzero((p > LEAST_MASS) & (q > LEAST_MASS))
    starts = kept.copy()
    starts[0] = 0  # all before the first; all after the last follow it
    p, q = np.add.reduceat(p, starts), np.add.reduceat(q, starts)
    losses = np.log(p) - np.log(q)
    starts = np.append(0, 1 + np.flatnonzero(np.abs(np.diff(losses)) > ALIKE))
    if starts.size > MOST_ATOMS:
        starts = starts[:: math.ceil(starts.size / MOST_ATOMS)]
    return np.add.reduceat(p, starts), np.add.reduceat(q, starts)
