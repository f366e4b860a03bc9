"""Sources of Parquet files: read once, some rows at a time, into a scratch file of plain numbers.

A row of a Parquet file cannot be read without the thousands around it, and a step needs some rows
of every file. So the numbers are copied once, without compression, to where a row is one read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from hockeystick.checks import whole
from hockeystick.errors import ParameterError
from hockeystick.learn.scale.arrays import KINDS, PART, persons, source_of
from hockeystick.learn.scale.rows import InFile, Rows, saved
from hockeystick.learn.scale.scratch import Scratch
from hockeystick.learn.scale.source import Source
from hockeystick.learn.scale.workers import executor_of
from hockeystick.numerics.types import Array
from hockeystick.random.batches import Indices
from hockeystick.random.generators import MissingExtra

ROWS = 2**16
"""Rows that are read at a time."""


def from_parquet(
    folder: str | Path,
    target: str,
    *,
    features: Sequence[str] | None = None,
    weight: str | None = None,
    group: str | None = None,
    executor: Any = None,
    part: int = PART,
    scratch: str | Path | None = None,
) -> Source:
    """Records from a folder of Parquet files, or from one file; needs the extra `scale`.

    The files are taken in the order of their names. Their numbers are copied to a scratch file,
    8 bytes each, which is deleted with the source: it holds the private records, so choose a place
    that is as well kept as theirs.

    Parameters
    ----------
    target: the column to predict: numbers, or labels of any kind.
    features: the columns to learn from, numbers all of them; None takes all others.
    weight, group: columns of weights and of persons; see `from_arrays`.
    executor: see `Source`; the workers must see the scratch file. For a cluster of several machines
        take `from_dask`.
    scratch: a folder for the copy; the system's own folder for temporary files if not given.
    """
    names = names_in(folder)
    others = [each for each in (target, weight, group) if each is not None]
    chosen = [n for n in names if n not in others] if features is None else list(features)
    if not chosen:
        raise ParameterError("no column is left to learn from")
    reader = Columns(chosen, target)
    return from_files(folder, reader, weight, group, executor, part, scratch)


class Reader(Protocol):
    """What numbers are made of some rows of a file."""

    @property
    def columns(self) -> Sequence[str]:
        """The columns to read."""

    @property
    def names(self) -> tuple[str, ...] | None:
        """Of the features, where they are columns of the file."""

    @property
    def width(self) -> int:
        """How many features there are."""

    def read(self, batch: Any) -> tuple[Array, Array]:
        """The features and the targets of some rows; of fewer only without weights and groups."""


class Columns:
    """Columns of numbers as they are, and a target of any kind."""

    def __init__(self, features: Sequence[str], target: str) -> None:
        self.columns = [*features, target]
        self.names = tuple(features)
        self.width = len(self.names)

    def read(self, batch: Any) -> tuple[Array, Array]:
        """The features and the targets of some rows."""
        x = np.column_stack([numbers(batch, name) for name in self.names])
        return x, complete(batch, self.columns[-1])


def from_files(
    folder: str | Path,
    reader: Reader,
    weight: str | None = None,
    group: str | None = None,
    executor: Any = None,
    part: int = PART,
    scratch: str | Path | None = None,
) -> Source:
    """The records that a reader makes of the files, copied to scratch files."""
    known = names_in(folder)
    for name in [*reader.columns, *filter(None, (weight, group))]:
        if name not in known:
            raise ParameterError(f"the column {name!r} is not among those of {str(folder)!r}")
    whole("part", part, 1)
    executor_of(executor)
    where, paths = Scratch(scratch), files(folder)
    starts, place = None, None
    if group is not None:
        whose = _column(paths, group)
        order, starts = persons(whose, len(whose))
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
    rows = _copied(paths, reader, weight, place, where)
    return source_of(rows, starts, part, executor=executor, names=reader.names, kept=where)


def files(folder: str | Path) -> list[Path]:
    """The Parquet files of a folder, by name; or the one file."""
    given = Path(folder)
    found = sorted(given.rglob("*.parquet")) if given.is_dir() else [given]
    if not found or not found[0].exists():
        raise ParameterError(f"features must be a folder of *.parquet files, got {str(folder)!r}")
    return found


def names_in(folder: str | Path) -> list[str]:
    """The names of the columns, by the first file."""
    return list(_pyarrow().read_schema(files(folder)[0]).names)


def _batches(paths: Sequence[Path], columns: Sequence[str]) -> Iterator[Any]:
    """Some rows of these columns at a time, in the order of the files."""
    for path in paths:
        with _pyarrow().ParquetFile(path) as file:
            yield from file.iter_batches(batch_size=ROWS, columns=list(columns))


def _column(paths: Sequence[Path], name: str) -> Array:
    """One whole column."""
    read = [complete(batch, name) for batch in _batches(paths, [name])]
    return np.concatenate(read) if read else np.empty(0)


def _copied(
    paths: Sequence[Path], reader: Reader, weight: str | None, place: Indices | None, where: Scratch
) -> dict[str, Rows]:
    """Scratch files of all numbers that the reader makes, each row at its place."""
    most = sum(_pyarrow().read_metadata(path).num_rows for path in paths)
    path, width, first = where / "features", reader.width, 0
    with path.open("wb") as file:
        file.truncate(8 * most * width)
    targets, weights = [], np.empty(most)
    for batch in _batches(paths, [*reader.columns, *([weight] if weight else [])]):
        x, y = reader.read(batch)
        own = np.arange(first, first + len(y)) if place is None else place[first : first + len(y)]
        _write(path, width, own, x)
        targets.append(y)
        if weight is not None:
            weights[own] = numbers(batch, weight)
        first += len(y)
    labels = np.concatenate(targets) if targets else np.empty(0)
    labels = labels if labels.dtype.kind in KINDS else labels.astype(str)
    if place is not None:
        labels = labels[np.argsort(place)]
    rows: dict[str, Rows] = {"features": InFile(str(path), "<f8", 0, (first, width))}
    rows["targets"] = saved(labels, where / "targets")
    if weight is not None:
        rows["weights"] = saved(weights, where / "weights")
    return rows


def _write(path: Path, width: int, own: Indices, x: Array) -> None:
    """Rows at their places; the file is mapped anew, as what stays mapped counts as memory."""
    if len(own):
        low, high = int(own.min()), int(own.max()) + 1
        mapped = np.memmap(path, "<f8", "r+", 8 * low * width, (high - low, width))
        mapped[own - low] = x


def complete(batch: Any, name: str) -> Array:
    """A column of any kind, which no record may lack."""
    column = batch.column(name)
    if column.null_count:
        raise ParameterError(f"the column {name!r} must not be missing in any record")
    return np.asarray(column.to_numpy(zero_copy_only=False))


def numbers(batch: Any, name: str) -> Array:
    """A column as floats; what is no number is refused without showing it."""
    try:
        return np.asarray(batch.column(name).to_numpy(zero_copy_only=False), dtype=float)
    except (TypeError, ValueError):
        raise ParameterError(f"the column {name!r} must be numbers (they are not shown)") from None


def _pyarrow() -> Any:
    try:
        from pyarrow import parquet
    except ModuleNotFoundError as error:
        raise MissingExtra(
            "Parquet files need the package pyarrow: pip install 'hockeystick[scale]'"
        ) from error
    return parquet
