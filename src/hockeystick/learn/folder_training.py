"""From a folder of Parquet files and a schema to a private model, without loading it whole."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hockeystick.errors import ParameterError
from hockeystick.learn.scale.parquet import from_files, names_in
from hockeystick.learn.scale.source import Source
from hockeystick.learn.schema import Schema
from hockeystick.learn.table import Table
from hockeystick.learn.training import Training, estimator_for
from hockeystick.numerics.types import Array


@dataclass(frozen=True)
class FolderTraining(Training):
    """A training whose records are in a source; none of them is held out."""

    source: Source | None = None

    def _fit(self) -> None:
        self.estimator.fit(self.source)

    @property
    def _inside(self) -> int:
        assert self.source is not None
        return self.source.count


class BySchema:
    """The features and the target of rows, encoded as a schema declares them."""

    def __init__(self, schema: Schema, target: str, missing: Collection[str]) -> None:
        used = [name for name in schema.columns if name != target and name not in schema.drop]
        self.columns, self.names = [*used, target], None
        self._schema, self._target, self._missing = schema, target, set(missing)
        empty = Table({name: [] for name in self.columns})
        self.width = int(empty.features(schema, target).shape[1])

    def read(self, batch: Any) -> tuple[Array, Array]:
        """The features and the targets of some rows."""
        table = Table({name: self._texts(batch, name) for name in self.columns})
        declared = self._schema.columns[self._target]
        x = table.features(self._schema, self._target)
        return x, np.asarray(table.targets(self._target, declared))

    def _texts(self, batch: Any, name: str) -> list[str]:
        values = ("" if v is None else str(v).strip() for v in batch.column(name).to_pylist())
        return ["" if text in self._missing else text for text in values]


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
    """As `hockeystick.learn.training.prepare`, for Parquet files; no record can be held out."""
    if test_fraction:
        raise ParameterError(
            "test_fraction must be 0 for Parquet files, whose records are not in memory, got "
            f"{test_fraction!r}"
        )
    if target not in schema.columns:
        raise ParameterError(f"the target {target!r} must be declared and in the files")
    source = from_files(folder, BySchema(schema, target, missing))
    estimator = estimator_for(schema.columns[target], random_state=rng, **options)
    nobody = np.empty((0, source.width)), np.empty(0), np.zeros(0, dtype=bool)
    return FolderTraining(target, schema, *nobody, estimator, False, source)
