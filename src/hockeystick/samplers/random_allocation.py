"""Random allocation: each record chooses the steps of an epoch in which it takes part."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from hockeystick.checks import whole
from hockeystick.errors import ParameterError
from hockeystick.loss.allocation.epoch import allocation
from hockeystick.loss.allocation.renyi import allocation_divergences
from hockeystick.loss.atoms import NOTHING
from hockeystick.loss.base import Loss
from hockeystick.loss.gaussian import GaussianLoss
from hockeystick.loss.replacing import replaced
from hockeystick.mechanism import Mechanism, call_text
from hockeystick.numerics.series import Array
from hockeystick.relation import ADD_REMOVE, REPLACE_ONE, Relation
from hockeystick.samplers.poisson import moves_less
from hockeystick.samplers.sampler import Sampler, attained_base, base_loss

if TYPE_CHECKING:
    from hockeystick.random.generators import Randomness


@dataclass(frozen=True, repr=False)
class RandomAllocation(Sampler):
    """Each record takes part in `participations` of `steps` steps, chosen at random by itself.

    Balls and bins: `mechanism.on(RandomAllocation(steps))` is one whole *epoch*; repeat it with
    `* epochs`. With Λ_i = dP/dQ of step i the likelihood ratio of an epoch is the mean of the Λ_i
    (Feldman and Shenfeld 2025; Chua et al. 2024), whose law is found numerically, rounded up for
    the upper end and down for the lower. Replacing a record is bounded by removing one and adding
    another, epoch by epoch, or by what it costs unsampled. Several participations are dominated by
    one in each of as many blocks of steps, if the blocks were known.

    Parameters
    ----------
    steps: an integer >= 1; participations: an integer in [1, steps].
    """

    source = "Feldman and Shenfeld 2025"

    steps: int
    participations: int = 1
    natural_relation = ADD_REMOVE

    def __post_init__(self) -> None:
        steps, times = (
            whole("steps", self.steps, 1),
            whole("participations", self.participations, 1),
        )
        if times > steps:
            raise ParameterError(f"participations must be at most the {steps} steps, got {times}")
        object.__setattr__(self, "steps", steps)
        object.__setattr__(self, "participations", times)

    def loss(self, mechanism: Mechanism, relation: Relation) -> Loss:
        return self._epoch(mechanism, relation, upper=True)

    def attained(self, mechanism: Mechanism, relation: Relation, steps: int) -> Loss | None:
        if relation is REPLACE_ONE and moves_less(mechanism):
            return NOTHING
        return self._epoch(mechanism, relation, upper=False)

    def other_loss(self, mechanism: Mechanism, relation: Relation) -> Loss | None:
        """When a record is replaced: as if it were known in which step it takes part."""
        return base_loss(mechanism, REPLACE_ONE) if relation is REPLACE_ONE else None

    def divergences(
        self, mechanism: Mechanism, orders: Array, relation: Relation
    ) -> tuple[Array, Array]:
        """From the moments of the mean: the law of the loss is cut, which large orders notice."""
        if relation is REPLACE_ONE:
            return super().divergences(mechanism, orders, relation)
        return allocation_divergences(base_loss(mechanism, relation), self.steps, orders)

    def _epoch(self, mechanism: Mechanism, relation: Relation, upper: bool) -> Loss:
        if upper and relation is REPLACE_ONE:
            return replaced(self._epoch(mechanism, ADD_REMOVE, upper=True))
        known = ADD_REMOVE if relation is REPLACE_ONE else relation  # by one that adds nothing
        base = base_loss(mechanism, known) if upper else attained_base(mechanism, known, 2)
        with np.errstate(all="ignore"):  # at the extremes; what is not a number is refused later
            return allocation(base, self.steps, upper=upper)

    def apply(self, mechanism: Mechanism) -> Mechanism:
        whole_epoch = super().apply(mechanism)
        if self.participations == 1:
            return whole_epoch
        if self.participations == self.steps:
            return mechanism * self.steps
        short, more = divmod(self.steps, self.participations)
        block = partial(AllocationBlock, blocks=self.participations, total=self.steps)
        blocks = mechanism.on(block(short)) * (self.participations - more)
        return blocks + mechanism.on(block(short + 1)) * more

    def draw(self, population: int, rng: Randomness = None) -> list[Array]:
        from hockeystick.random import batches

        return batches.allocation(population, self.steps, self.participations, rng)

    def __repr__(self) -> str:
        times = None if self.participations == 1 else self.participations
        return call_text(type(self).__name__, self.steps, participations=times)


@dataclass(frozen=True, repr=False)
class AllocationBlock(RandomAllocation):
    """One of the blocks by which several participations are bounded.

    The lower end of all `blocks` together is that of the sum over all steps, for Gaussian noise:
    with the record its mean is larger by k shifts and its deviation is √total. Each block stands
    for a k-th of that; for other noise there is none.
    """

    blocks: int = field(default=1, kw_only=True)
    total: int = field(default=1, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "blocks", whole("blocks", self.blocks, 1))
        object.__setattr__(self, "total", whole("total", self.total, self.blocks))

    def attained(self, mechanism: Mechanism, relation: Relation, steps: int) -> Loss | None:
        if relation is REPLACE_ONE and moves_less(mechanism):
            return NOTHING
        base = base_loss(mechanism, ADD_REMOVE if relation is REPLACE_ONE else relation)
        if not isinstance(base, GaussianLoss):
            return NOTHING
        return GaussianLoss(base.shift * math.sqrt(self.blocks / self.total))

    def __repr__(self) -> str:
        return call_text("AllocationBlock", self.steps, blocks=self.blocks, total=self.total)
