"""One line of a ledger, and the chain of hashes that ties it to all lines before."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Self

from hockeystick.errors import LedgerError

SCHEMA = 1
"""Of what is written; what any earlier one wrote is read."""
START = "0" * 64
"""The hash before the first entry."""
OPEN, SPEND = "open", "spend"
WHOLE = ""
"""The part of a spending that is about all of the data."""


@dataclass(frozen=True)
class Entry:
    """A budget that was opened or a spending that was charged; `with` it, the release is made.

    What is charged stays charged, whether or not the release was made: nobody can know what a
    process had shown when it died.
    """

    number: int
    kind: str
    budget: str
    content: Mapping[str, Any]
    """All that is hashed besides."""
    previous: str
    """The hash of the entry before."""
    repeated: bool = field(default=False, compare=False)
    """Whether it was there already, under the same key, and nothing was charged now."""

    @classmethod
    def read(cls, body: str) -> Self:
        """From the text that `body` wrote, under this schema or an earlier one."""
        try:
            said = json.loads(body)
            schema, number = said.pop("schema"), int(said.pop("number"))
            kind, budget, previous = (str(said.pop(n)) for n in ("kind", "budget", "previous"))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise LedgerError("an entry is not what a ledger writes") from error
        if schema not in range(1, SCHEMA + 1):
            raise LedgerError(
                f"entry {number} is of schema {schema!r}, and this version of hockeystick "
                f"reads those up to {SCHEMA}"
            )
        return cls(number, kind, budget, said, previous)

    @property
    def body(self) -> str:
        """The text that is stored and hashed: one spelling for one content."""
        said = {
            "schema": SCHEMA,
            "number": self.number,
            "kind": self.kind,
            "budget": self.budget,
            "previous": self.previous,
            **self.content,
        }
        return json.dumps(said, sort_keys=True, separators=(",", ":"), allow_nan=False)

    @property
    def hash(self) -> str:
        """SHA-256 of the body, which holds the hash of the entry before."""
        return digest(self.body)

    @property
    def key(self) -> str | None:
        """What makes a repeated spending the same one."""
        return self.content.get("key")

    @property
    def part(self) -> str:
        """The part of the data it is about; empty: all of it."""
        return str(self.content.get("part", WHOLE))

    @property
    def total(self) -> list[str]:
        """What was spent of the budget on this part of the data, this entry included."""
        return list(self.content["total"])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is given back."""


def digest(body: str) -> str:
    """SHA-256 of a text."""
    return hashlib.sha256(body.encode()).hexdigest()


def now() -> str:
    """The time, to the second, of Greenwich."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
