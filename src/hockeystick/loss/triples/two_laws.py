"""Answers that have one of two laws: binary randomized response."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from hockeystick.loss.triples.base import Triples
from hockeystick.loss.triples.pair import VirtualPair
from hockeystick.numerics.types import Array


@dataclass(frozen=True)
class TwoLaws(Triples):
    """Two laws on two outcomes, with losses ±ε: y is as x' or as x, so there are two moves only,
    (1−γ)·μ_x' + γ·μ_x against μ_x', and its reverse.

    >>> pair = TwoLaws(rate=0.5, epsilon=1.0).pair(0.0)
    >>> bool(abs(pair.masses.sum() - 1) < 1e-15)
    True
    """

    worthwhile: ClassVar[float] = 0.002
    epsilon: float = 0.0

    def pair(self, given_away: float) -> VirtualPair:
        return _pair(self)

    def divergence(self, orders: Array) -> Array:
        return _pair(self).divergence(orders)


@lru_cache(maxsize=128)
def _pair(laws: TwoLaws) -> VirtualPair:
    """Kept, so that what is computed of it can be kept too."""
    lie = 1 / (1 + math.exp(laws.epsilon))
    down, up = math.expm1(-laws.epsilon), math.expm1(laws.epsilon)
    losses = np.array([math.log1p(laws.rate * down), math.log1p(laws.rate * up)])
    return VirtualPair(losses, np.array([1 - lie, lie]) * np.exp(losses), is_a_move=True)
