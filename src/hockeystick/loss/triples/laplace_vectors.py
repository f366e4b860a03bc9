"""Triples of vectors with Laplace noise, of which only what is attained is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hockeystick.errors import NumericalError
from hockeystick.loss.base import Loss
from hockeystick.loss.triples.base import Triples
from hockeystick.loss.triples.laplace_attained import laplace_triples
from hockeystick.loss.triples.pair import VirtualPair


@dataclass(frozen=True)
class LaplaceVectors(Triples):
    """Three points at most `far` apart in L1, with noise of scale 1 on each coordinate.

    In the plane all three can be as far apart as two, which they cannot on a line: both directions
    of a step are large at once. The worst triple is not known, so there is no game.
    """

    worthwhile: ClassVar[float] = 0.002
    near: float = 1.0
    far: float = 2.0
    zero_out: bool = False

    @property
    def is_game(self) -> bool:
        return False

    def attained(self) -> tuple[Loss, ...]:
        """At equal distances, y or x across the line of the other two; with x' = 0, y opposite to x
        or across."""
        near, half, rest = self.near, self.far / 2, self.far - self.near
        if not self.zero_out:
            left, right, up = (-half, 0.0), (half, 0.0), (0.0, half)
            triples = [(up, right, left), (left, up, right)]
        elif 0 <= rest <= near:
            triples = [(y, (near, 0.0), (0.0, 0.0)) for y in ((-rest, 0.0), (0.0, rest))]
        else:
            triples = []
        return laplace_triples(self.rate, triples)

    def pair(self, given_away: float) -> VirtualPair:
        raise NumericalError("the worst three vectors in L1 are not known")
