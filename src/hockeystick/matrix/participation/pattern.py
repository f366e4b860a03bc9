"""Pattern: in which steps of a run a record may take part, and what that makes of a strategy."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from hockeystick.bound import Bound
from hockeystick.checks import CallText, wholes
from hockeystick.errors import ParameterError
from hockeystick.evidence import Evidence
from hockeystick.loss.atoms import EVERYTHING, NOTHING
from hockeystick.loss.base import Loss
from hockeystick.loss.gaussian import GaussianLoss
from hockeystick.matrix.monte_carlo import Means
from hockeystick.matrix.strategy import Strategy
from hockeystick.numerics.types import Array
from hockeystick.relation import REPLACE_ONE, Cited, Relation

if TYPE_CHECKING:
    from hockeystick.random.generators import Randomness

LEAST_NOISE = 1e-100
"""Noise over the distance that a record moves the release: below, it hides nothing."""


class Pattern(CallText, Cited):
    """In which steps a record takes part: a promise, kept by whoever forms the batches.

    It must be fixed before the first step, as C is, and never depend on what was released.
    """

    secret: ClassVar[bool] = False
    """Whether the steps of a record are drawn at random and stay secret, which amplifies."""
    natural_relation: ClassVar[Relation | None] = None
    """The relation to answer for when the caller names none; None if any will do."""

    @property
    @abstractmethod
    def words(self) -> str:
        """When a record takes part, as the end of a sentence that begins with it."""

    @abstractmethod
    def sensitivity(self, strategy: Strategy) -> Bound:
        """How far one record moves C·G, in lengths of one contribution, if its steps are known."""

    def check(self, steps_of_record: Sequence[int], steps: int) -> None:
        """An error unless a record may take part in these steps of a run."""
        order = _in_order(steps_of_record, steps)
        if not self.allows(order, steps):
            raise ParameterError(f"a record {self.words}, got steps {order.tolist()!r}")

    @abstractmethod
    def allows(self, order: Array, steps: int) -> bool:
        """Whether a record may take part in these steps of a run, different ones in order."""

    @abstractmethod
    def draw(self, population: int, steps: int, rng: Randomness = None) -> Iterator[Array]:
        """The batches of a whole run, one for each step: indices of records."""

    def apart(self, replaced: float) -> float:
        """How many times as far a replaced record moves C·G at most, where two contributions to one
        step are `replaced` apart. Here: both have the same steps, or steps of the same law."""
        return replaced

    def condition(self, relation: Relation) -> str:
        """What else must hold under this relation, as a sentence; empty if nothing."""
        return ""

    def means(self, strategy: Strategy, noise: float) -> Means | None:
        """The pair of worst contributions, for simulation; None where it is not written down."""
        return None

    def evidence(
        self, strategy: Strategy, noise: float, relation: Relation, replaced: float
    ) -> Evidence:
        """What is known of the loss of C·G + Z; a replaced record moves it `replaced` times as far.

        Where its steps are known: two normal laws, as far apart as the record moves C·G, also where
        contributions depend on what was released before (Denisov et al. 2022; for several
        participations Choquette-Choo et al. 2023).
        """
        far = replaced if relation is REPLACE_ONE else 1.0
        most = self.apart(replaced) if relation is REPLACE_ONE else far
        moved = self.sensitivity(strategy)
        pair, attained = gaussian(moved.upper * most, noise), gaussian(moved.lower * far, noise)
        return Evidence((pair,), attained)


def gaussian(moved: float, noise: float) -> Loss:
    """Two normal laws of deviation `noise` whose means are `moved` apart."""
    if moved / noise == 0 if noise else moved == 0:
        return NOTHING
    if noise / moved < LEAST_NOISE:
        return EVERYTHING
    return GaussianLoss(moved / noise, (moved, noise))


def _in_order(steps_of_record: Sequence[int], steps: int) -> Array:
    """The steps of a record, which must be different ones of the run, in order."""
    listed = wholes("steps_of_record", steps_of_record, 0)
    if len(set(listed)) < len(listed) or max(listed, default=0) >= steps:
        raise ParameterError(
            f"steps_of_record must be different integers in [0, {steps}), got {listed!r}"
        )
    return np.array(sorted(listed), dtype=int)
