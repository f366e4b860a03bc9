"""Part: some of the records, wherever they are, and the sum that it returns in a step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hockeystick.errors import ParameterError
from hockeystick.learn.objective import Objective
from hockeystick.learn.records import Records
from hockeystick.learn.scale.grain import grains
from hockeystick.learn.scale.keyed import StepKey
from hockeystick.learn.scale.rows import Rows
from hockeystick.numerics.types import Array
from hockeystick.random.batches import Indices
from hockeystick.sensitivity import Norm

CHUNK = 2**18
"""So many numbers are read and summed at a time: what a processor has at hand."""


@dataclass(frozen=True)
class Keyed:
    """A Poisson batch that every part draws for itself."""

    key: StepKey
    rate: float

    def within(self, first: int, stop: int) -> Indices:
        """The numbers of those drawn from first, …, stop − 1."""
        return self.key.poisson(first, stop, self.rate)

    def cut(self, first: int, stop: int) -> Keyed:
        """What a part must be told."""
        return self


@dataclass(frozen=True)
class Given:
    """A batch that the driver has drawn, sorted."""

    numbers: Indices

    def within(self, first: int, stop: int) -> Indices:
        """The numbers of those drawn from first, …, stop − 1."""
        return self.numbers[self.numbers.searchsorted(first) : self.numbers.searchsorted(stop)]

    def cut(self, first: int, stop: int) -> Given:
        """What a part must be told: its own numbers."""
        return Given(self.within(first, stop))


Batch = Keyed | Given


@dataclass(frozen=True)
class Question:
    """What all parts are asked in a step."""

    objective: Objective
    parameters: Array
    clip: float
    norm: Norm


@dataclass(frozen=True)
class Weighted(Records):
    """Records with weights, some of which may belong to one person.

    weights: of the gradient of each, before it is clipped; None for 1. starts: the first row of
    each person and, last, the number of rows; None where each record is a person's only one.
    """

    weights: Array | None = None
    starts: Indices | None = None

    @property
    def count(self) -> int:
        return len(self.targets) if self.starts is None else len(self.starts) - 1

    def times(self, parameters: Array) -> Array:
        """Xθ row by row: a product of matrices rounds a row by where it stands in a batch."""
        columns = [np.einsum("ij,j->i", self.features, column) for column in parameters.T.copy()]
        return np.stack(columns, axis=1)

    @property
    def persons(self) -> bool:  # type: ignore[override]
        return self.starts is not None

    def weighted(self, rows: Array) -> Array:
        return rows if self.weights is None else rows * self.weights[:, None]

    def summed(self, gradients: Array) -> Array:
        if self.starts is None:
            return gradients
        return np.add.reduceat(gradients, self.starts[:-1]) if self.count else gradients[:0]


@dataclass(frozen=True)
class Part:
    """The records of the persons number first, first + 1, …

    starts: as in `Weighted`, counted from the part's own first row. intercept: whether each record
    gets one more feature, 1. targets are told to the objective as `target` makes them.
    """

    first: int
    features: Rows
    targets: Rows
    weights: Rows | None = None
    starts: Indices | None = None
    intercept: bool = False
    target: Callable[[Any], Array] | None = None

    @property
    def count(self) -> int:
        """How many persons there are."""
        return len(self.targets) if self.starts is None else len(self.starts) - 1

    @property
    def stop(self) -> int:
        """The number of the first person of the next part."""
        return self.first + self.count

    def records(self, numbers: Indices | None = None) -> Iterator[Weighted]:
        """The records of these persons, or of all, some at a time."""
        own = np.arange(self.count) if numbers is None else numbers - self.first
        x, y = self.features.open(), self.targets.open()
        w = None if self.weights is None else self.weights.open()
        rows_each = max(1, len(y) // max(1, self.count))
        step = max(1, CHUNK // max(1, x.shape[1] * rows_each))
        for i in range(0, len(own), step):
            yield self._chunk(own[i : i + step], x, y, w)

    def _chunk(self, own: Indices, x: Array, y: Array, w: Array | None) -> Weighted:
        rows, starts = own, None
        if self.starts is not None:
            sizes = self.starts[own + 1] - self.starts[own]
            starts = np.concatenate([[0], np.cumsum(sizes)])
            rows = np.repeat(self.starts[own] - starts[:-1], sizes) + np.arange(starts[-1])
        features = np.asarray(x.take(rows, axis=0), dtype=float)
        if self.intercept:
            features = np.column_stack([features, np.ones(len(rows))])
        weights = None if w is None else w.take(rows).astype(float)
        return Weighted(features, self._targets(y.take(rows)), weights, starts)

    def _targets(self, own: Array) -> Array:
        try:
            return np.asarray(own if self.target is None else self.target(own), dtype=float)
        except ValueError:  # it would quote the target
            raise ParameterError("targets must be numbers (they are not shown)") from None


def part_sum(part: Part, batch: Batch, asked: Question) -> tuple[Array, int]:
    """The sum of the clipped gradients of the batch's records in a part, in grains; how many."""
    total, numbers = np.zeros(asked.parameters.shape), batch.within(part.first, part.stop)
    for records in part.records(numbers):
        total += grains(asked.objective, asked.parameters, records, asked.clip, asked.norm)
    return total, len(numbers)
