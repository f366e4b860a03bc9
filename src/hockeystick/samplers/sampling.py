"""Any finite law of batches, listed one by one and accounted for by couplings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from hockeystick.checks import Whole, call_text, checked, declared, finite_positive, shown, whole
from hockeystick.errors import ParameterError
from hockeystick.evidence import Evidence, known
from hockeystick.loss.atoms import NOTHING
from hockeystick.loss.base import Loss
from hockeystick.loss.labelled import LabelledLoss
from hockeystick.loss.mixed import mixed
from hockeystick.mechanism import Mechanism
from hockeystick.numerics.types import Array
from hockeystick.relation import REPLACE_ONE, Relation
from hockeystick.samplers.bases.changes import RARE, REMOVAL, Change, coupled_loss, laws_of
from hockeystick.samplers.poisson import Poisson
from hockeystick.samplers.sampler import Sampler, attained_base, base_loss, best_curve
from hockeystick.samplers.without_replacement import same_population

if TYPE_CHECKING:
    from hockeystick.classical.couplings import Coupling
    from hockeystick.random.generators import Randomness

MOST_BATCHES = 1024
"""Batches of a law: their couplings are linear programs of as many rows."""

Batch = tuple[int, ...]


class Batches:
    """The domain of a law: a mapping of batches, tuples of indices, to positive weights."""

    def __call__(self, name: str, value: Any) -> tuple[tuple[Batch, float], ...]:
        """The law as pairs of a batch, in order, and its weight."""
        pairs = list(value.items()) if isinstance(value, Mapping) else value
        if not isinstance(pairs, list | tuple) or not 0 < len(pairs) <= MOST_BATCHES:
            raise ParameterError(
                f"{name} must be a mapping of 1 to {MOST_BATCHES} batches to their weights, got "
                f"{shown(value)}"
            )
        law: dict[Batch, float] = {}
        for batch, weight in pairs:
            if not isinstance(batch, tuple):
                raise ParameterError(f"a batch must be a tuple of indices, got {shown(batch)}")
            records = tuple(sorted(whole("index", each, 0) for each in batch))
            if len(set(records)) < len(records) or records in law:
                raise ParameterError(
                    f"{name} must list different batches, each of different records, got "
                    f"{shown(batch)}"
                )
            law[records] = finite_positive("weight", weight)
        return tuple(sorted(law.items()))


@declared
class Sampling(Sampler):
    """One of the listed batches, in proportion to its weight: any law over subsets of the records.

    For a record that is in the batch with probability η, let ω₀ be the law of the batches without
    it, ω₁ of those with it, and ω₁' of those with what takes its place. Coupled as closely as can
    be, by a transport problem, they differ in k records with probability far_k (ω₁ and ω₀) and in
    one (ω₁ and ω₁'), and with A = 1 + (a−1)/η, β = a/A

        δ(a) = η·((1 − β)·Σ_k far_k·h_k(A) + β·h_1(A))

    dominates for that record (Balle, Barthe and Gaboardi 2018, Theorem 2 and equation 5); the
    largest of all records counts. Where batches with the record have others near them of the same
    size, that is the amplification of a sample of fixed size; where each record has a coin of its
    own, whatever its chance, `Poisson` answers for the largest. Also dominating: to reveal the
    batch, η·h_1(a). The smaller answer counts.

    When a record is added or removed, the batches are those listed with the record left out of
    them: all others keep their places. The lower end is a data set in which the record alone
    counts.

    Parameters
    ----------
    weights: {batch: weight}, a batch a tuple of indices in [0, population), a weight in (0, inf).
    population: an integer >= 1, public. In text: `Sampling.table(population, weight, size, index,
    …, weight, size, index, …)`.

    >>> from hockeystick import Gaussian
    >>> women, men = (0, 1), (2, 3, 4)  # one of each: stratified sampling
    >>> strata = Sampling({(one, other): 1 for one in women for other in men}, 5)
    >>> strata.rates
    (0.5, 0.5, 0.3333333333333333, 0.3333333333333333, 0.3333333333333333)
    >>> round(Gaussian(2.0).on(strata).epsilon(delta=1e-5), 6)
    3.533998
    """

    source = "Balle, Barthe and Gaboardi 2018, Theorems 2 and 7"
    text_constructors = ("table",)

    weights: tuple[tuple[Batch, float], ...] = checked(Batches())
    population: int = checked(Whole(1))
    natural_relation = REPLACE_ONE

    if TYPE_CHECKING:

        def __init__(self, weights: Mapping[Batch, float], population: int) -> None: ...

    def check_together(self) -> None:
        most = max((each for batch, _ in self.weights for each in batch), default=-1)
        if most >= self.population:
            raise ParameterError(f"index must be below population = {self.population}, got {most}")

    @classmethod
    def table(cls, population: int, *numbers: float) -> Self:
        """From one list of numbers: the weight of a batch, its size, its indices, and so on."""
        law: dict[Batch, float] = {}
        rest = list(numbers)
        while len(rest) > 1:
            size = whole("size", rest[1], 0)
            batch = tuple(whole("index", each, 0) for each in rest[2 : 2 + size])
            if len(batch) < size or batch in law:
                break
            law[batch] = rest[0]
            rest = rest[2 + size :]
        if rest:
            raise ParameterError(
                f"table must hold weight, size and as many indices for each of its different "
                f"batches, got {len(rest)} numbers more"
            )
        return cls(law, population)

    def __repr__(self) -> str:
        numbers = [x for batch, weight in self.weights for x in (weight, len(batch), *batch)]
        return call_text("Sampling.table", self.population, *numbers)

    @cached_property
    def law(self) -> dict[Batch, Fraction]:
        """The probability of each batch, exactly."""
        total = sum((Fraction(weight) for _, weight in self.weights), Fraction(0))
        return {batch: Fraction(weight) / total for batch, weight in self.weights}

    @cached_property
    def rates(self) -> tuple[float, ...]:
        """The probability η of each record to be in the batch."""
        rates = [Fraction(0)] * self.population
        for batch, chance in self.law.items():
            for each in batch:
                rates[each] += chance
        return tuple(map(float, rates))

    @cached_property
    def independent(self) -> bool:
        """Whether each record is drawn independently of all others, up to rounding."""
        one, _ = _couplings(self, REPLACE_ONE)
        return all(1 - each.far.get(REMOVAL, 0.0) <= RARE for each in one if each.rate < 1)

    def evidence(self, mechanism: Mechanism, relation: Relation, steps: int) -> Evidence:
        rate = max(self.rates)
        if rate == 0:
            return Evidence((NOTHING,))
        base = base_loss(mechanism, relation)
        if rate == 1:
            return Evidence((base,), known(mechanism, relation, steps).attained)
        if self.independent:
            return Poisson(rate).evidence(mechanism, relation, steps)
        revealed = LabelledLoss((1 - rate, NOTHING), (rate, base))
        coupled = coupled_loss(mechanism, relation, *_couplings(self, relation))
        pairs = (revealed,) if coupled is None else (coupled, revealed)
        return Evidence(pairs, self._attained(mechanism, relation, steps), best_curve(pairs))

    def _attained(self, mechanism: Mechanism, relation: Relation, steps: int) -> Loss:
        """The record most often drawn counts; all others are as what may stand in its place."""
        rate = max(self.rates)
        if relation is REPLACE_ONE and len({len(batch) for batch in self.law}) > 1:
            return Poisson(rate).evidence(mechanism, relation, steps).attained_loss
        return mixed(attained_base(mechanism, relation, steps), rate)

    def draw(self, population: int, rng: Randomness = None) -> Array:
        from hockeystick.random.choice import choice

        same_population(self.population, population)
        common = math.lcm(*(chance.denominator for chance in self.law.values()))
        place = choice([int(chance * common) for chance in self.law.values()], rng)
        return np.array(self.weights[place][0], dtype=np.int64)


@lru_cache(maxsize=64)
def _couplings(sampler: Sampling, relation: Relation) -> tuple[list[Coupling], list[Coupling]]:
    """For each record that is drawn at all: the coupling, and that of the other direction."""
    from hockeystick.classical.couplings import couple

    one, other = [], []
    for record, rate in enumerate(sampler.rates):
        if rate > 0:
            first, second = laws_of(sampler.law, record, relation)
            one.append(couple(first, second, Change.of, cost=Change.cost))
            other.append(couple(second, first, Change.of, cost=Change.cost))
    return one, other
