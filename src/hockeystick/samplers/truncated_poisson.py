"""Poisson sampling with a limit on the size of the batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hockeystick.checks import Whole, checked, declared, probability
from hockeystick.evidence import Evidence, known
from hockeystick.loss.atoms import NOTHING
from hockeystick.loss.base import Loss
from hockeystick.loss.labelled import LabelledLoss
from hockeystick.loss.mixed import mixed
from hockeystick.mechanism import Mechanism
from hockeystick.numerics.binomial import binomial_above
from hockeystick.numerics.types import Array
from hockeystick.relation import ADD_REMOVE, REPLACE_ONE, Relation
from hockeystick.samplers.poisson import Poisson
from hockeystick.samplers.sampler import Sampler, attained_base, best_curve
from hockeystick.samplers.without_replacement import fixed_size_loss, same_population

if TYPE_CHECKING:
    from hockeystick.random.generators import Randomness


@declared
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

    rate: float = checked(probability)
    limit: int = checked(Whole(0))
    population: int = checked(Whole(1))
    natural_relation = ADD_REMOVE

    @property
    def full(self) -> float:
        """The probability T that the other records fill the batch."""
        return binomial_above(self.limit - 1, self.population - 1, self.rate)

    @property
    def drawn_when_full(self) -> float:
        """The probability q' that the record is in the batch, given that the others fill it."""
        more = binomial_above(self.limit, self.population, self.rate)
        return min(1.0, self.limit * more / (self.population * self.full)) if self.full else 0.0

    def evidence(self, mechanism: Mechanism, relation: Relation, steps: int) -> Evidence:
        if self.rate == 0 or self.limit == 0:
            return Evidence((NOTHING,))
        fitting = Poisson(self.rate).evidence(mechanism, relation, steps).loss
        full = fixed_size_loss(mechanism, relation, self.drawn_when_full)
        pair = LabelledLoss((1 - self.full, fitting), (self.full, full))
        without = None if relation is ADD_REMOVE else (lambda: known(mechanism, relation, 1))
        attained = self._attained(mechanism, relation, steps)
        return Evidence((pair,), attained, best_curve([pair], without))

    def _attained(self, mechanism: Mechanism, relation: Relation, steps: int) -> Loss:
        drawn = (1 - self.full) * self.rate + self.full * self.drawn_when_full
        if relation is not REPLACE_ONE:
            return mixed(attained_base(mechanism, relation, steps), drawn)
        alone = Poisson(drawn).evidence(mechanism, relation, steps)
        return alone.attained_loss

    def draw(self, population: int, rng: Randomness = None) -> Array:
        from hockeystick.random import batches

        population = same_population(self.population, population)
        return np.asarray(batches.truncated_poisson(population, self.rate, self.limit, rng))
