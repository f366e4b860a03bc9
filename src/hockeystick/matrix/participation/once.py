"""One participation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hockeystick.bound import Bound
from hockeystick.checks import declared
from hockeystick.matrix.participation.pattern import Pattern
from hockeystick.matrix.sensitivity.separated import separated
from hockeystick.matrix.strategy import Strategy
from hockeystick.numerics.types import Array

if TYPE_CHECKING:
    from hockeystick.random.generators import Randomness


@declared
class Once(Pattern):
    """A record takes part in one step at most, whichever it is.

    The largest norm of a column (Denisov et al. 2022): for trees log2(n) + 1 nodes, rounded down.

    >>> from hockeystick.matrix import tree
    >>> round(Once().sensitivity(tree(1600)) ** 2, 9)
    11.0
    """

    source = "Denisov et al. 2022"

    words = "takes part in one step at most"

    def sensitivity(self, strategy: Strategy) -> Bound:
        return separated(strategy, strategy.steps, 1)

    def apart(self, replaced: float) -> float:
        """The record in its place may have other steps: however near contributions to one step are,
        the two sums then move by one each."""
        return 2.0

    def allows(self, order: Array, steps: int) -> bool:
        return order.size <= 1

    def draw(self, population: int, steps: int, rng: Randomness = None) -> Iterator[Array]:
        """Each record draws its own step: one more does not move the others."""
        from hockeystick.random import runs

        return runs.once(population, steps, rng)
