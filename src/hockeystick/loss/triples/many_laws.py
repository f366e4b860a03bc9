"""Answers with three or more laws that have nothing but ε in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hockeystick.errors import NumericalError
from hockeystick.loss.base import Loss
from hockeystick.loss.triples.attained import three_answers
from hockeystick.loss.triples.base import Triples
from hockeystick.loss.triples.pair import VirtualPair


@dataclass(frozen=True)
class ManyLaws(Triples):
    """Any laws with losses in [−ε, ε]: randomized response of three answers nearly attains the
    bound of single steps in both directions at once, so there is nothing to play for."""

    worthwhile: ClassVar[float] = 0.002
    epsilon: float = 0.0
    categories: int = 3

    @property
    def is_game(self) -> bool:
        return False

    def attained(self) -> tuple[Loss, ...]:
        return (three_answers(self.rate, self.epsilon, self.categories),)

    def pair(self, given_away: float) -> VirtualPair:
        raise NumericalError("three laws with nothing but ε in common make no game")
