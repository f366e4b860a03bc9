"""Evidence: what a mechanism says of itself under one relation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from hockeystick.errors import ParameterError
from hockeystick.loss.base import Loss
from hockeystick.loss.divergence import divergences
from hockeystick.loss.triples.base import Triples
from hockeystick.numerics.types import Array
from hockeystick.relation import Relation

if TYPE_CHECKING:
    from hockeystick.mechanism import Mechanism

Curve = Callable[[Array], tuple[Array, Array]]
"""Orders in [1, inf] to Rényi divergences, of a pair and of its reverse."""


@dataclass(frozen=True)
class Evidence:
    """What is known of the loss under one relation, for the ends of every answer.

    A pair is (with the record, without it); the other direction is the `reverse()` of its loss.
    """

    pairs: tuple[Loss, ...] = ()
    """Losses of pairs that dominate: each is valid, and the smallest answer counts. None at all
    where only a Rényi curve is known."""
    attained: Loss | None = None
    """The loss of a pair that two neighbouring data sets have, for lower ends; None if the first of
    `pairs` is one."""
    also_attained: tuple[Loss, ...] = field(default=(), kw_only=True)
    """Further losses of such pairs: the largest lower end counts."""
    curve: Curve | None = None
    """Rényi divergences; None if they are those of the first pair."""
    curve_is_attained: bool = field(default=False, kw_only=True)
    """Whether one pair attains the curve at every order and, in both directions, all moments
    E_q|p/q − 1|^j: what Theorem 19 of Wang, Balle and Kasiviswanathan (2019) asks for."""
    curve_is_tighter: bool = False
    """Whether the curve can be below the divergences of the pairs, which nothing then attains."""
    curve_is_largest: bool = field(default=False, kw_only=True)
    """Whether such a curve is attained at each order, by one pair or another."""
    triples: Triples | None = None
    """Which three laws the answers can have on batches that differ in one record, if that is known:
    a sample of fixed size is a game with them, in which no pair dominates so well."""

    def check(self) -> None:
        """An error unless what every loss says of itself fits together."""
        for loss in (*self.pairs, *filter(None, [self.attained]), *self.also_attained):
            loss.check_mass()

    @property
    def loss(self) -> Loss:
        """The first of the losses that dominate."""
        if not self.pairs:
            raise ParameterError(
                "only a Rényi curve is known; what is asked for takes the law of the loss: declare "
                "the mechanism as PureDP, ApproximateDP or ProfileDP"
            )
        return self.pairs[0]

    @property
    def attained_loss(self) -> Loss:
        """The loss of a pair of neighbouring data sets."""
        return self.attained or self.loss

    def renyi(self, orders: Array) -> tuple[Array, Array]:
        """Rényi divergences at orders in [1, inf], of the pair and of its reverse."""
        return divergences(self.loss, orders) if self.curve is None else self.curve(orders)


@lru_cache(maxsize=2048)
def known(mechanism: Mechanism, relation: Relation, steps: int) -> Evidence:
    """The evidence of a mechanism as one of `steps` steps: 1, or 2 for any more.

    Kept, because the quadrature of a sampled profile is some work.
    """
    evidence = mechanism.evidence(relation, steps)
    if not evidence.pairs and evidence.curve is None:
        raise ParameterError("evidence must hold a pair that dominates or a Rényi curve")
    if mechanism.is_foreign:
        evidence.check()
    return evidence


def smaller(one: tuple[Array, Array], other: tuple[Array, Array]) -> tuple[Array, Array]:
    """What two bounds on both directions say together."""
    return np.minimum(one[0], other[0]), np.minimum(one[1], other[1])
