"""Sources of Dask collections: the partitions stay on the cluster, and sums come back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hockeystick.errors import ParameterError
from hockeystick.learn.scale.part import Part
from hockeystick.learn.scale.rows import Memory
from hockeystick.learn.scale.source import Source
from hockeystick.numerics.types import Array
from hockeystick.random.generators import MissingExtra


@dataclass(frozen=True)
class Partition(Part):
    """Some records on a cluster: `data` is a Dask value that becomes a `Held`.

    size: how many persons they are of. starts: not None where a person may have several.
    """

    data: Any = None
    size: int = 0

    @property
    def count(self) -> int:
        return self.size

    def here(self, data: Held) -> Part:
        """The same as a part, once its data are at hand."""
        weights = None if data.weights is None else Memory(data.weights)
        x, y = Memory(data.features), Memory(data.targets)
        return Part(self.first, x, y, weights, data.starts, self.intercept, self.target)


@dataclass(frozen=True)
class Held:
    """What a worker holds of a partition; starts as in `Part`, people the first and the last."""

    features: Any
    targets: Any
    weights: Any = None
    starts: Any = None
    people: tuple[Any, ...] = ()

    def counted(self) -> tuple[int, int, tuple[Any, ...]]:
        """How many persons, how many features, and the first and the last person."""
        rows, width = self.features.shape
        return int(rows if self.starts is None else len(self.starts) - 1), int(width), self.people


class DaskSource(Source):
    """A source whose parts are partitions of a Dask collection."""

    def _asked(
        self, function: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]
    ) -> Iterator[Any]:
        dask = _dask()
        call = dask.delayed(_at_hand, pure=False)
        tasks = [
            call(part.data, replace(part, data=None), function, rest) for part, *rest in arguments
        ]
        if self.executor is not None:
            yield from self.executor.gather(self.executor.compute(tasks))
        else:
            yield from dask.compute(*tasks)


def _at_hand(data: Any, part: Partition, function: Callable[..., Any], rest: Sequence[Any]) -> Any:
    return function(part.here(data), *rest)


def from_dask(
    features: Any,
    targets: Any,
    *,
    weight: str | None = None,
    group: str | None = None,
    columns: Sequence[str] | None = None,
    executor: Any = None,
) -> Source:
    """Records from a Dask array with an array of targets, or from a Dask dataframe.

    The collection is kept in the cluster's memory (`persist`); what a lost worker held is computed
    again. With `group` it is sorted by person first (`set_index`), so that all records of one are
    in one partition.

    Parameters
    ----------
    features: a Dask array, a row for each record; or a dataframe.
    targets: a Dask array, or the name of a column of the dataframe.
    weight, group: columns of the dataframe, of weights and of persons; see `from_arrays`.
    columns: of the dataframe, to learn from; None takes all others.
    executor: a `dask.distributed.Client`; None takes the scheduler that Dask itself would take.
    """
    dask = _dask()
    if executor is not None and not hasattr(executor, "compute"):
        raise ParameterError(
            "executor must be a dask.distributed.Client or None for a Dask collection, got "
            f"{type(executor).__name__}"
        )
    if hasattr(features, "to_delayed") and hasattr(features, "columns"):
        kept, data, names = _of_frame(features, targets, weight, group, columns, executor)
    elif weight is not None or group is not None:
        raise ParameterError("weight and group must name columns of a Dask dataframe")
    else:
        kept, data = _of_array(features, targets, executor)
        names = None
    counts = [dask.delayed(Held.counted)(each) for each in data]
    done = executor.gather(executor.compute(counts)) if executor else dask.compute(*counts)
    _check_apart([people for _, _, people in done])
    firsts = np.concatenate([[0], np.cumsum([size for size, _, _ in done])]).astype(int).tolist()
    nothing, starts = Memory(np.empty(0)), None if group is None else np.zeros(1, dtype=np.int64)
    parts = tuple(
        Partition(first, nothing, nothing, starts=starts, data=each, size=size)
        for first, each, (size, _, _) in zip(firsts, data, done, strict=False)
    )
    widths = {width for _, width, _ in done}
    if len(widths) != 1:
        raise ParameterError("features must have the same columns in every partition")
    # A cluster forgets what no collection asks for any more.
    return DaskSource(parts, widths.pop(), executor, names, kept)


def _check_apart(people: Sequence[tuple[Any, ...]]) -> None:
    """Refuse partitions that share a person, whose gradient would be clipped twice."""
    ends = [end for pair in people for end in pair]
    if any(ends[i] >= ends[i + 1] for i in range(1, len(ends) - 1, 2)):
        raise ParameterError("group must be sorted by Dask so that partitions share no person")


def _of_frame(
    frame: Any,
    target: str,
    weight: str | None,
    group: str | None,
    columns: Sequence[str] | None,
    executor: Any,
) -> tuple[Any, list[Any], tuple[str, ...]]:
    dask = _dask()
    others = [each for each in (target, weight, group) if each is not None]
    known = list(frame.columns)
    names = [n for n in known if n not in others] if columns is None else list(columns)
    for name in [*names, *others]:
        if name not in known:
            raise ParameterError(f"the column {name!r} is not in the dataframe")
    frame = frame[[*names, *others]]
    if group is not None:
        frame = _by_person(frame, group)
    kept = executor.persist(frame) if executor else frame.persist()
    split = dask.delayed(_split, pure=True)
    data = [split(part, names, target, weight, group) for part in kept.to_delayed()]
    return kept, data, tuple(names)


def _by_person(frame: Any, group: str) -> Any:
    by_person = frame.set_index(group)
    try:
        _ = by_person.divisions  # for which Dask looks at the column
    except NotImplementedError:  # what it says of missing values
        raise ParameterError(f"the column {group!r} must name a person for each record") from None
    return by_person


def _split(frame: Any, names: list[str], target: str, weight: str | None, group: str | None) -> Any:
    try:
        x = frame[names].to_numpy(dtype=float)
    except (TypeError, ValueError):
        raise ParameterError("the columns to learn from must be numbers (not shown)") from None
    if frame[target].isna().any():
        raise ParameterError(f"the column {target!r} must not be missing in any record")
    y, w = frame[target].to_numpy(), None if weight is None else frame[weight].to_numpy(dtype=float)
    if group is None:
        return Held(x, y, w)
    if frame.index.isna().any():
        raise ParameterError(f"the column {group!r} must name a person for each record")
    return _persons(frame.index.to_numpy(), x, y, w)


def _persons(whose: Array, x: Array, y: Array, w: Array | None) -> Held:
    """The records by person; those of one by their values, for Dask keeps no order of them."""
    people, codes = np.unique(whose, return_inverse=True)
    labels = np.unique(y, return_inverse=True)[1]
    order = np.lexsort((*([] if w is None else [w]), labels, *x.T, codes))
    starts = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=len(people)))])
    ends = (people[0], people[-1]) if len(people) else ()
    return Held(x[order], y[order], None if w is None else w[order], starts, ends)


def _of_array(features: Any, targets: Any, executor: Any) -> tuple[Any, list[Any]]:
    dask = _dask()
    if features.ndim != 2 or getattr(targets, "ndim", 0) != 1:
        raise ParameterError("features must be a Dask matrix with a Dask array of targets")
    if not hasattr(targets, "rechunk"):
        raise ParameterError("targets must be a Dask array, as the features are")
    x = features.rechunk({1: -1})
    if any(np.isnan(size) for size in x.chunks[0]):
        x = x.compute_chunk_sizes()
    y = targets.rechunk((x.chunks[0],)) if targets.chunks != (x.chunks[0],) else targets
    x, y = kept = executor.persist([x, y]) if executor else dask.persist(x, y)
    rows = zip(x.to_delayed().ravel(), y.to_delayed().ravel(), strict=True)
    together = dask.delayed(_together, pure=True)
    return kept, [together(*each) for each in rows]


def _together(x: Any, y: Any) -> Held:
    return Held(np.asarray(x, dtype=float), np.asarray(y))


def _dask() -> Any:
    try:
        import dask
    except ModuleNotFoundError as error:
        raise MissingExtra(
            "Dask collections need the package dask: pip install 'hockeystick[scale]'"
        ) from error
    return dask
