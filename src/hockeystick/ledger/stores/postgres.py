"""A ledger in a database that a team shares, by PostgreSQL (extra `postgres`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from hockeystick.errors import LedgerError
from hockeystick.ledger.stores.base import TABLE, Connection, Row, Store

if TYPE_CHECKING:
    import psycopg

AT_ONCE = 1000
"""Rows that are fetched at one time."""

SCHEMA = f"""
CREATE TABLE {TABLE} (
  number BIGINT PRIMARY KEY,
  kind TEXT NOT NULL,
  budget TEXT COLLATE "C" NOT NULL,
  part TEXT COLLATE "C" NOT NULL,
  key TEXT COLLATE "C",
  body TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE
);
CREATE UNIQUE INDEX {TABLE}_key ON {TABLE} (budget, key) WHERE key IS NOT NULL;
CREATE UNIQUE INDEX {TABLE}_open ON {TABLE} (budget) WHERE kind = 'open';
CREATE INDEX {TABLE}_part ON {TABLE} (budget, part, number);
CREATE FUNCTION {TABLE}_stays() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'entries of a ledger are never changed or deleted'; END $$;
CREATE TRIGGER {TABLE}_stays BEFORE UPDATE OR DELETE ON {TABLE}
  FOR EACH ROW EXECUTE FUNCTION {TABLE}_stays();
CREATE TRIGGER {TABLE}_remains BEFORE TRUNCATE ON {TABLE}
  FOR EACH STATEMENT EXECUTE FUNCTION {TABLE}_stays();
"""


class PostgresConnection(Connection):
    """One transaction of PostgreSQL's."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def rows(self, sql: str, *values: Any) -> Iterator[Row]:
        cursor = self._connection.execute(_marked(sql), values)
        while some := cursor.fetchmany(AT_ONCE):
            yield from some

    def run(self, sql: str, *values: Any) -> None:
        self._connection.execute(_marked(sql), values)


def _marked(sql: str) -> str:
    return sql.replace("?", "%s")


class PostgresStore(Store):
    """A table of a database."""

    def __init__(self, url: str) -> None:
        self._url = url
        parts = urlsplit(url)
        self._secret = unquote(parts.password or "")
        place = f"{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}"
        self._name = f"postgresql://{place}{parts.path}"

    def __getstate__(self) -> dict[str, str]:
        """A pickle may lie about anywhere: no password goes into one."""
        if self._secret:
            raise LedgerError(
                "a ledger whose address holds a password cannot be pickled; keep the password in "
                "~/.pgpass or PGPASSWORD"
            )
        return vars(self)

    @property
    def name(self) -> str:
        return self._name

    def create(self) -> None:
        with self._connected() as connection:
            there = connection.execute("SELECT to_regclass(%s)", [TABLE]).fetchone()
            if there and there[0] is not None:
                raise LedgerError(f"{self.name} has a ledger already; nothing was changed")
            connection.execute(SCHEMA)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with self._connected() as connection:
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield PostgresConnection(connection)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        with self._connected() as connection:
            connection.execute("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
            # Before anything is read: what a transaction sees is fixed when it first reads.
            connection.execute(f"LOCK TABLE {TABLE} IN EXCLUSIVE MODE")
            yield PostgresConnection(connection)

    @contextmanager
    def _connected(self) -> Iterator[psycopg.Connection[Any]]:
        try:
            import psycopg
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                "a ledger in PostgreSQL needs psycopg: pip install 'hockeystick[postgres]'"
            ) from error
        try:
            with psycopg.connect(self._url) as connection:
                yield connection
        except psycopg.errors.UndefinedTable:
            raise LedgerError(
                f"there is no ledger in {self.name}; `hockeystick ledger init` makes one"
            ) from None
        except psycopg.Error as error:
            raise LedgerError(f"{self.name}: {self._without_secret(error)}") from None

    def _without_secret(self, error: psycopg.Error) -> str:
        text = " ".join(str(error).split()) or type(error).__name__
        for secret in (self._url, self._secret):
            text = text.replace(secret, "***") if secret else text
        return f"{text}; nothing was written"
