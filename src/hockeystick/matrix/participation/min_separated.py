"""Participations that are some number of steps apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from hockeystick.bound import Bound
from hockeystick.checks import Whole, checked, declared
from hockeystick.matrix.participation.pattern import Pattern
from hockeystick.matrix.sensitivity.separated import separated
from hockeystick.matrix.strategy import Strategy
from hockeystick.numerics.types import Array

if TYPE_CHECKING:
    from hockeystick.random.generators import Randomness


@declared
class MinSeparated(Pattern):
    """A record takes part at most `at_most` times, and never twice within `every` steps.

    What a timer on a device, or a pass over shuffled data, promises. `every` is a difference of
    step numbers: 1 allows any two steps, and a separation that counts the steps *between* two
    participations is 1 less. (Choquette-Choo et al. 2023; Kalinin and Lampert 2024.)

    Parameters
    ----------
    every: an integer >= 1.
    at_most: an integer >= 1; as often as fits into the run if not given.

    >>> from hockeystick.matrix import square_root
    >>> round(MinSeparated(every=100, at_most=5).sensitivity(square_root(2000)), 9)
    6.392357012
    """

    source = "Choquette-Choo et al. 2023; Kalinin and Lampert 2024"
    all_named = True

    every: int = checked(Whole(1))
    at_most: int | None = checked(Whole(1), default=None)

    @property
    def words(self) -> str:
        often = "any number of times" if self.at_most is None else f"at most {self.at_most} times"
        return f"takes part {often}, {self.every} or more steps apart"

    def sensitivity(self, strategy: Strategy) -> Bound:
        return separated(strategy, self.every, self.at_most or strategy.steps)

    def apart(self, replaced: float) -> float:
        """The record in its place may have other steps: however near contributions to one step are,
        the two sums then move by one each."""
        return 2.0

    def allows(self, order: Array, steps: int) -> bool:
        often = order.size > (self.at_most or steps)
        return not often and bool((np.diff(order) >= self.every).all())

    def draw(self, population: int, steps: int, rng: Randomness = None) -> Iterator[Array]:
        """Each record draws its own place in turns that are long enough."""
        from hockeystick.random import runs

        return runs.separated(population, self.every, self.at_most, steps, rng)
