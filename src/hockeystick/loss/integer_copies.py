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
"""Neighbouring losses that are nearer, relative to the largest, are one: rounding is between."""


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
    q = np.exp(log_density(x)) / total
    p, gain = np.zeros(x.size), np.zeros(x.size)
    for k, weight in enumerate(weights.tolist()):
        more = max(0.0, 1 - float(weights.sum())) if k == weights.size - 1 else 0.0
        moved = np.exp(log_density(x - k * reach)) / total
        p += (weight + more) * moved
        gain += (weight + more) * (moved - q)
    masses = _merged(np.array([p, q, gain]))
    return AtomicLoss(_losses(masses), np.log(masses[1]))


def _losses(masses: Array) -> Array:
    """log p/q by p, q and p − q, of which what is small has its own digits."""
    p, q, gain = masses
    ratio = gain / q
    return np.asarray(np.where(ratio > -0.5, np.log1p(np.maximum(ratio, -0.5)), np.log(p / q)))


def _merged(masses: Array) -> Array:
    """The masses with what is too rare, alike or too much put together with its neighbours."""
    kept = np.flatnonzero((masses[:2] > LEAST_MASS).all(axis=0))
    starts = kept.copy()
    starts[0] = 0  # all before the first; all after the last follow it
    masses = np.add.reduceat(masses, starts, axis=1)
    losses = _losses(masses)
    apart = np.abs(np.diff(losses)) > ALIKE * np.abs(losses).max()
    starts = np.append(0, 1 + np.flatnonzero(apart))
    if starts.size > MOST_ATOMS:
        starts = starts[:: math.ceil(starts.size / MOST_ATOMS)]
    return np.asarray(np.add.reduceat(masses, starts, axis=1))
