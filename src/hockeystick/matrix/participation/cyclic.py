"""Participation in every so-many-th step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from hockeystick.bound import Bound
from hockeystick.checks import Whole, checked, declared
from hockeystick.errors import RelationError
from hockeystick.evidence import Evidence
from hockeystick.matrix.participation.pattern import Pattern
from hockeystick.matrix.sensitivity.cyclic import cyclic
from hockeystick.matrix.strategy import Strategy
from hockeystick.numerics.types import Array
from hockeystick.relation import ADD_REMOVE, ZERO_OUT, Relation

if TYPE_CHECKING:
    from hockeystick.random.generators import Randomness


@declared
class Cyclic(Pattern):
    """A record takes part in the steps j, j + `period`, j + 2·`period`, … of one j.

    The same batches in the same order, epoch after epoch (Choquette-Choo et al. 2023). One record
    more would change the batches of others, so that ADD_REMOVE has no bound; where a record chooses
    its own j, by a hash say, it is `MinSeparated(every=period)`.

    Parameters
    ----------
    period: an integer >= 1.
    times: at most so often, an integer >= 1; as often as fits into the run if not given.

    >>> from hockeystick.matrix import tree
    >>> round(Cyclic(period=8).sensitivity(tree(8)) ** 2, 9)
    4.0
    """

    source = "Choquette-Choo et al. 2023"
    natural_relation = ZERO_OUT
    all_named = True

    period: int = checked(Whole(1))
    times: int | None = checked(Whole(1), default=None)

    @property
    def words(self) -> str:
        often = "" if self.times is None else f", at most {self.times} times"
        return f"takes part in every {self.period}th step{often}"

    def sensitivity(self, strategy: Strategy) -> Bound:
        return cyclic(strategy, self.period, self.times or strategy.steps)

    def evidence(
        self, strategy: Strategy, noise: float, relation: Relation, replaced: float
    ) -> Evidence:
        if relation is ADD_REMOVE:
            raise RelationError(
                "Cyclic has no guarantee under ADD_REMOVE: one record more changes the batches of "
                "others; ask under ZERO_OUT or REPLACE_ONE, or let each record choose its steps: "
                f"MinSeparated(every={self.period})"
            )
        return super().evidence(strategy, noise, relation, replaced)

    def allows(self, order: Array, steps: int) -> bool:
        late = order.size > 0 and order[-1] // self.period >= (self.times or steps)
        return not late and bool((np.diff(order) == self.period).all())

    def draw(self, population: int, steps: int, rng: Randomness = None) -> Iterator[Array]:
        """The batches of one random order, again and again."""
        from hockeystick.random import runs

        return runs.cyclic(population, self.period, self.times, steps, rng)
