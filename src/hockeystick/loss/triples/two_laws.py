"""Answers that have one of two laws: binary randomized response."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hockeystick.loss.triples.base import Triples
from hockeystick.loss.triples.pair import VirtualPair


@dataclass(frozen=True)
class TwoLaws(Triples):
    """Two laws on two outcomes, with losses ±ε: y is as x' or as x, so there are two moves only,
    (1−γ)·μ_x' + γ·μ_x against μ_x', and its reverse.

    >>> pair = TwoLaws(rate=0.5, epsilon=1.0).pair(0.0)
    >>> bool(abs(pair.masses.sum() - 1) < 1e-15)
    True
    """

    epsilon: float = 0.0

    def pair(self, given_away: float) -> VirtualPair:
        lie = 1 / (1 + math.exp(self.epsilon))
        truth, rate = 1 - lie, self.rate
        down, up = math.expm1(-self.epsilon), math.expm1(self.epsilon)
        losses = np.array([math.log1p(rate * down), math.log1p(rate * up)])
        masses = np.array([truth, lie]) * np.exp(losses)
        return VirtualPair(losses, masses, is_a_move=True)
