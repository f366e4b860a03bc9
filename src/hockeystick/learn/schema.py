"""Schema: what is publicly known of a table's columns, declared and never taken from the data.

A file in TOML or JSON:

    drop = ["fnlwgt"]                  # columns that are left out
    names = ["age", "sex", "income"]   # only where the table has no header line

    [columns]
    age = [17, 90]                     # two numbers: the bounds of a number
    sex = ["Female", "Male"]           # texts: the categories
    income = ["<=50K", ">50K"]
"""

from __future__ import annotations

import json
import math
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from hockeystick.errors import ParameterError
from hockeystick.numerics.types import Array

MISSING = {"", "?", "na", "nan", "n/a", "null"}
MOST = sys.float_info.max
NO_NUMBER = (
    "is declared by bounds but holds a text (not shown); declare its categories, leave it out, or "
    "say by --na what stands for a missing number"
)


class BadCell(ParameterError):
    """A cell that does not fit its column; it is not shown, but in which record it is."""

    def __init__(self, message: str, record: int) -> None:
        super().__init__(message)
        self.record = record


@dataclass(frozen=True)
class Number:
    """A number between declared bounds, which become −1 and 1; a missing one is in the middle.

    >>> Number(0, 100).encode(["25", "", "1000"]).tolist()
    [[-0.5], [0.0], [1.0]]
    """

    lower: float
    upper: float

    def __post_init__(self) -> None:
        # Whole numbers may be beyond the largest float, or differ where no two floats do.
        if not -MOST <= self.lower < self.upper <= MOST or self.half == 0:
            raise ParameterError(
                "bounds must be two finite numbers, the lower below the upper, got "
                f"{self.lower!r} and {self.upper!r}"
            )

    @property
    def middle(self) -> float:
        """What becomes 0; either bound is halved first, as their sum may overflow."""
        return self.lower / 2 + self.upper / 2

    @property
    def half(self) -> float:
        """How far 1 is from it."""
        return self.upper / 2 - self.lower / 2

    classes: ClassVar[None] = None
    """The labels of a target, which a number has none of."""

    def to_list(self) -> list[float]:
        """The declaration in a schema."""
        return [self.lower, self.upper]

    def encode(self, cells: Sequence[str]) -> Array:
        """The features of each cell; a `BadCell` for a text."""
        with np.errstate(over="ignore"):
            scaled = (self.values(cells) - self.middle) / self.half
        return np.clip(np.nan_to_num(scaled, nan=0.0), -1.0, 1.0)[:, None]

    def targets(self, cells: Sequence[str]) -> Array:
        """Targets of records, which none may lack, cut off at the bounds."""
        values = self.values(cells)
        lacking = np.flatnonzero(~np.isfinite(values))
        if len(lacking):
            raise BadCell("must not be missing in any record", int(lacking[0]))
        return np.clip(values, self.lower, self.upper)

    def values(self, cells: Sequence[str]) -> Array:
        """The numbers as they are, NaN where there is none."""
        values = np.empty(len(cells))
        for record, cell in enumerate(cells):
            try:
                values[record] = math.nan if _missing(cell) else float(cell)
            except ValueError:
                raise BadCell(NO_NUMBER, record) from None
        return values


@dataclass(frozen=True)
class Category:
    """One of the declared texts, a feature for each of them; 0 everywhere for any other text.

    >>> Category(("a", "b")).encode(["b", "?"]).tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """

    categories: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(set(self.categories)) != len(self.categories) or len(self.categories) < 2:
            raise ParameterError(
                f"categories must be at least two different texts, got {list(self.categories)!r}"
            )

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels of a target."""
        return self.categories

    def to_list(self) -> list[str]:
        """The declaration in a schema."""
        return list(self.categories)

    def encode(self, cells: Sequence[str]) -> Array:
        """The features of each cell."""
        rows = [[float(cell == each) for each in self.categories] for cell in cells]
        return np.array(rows, dtype=float).reshape(-1, len(self.categories))

    def targets(self, cells: Sequence[str]) -> Array:
        """Targets of records, which must be declared."""
        others = set(cells) - set(self.categories)
        if others:
            raise BadCell(
                "must hold declared categories only: there is another, which is not shown",
                next(record for record, cell in enumerate(cells) if cell in others),
            )
        return np.array(cells, dtype=str)


Column = Number | Category


@dataclass(frozen=True)
class Schema:
    """Declared columns by name; `names` of all columns where the table has no header line."""

    columns: Mapping[str, Column] = field(default_factory=dict)
    drop: tuple[str, ...] = ()
    names: tuple[str, ...] | None = None

    @classmethod
    def load(cls, path: Path) -> Schema:
        """Read a schema from a .toml or .json file."""
        try:
            text = path.read_text(encoding="utf-8-sig")
            return cls.of(json.loads(text) if path.suffix == ".json" else tomllib.loads(text))
        except RecursionError:
            raise ParameterError(f"{path} is not a schema: it is nested too deeply") from None
        except ValueError as error:
            raise ParameterError(f"{path} is not a schema: {error}") from None

    @classmethod
    def of(cls, content: Any) -> Schema:
        """A schema from plain values, as `to_dict` writes them.

        >>> Schema.of({"columns": {"age": [17, 90]}}).columns["age"]
        Number(lower=17, upper=90)
        """
        if not isinstance(content, dict) or set(content) - {"columns", "drop", "names"}:
            raise ParameterError("a schema must have no other keys than columns, drop and names")
        if not isinstance(content.get("columns"), dict):
            raise ParameterError("a schema must declare columns: [columns], then name = [...]")
        columns = {name: column(name, value) for name, value in content["columns"].items()}
        drop, names = (_texts(key, content.get(key)) for key in ("drop", "names"))
        return cls(columns, drop, names or None)

    def with_columns(self, columns: Mapping[str, Column], drop: Sequence[str]) -> Schema:
        """The same, with some columns declared anew and more of them left out."""
        return Schema({**self.columns, **columns}, (*self.drop, *drop), self.names)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        columns = {name: each.to_list() for name, each in self.columns.items()}
        content: dict[str, Any] = {"columns": columns, "drop": list(self.drop)}
        return content | ({"names": list(self.names)} if self.names else {})


def column(name: str, value: Any) -> Column:
    """A declaration: two numbers are bounds, texts are categories."""
    if isinstance(value, list | tuple) and all(isinstance(each, str) for each in value):
        return Category(tuple(value))
    if isinstance(value, list | tuple) and len(value) == 2:
        lower, upper = value
        if all(isinstance(x, int | float) and not isinstance(x, bool) for x in (lower, upper)):
            return Number(lower, upper)
    raise ParameterError(
        f"the column {name!r} must be declared by two numbers, its bounds, or by texts, its "
        f"categories, got {value!r}"
    )


def _texts(key: str, value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
        raise ParameterError(f"{key} must be a list of texts, the names of columns, got {value!r}")
    return tuple(value)


def _missing(cell: str) -> bool:
    return cell.lower() in MISSING
