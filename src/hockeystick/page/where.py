"""Which ledger a process reads: said once, when it starts."""

from __future__ import annotations

from dataclasses import dataclass, field

from hockeystick.ledger.ledger import Ledger
from hockeystick.page.errors import Refused

NOT_THERE = 404


@dataclass
class Where:
    """The address of the ledger, if there is one; it may hold a password and is never shown."""

    url: str | None = field(default=None, repr=False)

    def books(self) -> Ledger:
        """The ledger, for reading alone: nothing of the page writes."""
        if self.url is None:
            raise Refused(NOT_THERE, "no ledger was given: hockeystick serve LEDGER")
        return Ledger(self.url)


LEDGER = Where()
