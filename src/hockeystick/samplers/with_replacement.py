"""Sampling a fixed number of records with replacement."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hockeystick.domain import whole
from hockeystick.errors import ParameterError
from hockeystick.loss import Loss
from hockeystick.losses.atoms import EVERYTHING, NOTHING
from hockeystick.losses.gaussian import GaussianLoss
from hockeystick.losses.halves import Half, joint, loss_of
from hockeystick.losses.labelled import LabelledLoss
from hockeystick.losses.mixture import GaussianMixture, MixtureLoss
from hockeystick.mechanism import Mechanism, call_text
from hockeystick.relation import ADD_REMOVE, REPLACE_ONE, ZERO_OUT, Relation
from hockeystick.samplers.binomial import binomial_above, binomial_weights
from hockeystick.samplers.sampler import Sampler, attained_base, base_loss
from hockeystick.samplers.without_replacement import same_population
from hockeystick.series import Array

if TYPE_CHECKING:
    from hockeystick.randomness import Randomness

NEGLIGIBLE = 1e-20
"""Numbers of copies less likely than this together count as giving the record away."""
MOST_COPIES = 1000


@dataclass(frozen=True, repr=False)
class WithReplacement(Sampler):
    """`size` draws from `population` records, each draw uniform and independent.

    A record is drawn k times with probability B_k = Binomial(k; size, 1/population), and then the
    query moves k times as far: the group profile h_k. With η = 1 − B_0 and A = 1 + (a−1)/η,

    - one replaced: the symmetric profile Σ_{k>=1} B_k·h_k(A) for a >= 1 (Balle, Barthe and Gaboardi
      2018, Theorem 10), attained for a single step by a mechanism that reports membership; the
      mixture Σ B_k·P_k against Q is only a lower end;
    - one added or removed: for Gaussian noise that mixture, in both directions; in general the same
      profile (Theorem 11);
    - one zeroed out: Σ B_k·((1−β)·h_k(A) + β·h_k,zero(A)) and Σ B_k·h_k,zero(A).

    For Gaussian noise Σ B_k·N(2k) against Σ B_k·N(−2k), or N(−k) when zeroed out, dominates too:
    given whom else was drawn, the k copies move the sum by at most 2k, and two mixtures of
    Gaussians are the easier to tell apart the farther their means lie in opposite directions. The
    smaller answer counts.

    Parameters
    ----------
    size: an integer >= 0; population: an integer >= 1, public, the larger of two sizes.
    """

    size: int
    population: int
    natural_relation = REPLACE_ONE

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", whole("size", self.size, 0))
        object.__setattr__(self, "population", whole("population", self.population, 1))

    @cached_property
    def _copies(self) -> tuple[Array, float]:
        """B_0, B_1, … as far as they matter, and the probability of more copies."""
        chance = 1 / self.population
        most = 1
        while most < self.size and binomial_above(most, self.size, chance) > NEGLIGIBLE:
            most += 1 + most // 8
        most = min(most, self.size)
        if most > MOST_COPIES:
            raise ParameterError(
                f"size / population must be small enough that no record is drawn more than "
                f"{MOST_COPIES} times, got {self.size} / {self.population}"
            )
        rest = binomial_above(most, self.size, chance)
        return binomial_weights(self.size, chance, most), rest

    @property
    def drawn(self) -> float:
        """The probability η that a record is drawn at all."""
        return (
            -math.expm1(self.size * math.log1p(-1 / self.population))
            if self.population > 1
            else 1.0
        )

    def loss(self, mechanism: Mechanism, relation: Relation) -> Loss:
        if self.size == 0:
            return NOTHING
        weights, rest = self._copies
        if relation is ADD_REMOVE and isinstance(base_loss(mechanism, REPLACE_ONE), GaussianLoss):
            return self._mixture(mechanism)
        groups = [mechanism.group(k) for k in range(1, len(weights))]
        replace = [base_loss(group, REPLACE_ONE) for group in groups]
        if relation is ZERO_OUT:
            zero = [base_loss(group, ZERO_OUT) for group in groups]
            backward = self._half(zero, zero, rest)
            return loss_of(self._half(zero, replace, rest), backward)
        return loss_of(self._half(replace, replace, rest))

    def _half(self, near: list[Loss], far: list[Loss], rest: float) -> Half:
        weights, _ = self._copies
        return joint(list(weights[1:]), near, far, self.drawn, rest)

    def _mixture(self, mechanism: Mechanism) -> Loss:
        """Σ B_k·N(k·shift) against N(0); more copies than are counted give the record away."""
        loss = base_loss(mechanism, REPLACE_ONE)
        assert isinstance(loss, GaussianLoss)
        weights, rest = self._copies
        p = GaussianMixture.of(weights, loss.shift * np.arange(len(weights)))
        mixture = MixtureLoss(p, GaussianMixture((1.0,), (0.0,)))
        return LabelledLoss((1 - rest, mixture), (rest, EVERYTHING)) if rest else mixture

    def other_loss(self, mechanism: Mechanism, relation: Relation) -> Loss | None:
        replace, zero = base_loss(mechanism, REPLACE_ONE), base_loss(mechanism, ZERO_OUT)
        if not isinstance(replace, GaussianLoss) or not isinstance(zero, GaussianLoss):
            return None
        if self.size == 0 or relation is ADD_REMOVE:
            return None
        weights, rest = self._copies
        copies = np.arange(len(weights))
        back = replace.shift if relation is REPLACE_ONE else zero.shift
        pair = MixtureLoss(
            GaussianMixture.of(weights, replace.shift * copies),
            GaussianMixture.of(weights, -back * copies),
            mirrored=relation is REPLACE_ONE,
        )
        return LabelledLoss((1 - rest, pair), (rest, EVERYTHING)) if rest else pair

    def attained(self, mechanism: Mechanism, relation: Relation, steps: int) -> Loss | None:
        if self.size == 0:
            return None
        base = attained_base(mechanism, relation, steps)
        if not isinstance(base, GaussianLoss):
            return base.mix(self.drawn)
        if relation is ADD_REMOVE:
            return None
        weights, _ = self._copies
        p = GaussianMixture.of(weights, base.shift * np.arange(len(weights)))
        return MixtureLoss(p, GaussianMixture((1.0,), (0.0,)))

    def draw(self, population: int, rng: Randomness = None) -> Array:
        from hockeystick.samplers import drawing

        return drawing.multiset(same_population(self.population, population), self.size, rng)

    def __repr__(self) -> str:
        return call_text("WithReplacement", self.size, self.population)
