"""What was spent of one budget, and what is left."""

from __future__ import annotations

from dataclasses import dataclass

from hockeystick.ledger.entry import SPEND, Entry
from hockeystick.ledger.filters import Cost, Filter


@dataclass(frozen=True)
class State:
    """A budget at one moment.

    The sums are what the filter compares with its limits. They are no guarantee: what holds, from
    the first spending to the last, is the (ε, δ) of the budget.
    """

    opened: Entry
    rule: Filter
    total: Cost
    """Of the record that was charged most."""
    entries: list[Entry]
    """All, from the opening on."""

    @property
    def used(self) -> float:
        """The part of the budget that is gone, by the sum that decides."""
        return self.rule.used(self.total)

    @property
    def spendings(self) -> list[Entry]:
        """The entries that were charged."""
        return [entry for entry in self.entries if entry.kind == SPEND]
