"""Which triangles three answers can form: the worst of each kind of sensitivity.

A triple (y, x, x') of points with noise of standard deviation 1. What is said by a Gram matrix
grows when a positive semidefinite matrix is added and when the inner product falls; so scaling up,
moving one point away from the line of the others, and opening the angle at y only add, and what is
left over are the families here. The proofs are in docs/fixed-size.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hockeystick.loss.triples.cover import Shapes
from hockeystick.loss.triples.normal import Gram
from hockeystick.numerics.types import Array


@dataclass(frozen=True)
class InBall(Shapes):
    """Points of a ball: triangles inscribed in its great circle that are not obtuse.

    Their angles at x' and x are the parameters; the sides opposite to them are |x − y| and
    |x' − y|, which are 2r·sin of the angle, and ⟨x − y, x' − y⟩ grows with both angles. No angle is
    wider than `widest`: sides may have a bound besides.
    """

    radius: float
    widest: float = math.pi / 2
    pieces, tolerance = 4, 0.013

    @property
    def low(self) -> tuple[float, ...]:  # type: ignore[override]
        least = max(math.pi - 2 * self.widest - 1e-12, 0.0)
        return (least, least)

    @property
    def high(self) -> tuple[float, ...]:  # type: ignore[override]
        return (self.widest, self.widest)

    def above(self, low: Array, high: Array) -> Gram:
        """|x − y|² and |x' − y|² at their largest and ⟨x − y, x' − y⟩ at its least, to which the
        part f is added that a positive semidefinite matrix makes up for.

        With a and b the lengths of the intervals of both squares, f <= √(ab) and f such that the
        inner product has grown by f·s where a square has by the part s of its interval: what is
        missing to the matrix is then at least a(1−s), b(1−t) and at most f·(1 − max(s, t)).
        """
        scale = 4 * self.radius**2
        first, second = (scale * np.sin(high) ** 2).T
        spans = scale * (np.sin(high) ** 2 - np.sin(low) ** 2)
        inner = -scale * np.sin(low).prod(axis=1) * np.cos(low.sum(axis=1))
        slower = np.minimum(*(_growth(low, high, i) * spans[:, i] for i in (0, 1)))
        more = np.minimum(slower, np.sqrt(spans.prod(axis=1))) * (1 - 1e-9)
        acute = low.sum(axis=1) >= math.pi / 2
        return Gram(first, second, np.where(acute, inner + more, np.maximum(inner, 0.0)))

    def counts(self, low: Array, high: Array) -> Array:
        acute = self.is_one(high)
        return np.asarray(acute & (low[:, 1] < high[:, 0]))  # |x' − y| <= |x − y|, else swapped

    def is_one(self, point: Array) -> Array:
        """Whether the angle at y is narrow enough, too."""
        return np.asarray(point.sum(axis=1) >= math.pi - self.widest - 1e-12)


def _growth(low: Array, high: Array, of: int) -> Array:
    """At least how much ⟨x − y, x' − y⟩ grows for each unit of a square, by its angle ξ' alone:
    −sin ξ·cos(2ξ' + ξ)/sin 2ξ' for all angles in a box, whose sum ξ + ξ' is at least π/2."""
    other = 1 - of
    ends = [-np.cos(2 * each[:, of] + each[:, other]) for each in (low, high)]
    double = 2 * low[:, of], 2 * high[:, of]
    straight = (double[0] < math.pi / 2) & (double[1] > math.pi / 2)
    most = np.where(straight, 1.0, np.maximum(np.sin(double[0]), np.sin(double[1])))
    gained = np.sin(low[:, other]) * np.maximum(np.minimum(*ends), 0.0)
    return np.asarray(gained / np.maximum(most, 1e-300))


class Arc(Shapes):
    """A family with one parameter, which costs little."""

    pieces, tolerance = 16, 0.002


@dataclass(frozen=True)
class WithinDistance(Arc):
    """Points at most `far` apart: |x − x'| = |x − y| = far, and y anywhere on that arc from x'.

    The parameter is |x' − y|²/far², from 0 (y = x') to `longest`: 1 (equilateral), or less where
    the triangle has to fit into a ball.
    """

    far: float
    longest: float = 1.0
    low = (0.0,)

    @property
    def high(self) -> tuple[float, ...]:  # type: ignore[override]
        return (self.longest,)

    def above(self, low: Array, high: Array) -> Gram:
        squared = self.far**2
        return Gram(np.full(len(low), squared), squared * high[:, 0], squared * low[:, 0] / 2)


@dataclass(frozen=True)
class AroundZero(Arc):
    """x' = 0, |x| = near, and y on the circle |y| = near, at most `far` from x.

    The parameter is |x − y|²/near².
    """

    near: float
    far: float
    low = (0.0,)

    @property
    def high(self) -> tuple[float, ...]:  # type: ignore[override]
        return (min(self.far / self.near, 2.0) ** 2,)

    def above(self, low: Array, high: Array) -> Gram:
        squared = self.near**2
        return Gram(squared * high[:, 0], np.full(len(low), squared), squared * low[:, 0] / 2)


@dataclass(frozen=True)
class AroundRecord(Arc):
    """x' = 0, |x| = near, and y on the circle |x − y| = far < 2·near, at most `near` from 0.

    The parameter is |y|²/near².
    """

    near: float
    far: float
    high = (1.0,)

    @property
    def low(self) -> tuple[float, ...]:  # type: ignore[override]
        return ((1 - self.far / self.near) ** 2,)

    def above(self, low: Array, high: Array) -> Gram:
        first, squared = self.far**2, self.near**2
        inner = (first + squared * low[:, 0] - squared) / 2
        return Gram(np.full(len(low), first), squared * high[:, 0], inner)
