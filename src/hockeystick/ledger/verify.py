"""Checking a ledger again, from the first entry to the last."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from hockeystick.errors import LedgerError, ParameterError
from hockeystick.ledger import filters
from hockeystick.ledger.amounts import Cost, added, amounts
from hockeystick.ledger.entry import OPEN, SPEND, START, WHOLE, Entry
from hockeystick.ledger.filters import Filter
from hockeystick.ledger.stores.base import Stored, checked


class Verified(NamedTuple):
    """What was found right."""

    entries: int
    budgets: int
    head: str
    """The hash of the last entry."""


@dataclass
class _Account:
    """A budget as its entries so far make it."""

    rule: Filter
    totals: dict[str, Cost] = field(default_factory=dict)
    keys: set[str] = field(default_factory=set)

    def charge(self, entry: Entry) -> None:
        cost = amounts(entry.content["cost"])
        if any(each < 0 for each in cost):
            raise LedgerError("costs less than nothing")
        zero = (Fraction(0),) * len(cost)
        self.totals[entry.part] = added(self.totals.get(entry.part, zero), cost)
        if amounts(entry.total) != self.totals[entry.part]:
            raise LedgerError("does not add up")
        whole = self.totals.get(WHOLE, zero)
        touched = [entry.part] if entry.part else (list(self.totals) or [WHOLE])
        for part in touched:
            sums = added(whole, self.totals[part]) if part else whole
            if not self.rule.accepts(sums):
                raise LedgerError("goes over the budget")
        if entry.key is not None and entry.key in self.keys:
            raise LedgerError("has a key that was spent before")
        self.keys |= {entry.key} if entry.key is not None else set()


def verify(rows: Iterable[Stored], head: str | None = None) -> Verified:
    """Every hash, every number, every sum, and every budget; the first that is wrong is named."""
    accounts: dict[str, _Account] = {}
    previous, number, found = START, 0, head in (None, START)
    for row in rows:
        number += 1
        try:
            _check(row, number, previous, accounts)
        except (LedgerError, ParameterError, KeyError, ValueError, TypeError) as error:
            reason = str(error) if isinstance(error, LedgerError) else f"cannot be read ({error})"
            raise LedgerError(f"entry {row.number} is broken: it {reason}") from error
        previous = row.hash
        found |= previous == head
    if not found:
        raise LedgerError(f"no entry has the hash {head}: entries after it, or it, are gone")
    return Verified(number, len(accounts), previous)


def _check(row: Stored, number: int, previous: str, accounts: dict[str, _Account]) -> None:
    if row.number != number:
        raise LedgerError(f"should be entry {number}")
    try:
        entry = checked(row)
    except LedgerError as error:
        raise LedgerError("is not as it was written") from error
    if entry.previous != previous:
        raise LedgerError("does not follow the entry before it")
    if entry.kind == OPEN and entry.budget not in accounts:
        accounts[entry.budget] = _opened(entry)
    elif entry.kind == SPEND and entry.budget in accounts:
        accounts[entry.budget].charge(entry)
    else:
        raise LedgerError("opens a budget twice, or spends from none")


def _opened(entry: Entry) -> _Account:
    return _Account(filters.read(entry.content["rule"]))
