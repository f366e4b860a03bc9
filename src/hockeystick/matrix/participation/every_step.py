"""Participation in every step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from hockeystick.bound import Bound
from hockeystick.checks import declared, whole
from hockeystick.matrix.participation.pattern import Pattern
from hockeystick.matrix.sensitivity.separated import separated
from hockeystick.matrix.strategy import Strategy
from hockeystick.numerics.types import Array

if TYPE_CHECKING:
    from hockeystick.random.generators import Randomness


@declared
class EveryStep(Pattern):
    """A record may take part in every step: full batches.

    The most that contributions add up to (Choquette-Choo et al. 2023).

    >>> from hockeystick.matrix import identity
    >>> round(EveryStep().sensitivity(identity(16)), 9)
    4.0
    """

    source = "Choquette-Choo et al. 2023"

    words = "may take part in every step"

    def sensitivity(self, strategy: Strategy) -> Bound:
        return separated(strategy, 1, strategy.steps)

    def apart(self, replaced: float) -> float:
        """In a step in which one of them takes part alone, they are 1 apart."""
        return max(1.0, replaced)

    def allows(self, order: Array, steps: int) -> bool:
        return True

    def draw(self, population: int, steps: int, rng: Randomness = None) -> Iterator[Array]:
        """All records, each time."""
        for _ in range(steps):
            yield np.arange(whole("population", population, 0))
