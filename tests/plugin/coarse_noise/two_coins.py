"""Poisson sampling in two rounds."""

from __future__ import annotations

from hockeystick import ADD_REMOVE, Mechanism, Poisson, Relation, Sampler
from hockeystick.checks import checked, declared, probability
from hockeystick.evidence import Evidence
from hockeystick.numerics.types import Array
from hockeystick.random.generators import Randomness


@declared
class TwoCoins(Sampler):
    """Each record is drawn if two coins of its own, of chance `first` and `second`, say so.

    That is one coin of chance first × second (Zhu, Dong and Wang 2022, Theorem 11).

    >>> TwoCoins(0.5, 0.2)
    TwoCoins(0.5, second=0.2)
    """

    first: float = checked(probability)
    second: float = checked(probability, default=0.5)
    natural_relation = ADD_REMOVE

    @property
    def _one_coin(self) -> Poisson:
        return Poisson(self.first * self.second)

    def evidence(self, mechanism: Mechanism, relation: Relation, steps: int) -> Evidence:
        return self._one_coin.evidence(mechanism, relation, steps)

    def draw(self, population: int, rng: Randomness = None) -> Array:
        return self._one_coin.draw(population, rng)
