"""Random allocation: each record chooses the steps of an epoch in which it takes part."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from hockeystick.checks import Whole, checked, declared, whole
from hockeystick.errors import ParameterError
from hockeystick.evidence import Evidence
from hockeystick.loss.allocation.epoch import allocation
from hockeystick.loss.allocation.renyi import allocation_divergences
from hockeystick.loss.allocation.replacing import replaced
from hockeystick.loss.atoms import NOTHING
from hockeystick.loss.base import Loss
from hockeystick.loss.gaussian import GaussianLoss
from hockeystick.mechanism import Mechanism
from hockeystick.numerics.types import Array
from hockeystick.relation import ADD_REMOVE, REPLACE_ONE, Relation
from hockeystick.samplers.poisson import moves_less
from hockeystick.samplers.sampler import Sampler, attained_base, base_loss, best_curve

if TYPE_CHECKING:
    from hockeystick.random.generators import Randomness


@declared
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

    steps: int = checked(Whole(1))
    participations: int = checked(Whole(1), default=1)
    natural_relation = ADD_REMOVE

    def check_together(self) -> None:
        if self.participations > self.steps:
            raise ParameterError(
                f"participations must be at most the {self.steps} steps, got {self.participations}"
            )

    def evidence(self, mechanism: Mechanism, relation: Relation, steps: int) -> Evidence:
        attained = self._attained(mechanism, relation)
        if relation is not REPLACE_ONE:
            base = base_loss(mechanism, relation)
            # From the moments of the mean: the law of the loss is cut, which large orders notice.
            curve = partial(allocation_divergences, base, self.steps)
            return Evidence((self._epoch(base, upper=True),), attained, curve)
        one_removed = self._epoch(base_loss(mechanism, ADD_REMOVE), upper=True)
        # The second is as if it were known in which step the record takes part.
        pairs = (replaced(one_removed), base_loss(mechanism, REPLACE_ONE))
        return Evidence(pairs, attained, best_curve(pairs))

    def _attained(self, mechanism: Mechanism, relation: Relation) -> Loss:
        if relation is REPLACE_ONE and moves_less(mechanism):
            return NOTHING
        adding = ADD_REMOVE if relation is REPLACE_ONE else relation  # by one that adds nothing
        return self._epoch(attained_base(mechanism, adding, 2), upper=False)

    def _epoch(self, base: Loss, upper: bool) -> Loss:
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


@declared
class AllocationBlock(RandomAllocation):
    """One of the blocks by which several participations are bounded.

    The lower end of all `blocks` together is that of the sum over all steps, for Gaussian noise:
    with the record its mean is larger by k shifts and its deviation is √total. Each block stands
    for a k-th of that; for other noise there is none.
    """

    blocks: int = checked(Whole(1), default=1, kw_only=True)
    total: int = checked(Whole(1), default=1, kw_only=True)

    def check_together(self) -> None:
        super().check_together()
        whole("total", self.total, self.blocks)

    def _attained(self, mechanism: Mechanism, relation: Relation) -> Loss:
        if relation is REPLACE_ONE and moves_less(mechanism):
            return NOTHING
        base = base_loss(mechanism, ADD_REMOVE if relation is REPLACE_ONE else relation)
        if base.gaussian_shift is None:
            return NOTHING
        return GaussianLoss(base.gaussian_shift * math.sqrt(self.blocks / self.total))
