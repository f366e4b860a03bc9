"""Records: the private data, as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.random import Generator

from hockeystick.errors import ParameterError
from hockeystick.learn.drawing import drawn_ahead
from hockeystick.numerics.types import Array
from hockeystick.samplers.sampler import Sampler
from hockeystick.sensitivity import Norm

if TYPE_CHECKING:
    from hockeystick.learn.objective import Objective

BLOCK = 2**18
"""So many numbers are copied and summed, or checked, at a time: what a processor has at hand."""


@dataclass(frozen=True)
class Records:
    """Some records: features and targets."""

    features: Array
    targets: Array
    notes: ClassVar[tuple[str, ...]] = ()
    """What a reader of a statement must know of them."""

    @property
    def count(self) -> int:
        """How many there are: what a sampler draws from."""
        return len(self.targets)

    @property
    def width(self) -> int:
        """How many features each has."""
        return int(self.features.shape[1])

    def drawn(self, sampler: Sampler, rng: Generator) -> list[Any]:
        """The batches of one draw: one, or those of a whole epoch."""
        return _listed(sampler.draw(self.count, rng))

    def drawn_ahead(self, sampler: Sampler, steps: int, rng: Generator) -> list[list[Any]]:
        """The batches of as many draws as are best drawn at once, one at least."""
        return [_listed(each) for each in drawn_ahead(sampler, self.count, steps, rng)]

    def clipped_sum(
        self, objective: Objective, parameters: Array, batch: Any, clip: float, norm: Norm
    ) -> Array:
        """The sum of the clipped gradients of a batch that was `drawn`."""
        sums = [
            objective.clipped_sum(parameters, self.take(block), clip, norm)
            for block in self.blocks(batch)
        ]
        return sum(sums[1:], sums[0])

    def times(self, parameters: Array) -> Array:
        """Xθ, a row for each record."""
        return np.asarray(self.features @ parameters)

    persons: ClassVar[bool] = False
    """Whether several records may belong to one person."""

    def weighted(self, rows: Array) -> Array:
        """Each row times the weight of its record; here all weights are 1."""
        return rows

    def summed(self, gradients: Array) -> Array:
        """A row for each person, of the rows of their records; here each has one record."""
        return gradients

    def take(self, batch: Array) -> Records:
        """A copy of the records at these indices; an index that comes twice counts twice."""
        return Records(self.features.take(batch, axis=0), self.targets.take(batch))

    def blocks(self, batch: Array) -> list[Array]:
        """The indices, as many at a time as are best taken together; one empty block of none."""
        rows = max(1, BLOCK // max(1, self.features.shape[1]))
        if len(batch) <= rows:
            return [batch]
        return np.split(batch, range(rows, len(batch), rows))

    @classmethod
    def checked(cls, name: str, features: Any, targets: Any) -> Self:
        """Finite numbers, a row for each target; what is wrong is said without showing any.

        The targets are copied, so that they stay as they were checked. The features may be more
        than memory holds and are not: whoever sums them up measures what it sums.

        >>> Records.checked("features", [[1.0, 2.0]], [1]).targets
        array([1.])
        """
        try:
            x, y = np.asarray(features, dtype=float), np.array(targets, dtype=float)
        except (TypeError, ValueError):
            raise ParameterError(f"{name} and their targets must be numbers") from None
        if x.ndim != 2 or y.shape != x.shape[:1]:
            raise ParameterError(
                f"{name} must be a matrix with a row for each target, got the shapes {x.shape} "
                f"and {y.shape}"
            )
        if not (_finite(x) and _finite(y)):
            raise ParameterError(
                f"{name} and their targets must be finite: there is NaN or infinity"
            )
        return cls(x, y)


def _listed(drawn: Any) -> list[Any]:
    return drawn if isinstance(drawn, list) else [drawn]


def _finite(values: Array) -> bool:
    """Whether all numbers are finite, by blocks of rows: the flags of all take much memory, too."""
    rows = max(1, BLOCK * len(values) // max(1, values.size))
    blocks = (values[start : start + rows] for start in range(0, len(values), rows))
    return all(bool(np.isfinite(block).all()) for block in blocks)
