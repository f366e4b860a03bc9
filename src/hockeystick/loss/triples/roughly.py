"""About what the envelope of triples of normal laws will say, from a few shapes: quickly."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hockeystick.loss.triples.normal import ROUGH, excess
from hockeystick.numerics.types import Array

if TYPE_CHECKING:
    from hockeystick.loss.triples.gaussian import GaussianTriples

NODES, PIECES = 40, 6
"""Of the loss, and of each side of a family of shapes."""
REACH = 8.5
LARGEST_LOSS = 600.0


class Roughly(NamedTuple):
    """Of the loss of one step: its variance and its skew, mostly to a fifth."""

    variance: float
    skew: float


@lru_cache(maxsize=128)
def roughly(triples: GaussianTriples) -> Roughly | None:
    """By the shapes in the middle of boxes; None where noise is so small that no float tells.

    With d the larger of both directions, and s both together, variance = 2·∫e^{−u/2}·s du and
    skew = 6·∫u·e^{−u/2}·(2d − s) du/variance^{3/2}, in the sense of `VirtualPair`.
    """
    far, rate = triples.farthest, triples.rate
    log_a = far * (far / 2 + REACH) * np.linspace(0.0, 1.0, NODES + 1) ** 2
    if log_a[-1] > LARGEST_LOSS:
        return None
    growth = rate * np.expm1(log_a)
    u, a, b = np.log1p(growth), 1 + growth, growth * (1 / rate - 1)
    most, together = np.zeros(u.size), np.zeros(u.size)
    for shapes in triples.shapes():
        low, high = shapes.grid(PIECES)
        middle = (low + high) / 2
        middle = middle[shapes.is_one(middle)]
        gram = shapes.above(middle, middle).take(np.tile(np.arange(len(middle)), u.size))
        at = np.repeat(np.arange(u.size), len(middle))
        one, other = (excess(each, a[at], b[at], ROUGH) for each in (gram, gram.swapped()))
        largest = (
            each.reshape(u.size, -1).max(axis=1) for each in (np.maximum(one, other), one + other)
        )
        most, together = (
            np.maximum(old, new) for old, new in zip((most, together), largest, strict=True)
        )
    weight = rate * np.exp(-u / 2)
    variance = 2 * _integral(u, weight * together)
    return Roughly(variance, 6 * _integral(u, u * weight * (2 * most - together)) / variance**1.5)


def _integral(u: Array, values: Array) -> float:
    return float(np.sum(np.diff(u) * (values[1:] + values[:-1])) / 2)
