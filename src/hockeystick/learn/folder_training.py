"""From a folder of Parquet files and a schema to a private model, without loading it whole."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator

from hockeystick.errors import ParameterError
from hockeystick.learn.scale.parquet import from_files, names_in
from hockeystick.learn.scale.source import Source
from hockeystick.learn.schema import Schema
from hockeystick.learn.table import Table
from hockeystick.learn.training import Scores, Training, estimator_for, hold_out, score
from hockeystick.numerics.types import Array
from hockeystick.random.generators import generator


@dataclass(frozen=True)
class FolderTraining(Training):
    """A training whose records are in a source; in memory are those that are held out."""

    source: Source | None = None

    def _fit(self) -> None:
        self.estimator.fit(self.source)

    @property
    def _inside(self) -> int:
        assert self.source is not None
        return self.source.count

    def _scores(self) -> Scores:
        """Of the private model alone: the other one would need all records in memory."""
        measure = "R²" if self.declared.classes is None else "accuracy"
        private = score(self.estimator, self.features, self.targets)
        return Scores(measure, private, None, (self._inside, len(self.targets)))


class BySchema:
    """The features and the target of rows, encoded as a schema declares them."""

    def __init__(self, schema: Schema, target: str, missing: Collection[str]) -> None:
        used = [name for name in schema.columns if name != target and name not in schema.drop]
        self.columns, self.names = [*used, target], None
        self._schema, self._target, self._missing = schema, target, set(missing)
        empty = Table({name: [] for name in self.columns})
        self.width = int(empty.features(schema, target).shape[1])
        self.nothing = np.asarray(empty.targets(target, schema.columns[target]))

    def read(self, batch: Any) -> tuple[Array, Array]:
        """The features and the targets of some rows."""
        table = Table({name: self._texts(batch, name) for name in self.columns})
        declared = self._schema.columns[self._target]
        x = table.features(self._schema, self._target)
        return x, np.asarray(table.targets(self._target, declared))

    def _texts(self, batch: Any, name: str) -> list[str]:
        values = ("" if v is None else str(v).strip() for v in batch.column(name).to_pylist())
        return ["" if text in self._missing else text for text in values]


class HoldingOut:
    """What another reader reads, without the rows that a coin each holds out."""

    def __init__(self, reader: BySchema, fraction: float, source: Generator) -> None:
        self.columns, self.names, self.width = reader.columns, reader.names, reader.width
        self._reader, self._fraction, self._source = reader, fraction, source
        self.features, self.targets = [np.empty((0, reader.width))], [reader.nothing]

    def read(self, batch: Any) -> tuple[Array, Array]:
        """The features and the targets of the rows that are not held out."""
        x, y = self._reader.read(batch)
        out = hold_out(len(y), self._fraction, self._source)
        self.features.append(x[out])
        self.targets.append(y[out])
        return x[~out], y[~out]


def undeclared(folder: Path, schema: Schema) -> list[str]:
    """The columns that are neither declared nor dropped."""
    return [n for n in names_in(folder) if n not in schema.columns and n not in schema.drop]


def prepare_folder(
    folder: Path,
    target: str,
    schema: Schema,
    *,
    missing: Collection[str] = (),
    test_fraction: float = 0.0,
    rng: int | None = None,
    **options: Any,
) -> FolderTraining:
    """As `hockeystick.learn.training.prepare`, for Parquet files.

    The records that are held out are kept in memory, to be scored.
    """
    if target not in schema.columns:
        raise ParameterError(f"the target {target!r} must be declared and in the files")
    coins = generator(rng)
    seed = None if rng is None else int(coins.integers(2**32))  # of its own, as in `prepare`
    reader = HoldingOut(BySchema(schema, target, missing), test_fraction, coins)
    source = from_files(folder, reader)
    estimator = estimator_for(schema.columns[target], random_state=seed, **options)
    x, y = np.concatenate(reader.features), np.concatenate(reader.targets)
    held_out = np.ones(len(y), dtype=bool)
    return FolderTraining(target, schema, x, y, held_out, estimator, test_fraction > 0, source)
