"""Which store an address means."""

from __future__ import annotations

from hockeystick.checks import shown
from hockeystick.errors import ParameterError
from hockeystick.ledger.stores.base import Store
from hockeystick.ledger.stores.postgres import PostgresStore
from hockeystick.ledger.stores.sqlite import SQLiteStore


def store_at(url: str) -> Store:
    """A file, or a database."""
    if not isinstance(url, str):
        raise ParameterError(f"url must be a text such as sqlite:///budget.db, got {shown(url)}")
    if url.startswith(("postgresql://", "postgres://")):
        return PostgresStore(url)
    scheme, found, path = url.partition("://")
    if not found:
        return SQLiteStore(url)
    if scheme != "sqlite" or not path.startswith("/"):
        raise ParameterError(
            "url must begin with sqlite:/// or postgresql://, or be the path of a file, got "
            f"{scheme[:20]!r}://..."
        )
    return SQLiteStore(path[1:])
