"""The largest over a family of triples of normal laws, by boxes that speak for all in them.

A box of shapes has one Gram matrix that is above all of its own, in the order of `Gram`; where its
value is not near what some shape attains, the box is split.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from hockeystick.loss.triples.normal import Gram, excess
from hockeystick.numerics.types import Array

MOST_SPLITS = 12

Value = Callable[[Array, Array], Array]
"""Of both directions of a triple: their sum, or the larger."""


@dataclass(frozen=True)
class Boxes:
    """For some nodes (as indices), boxes of shapes: their least and their greatest parameters."""

    node: Array
    low: Array
    high: Array

    def take(self, which: Array) -> Boxes:
        return Boxes(self.node[which], self.low[which], self.high[which])

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
        )


class Shapes(ABC):
    """A family of triples of points, told by one or two parameters in a box."""

    low: tuple[float, ...]
    high: tuple[float, ...]
    pieces: int
    """Of each side of the box, before any split."""
    tolerance: float
    """How far, relatively, what boxes say may be above what shapes attain."""

    @abstractmethod
    def above(self, low: Array, high: Array) -> Gram:
        """A Gram matrix above all those of a box."""

    def counts(self, low: Array, high: Array) -> Array:
        """Whether a box holds any shape that is not covered by another box."""
        return np.ones(low.shape[0], dtype=bool)


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
    reached: Array = field(init=False)
    """What single shapes attain, but for the margin of `excess`."""

    def __post_init__(self) -> None:
        self.reached = np.zeros(self.a.shape)

    def at(self, node: Array, gram: Gram) -> Array:
        """The value of one Gram matrix at each of these nodes."""
        a, b = self.a[node], self.b[node]
        return self.value(excess(gram, a, b), excess(gram.swapped(), a, b))

    def reach(self, node: Array, gram: Gram) -> None:
        """Keep what these shapes attain."""
        np.maximum.at(self.reached, node, self.at(node, gram))

    def largest(self, shapes: Shapes) -> Array:
        """An upper end of the supremum at each node, mostly within the tolerance."""
        found = self.reached.copy()
        boxes = self._first(shapes)
        for left in reversed(range(MOST_SPLITS)):
            boxes = boxes.take(shapes.counts(boxes.low, boxes.high))
            if not boxes.node.size:
                break
            middle = (boxes.low + boxes.high) / 2
            if left % 2:
                self.reach(boxes.node, shapes.above(middle, middle))
            value = self.at(boxes.node, shapes.above(boxes.low, boxes.high))
            most = self.reached * (1 + shapes.tolerance) + self.slack
            most = np.where(most >= self.limit, np.inf, most)
            good = value <= most[boxes.node] if left else np.ones(value.shape, dtype=bool)
            np.maximum.at(found, boxes.node[good], value[good])
            boxes = boxes.take(~good).split()
        return np.minimum(np.maximum(found, self.reached), self.limit)

    def _first(self, shapes: Shapes) -> Boxes:
        """The box of all shapes in pieces of equal size, once for each node."""
        edges = [
            np.linspace(low, high, shapes.pieces + 1)
            for low, high in zip(shapes.low, shapes.high, strict=True)
        ]
        low = np.stack(np.meshgrid(*[e[:-1] for e in edges], indexing="ij"), -1)
        high = np.stack(np.meshgrid(*[e[1:] for e in edges], indexing="ij"), -1)
        low, high = low.reshape(-1, len(edges)), high.reshape(-1, len(edges))
        count = self.a.size
        return Boxes(
            np.repeat(np.arange(count), len(low)),
            np.tile(low, (count, 1)),
            np.tile(high, (count, 1)),
        )
