"""Shuffled batches: a random order, cut into batches of a fixed size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hockeystick.checks import Whole, checked, declared
from hockeystick.errors import RelationError
from hockeystick.evidence import Evidence, known
from hockeystick.mechanism import Mechanism
from hockeystick.numerics.types import Array
from hockeystick.relation import ADD_REMOVE, ZERO_OUT, Relation
from hockeystick.samplers.sampler import Sampler

if TYPE_CHECKING:
    from hockeystick.random.generators import Randomness


@declared
class Shuffled(Sampler):
    """All records in a random order, in batches of `size`: an *epoch*, with each record once.

    There is no amplification: no theorem bounds what the order hides by anything useful, and what
    is reported for Poisson samples is far too low for it (Chua et al. 2024). Given the order, a
    record is in one known batch, so an epoch costs what the mechanism costs once:
    `mechanism.on(Shuffled(size)) * epochs`. One record more moves all that come after it to other
    batches, so ADD_REMOVE has no bound at all. To gain from sampling draw `Poisson(rate)` batches,
    or let each record choose its step: `RandomAllocation(steps)`. The lower end is attained by data
    that fits into one batch.

    Parameters
    ----------
    size: records in a batch, an integer >= 1.
    """

    source = "Chua et al. 2024"

    size: int = checked(Whole(1))
    natural_relation = ZERO_OUT

    def evidence(self, mechanism: Mechanism, relation: Relation, steps: int) -> Evidence:
        if relation is ADD_REMOVE:
            raise RelationError(
                "shuffled batches have no guarantee under ADD_REMOVE: one record more changes "
                "every batch after it; ask under ZERO_OUT or REPLACE_ONE (one epoch then costs "
                "what one full release does), or draw the batches with Poisson or RandomAllocation"
            )
        return known(mechanism, relation, steps)

    def evidence_by_curve(self, mechanism: Mechanism, relation: Relation) -> Evidence:
        if relation is ADD_REMOVE:
            return super().evidence_by_curve(mechanism, relation)
        return known(mechanism, relation, 1)

    def draw(self, population: int, rng: Randomness = None) -> list[Array]:
        from hockeystick.random import batches

        return batches.partition(population, self.size, rng)
