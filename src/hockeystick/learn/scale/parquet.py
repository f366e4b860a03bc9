"""Sources of Parquet files: read once, some rows at a time, into a scratch file of plain numbers.

A row of a Parquet file cannot be read without the thousands around it, and a step needs some rows
of every file. So the numbers are copied once, without compression, to where a row is one read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hockeystick.errors import ParameterError
from hockeystick.learn.scale.arrays import PART, persons, source_of
from hockeystick.learn.scale.rows import InFile, Rows
from hockeystick.learn.scale.scratch import Scratch
from hockeystick.learn.scale.source import Source
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
    data = _Files(folder, target, features, weight, group)
    where = Scratch(scratch)
    rows, starts = _copied(data, where)
    return source_of(rows, starts, part, executor=executor, names=tuple(data.features), kept=where)


class _Files:
    """The columns of some files."""

    def __init__(
        self,
        folder: str | Path,
        target: str,
        features: Sequence[str] | None,
        weight: str | None,
        group: str | None,
    ) -> None:
        parquet = _pyarrow()
        self.paths = files(folder)
        names = list(parquet.read_schema(self.paths[0]).names)
        others = [each for each in (target, weight, group) if each is not None]
        self.features = (
            [n for n in names if n not in others] if features is None else list(features)
        )
        self.target, self.weight, self.group = target, weight, group
        for name in [*self.features, *others]:
            if name not in names:
                raise ParameterError(f"the column {name!r} is not among those of {self.paths[0]}")
        if not self.features:
            raise ParameterError("no column is left to learn from")

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """Some rows of these columns at a time, in the order of the files."""
        parquet = _pyarrow()
        for path in self.paths:
            with parquet.ParquetFile(path) as file:
                yield from file.iter_batches(batch_size=ROWS, columns=list(columns))

    def column(self, name: str) -> Array:
        """One whole column."""
        parts = [
            batch.column(name).to_numpy(zero_copy_only=False) for batch in self.batches([name])
        ]
        return np.concatenate(parts) if parts else np.empty(0)


def files(folder: str | Path) -> list[Path]:
    """The Parquet files of a folder, by name; or the one file."""
    place = Path(folder)
    found = sorted(place.rglob("*.parquet")) if place.is_dir() else [place]
    if not found or not found[0].exists():
        raise ParameterError(f"features must be a folder of *.parquet files, got {str(folder)!r}")
    return found


def _copied(data: _Files, where: Scratch) -> tuple[dict[str, Rows], Indices | None]:
    """Scratch files of all columns, and the first row of each person."""
    place, starts = None, None
    rows = sum(batch.num_rows for batch in data.batches([data.target]))
    if data.group is not None:
        order, starts = persons(data.column(data.group), rows)
        place = np.empty(rows, dtype=np.int64)
        place[order] = np.arange(rows)
    numbers = [*data.features, *([data.weight] if data.weight else [])]
    path, width = where / "features", len(data.features)
    weights = np.empty(rows)
    first = 0
    with path.open("wb") as file:
        file.truncate(8 * rows * width)
    for batch in data.batches(numbers):
        stop = first + batch.num_rows
        block = np.column_stack([_numbers(batch, name) for name in numbers])
        own = np.arange(first, stop) if place is None else place[first:stop]
        weights[own] = block[:, -1]
        if len(own):
            low, high = int(own.min()), int(own.max()) + 1  # opened anew: what is mapped stays
            mapped = np.memmap(path, "<f8", "r+", 8 * low * width, (high - low, width))
            mapped[own - low] = block[:, :width]
            del mapped
        first = stop
    targets = data.column(data.target)
    if place is not None:
        targets = targets[order]
    copied: dict[str, Rows] = {"features": InFile(str(path), "<f8", 0, (rows, width))}
    copied["targets"] = _saved_column(targets, where / "targets")
    if data.weight:
        copied["weights"] = _saved_column(weights, where / "weights")
    return copied, starts


def _numbers(batch: Any, name: str) -> Array:
    """A column as floats; what is no number, or missing, is refused without showing it."""
    try:
        column = batch.column(name).to_numpy(zero_copy_only=False)
        return np.asarray(column, dtype=float)
    except (TypeError, ValueError):
        raise ParameterError(f"the column {name!r} must be numbers (they are not shown)") from None


def _saved_column(column: Array, path: Path) -> InFile:
    """A column in a file; labels that are objects become texts of one length."""
    plain = column if column.dtype.kind in "biuf" else column.astype(str)
    np.ascontiguousarray(plain).tofile(path)
    return InFile(str(path), plain.dtype.str, 0, plain.shape)


def _pyarrow() -> Any:
    try:
        from pyarrow import parquet
    except ModuleNotFoundError as error:
        raise MissingExtra(
            "Parquet files need the package pyarrow: pip install 'hockeystick[scale]'"
        ) from error
    return parquet
