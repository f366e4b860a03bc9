"""Sampling a fixed number of records without replacement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from hockeystick.checks import whole
from hockeystick.errors import ParameterError
from hockeystick.loss.atoms import NOTHING
from hockeystick.loss.base import Loss
from hockeystick.loss.gaussian import GaussianLoss
from hockeystick.loss.half import joint
from hockeystick.loss.halves import loss_of
from hockeystick.loss.mixture import GaussianMixture, MixtureLoss
from hockeystick.mechanism import Mechanism, call_text
from hockeystick.numerics.series import Array
from hockeystick.relation import ADD_REMOVE, REPLACE_ONE, ZERO_OUT, Relation
from hockeystick.samplers.sampler import (
    Sampler,
    amplified_curve,
    attained_base,
    base_loss,
    renyi_curve,
)

if TYPE_CHECKING:
    from hockeystick.random.generators import Randomness


@dataclass(frozen=True, repr=False)
class WithoutReplacement(Sampler):
    """`size` of `population` records, every subset of that size as likely as any other.

    With γ = size/population and (P, Q) the pair of the mechanism when a record is *replaced* —
    when the record is not drawn, another takes its place:

    - one replaced: the symmetric profile γ·h(1 + (a−1)/γ) for a >= 1, the largest of each single
      step (Balle, Barthe and Gaboardi 2018, Theorem 9), which dominates under composition (Zhu,
      Dong and Wang 2022, Theorem 11); the lower end is ((1−γ)·Q + γ·P, Q) or its reverse;
    - one added or removed: ((1−γ)·Q + γ·P, Q) and its reverse (Lebeda et al. 2025), `population`
      being the larger of the two sizes: the guarantee holds for all data at least that large;
    - one zeroed out: γ·((1−β)·h_replace(A) + β·h_zero(A)) and γ·h_zero(A), by advanced joint
      convexity; for Gaussian noise also (1−γ)·N(0) + γ·N(2) against (1−γ)·N(0) + γ·N(−1), the
      means as far apart as they can be. The smaller answer counts.

    Parameters
    ----------
    size: an integer in [0, population]; population: an integer >= 1, public.

    >>> from hockeystick import Gaussian
    >>> step = Gaussian(5, replace_sensitivity=1).on(WithoutReplacement(60, 60_000))
    >>> round((step * 600_000).epsilon(delta=1e-8), 9)
    0.852086082
    """

    source = "Balle, Barthe and Gaboardi 2018, Theorem 9"
    sources: ClassVar = {
        ADD_REMOVE: "Lebeda et al. 2025",
        ZERO_OUT: "advanced joint convexity, Balle, Barthe and Gaboardi 2018, Theorem 2",
    }

    size: int
    population: int
    natural_relation = REPLACE_ONE

    def __post_init__(self) -> None:
        population = whole("population", self.population, 1)
        size = whole("size", self.size, 0)
        if size > population:
            raise ParameterError(
                f"size must be at most the population of {population} when records are drawn "
                f"without replacement, got {size}"
            )
        object.__setattr__(self, "population", population)
        object.__setattr__(self, "size", size)

    @property
    def fraction(self) -> float:
        """The sampled fraction γ."""
        return self.size / self.population

    @property
    def fixed_fraction(self) -> float:
        return self.fraction

    def loss(self, mechanism: Mechanism, relation: Relation) -> Loss:
        return fixed_size_loss(mechanism, relation, self.fraction)

    def other_loss(self, mechanism: Mechanism, relation: Relation) -> Loss | None:
        if relation is not ZERO_OUT or self.size == 0:
            return None
        replace, zero = base_loss(mechanism, REPLACE_ONE), base_loss(mechanism, ZERO_OUT)
        if not isinstance(replace, GaussianLoss) or not isinstance(zero, GaussianLoss):
            return None
        weights = (1 - self.fraction, self.fraction)
        return MixtureLoss(
            GaussianMixture(weights, (0.0, replace.shift)),
            GaussianMixture(weights, (0.0, -zero.shift)),
        )

    def attained(self, mechanism: Mechanism, relation: Relation, steps: int) -> Loss | None:
        if self.size == 0:
            return None
        if relation is ADD_REMOVE:
            known = mechanism.attained(REPLACE_ONE, steps)
            return known and known.mix(self.fraction)
        if relation is REPLACE_ONE and steps == 1:
            return None
        return attained_base(mechanism, relation, steps).mix(self.fraction)

    def renyi(self, mechanism: Mechanism, orders: Array, relation: Relation) -> Array:
        from hockeystick import classical

        if relation is ZERO_OUT:
            return super().renyi(mechanism, orders, relation)
        curve, rate = renyi_curve(mechanism, REPLACE_ONE), self.fraction

        def theorem(few: Array) -> Array:
            if relation is ADD_REMOVE:
                return np.asarray(classical.rdp_poisson(curve, rate, few, factor=1))
            one = classical.rdp_without_replacement(curve, rate, few, curve(np.inf))
            other = classical.rdp_without_replacement_from_curve(curve, rate, few)
            return np.asarray(np.minimum(one, other))

        return amplified_curve(theorem, curve, rate, orders)

    def unsampled(self, relation: Relation) -> Relation:
        return REPLACE_ONE if relation is ADD_REMOVE else relation

    def apply(self, mechanism: Mechanism) -> Mechanism:
        return mechanism if self.size == self.population else super().apply(mechanism)

    def draw(self, population: int, rng: Randomness = None) -> Array:
        from hockeystick.random import batches

        return batches.subset(same_population(self.population, population), self.size, rng)

    def __repr__(self) -> str:
        return call_text("WithoutReplacement", self.size, self.population)


def fixed_size_loss(mechanism: Mechanism, relation: Relation, fraction: float) -> Loss:
    """The loss when the record is drawn with probability `fraction`, else another in its place."""
    if fraction == 0:
        return NOTHING
    replace = base_loss(mechanism, REPLACE_ONE)
    if relation is ADD_REMOVE:
        return replace.mix(fraction)
    if fraction == 1:
        return base_loss(mechanism, relation)
    if relation is REPLACE_ONE:
        return loss_of(joint([fraction], [replace], [replace], fraction))
    zero = base_loss(mechanism, ZERO_OUT)
    without = zero.reverse()
    backward = joint([fraction], [without], [without], fraction)
    return loss_of(joint([fraction], [zero], [replace], fraction), backward)


def same_population(declared: int, given: int) -> int:
    """The population, if what is drawn from is what was accounted for."""
    if whole("population", given, 1) != declared:
        raise ParameterError(f"population must be the declared {declared}, got {given}")
    return declared
