"""The largest over a family of triples of normal laws, by boxes that speak for all in them.

A box of shapes has one Gram matrix that is above all of its own, in the order of `Gram`; where its
value is not near what some shape attains, the box is split. Boxes are good for any noise and rate:
they are sought once, where all values are larger, and serve all that is near.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields, replace

import numpy as np

from hockeystick.loss.triples.normal import FINE, ROUGH, Gram, Rule, excess
from hockeystick.numerics.types import Array

MOST_SPLITS = 12
NEGLIGIBLE = 1e-9
"""Below that no box is looked at: what no shape exceeds does as well."""
ROUGHLY = 1e-4
"""Relative error of a value by `ROUGH`, and more."""

Value = Callable[[Array, Array], Array]
"""Of both directions of a triple: their sum, or the larger."""


@dataclass(frozen=True)
class Boxes:
    """For some nodes (as indices), boxes of shapes: their least and their greatest parameters."""

    node: Array
    low: Array
    high: Array
    value: Array
    """What was found for each."""

    def take(self, which: Array) -> Boxes:
        return Boxes(self.node[which], self.low[which], self.high[which], self.value[which])

    def split(self) -> Boxes:
        """Each in two, along its longest side."""
        rows, side = np.arange(self.node.size), np.argmax(self.high - self.low, axis=1)
        middle = (self.low + self.high)[rows, side] / 2
        below, above = self.high.copy(), self.low.copy()
        below[rows, side], above[rows, side] = middle, middle
        return Boxes(
            np.concatenate([self.node, self.node]),
            np.concatenate([self.low, above]),
            np.concatenate([below, self.high]),
            np.concatenate([self.value, self.value]),
        )

    def tops(self) -> Array:
        """For each node that has any, the place of its box with the largest value."""
        order = np.lexsort((self.value, self.node))
        return np.asarray(order[np.append(np.diff(self.node[order]) != 0, True)])


def joined(some: list[Boxes]) -> Boxes:
    """All of them."""
    return Boxes(*(np.concatenate([getattr(each, f.name) for each in some]) for f in fields(Boxes)))


class Shapes(ABC):
    """A family of triples of points, told by one or two parameters in a box."""

    low: tuple[float, ...]
    high: tuple[float, ...]
    pieces: int
    """Of each side of the box, before any split."""
    tolerance: float
    """How far, relatively, what boxes say may be above what shapes attain."""
    quarterings: int
    """How often a box may be split along every side, where it is to be near its shapes."""
    shared: int
    """Neighbouring nodes that share the boxes of the first of them: boxes hold for any."""

    @abstractmethod
    def above(self, low: Array, high: Array) -> Gram:
        """A Gram matrix above all those of a box."""

    @abstractmethod
    def closely(self, low: Array, high: Array) -> Gram:
        """The same, nearer to those of the box; that takes longer."""

    def counts(self, low: Array, high: Array) -> Array:
        """Whether a box holds any shape that is not covered by another box."""
        return np.ones(low.shape[0], dtype=bool)

    def grid(self, pieces: int) -> tuple[Array, Array]:
        """The box of all shapes in pieces of equal size: their least and greatest parameters."""
        sides = zip(self.low, self.high, strict=True)
        edges = [np.linspace(low, high, pieces + 1) for low, high in sides]
        low = np.stack(np.meshgrid(*[e[:-1] for e in edges], indexing="ij"), -1)
        high = np.stack(np.meshgrid(*[e[1:] for e in edges], indexing="ij"), -1)
        return low.reshape(-1, len(edges)), high.reshape(-1, len(edges))

    def is_one(self, point: Array) -> Array:
        """Whether a point of the box of parameters is a shape of the family."""
        return np.ones(point.shape[0], dtype=bool)


@dataclass
class Cover:
    """The largest value over shapes at each node: E (X − b − a·Y)_+ both ways, as `value` says."""

    a: Array
    b: Array
    value: Value
    slack: Array
    """At each node, what may be added without a further split."""
    limit: Array
    """At each node, what no shape exceeds."""
    reached: Array
    """What single shapes attain, but for the margin of `excess`."""

    def at(self, node: Array, gram: Gram, rule: Rule = FINE) -> Array:
        """The value of one Gram matrix at each of these nodes."""
        a, b = self.a[node], self.b[node]
        return self.value(excess(gram, a, b, rule), excess(gram.swapped(), a, b, rule))

    def reach(self, node: Array, gram: Gram) -> None:
        """Keep what these shapes attain, about."""
        np.maximum.at(self.reached, node, self.at(node, gram, ROUGH))

    def sought(self, shapes: Shapes) -> Boxes:
        """Boxes of all shapes for each node, whose values are mostly within the tolerance."""
        boxes, done = self._first(shapes), []
        for left in reversed(range(MOST_SPLITS)):
            boxes = boxes.take(shapes.counts(boxes.low, boxes.high))
            if not boxes.node.size:
                break
            middle = (boxes.low + boxes.high) / 2
            if left % 2:
                real = shapes.is_one(middle)
                self.reach(boxes.node[real], shapes.above(middle[real], middle[real]))
            gram = shapes.above(boxes.low, boxes.high)
            boxes = replace(boxes, value=self.at(boxes.node, gram, ROUGH))
            most = self.reached * (1 + shapes.tolerance) + self.slack
            most = np.where(most >= self.limit, np.inf, most)
            good = boxes.value <= (most[boxes.node] if left else np.inf)
            done.append(boxes.take(good))
            boxes = boxes.take(~good).split()
        boxes, count = joined(done), np.count_nonzero(self.limit > NEGLIGIBLE)
        found = [boxes]
        for i in range(1, shapes.shared):
            others = replace(boxes, node=boxes.node + i).take(boxes.node + i < count)
            gram = shapes.above(others.low, others.high)
            found.append(replace(others, value=self.at(others.node, gram, ROUGH)))
        return joined(found)

    def largest(self, shapes: Shapes, boxes: Boxes) -> Array:
        """The largest value of the boxes at each node, none of which is above the value that was
        found for it: those below another's are not looked at again."""
        found = self.limit.copy()
        found[boxes.node] = self.reached[boxes.node]
        self._raise(found, shapes, boxes.take(boxes.tops()), FINE)
        boxes = self._above(found, boxes)
        about = found.copy()
        boxes = replace(boxes, value=self._raise(about, shapes, boxes, ROUGH))
        surely = about * (1 - ROUGHLY)
        self._raise(found, shapes, self._above(surely, boxes), FINE)
        return np.minimum(np.where(surely < self.limit, found, self.limit), self.limit)

    def _above(self, found: Array, boxes: Boxes) -> Boxes:
        """Those whose value, known roughly, may be above what was found, if that is no limit."""
        least = np.where(found < self.limit, found, np.inf)
        return boxes.take(boxes.value * (1 + ROUGHLY) > least[boxes.node])

    def _raise(self, found: Array, shapes: Shapes, boxes: Boxes, rule: Rule) -> Array:
        """The value of each box, with what was found raised to it."""
        value = self.at(boxes.node, shapes.above(boxes.low, boxes.high), rule)
        np.maximum.at(found, boxes.node, value)
        return value

    def _first(self, shapes: Shapes) -> Boxes:
        """The box of all shapes in pieces of equal size, for each node that matters."""
        low, high = shapes.grid(shapes.pieces)
        nodes = np.flatnonzero(self.limit > NEGLIGIBLE)[:: shapes.shared]
        return Boxes(
            np.repeat(nodes, len(low)),
            np.tile(low, (nodes.size, 1)),
            np.tile(high, (nodes.size, 1)),
            np.zeros(nodes.size * len(low)),
        )
