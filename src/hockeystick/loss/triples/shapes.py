"""Which triangles three answers can form: the worst of each kind of sensitivity.

A triple (y, x, x') of points with noise of standard deviation 1. What is said by a Gram matrix
grows when a positive semidefinite matrix is added and when the inner product falls; so scaling up,
moving one point away from the line of the others, and opening the angle at y only add, and what is
left over are the families here. The proofs are in docs/fixed-size.md.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from hockeystick.loss.triples.cover import Shapes
from hockeystick.loss.triples.normal import Gram
from hockeystick.numerics.types import Array

PARTS = 8
"""Of each side of a box, for the least of a function over it."""
THICKER = (0.0, 0.5, 2.0)
"""How far y may be moved away from x and x', in the span of the box: then both squares and the
inner product grow alike, and how far x and x' are apart does not."""


@dataclass(frozen=True)
class InBall(Shapes):
    """Points of a ball: triangles inscribed in its great circle that are not obtuse.

    Their angles at x' and x are the parameters; the sides opposite to them are |x − y| and
    |x' − y|, which are 2r·sin of the angle, and ⟨x − y, x' − y⟩ grows with both angles. No angle is
    wider than `widest`: sides may have a bound besides.
    """

    radius: float
    widest: float = math.pi / 2
    pieces, tolerance, shared = 4, 0.008, 3

    @property
    def quarterings(self) -> int:  # type: ignore[override]
        """Once more where sides have a bound, which boxes follow less closely."""
        return 2 if self.widest == math.pi / 2 else 3

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

    def closely(self, low: Array, high: Array) -> Gram:
        """Both squares at their largest, and p more. The inner product may then be as large as the
        least of ⟨v, w⟩ + √((a + p)(b + p)) over the box, where a and b are what the squares are
        below their largest: what is missing to the matrix is positive semidefinite. That least is
        bounded in parts of the box, as ⟨v, w⟩ grows with both angles, and a and b fall.
        """
        scale = 4 * self.radius**2
        ends = low[:, :, None] + (high - low)[:, :, None] / PARTS * np.arange(PARTS + 1)
        one, other = ends[:, 0, :, None], ends[:, 1, None, :]
        inner = -scale * np.sin(one) * np.sin(other) * np.cos(one + other)
        inner = np.maximum(inner[:, :-1, :-1], 0.0)  # no shape is obtuse
        inner[one[:, 1:] + other[:, :, 1:] < math.pi - self.widest - 1e-12] = np.inf
        squares = scale * np.sin(ends) ** 2
        short = squares[:, :, -1:] - squares[:, :, 1:]
        span = np.max(squares[:, :, -1] - squares[:, :, 0], axis=1)
        return least([made_up(squares[:, :, -1], inner, short, m * span) for m in THICKER])

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


def made_up(most: Array, inner: Array, short: Array, more: Array) -> Gram:
    """The Gram matrix of a box whose squares are at most these and `more`."""
    a, b = np.moveaxis(np.maximum(short, 0.0), 1, 0) + more[:, None]
    largest = np.min(inner + np.sqrt(a[:, :, None] * b[:, None, :]), axis=(1, 2))
    first, second = most.T + more
    return Gram(first, second, np.minimum(largest, np.sqrt(first * second)) * (1 - 1e-12))


def least(choices: list[Gram]) -> Gram:
    """Of several matrices for each box that with the least E (X − Y)²; each is valid."""
    rows = [np.array([each.first, each.second, each.inner]) for each in choices]
    spread = [np.exp(first) + np.exp(second) - 2 * np.exp(inner) for first, second, inner in rows]
    best = np.argmin(spread, axis=0)
    first, second, inner = np.take_along_axis(np.array(rows), best[None, None, :], axis=0)[0]
    return Gram(first, second, inner)


class Arc(Shapes):
    """A family with one parameter, which costs little; its Gram matrix is linear in it."""

    pieces, tolerance, quarterings, shared = 16, 0.002, 3, 1

    @abstractmethod
    def between(self, parameter: Array) -> Gram:
        """The Gram matrix at each parameter."""

    def closely(self, low: Array, high: Array) -> Gram:
        """As in the ball. ⟨v, w⟩ + √((a + p)(b + p)) is concave in the parameter, so that it is
        least at an end."""
        ends = np.concatenate([low, high], axis=1)
        gram = self.between(ends)
        squares = np.stack([gram.first, gram.second], axis=1)
        short = squares[:, :, -1:] - squares
        span = short.max(axis=(1, 2))
        inner = np.where(np.eye(2, dtype=bool), gram.inner[:, None], np.inf)
        return least([made_up(squares[:, :, -1], inner, short, m * span) for m in THICKER])


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

    def between(self, parameter: Array) -> Gram:
        squared = np.full(parameter.shape, self.far**2)
        return Gram(squared, squared * parameter, squared * parameter / 2)

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

    def between(self, parameter: Array) -> Gram:
        squared = np.full(parameter.shape, self.near**2)
        return Gram(squared * parameter, squared, squared * parameter / 2)

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

    def between(self, parameter: Array) -> Gram:
        first, squared = np.full(parameter.shape, self.far**2), self.near**2 * parameter
        return Gram(first, squared, (first + squared - self.near**2) / 2)

    def above(self, low: Array, high: Array) -> Gram:
        first, squared = self.far**2, self.near**2
        inner = (first + squared * low[:, 0] - squared) / 2
        return Gram(np.full(len(low), first), squared * high[:, 0], inner)
