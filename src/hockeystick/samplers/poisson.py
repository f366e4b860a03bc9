"""Poisson sampling: each record takes part by a coin of its own."""

from __future__ import annotations

from dataclasses import dataclass

from hockeystick.domain import probability
from hockeystick.errors import RelationError
from hockeystick.loss import Loss
from hockeystick.losses.atoms import NOTHING
from hockeystick.mechanism import Mechanism, call_text
from hockeystick.relation import ADD_REMOVE, REPLACE_ONE, Relation
from hockeystick.samplers.sampler import Sampler, base_loss


@dataclass(frozen=True, repr=False)
class Poisson(Sampler):
    """Each record is drawn with probability `rate`, independently of all others.

    From a pair (P, Q) to ((1 − rate)·Q + rate·P, Q) when the record is removed and to its reverse
    when it is added (Zhu, Dong and Wang 2022, Theorem 11); both are composed, the worse one counts.

    Parameters
    ----------
    rate: in [0, 1]; 0 reveals nothing, 1 is the mechanism itself.

    >>> from hockeystick import Gaussian
    >>> round((Gaussian(1.0).on(Poisson(0.001)) * 600_000).epsilon(delta=1e-8), 8)
    5.91223894
    """

    rate: float
    natural_relation = ADD_REMOVE

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", probability("rate", self.rate))

    def loss(self, mechanism: Mechanism, relation: Relation) -> Loss:
        if relation is REPLACE_ONE:
            raise RelationError(
                "Poisson sampling is accounted under ADD_REMOVE and ZERO_OUT, got REPLACE_ONE"
            )
        loss = base_loss(mechanism, relation)
        return NOTHING if self.rate == 0 else loss.mix(self.rate)

    def apply(self, mechanism: Mechanism) -> Mechanism:
        return mechanism if self.rate == 1 else super().apply(mechanism)

    def __repr__(self) -> str:
        return call_text("Poisson", self.rate)
