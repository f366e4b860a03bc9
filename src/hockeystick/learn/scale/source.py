"""Source: records that stay where they are, in parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from hockeystick.errors import ParameterError
from hockeystick.learn.objective import Objective
from hockeystick.learn.scale.grain import check_number, grain
from hockeystick.learn.scale.keyed import StepKey
from hockeystick.learn.scale.part import Batch, Given, Keyed, Part, Question, part_sum
from hockeystick.learn.scale.workers import asked, executor_of
from hockeystick.numerics.types import Array
from hockeystick.samplers.poisson import Poisson
from hockeystick.samplers.sampler import Sampler
from hockeystick.sensitivity import Norm

GROUPED = (
    "Protected are persons, each with all of their records: one gradient is the sum of theirs."
)


@dataclass(frozen=True, repr=False)
class Source:
    """Records that a run of `private_sgd` or an estimator sums up where they are.

    Made by `from_arrays`, `from_parquet` or `from_dask`. A step's Poisson batch is drawn by each
    part for itself, from a key that the driver draws; of other samplers the driver draws the batch
    and tells each part its own numbers. The sums are exact (see `grain`), the noise is added by the
    driver: how the records are cut into parts, who works on them and how often one is asked again
    changes nothing, to the last digit.

    Parameters
    ----------
    parts: some records each. width: how many features there are, the intercept among them.
    executor: who works on the parts: None is this process; else any `concurrent.futures.Executor`
        or a `dask.distributed.Client`.
    names: of the features, where they have any.
    """

    parts: tuple[Part, ...]
    width: int
    executor: Any = None
    names: tuple[str, ...] | None = None
    kept: Any = None
    """What must live as long as this: a folder for scratch files."""

    def __post_init__(self) -> None:
        executor_of(self.executor)

    def __repr__(self) -> str:
        """Without any of the records."""
        return f"<{type(self).__name__} of {len(self.parts)} parts, {self.width} features>"

    @property
    def count(self) -> int:
        """How many are protected: records, or persons where there are several records of one."""
        return self.parts[-1].stop if self.parts else 0

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the statement must know."""
        return (GROUPED,) if any(part.starts is not None for part in self.parts) else ()

    # What the estimators ask for --------------------------------------------------------------

    def with_intercept(self) -> Source:
        """Each record with one more feature, 1."""
        parts = tuple(replace(part, intercept=True) for part in self.parts)
        return replace(self, parts=parts, width=self.width + 1)

    def with_targets(self, target: Callable[[Any], Array]) -> Source:
        """The targets as a function makes them; what cannot be pickled does not leave here."""
        parts = tuple(replace(part, target=target) for part in self.parts)
        return replace(self, parts=parts)

    def some(self, most: int) -> Array:
        """The features of a few of the first records."""
        for found in self._asked(part_some, [(part, most) for part in self.parts[:1]]):
            return np.asarray(found)
        return np.zeros((0, self.width))

    def labels(self) -> Array:
        """All different targets, sorted."""
        found = list(self._asked(part_labels, [(part,) for part in self.parts]))
        return np.unique(np.concatenate(found)) if found else np.empty(0)

    def check(self, objective: Objective) -> None:
        """One pass over all records: finite numbers, weights >= 0, targets that have a loss."""
        for _ in self._asked(part_check, [(part, objective) for part in self.parts]):
            pass

    # What a run asks for ----------------------------------------------------------------------

    def drawn(self, sampler: Sampler, rng: Generator) -> list[Batch]:
        """The batches of one draw, as `Records.drawn`; nothing of them is drawn twice."""
        if type(sampler) is Poisson:
            return [Keyed(StepKey.drawn(rng), sampler.rate)]
        drawn: Any = sampler.draw(self.count, rng)
        return [Given(np.sort(each)) for each in (drawn if isinstance(drawn, list) else [drawn])]

    def drawn_ahead(self, sampler: Sampler, steps: int, rng: Generator) -> list[list[Any]]:
        """As `Records.drawn_ahead`, one draw: to draw its key is little beside the rest."""
        return [self.drawn(sampler, rng)]

    def clipped_sum(
        self, objective: Objective, parameters: Array, batch: Batch, clip: float, norm: Norm
    ) -> Array:
        """The sum of the clipped gradients of a batch, the same however the parts are cut."""
        question = Question(objective, parameters, clip, norm)
        tasks = [(part, batch.cut(part.first, part.stop), question) for part in self.parts]
        total, number = np.zeros(parameters.shape), 0
        for counts, drawn in self._asked(part_sum, tasks):
            total += counts
            number += drawn
        check_number(number)
        return np.asarray(total * grain(clip))

    def _asked(
        self, function: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]
    ) -> Iterator[Any]:
        return asked(executor_of(self.executor), function, arguments)


def part_some(part: Part, most: int) -> Array:
    """The features of a few records of a part."""
    few = np.arange(part.first, part.first + min(most, part.count))
    return np.concatenate([records.features for records in part.records(few)])


def part_labels(part: Part) -> Array:
    """The different targets of a part, as they are in the data."""
    return np.unique(part.targets.open())


def part_check(part: Part, objective: Objective) -> None:
    """Refuse what `Records.checked` and the objective refuse, without showing any of it."""
    for records in part.records():
        if not (np.isfinite(records.features).all() and np.isfinite(records.targets).all()):
            raise ParameterError(
                "features and their targets must be finite: there is NaN or infinity"
            )
        weights = records.weights
        if weights is not None and not (np.isfinite(weights).all() and (weights >= 0).all()):
            raise ParameterError("weights must be finite and >= 0; one (not shown) is not")
        objective.check(records)
