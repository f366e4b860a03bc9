"""Random allocation: each record chooses the steps of an epoch in which it takes part."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from hockeystick.checks import Whole, checked, declared, whole
from hockeystick.errors import ParameterError
from hockeystick.evidence import Evidence, smaller
from hockeystick.loss.allocation.epoch import allocation
from hockeystick.loss.allocation.opposites import opposites_above, opposites_below
from hockeystick.loss.allocation.renyi import allocation_divergences, replaced_divergences
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
    the upper end and down for the lower. Replacing a record is, for Gaussian noise, moving one step
    by +μ or by −μ, which two records at opposite ends attain; for other noise it is bounded by
    removing one and adding another, epoch by epoch, or by what it costs unsampled. Several
    participations are dominated by one in each of as many blocks of steps, if the blocks were
    known.

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
        base = base_loss(mechanism, ADD_REMOVE if relation is REPLACE_ONE else relation)
        # From the moments of the mean: the law of the loss is cut, which large orders notice.
        curve = partial(allocation_divergences, base, self.steps)
        if relation is not REPLACE_ONE:
            return Evidence((self._epoch(base, upper=True),), attained, curve)
        # The second is as if it were known in which step the record takes part.
        pairs = (replaced(self._epoch(base, upper=True)), base_loss(mechanism, REPLACE_ONE))
        shift = _opposite_shift(base, pairs[1])
        if shift is not None and self.steps > 1:
            pairs = (opposites_above(shift, self.steps, pairs), pairs[1])
            attained = self._attained_by_opposites(shift, attained)
        of_pairs, by_way = best_curve(pairs), partial(replaced_divergences, base, self.steps)
        return Evidence(pairs, attained, lambda orders: smaller(of_pairs(orders), by_way(orders)))

    def _attained(self, mechanism: Mechanism, relation: Relation) -> Loss:
        if relation is REPLACE_ONE and moves_less(mechanism):
            return NOTHING
        adding = ADD_REMOVE if relation is REPLACE_ONE else relation  # by one that adds nothing
        return self._epoch(attained_base(mechanism, adding, 2), upper=False)

    def _attained_by_opposites(self, shift: float, otherwise: Loss) -> Loss:
        return opposites_below(shift, self.steps, otherwise)

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
    with the record its mean differs by k shifts and its deviation is √total. Each block stands
    for a k-th of that; for other noise there is none.
    """

    blocks: int = checked(Whole(1), default=1, kw_only=True)
    total: int = checked(Whole(1), default=1, kw_only=True)

    def check_together(self) -> None:
        super().check_together()
        whole("total", self.total, self.blocks)

    def _attained(self, mechanism: Mechanism, relation: Relation) -> Loss:
        shift = base_loss(mechanism, relation).gaussian_shift
        return (
            NOTHING if shift is None else GaussianLoss(shift * math.sqrt(self.blocks / self.total))
        )

    def _attained_by_opposites(self, shift: float, otherwise: Loss) -> Loss:
        return otherwise  # the blocks are not known


def _opposite_shift(add: Loss, replace: Loss) -> float | None:
    """μ of Gaussian noise that a replacement moves by twice as far; None for all else."""
    near, far = add.gaussian_shift, replace.gaussian_shift
    if near is None or far is None or abs(far - 2 * near) > 1e-15 * far:
        return None
    return near
