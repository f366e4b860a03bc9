"""Table: the cells of a CSV file, and the numbers that a schema makes of them.

What is wrong with a file is said without showing any cell of it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hockeystick.errors import ParameterError
from hockeystick.learn.schema import BadCell, Column, Schema
from hockeystick.numerics.types import Array

OTHER_DELIMITER = "; one that is not cut at commas needs --delimiter"


@dataclass(frozen=True)
class Table:
    """The cells of a CSV file, by column."""

    cells: Mapping[str, list[str]]
    lines: Sequence[int] = ()
    """The line of the file that each record ends on."""

    def __len__(self) -> int:
        return len(next(iter(self.cells.values()), []))

    @classmethod
    def read(
        cls,
        path: Path,
        target: str | None,
        names: Sequence[str] | None = None,
        **form: Any,
    ) -> Table:
        """Read a file; no cell of it is ever in a message, nor a header that may be a record."""
        return cls.of_bytes(path.read_bytes(), str(path), target, names, **form)

    @classmethod
    def of_bytes(
        cls,
        content: bytes,
        path: str,
        target: str | None,
        names: Sequence[str] | None = None,
        *,
        delimiter: str = ",",
        missing: Collection[str] = (),
    ) -> Table:
        """The same from the bytes of a file, which messages call `path`.

        target: a column that must be there; None for none. missing: cells that stand for nothing,
        beside those that always do.
        """
        rows = _rows(_text(content, path), path, delimiter)
        head = list(names) if names else [cell.strip() for cell in next(rows, (0, []))[1]]
        if target is not None and target not in head:
            raise ParameterError(
                f"the target {target!r} is not among the {len(head)} columns of {path}; a file "
                "without a header line needs their names: names = [...] in the schema"
                + (OTHER_DELIMITER if len(head) == 1 else "")
            )
        cells: dict[str, list[str]] = {name: [] for name in head}
        if len(cells) < len(head):
            raise ParameterError(f"the columns of {path} must have different names")
        lines: list[int] = []
        for line, row in rows:
            if len(row) != len(head):
                raise ParameterError(
                    f"line {line} of {path} must have {len(head)} cells, got {len(row)}"
                )
            lines.append(line)
            for name, cell in zip(head, row, strict=True):
                word = cell.strip()
                cells[name].append("" if word in missing else word)
        return cls(cells, lines)

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
            with self._named(f"the column {name!r}"):
                columns.append(schema.columns[name].encode(self.cells[name]))
        return np.hstack(columns)

    def undeclared(self, schema: Schema) -> list[str]:
        """The columns that are neither declared nor dropped."""
        return [n for n in self.cells if n not in schema.columns and n not in schema.drop]

    def targets(self, target: str, declared: Column) -> Array:
        """The target of every record, which none may lack."""
        with self._named(f"the target {target!r}"):
            return declared.targets(self.cells[target])

    @contextmanager
    def _named(self, column: str) -> Iterator[None]:
        """Errors about the cells of a column say which one it is, and where the first is."""
        try:
            yield
        except BadCell as error:
            line = self.lines[error.record] if self.lines else error.record + 1
            place = "line" if self.lines else "record"
            raise ParameterError(f"{column} {error}; the first is in {place} {line}") from None


def _text(content: bytes, path: str) -> str:
    """The text of a file in UTF-8, with a mark of its byte order or without."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        line, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        raise ParameterError(
            f"{path} must be CSV in UTF-8: byte {column} of line {line} is not; save it as UTF-8"
        ) from None


def _rows(text: str, path: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    try:
        for row in reader:
            if row:
                yield reader.line_num, row
    except csv.Error:
        raise ParameterError(f"{path} must be CSV; line {reader.line_num + 1} is not") from None
