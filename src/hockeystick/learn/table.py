"""Table: the cells of a CSV file, and the numbers that a schema makes of them.

What is wrong with a file is said without showing any cell of it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hockeystick.errors import ParameterError
from hockeystick.learn.schema import Column, Schema
from hockeystick.numerics.types import Array


@dataclass(frozen=True)
class Table:
    """The cells of a CSV file, by column."""

    cells: Mapping[str, list[str]]

    def __len__(self) -> int:
        return len(next(iter(self.cells.values()), []))

    @classmethod
    def read(cls, path: Path, target: str, names: Sequence[str] | None = None) -> Table:
        """Read a file; no cell of it is ever in a message, nor a header that may be a record."""
        return cls.of_bytes(path.read_bytes(), str(path), target, names)

    @classmethod
    def of_bytes(
        cls, content: bytes, path: str, target: str, names: Sequence[str] | None = None
    ) -> Table:
        """The same from the bytes of a file, which messages call `path`."""
        rows = _rows(io.TextIOWrapper(io.BytesIO(content), "utf-8-sig", newline=""), path)
        head = list(names) if names else [cell.strip() for cell in next(rows, (0, []))[1]]
        if target not in head:
            raise ParameterError(
                f"the target {target!r} is not among the {len(head)} columns of {path}; a file "
                "without a header line needs their names: names = [...] in the schema"
            )
        cells: dict[str, list[str]] = {name: [] for name in head}
        if len(cells) < len(head):
            raise ParameterError(f"the columns of {path} must have different names")
        for line, row in rows:
            if len(row) != len(head):
                raise ParameterError(
                    f"line {line} of {path} must have {len(head)} cells, got {len(row)}"
                )
            for name, cell in zip(head, row, strict=True):
                cells[name].append(cell.strip())
        return cls(cells)

    def features(self, schema: Schema, target: str) -> Array:
        """All declared columns but the target, encoded side by side."""
        used = [name for name in schema.columns if name != target and name not in schema.drop]
        for name in used:
            if name not in self.cells:
                raise ParameterError(f"the declared column {name!r} is not in the file")
        if not used:
            raise ParameterError("no column is left to learn from")
        columns = []
        for name in used:
            with _named(f"the column {name!r}"):
                columns.append(schema.columns[name].encode(self.cells[name]))
        return np.hstack(columns)

    def undeclared(self, schema: Schema) -> list[str]:
        """The columns that are neither declared nor dropped."""
        return [n for n in self.cells if n not in schema.columns and n not in schema.drop]

    def targets(self, target: str, declared: Column) -> Array:
        """The target of every record, which none may lack."""
        with _named(f"the target {target!r}"):
            return declared.targets(self.cells[target])


def _rows(file: Iterable[str], path: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(file, skipinitialspace=True)
    try:
        for row in reader:
            if row:
                yield reader.line_num, row
    except (UnicodeDecodeError, csv.Error):
        raise ParameterError(
            f"{path} must be CSV in UTF-8; line {reader.line_num + 1} is not"
        ) from None


@contextmanager
def _named(column: str) -> Iterator[None]:
    """Errors about the cells of a column say which one it is."""
    try:
        yield
    except ParameterError as error:
        raise ParameterError(f"{column} {error}") from None
    except ValueError:
        raise ParameterError(
            f"{column} is declared by bounds but holds a text (not shown); declare its "
            "categories, or leave it out"
        ) from None
