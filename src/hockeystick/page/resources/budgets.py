"""`/api/budgets`: the budgets of the ledger, what is spent of each and what is left."""

from __future__ import annotations

from typing import Any

from hockeystick.ledger import filters
from hockeystick.ledger.entry import Entry
from hockeystick.ledger.ledger import Ledger
from hockeystick.ledger.state import State
from hockeystick.page.resource import Json, Resource, number
from hockeystick.page.schema import NUMBER, TEXT, Schema, listed, or_null, record
from hockeystick.page.where import LEDGER


def budgets(asked: Json) -> Json:
    """Of each budget, what it allows and how much of it is gone; an empty list without a ledger.

    >>> budgets({})
    {'ledger': None, 'budgets': []}
    """
    if LEDGER.url is None:
        return {"ledger": None, "budgets": []}
    books = LEDGER.books()
    names = books.budgets()
    return {"ledger": books.name, "budgets": [summary(books, name) for name in names]}


def summary(books: Ledger, name: str) -> Json:
    """One budget in few fields; only the first of its entries is read."""
    opened = next(iter(books.entries(name)))
    return described(opened, books.used(name))


def described(opened: Entry, used: float) -> Json:
    """What the entry that opened a budget says, and how much is gone."""
    said: Any = opened.content
    rule = filters.read(said["rule"])
    state = State(opened, rule, (), [opened])
    return {
        "name": opened.budget,
        "epsilon": state.epsilon,
        "delta": state.delta,
        "unit": said["unit"],
        "relation": said["relation"],
        "mode": said["mode"],
        "partition": said["partition"],
        "filter": rule.name,
        "filter_sentence": rule.sentence,
        "opened": said["time"],
        "used": number(used),
        "left": number(max(0.0, 1 - used)),
    }


SUMMARY: dict[str, Schema] = {
    "name": TEXT,
    "epsilon": TEXT,
    "delta": TEXT,
    "unit": TEXT,
    "relation": TEXT,
    "mode": TEXT,
    "partition": or_null(TEXT),
    "filter": TEXT,
    "filter_sentence": TEXT,
    "opened": TEXT,
    "used": NUMBER,
    "left": NUMBER,
}
"""`used` and `left` are parts of the whole, as the filter counts them: no guarantee."""

RESOURCE = Resource(
    "budgets",
    "The budgets of the ledger; an empty list without one.",
    budgets,
    record(ledger=or_null(TEXT), budgets=listed(record(**SUMMARY))),
    kept=False,
)
