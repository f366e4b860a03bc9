"""What happens while nobody else writes."""

from __future__ import annotations

from typing import Any

from hockeystick.errors import BudgetExceeded, LedgerError, ParameterError
from hockeystick.ledger.amounts import Cost, added, amounts
from hockeystick.ledger.entry import SPEND, WHOLE, Entry
from hockeystick.ledger.filters import Filter
from hockeystick.ledger.stores.base import Connection


def charged(
    connection: Connection, budget: str, rule: Filter, part: str, cost: Cost, expression: str
) -> Cost:
    """The new sum for this part of the data, if the budget allows it."""
    for reached in sums(connection, budget, part):
        if not rule.accepts(added(reached, cost)):
            raise BudgetExceeded(
                f"{expression} does not fit into what is left of {budget} "
                f"({rule.used(reached):.4%} is spent, filter: {rule.name}); nothing was spent"
            )
    latest = connection.latest(budget, part)
    return added(amounts(latest.total), cost) if latest else cost


def sums(connection: Connection, budget: str, part: str) -> list[Cost]:
    """What each record that a spending on this part touches has been charged: what was spent on
    all data and, for the record's own part, on that."""
    whole = connection.latest(budget, WHOLE)
    if whole is None:
        raise LedgerError(f"the entries of {budget} are gone; run verify")
    base = amounts(whole.total)
    touched = [part] if part else connection.parts(budget)
    found = []
    for each in touched:
        latest = connection.latest(budget, each) if each else None
        found.append(added(base, amounts(latest.total)) if latest else base)
    return found


def append(connection: Connection, kind: str, budget: str, content: dict[str, Any]) -> Entry:
    """Write the next entry."""
    number, previous = connection.head()
    entry = Entry(number + 1, kind, budget, content, previous)
    connection.append(entry)
    return entry


def repeated(there: Entry, content: dict[str, Any]) -> Entry:
    """The spending of the same key; an error if it was another one."""
    for name in ("expression", "part", "delta"):
        if there.content[name] != content[name]:
            raise ParameterError(
                f"key {there.key!r} was spent by entry {there.number} with {name} "
                f"{there.content[name]!r}, got {content[name]!r}"
            )
    return Entry(there.number, SPEND, there.budget, there.content, there.previous, repeated=True)
