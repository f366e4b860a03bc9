"""A ledger in one file, by SQLite."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hockeystick.errors import LedgerError
from hockeystick.ledger.stores.base import TABLE, Connection, Row, Store

WAIT = 60.0
"""Seconds that a writer waits for the others."""

SCHEMA = f"""
CREATE TABLE {TABLE} (
  number INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  budget TEXT NOT NULL,
  part TEXT NOT NULL,
  key TEXT,
  body TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE
) STRICT;
CREATE UNIQUE INDEX {TABLE}_key ON {TABLE} (budget, key) WHERE key IS NOT NULL;
CREATE UNIQUE INDEX {TABLE}_open ON {TABLE} (budget) WHERE kind = 'open';
CREATE INDEX {TABLE}_part ON {TABLE} (budget, part, number);
CREATE TRIGGER {TABLE}_stays BEFORE UPDATE ON {TABLE}
  BEGIN SELECT RAISE(ABORT, 'entries of a ledger are never changed'); END;
CREATE TRIGGER {TABLE}_remains BEFORE DELETE ON {TABLE}
  BEGIN SELECT RAISE(ABORT, 'entries of a ledger are never deleted'); END;
CREATE TRIGGER {TABLE}_next BEFORE INSERT ON {TABLE}
  WHEN NEW.number <> (SELECT COALESCE(MAX(number), 0) + 1 FROM {TABLE})
  BEGIN SELECT RAISE(ABORT, 'entries of a ledger are never replaced'); END;
"""


class SQLiteConnection(Connection):
    """One transaction of SQLite's."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, sql: str, *values: Any) -> Iterator[Row]:
        return iter(self._connection.execute(sql, values))

    def run(self, sql: str, *values: Any) -> None:
        self._connection.execute(sql, values)


class SQLiteStore(Store):
    """A file, which is made for its owner's eyes alone; a connection for each transaction."""

    def __init__(self, path: str) -> None:
        if not path or "\0" in path:
            raise LedgerError("a ledger's file must have a name: sqlite:///budget.db")
        self.path = Path(path)

    @property
    def name(self) -> str:
        return str(self.path)

    def create(self) -> None:
        try:
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except FileExistsError:
            raise LedgerError(f"{self.name} is there already; nothing was changed") from None
        except OSError as error:
            raise LedgerError(f"{self.name} cannot be made: {error.strerror}") from None
        try:
            with self._connected("rw") as connection:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.executescript(f"BEGIN IMMEDIATE; {SCHEMA} COMMIT;")
        except LedgerError:
            self.path.unlink(missing_ok=True)
            raise

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with self._connected("ro") as connection:
            connection.execute("BEGIN")
            yield SQLiteConnection(connection)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        with self._connected("rw") as connection:
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("BEGIN IMMEDIATE")
            yield SQLiteConnection(connection)
            connection.execute("COMMIT")

    @contextmanager
    def _connected(self, mode: str) -> Iterator[sqlite3.Connection]:
        if not self.path.is_file():
            raise LedgerError(
                f"there is no ledger {self.name}; `hockeystick ledger init` makes one"
            )
        if mode == "ro" and not os.access(self.path.parent, os.W_OK):
            mode = "ro&immutable=1"  # where nobody can write, SQLite cannot lock either
        uri = f"file:{quote(str(self.path.absolute()))}?mode={mode}"
        try:
            with closing(
                sqlite3.connect(uri, uri=True, timeout=WAIT, isolation_level=None)
            ) as connection:
                yield connection
        except sqlite3.Error as error:
            raise LedgerError(f"{self.name}: {_reason(error)}; nothing was written") from error


def _reason(error: sqlite3.Error) -> str:
    text = str(error)
    if "no such table" in text or "not a database" in text:
        return "is not a ledger"
    return text
