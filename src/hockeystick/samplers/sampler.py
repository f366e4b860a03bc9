"""Sampler: how the records of one step are chosen, and what that does to the privacy loss."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from hockeystick.errors import ParameterError
from hockeystick.loss import Loss
from hockeystick.mechanism import Mechanism
from hockeystick.relation import Relation


class Sampler(ABC):
    """A random choice of records, fresh and secret at every step."""

    natural_relation: Relation

    @abstractmethod
    def loss(self, mechanism: Mechanism, relation: Relation) -> Loss:
        """The loss of the mechanism when it runs on the sample."""

    def apply(self, mechanism: Mechanism) -> Mechanism:
        """The mechanism on a sample of the records."""
        return Sampled(mechanism, self)


@dataclass(frozen=True, repr=False)
class Sampled(Mechanism):
    """A mechanism that sees a random sample of the records."""

    base: Mechanism
    sampler: Sampler

    def loss(self, relation: Relation) -> Loss:
        return self.sampler.loss(self.base, relation)

    @property
    def natural_relation(self) -> Relation:
        return self.sampler.natural_relation

    def __repr__(self) -> str:
        return f"{self.base!r}.on({self.sampler!r})"


def base_loss(mechanism: Mechanism, relation: Relation) -> Loss:
    """The loss of the mechanism before sampling; an error if it has none to sample."""
    loss = mechanism.loss(relation)
    if loss is None:
        raise ParameterError(
            f"{mechanism!r} is known by its Rényi curve alone, which has no loss to sample; "
            "declare it as PureDP, ApproximateDP or ProfileDP"
        )
    return loss
