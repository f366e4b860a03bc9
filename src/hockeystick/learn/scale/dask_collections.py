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
from hockeystick.random.generators import MissingExtra


@dataclass(frozen=True)
class Partition(Part):
    """Some records on a cluster: `data` is a Dask value that becomes (features, targets, weights).

    rows: how many there are.
    """

    data: Any = None
    rows: int = 0

    @property
    def count(self) -> int:
        return self.rows

    def here(self, data: tuple[Any, Any, Any]) -> Part:
        """The same as a part, once its data are at hand."""
        x, y, w = data
        weights = None if w is None else Memory(w)
        return Part(self.first, Memory(x), Memory(y), weights, None, self.intercept, self.target)


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
    columns: Sequence[str] | None = None,
    executor: Any = None,
) -> Source:
    """Records from a Dask array with an array of targets, or from a Dask dataframe.

    The collection is kept in the cluster's memory (`persist`); what a lost worker held is computed
    again. Persons with several records are not sampled here: use `from_parquet`.

    Parameters
    ----------
    features: a Dask array, a row for each record; or a dataframe.
    targets: a Dask array, or the name of a column of the dataframe.
    weight: a column of the dataframe, see `from_arrays`.
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
        kept, data, names = _of_frame(features, targets, weight, columns, executor)
    else:
        kept, data = _of_array(features, targets, executor)
        names = None
    counts = [dask.delayed(_count)(each) for each in data]
    done = executor.gather(executor.compute(counts)) if executor else dask.compute(*counts)
    firsts = np.concatenate([[0], np.cumsum([rows for rows, _ in done])]).astype(int).tolist()
    nothing = Memory(np.empty(0))
    parts = tuple(
        Partition(first, nothing, nothing, data=each, rows=rows)
        for first, each, (rows, _) in zip(firsts, data, done, strict=False)
    )
    widths = {width for _, width in done}
    if len(widths) != 1:
        raise ParameterError("features must have the same columns in every partition")
    # A cluster forgets what no collection asks for any more.
    return DaskSource(parts, widths.pop(), executor, names, kept)


def _of_frame(
    frame: Any, target: str, weight: str | None, columns: Sequence[str] | None, executor: Any
) -> tuple[Any, list[Any], tuple[str, ...]]:
    dask = _dask()
    others = [target] if weight is None else [target, weight]
    known = list(frame.columns)
    names = [n for n in known if n not in others] if columns is None else list(columns)
    for name in [*names, *others]:
        if name not in known:
            raise ParameterError(f"the column {name!r} is not in the dataframe")
    frame = frame[[*names, *others]]
    kept = executor.persist(frame) if executor else frame.persist()
    split = dask.delayed(_split, pure=True)
    data = [split(part, names, target, weight) for part in kept.to_delayed()]
    return kept, data, tuple(names)


def _split(frame: Any, names: list[str], target: str, weight: str | None) -> Any:
    try:
        x = frame[names].to_numpy(dtype=float)
    except (TypeError, ValueError):
        raise ParameterError("the columns to learn from must be numbers (not shown)") from None
    if frame[target].isna().any():
        raise ParameterError(f"the column {target!r} must not be missing in any record")
    w = None if weight is None else frame[weight].to_numpy(dtype=float)
    return x, frame[target].to_numpy(), w


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


def _together(x: Any, y: Any) -> Any:
    return np.asarray(x, dtype=float), np.asarray(y), None


def _count(data: tuple[Any, Any, Any]) -> tuple[int, int]:
    return len(data[1]), int(data[0].shape[1])


def _dask() -> Any:
    try:
        import dask
    except ModuleNotFoundError as error:
        raise MissingExtra(
            "Dask collections need the package dask: pip install 'hockeystick[scale]'"
        ) from error
    return dask
