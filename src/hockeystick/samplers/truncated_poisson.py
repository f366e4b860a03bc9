"""Poisson sampling with a limit on the size of the batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hockeystick.checks import probability, whole
from hockeystick.loss.atoms import NOTHING
from hockeystick.loss.base import Loss
from hockeystick.loss.labelled import LabelledLoss
from hockeystick.mechanism import Mechanism, call_text
from hockeystick.numerics.binomial import binomial_above
from hockeystick.numerics.series import Array
from hockeystick.relation import ADD_REMOVE, REPLACE_ONE, Relation
from hockeystick.samplers.poisson import Poisson, replaced_pair
from hockeystick.samplers.sampler import Sampler, attained_base
from hockeystick.samplers.without_replacement import fixed_size_loss, same_population

if TYPE_CHECKING:
    from hockeystick.random.generators import Randomness


@dataclass(frozen=True, repr=False)
class TruncatedPoisson(Sampler):
    """Each record with probability `rate`; if more than `limit` were drawn, a uniform `limit` stay.

    Whether the *other* records fill the batch says nothing about this one, so it may be revealed
    (Ganesh 2025): with probability 1 − T, T = Pr[Bin(n−1, q) >= limit], the pair of Poisson
    sampling; with probability T that of a fixed-size sample, in which the record is drawn with
    probability q' = limit·Pr[Bin(n, q) > limit]/(n·T). The lower end is a data set in which no
    other record contributes.

    Parameters
    ----------
    rate: in [0, 1]; limit: an integer >= 0; population: an integer >= 1, public.
    """

    source = "Ganesh 2025"

    rate: float
    limit: int
    population: int
    natural_relation = ADD_REMOVE

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", probability("rate", self.rate))
        object.__setattr__(self, "limit", whole("limit", self.limit, 0))
        object.__setattr__(self, "population", whole("population", self.population, 1))

    @property
    def full(self) -> float:
        """The probability T that the other records fill the batch."""
        return binomial_above(self.limit - 1, self.population - 1, self.rate)

    @property
    def drawn_when_full(self) -> float:
        """The probability q' that the record is in the batch, given that the others fill it."""
        more = binomial_above(self.limit, self.population, self.rate)
        return min(1.0, self.limit * more / (self.population * self.full)) if self.full else 0.0

    def loss(self, mechanism: Mechanism, relation: Relation) -> Loss:
        if self.rate == 0 or self.limit == 0:
            return NOTHING
        return LabelledLoss(
            (1 - self.full, Poisson(self.rate).loss(mechanism, relation)),
            (self.full, fixed_size_loss(mechanism, relation, self.drawn_when_full)),
        )

    def attained(self, mechanism: Mechanism, relation: Relation, steps: int) -> Loss | None:
        if self.rate == 0 or self.limit == 0:
            return None
        drawn = (1 - self.full) * self.rate + self.full * self.drawn_when_full
        if relation is not REPLACE_ONE:
            return attained_base(mechanism, relation, steps).mix(drawn)
        return replaced_pair(mechanism, drawn, steps) or Poisson(drawn).loss(mechanism, relation)

    def unsampled(self, relation: Relation) -> Relation | None:
        return None if relation is ADD_REMOVE else relation

    def draw(self, population: int, rng: Randomness = None) -> Array:
        from hockeystick.random import batches

        population = same_population(self.population, population)
        return np.asarray(batches.truncated_poisson(population, self.rate, self.limit, rng))

    def __repr__(self) -> str:
        return call_text("TruncatedPoisson", self.rate, self.limit, self.population)
