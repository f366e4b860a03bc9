"""What every store can do: read entries, and append one while nobody else does."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from hockeystick.errors import LedgerError
from hockeystick.ledger.entry import OPEN, START, Entry, digest

TABLE = "hockeystick_entries"
_COLUMNS = "number, kind, budget, part, key, body, hash"
_PARTS = f"""
WITH RECURSIVE parts(part) AS (
  SELECT MIN(part) FROM {TABLE} WHERE budget = ?
  UNION ALL
  SELECT (SELECT MIN(part) FROM {TABLE} WHERE budget = ? AND part > parts.part)
  FROM parts WHERE parts.part IS NOT NULL
) SELECT part FROM parts WHERE part IS NOT NULL"""
"""Every part that was spent on, one look-up each however many entries there are."""

Row = Sequence[Any]


class Stored(NamedTuple):
    """A row as it lies in the store: the columns repeat what the body says, to be found by."""

    number: int
    kind: str
    budget: str
    part: str
    key: str | None
    body: str
    hash: str


class Connection(ABC):
    """One transaction."""

    @abstractmethod
    def rows(self, sql: str, *values: Any) -> Iterator[Row]:
        """The answer to a question; `?` stands for each value."""

    @abstractmethod
    def run(self, sql: str, *values: Any) -> None:
        """A change."""

    def head(self) -> tuple[int, str]:
        """Number and hash of the last entry."""
        last = f"SELECT number, hash FROM {TABLE} ORDER BY number DESC LIMIT 1"
        number, sha = next(self.rows(last), (0, START))
        return int(number), str(sha)

    def opened(self, budget: str) -> Entry | None:
        """The entry that opened a budget."""
        where = "budget = ? AND part = '' AND kind = ? ORDER BY number LIMIT 1"
        return self._one(where, budget, OPEN)

    def latest(self, budget: str, part: str) -> Entry | None:
        """The last entry about a part of the data."""
        return self._one("budget = ? AND part = ? ORDER BY number DESC LIMIT 1", budget, part)

    def keyed(self, budget: str, key: str) -> Entry | None:
        """The spending of that key."""
        return self._one("budget = ? AND key = ?", budget, key)

    def parts(self, budget: str) -> list[str]:
        """The parts of the data that were spent on, the whole ('') included."""
        return [str(part) for (part,) in self.rows(_PARTS, budget, budget)]

    def budgets(self) -> list[Entry]:
        """The entries that opened budgets."""
        where = f"SELECT {_COLUMNS} FROM {TABLE} WHERE kind = ? ORDER BY number"
        return [checked(Stored(*row)) for row in self.rows(where, OPEN)]

    def all(self, budget: str | None = None) -> Iterator[Stored]:
        """Every row, or those of one budget, as it lies there."""
        where, values = ("WHERE budget = ? ", (budget,)) if budget else ("", ())
        for row in self.rows(f"SELECT {_COLUMNS} FROM {TABLE} {where}ORDER BY number", *values):
            yield Stored(*row)

    def append(self, entry: Entry) -> None:
        """Write an entry."""
        body = entry.body
        self.run(
            f"INSERT INTO {TABLE} ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)",
            *(entry.number, entry.kind, entry.budget, entry.part, entry.key, body, digest(body)),
        )

    def _one(self, where: str, *values: Any) -> Entry | None:
        row = next(self.rows(f"SELECT {_COLUMNS} FROM {TABLE} WHERE {where}", *values), None)
        return None if row is None else checked(Stored(*row))


def checked(row: Stored) -> Entry:
    """The entry of a row, if the row is as it was written."""
    if digest(row.body) != row.hash:
        raise LedgerError(f"entry {row.number} was changed after it was written; run verify")
    entry = Entry.read(row.body)
    said = entry.number, entry.kind, entry.budget, entry.part, entry.key
    if said != tuple(row[:5]):
        raise LedgerError(f"entry {row.number} was changed after it was written; run verify")
    return entry


class Store(ABC):
    """A place for entries."""

    @abstractmethod
    def create(self) -> None:
        """Make an empty ledger where there is none."""

    @abstractmethod
    def reading(self) -> AbstractContextManager[Connection]:
        """A view of the ledger as it is at one moment."""

    @abstractmethod
    def writing(self) -> AbstractContextManager[Connection]:
        """The only one who writes, until the block ends; then all of it is there, or nothing."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What to call it; never a password."""
