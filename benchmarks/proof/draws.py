"""Random numbers over orders of magnitude, of which questions are made."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

import hockeystick as hs

POPULATION = 10_000


@dataclass
class Draw:
    """Random numbers over orders of magnitude, some of them round as those that people choose."""

    rng: np.random.Generator

    def number(self, low: float, high: float) -> float:
        """Its logarithm is uniform; one in four has two digits."""
        value = math.exp(self.rng.uniform(math.log(low), math.log(high)))
        return float(f"{value:.1e}") if self.rng.random() < 0.25 else value

    def whole(self, low: int, high: int) -> int:
        return min(high, max(low, round(self.number(low, high))))

    def chance(self, probability: float) -> bool:
        return bool(self.rng.random() < probability)

    @property
    def poisson(self) -> hs.Poisson:
        return hs.Poisson(self.number(1e-4, 0.5))

    @property
    def fixed(self) -> hs.WithoutReplacement:
        return hs.WithoutReplacement(self.whole(1, POPULATION // 2), POPULATION)
