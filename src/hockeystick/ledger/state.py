"""What was spent of one budget, and what is left."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from hockeystick.ledger.amounts import Cost, added, amounts
from hockeystick.ledger.entry import SPEND, WHOLE, Entry
from hockeystick.ledger.filters import Filter


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
    def epsilon(self) -> str:
        """Of the budget, as short as it can be said exactly."""
        return _short(self.opened.content["epsilon"])

    @property
    def delta(self) -> str:
        """Of the budget."""
        return _short(self.opened.content["delta"])

    @property
    def used(self) -> float:
        """The part of the budget that is gone, by the sum that decides."""
        return self.rule.used(self.total)

    @property
    def spendings(self) -> list[Entry]:
        """The entries that were charged."""
        return [entry for entry in self.entries if entry.kind == SPEND]

    def running(self) -> list[float]:
        """The part of the budget that was gone after each spending."""
        zero = (Fraction(0),) * len(self.rule.limits)
        totals: dict[str, Cost] = {WHOLE: zero}
        used = []
        for entry in self.spendings:
            totals[entry.part] = amounts(entry.total)
            whole = totals[WHOLE]
            parts = [added(whole, sums) for part, sums in totals.items() if part != WHOLE]
            used.append(max(map(self.rule.used, [whole, *parts])))
        return used


def _short(text: str) -> str:
    """A decimal where that is the same number, else the fraction."""
    number = Fraction(text)
    decimal = f"{float(number):.12g}"
    return decimal if Fraction(decimal) == number else text
