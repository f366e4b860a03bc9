"""Poisson sampling: each record takes part by a coin of its own."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from hockeystick.checks import probability
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.loss.atoms import NOTHING
from hockeystick.loss.base import Loss
from hockeystick.loss.gaussian import GaussianLoss
from hockeystick.loss.half import joint
from hockeystick.loss.halves import loss_of
from hockeystick.loss.mixture import GaussianMixture, MixtureLoss
from hockeystick.mechanism import Mechanism, call_text, divergence, divergences
from hockeystick.numerics.binomial import binomial_weights
from hockeystick.numerics.series import Array
from hockeystick.relation import ADD_REMOVE, REPLACE_ONE, Relation
from hockeystick.samplers.sampler import (
    Sampled,
    Sampler,
    amplified_curve,
    attained_base,
    base_loss,
    renyi_curve,
    sampled_loss,
)

if TYPE_CHECKING:
    from hockeystick.random.generators import Randomness

MOST_TOGETHER = 1000
"""Records of one person on a sample: the pair is a mixture of as many Gaussians."""


@dataclass(frozen=True, repr=False)
class Poisson(Sampler):
    """Each record is drawn with probability `rate`, independently of all others.

    From a pair (P, Q) to ((1 − rate)·Q + rate·P, Q) when the record is removed and to its reverse
    when it is added or zeroed out (Zhu, Dong and Wang 2022, Theorem 11); both are composed, the
    worse one counts. When one is replaced, for Gaussian noise of scale σ, ((1−q)·N(0) + q·N(1))
    against ((1−q)·N(0) + q·N(−1)) (Lebeda et al. 2025, Proposition 13); in general
    q·((1−β)·h_remove(A) + β·h_replace(A)) with A = 1 + (a−1)/q, β = a/A, which advanced joint
    convexity gives (Balle, Barthe and Gaboardi 2018, Theorem 2).

    Parameters
    ----------
    rate: in [0, 1]; 0 reveals nothing, 1 is the mechanism itself.

    >>> from hockeystick import Gaussian
    >>> round((Gaussian(1.0).on(Poisson(0.001)) * 600_000).epsilon(delta=1e-8), 8)
    5.91223894
    """

    source = "Zhu, Dong and Wang 2022, Theorem 11"
    sources: ClassVar = {
        REPLACE_ONE: "Lebeda et al. 2025, Proposition 13 (Gaussian noise), and advanced joint "
        "convexity, Balle, Barthe and Gaboardi 2018, Theorem 2"
    }

    rate: float
    natural_relation = ADD_REMOVE

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", probability("rate", self.rate))

    @property
    def poisson_rate(self) -> float:
        return self.rate

    def loss(self, mechanism: Mechanism, relation: Relation) -> Loss:
        if self.rate == 0:
            return NOTHING
        if relation is not REPLACE_ONE:
            return base_loss(mechanism, relation).mix(self.rate)
        add, replace = base_loss(mechanism, ADD_REMOVE), base_loss(mechanism, REPLACE_ONE)
        antipodal = antipodal_pair(add, replace, self.rate)
        return antipodal or loss_of(joint([self.rate], [replace], [add], self.rate))

    def attained(self, mechanism: Mechanism, relation: Relation, steps: int) -> Loss | None:
        if self.rate == 0:
            return None
        if relation is not REPLACE_ONE:
            known = mechanism.attained(relation, steps)
            return known and known.mix(self.rate)
        return replaced_pair(mechanism, self.rate, steps)

    def renyi(self, mechanism: Mechanism, orders: Array, relation: Relation) -> Array:
        from hockeystick.classical import rdp_poisson

        if relation is REPLACE_ONE:
            return super().renyi(mechanism, orders, relation)
        curve = renyi_curve(mechanism, relation)
        return amplified_curve(
            lambda few: rdp_poisson(curve, self.rate, few, factor=1), curve, self.rate, orders
        )

    def divergences(
        self, mechanism: Mechanism, orders: Array, relation: Relation
    ) -> tuple[Array, Array]:
        """Where the pair of one replaced is out of reach: its profile is at most q·h_replace(A),

        and (1−q)·R + q·Q is at least (1−q)·R, which leaves the pair of one removed.
        """
        if relation is not REPLACE_ONE or self.rate == 0:
            return super().divergences(mechanism, orders, relation)
        with suppress(NumericalError):
            one, other = super().divergences(mechanism, orders, relation)
            if sampled_loss(mechanism, self, relation).infinite == 0:
                return one, other
        replace = base_loss(mechanism, REPLACE_ONE)
        one, _ = divergences(loss_of(joint([self.rate], [replace], [replace], self.rate)), orders)
        removed = divergence(base_loss(mechanism, ADD_REMOVE).mix(self.rate), orders)
        bound = np.minimum(one, removed - math.log1p(-self.rate))
        return bound, bound

    def unsampled(self, relation: Relation) -> Relation:
        return relation

    def group(self, mechanism: Mechanism, size: int, relation: Relation) -> Loss:
        loss = mechanism.loss(relation)
        if relation is REPLACE_ONE or not isinstance(loss, GaussianLoss):
            return super().group(mechanism, size, relation)
        if size > MOST_TOGETHER:
            raise ParameterError(
                f"size must be at most {MOST_TOGETHER} on a sample of records, got {size}; sample "
                f"the people instead, each with all their records: {mechanism!r}.group({size})"
                f".on({self!r})"
            )
        drawn = np.arange(size + 1)
        weights = binomial_weights(size, self.rate, size)
        p = GaussianMixture.of(weights, loss.shift * drawn)
        return MixtureLoss(p, GaussianMixture((1.0,), (0.0,)))

    def apply(self, mechanism: Mechanism) -> Mechanism:
        return mechanism if self.rate == 1 else super().apply(mechanism)

    def may_sample(self, part: Mechanism) -> bool:
        return isinstance(part, Sampled) and isinstance(part.sampler, Poisson)

    def other_loss(self, mechanism: Mechanism, relation: Relation) -> Loss | None:
        """Where a replacement moves less than an addition, not to be sampled may look better."""
        if relation is not REPLACE_ONE or self.rate == 0:
            return None
        return base_loss(mechanism, REPLACE_ONE) if moves_less(mechanism) else None

    def draw(self, population: int, rng: Randomness = None) -> Array:
        from hockeystick.random import batches

        return batches.poisson(population, self.rate, rng)

    def __repr__(self) -> str:
        return call_text("Poisson", self.rate)


def antipodal_pair(add: Loss, replace: Loss, rate: float) -> Loss | None:
    """Two records on opposite sides of nothing, for Gaussian noise; None if they cannot be."""
    if not (isinstance(add, GaussianLoss) and isinstance(replace, GaussianLoss)):
        return None
    if abs(replace.shift - 2 * add.shift) > 1e-15 * replace.shift:
        return None
    return _opposite(add.shift, rate)


def replaced_pair(mechanism: Mechanism, rate: float, steps: int) -> Loss | None:
    """Two records, either drawn with probability `rate`, that some data sets have: for lower ends.

    None where they are what `loss` speaks of. For Gaussian noise they lie on opposite sides of
    nothing, as far apart as a replacement may move; else one of them contributes nothing, which
    is allowed if a replacement may move as far as an addition.
    """
    add, replace = base_loss(mechanism, ADD_REMOVE), base_loss(mechanism, REPLACE_ONE)
    if isinstance(add, GaussianLoss) and isinstance(replace, GaussianLoss):
        pair = _opposite(min(add.shift, replace.shift / 2), rate)
        return None if antipodal_pair(add, replace, rate) else pair
    if moves_less(mechanism):
        return NOTHING
    attained = attained_base(mechanism, ADD_REMOVE, steps)
    return None if add == replace and steps == 1 else attained.mix(rate)


def moves_less(mechanism: Mechanism) -> bool:
    """Whether replacing a record moves the query less than adding one does."""
    zero = np.zeros(1)
    add, replace = base_loss(mechanism, ADD_REMOVE), base_loss(mechanism, REPLACE_ONE)
    return bool(replace.profile(zero)[0] < add.profile(zero)[0] * (1 - 1e-12))


def _opposite(shift: float, rate: float) -> Loss:
    weights = (1 - rate, rate)
    return MixtureLoss(
        GaussianMixture(weights, (0.0, shift)),
        GaussianMixture(weights, (0.0, -shift)),
        mirrored=True,
    )
