"""Which pair stands for all moves of the next macro-step: the smaller, the slower weights fall."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from hockeystick.loss.triples.pair import CalmPair, VirtualPair
from hockeystick.routes.game.crossing import Crossing
from hockeystick.routes.game.lattice import Lattice
from hockeystick.routes.game.stage import Stage, slowed

DEVIATIONS = 3.5
"""Weights may be raised so far from where, at the tilt of the answer, most of them are: there they
are e^−6 of those."""
STEEPEST = 0.5
"""Slope of the weights, in standard deviations of one loss, for which no smaller pair is known."""


@dataclass(frozen=True)
class Move:
    """A pair on the lattice, for weights that fall by e^{−slope·t} at most."""

    slope: float
    lattice: Lattice
    pair: VirtualPair

    @cached_property
    def crossing(self) -> Crossing:
        return Crossing.of(self.pair, self.lattice.spacing)


class Moves:
    """The pairs of one run. They become smaller along it, never larger: a bound that was computed
    with one holds for the game in which the next may be played, too."""

    def __init__(
        self, pair: VirtualPair, lattice: Lattice, tilt: float, before: float, steps: int
    ) -> None:
        self._pair, self._tilt, self._before, self._steps = pair, tilt, before, steps
        self._move = Move(math.inf, lattice, pair)

    def of(self, stage: Stage) -> tuple[Move, Stage]:
        """The move for the next macro-step, and the stage with weights that it allows."""
        slope = self._slope(stage.steps)
        if slope * math.sqrt(self._pair.variance) < STEEPEST:
            enough = [each for each in self._calmer if slope <= each.slope]
            if enough and enough[-1].slope < self._move.slope:
                pair = enough[-1].pair
                self._move = Move(enough[-1].slope, self._move.lattice.of(pair), pair)
        if self._move.slope < math.inf:
            stage = slowed(stage, self._move.slope, self._move.lattice.spacing)
        return self._move, stage

    def _slope(self, steps: int) -> float:
        """How fast the weights may be said to fall after so many steps."""
        spacing = self._move.lattice.spacing
        deviation = math.sqrt((steps + self._before) * self._pair.variance)
        fall = (self._tilt + 0.5 + DEVIATIONS / deviation) * spacing
        return math.expm1(fall) / spacing if fall < 1 else math.inf

    @cached_property
    def _calmer(self) -> Sequence[CalmPair]:
        return self._pair.calmer(self._slope(self._steps))
