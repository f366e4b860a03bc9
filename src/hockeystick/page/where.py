"""Which ledger a process reads: said once, when it starts."""

from __future__ import annotations

from dataclasses import dataclass

from hockeystick.ledger.ledger import Ledger


@dataclass
class Where:
    """The address of the ledger, if there is one; it may hold a password and is never shown."""

    url: str | None = None

    def ledger(self) -> Ledger | None:
        """For reading alone: nothing of the page writes."""
        return None if self.url is None else Ledger(self.url)


LEDGER = Where()
