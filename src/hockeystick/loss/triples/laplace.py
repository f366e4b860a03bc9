"""Triples of Laplace laws on a line: what one record can do to a query of one number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.base import Loss
from hockeystick.loss.triples.base import Triples
from hockeystick.loss.triples.laplace_attained import laplace_triples
from hockeystick.loss.triples.line import either_side, same_side
from hockeystick.loss.triples.pair import Curves, VirtualPair
from hockeystick.numerics.types import Array

NODES = 160
"""Points of the envelope, even in the loss before sampling."""
PIECES = 200
"""Parts of each family of triples: what is said of one is above all in it."""
LARGEST_LOSS = 700.0
"""Before sampling: beyond it e^loss is no float."""
MARGIN = 1e-14
"""Of a hinge, which is at most 1: more than its rounding."""
ROUNDING = 1e-12
"""Of the end of the losses, and of the larger hinge relative to itself; and more."""


@dataclass(frozen=True)
class LaplaceTriples(Triples):
    """Three points of a line with Laplace noise of scale 1, at most `far` apart.

    With `zero_out` x' = 0, and x and y are at most `near` from it, too.
    """

    worthwhile: ClassVar[float] = 0.002
    near: float = 1.0
    far: float = 2.0
    zero_out: bool = False

    def pair(self, given_away: float) -> VirtualPair:
        return _pair(self)

    def divergence(self, orders: Array) -> Array:
        return _pair(self).divergence(orders)

    def attained(self) -> tuple[Loss, ...]:
        """With x' = 0 the y that is opposite to x; else none is above y = x'."""
        if not (self.zero_out and self.near <= self.far <= 2 * self.near):
            return ()
        y, x = (self.near - self.far, 0.0), (self.near, 0.0)
        return laplace_triples(self.rate, [(y, x, (0.0, 0.0))])


@lru_cache(maxsize=128)
def _pair(triples: LaplaceTriples) -> VirtualPair:
    """Kept, so that what is computed of it can be kept too."""
    near, far = triples.far, triples.far
    if triples.zero_out:
        near, far = triples.near, min(max(triples.near, triples.far), 2 * triples.near)
    if far > LARGEST_LOSS:
        raise NumericalError("the noise is too small for the envelope of the game")
    hinges = Hinges(triples.rate, near, far)
    families = [hinges.between(), hinges.beyond()]
    if triples.zero_out:
        families += [hinges.opposite(), hinges.apart()]
    most = hinges.most()
    together = np.minimum(np.max(families, axis=0) + MARGIN, 2 * most)
    together[0] = 2 * most[0]
    return Curves.through(hinges.u, triples.rate * most, triples.rate * together).pair()


class Hinges:
    """∫ (μ_x − a·μ_x' − b·μ_y)_+ with a = e^u, b = (a − 1)(1 − γ)/γ at nodes u, and the same with x
    and x' exchanged: what a triple has for δ(u), up to the factor γ.

    x and x' are at most `near` apart, and y is at most `far` from x. Each family of triples has one
    parameter and is covered by parts: of the two hinges one grows with it or falls, the other has
    the largest value of a part at an end of it. The proofs are in docs/fixed-size.md.
    """

    def __init__(self, rate: float, near: float, far: float) -> None:
        self.near, self.far = near, far
        top = -math.expm1(-near) / (math.exp(-near) + (1 / rate - 1) * math.exp(-far))
        nodes = np.expm1(np.linspace(0.0, far, NODES + 1))
        self._share = nodes / nodes[-1]  # the last is 1: nothing is given away
        growth = top * self._share * (1 + ROUNDING)
        self.u = np.log1p(growth)
        self._a, self._b = (1 + growth)[:, None], (growth * (1 / rate - 1))[:, None]

    def most(self) -> Array:
        """The largest hinge: x' and y on one side of x, as far away as they can be."""
        left, share = math.exp(-self.near), self._share
        inside = left * (1 - share) + share  # a·e^{−near} + b·e^{−far}
        near_one = np.log1p(math.expm1(-self.near) * np.minimum(1 - share, 0.5))
        logarithm = np.where(share > 0.5, near_one, np.log(inside))
        return np.asarray(-np.expm1(logarithm / 2) * (1 + ROUNDING))

    def between(self) -> Array:
        """The sum of both where y lies between x' and x, which are `near` apart."""
        low, high = _parts(0.0, self.near)
        return _largest(self._same(self.near, self.near - low) + self._same(self.near, high))

    def beyond(self) -> Array:
        """The same where x lies between x' and y, which are `near` apart."""
        low, high = _parts(0.0, self.near)
        ends = np.maximum(self._either(high, 0.0), self._either(high, self.near - low))
        return _largest(self._same(high, self.near) + ends)

    def opposite(self) -> Array:
        """The same where x' lies between y and x, x at `near`, and y at `far` from x or nearer."""
        low, high = _parts(0.0, self.far - self.near)
        ends = np.maximum(self._either(self.near, low), self._either(self.near, high))
        return _largest(self._same(self.near, self.near + high) + ends)

    def apart(self) -> Array:
        """The same where x and y are `far` apart, and y up to `near` from x'."""
        low, high = _parts(self.far - self.near, self.near)
        most = self.far - low
        ends = np.maximum(self._either(most, low), self._either(most, high))
        return _largest(self._same(most, self.far) + ends)

    def _same(self, other: Array | float, without: Array | float) -> Array:
        return same_side(self._a, np.asarray(other), self._b, np.asarray(without))

    def _either(self, other: Array | float, without: Array | float) -> Array:
        return either_side(self._a, np.asarray(other), self._b, np.asarray(without))


def _parts(low: float, high: float) -> tuple[Array, Array]:
    """The least and the greatest value of each part of a range."""
    edges = np.linspace(low, max(low, high), PIECES + 1)
    return edges[:-1], edges[1:]


def _largest(values: Array) -> Array:
    return np.asarray(values.max(axis=1))
