"""`/api/budgets/{name}/statement`: what a budget promises, for people to read and print."""

from __future__ import annotations

from hockeystick.ledger.export import page, statement
from hockeystick.page.resource import Json, Resource, number
from hockeystick.page.schema import INTEGER, NUMBER, TEXT, listed, or_null, record
from hockeystick.page.where import LEDGER


def budget_statement(asked: Json) -> Json:
    """The statement as text, and as the fields that it is made of."""
    said = statement(LEDGER.books().show(asked["name"]))
    return {"text": page(said), "fields": said | {"used": number(said["used"])}}


_FIELDS = record(
    **dict.fromkeys(
        (
            "budget",
            "unit",
            "relation",
            "neighbours",
            "variant",
            "epsilon",
            "delta",
            "bound",
            "composition",
            "filter",
            "opened",
            "software",
            "head",
        ),
        TEXT,
    ),
    partition=or_null(TEXT),
    used=NUMBER,
    mechanisms=listed(record(mechanism=TEXT, times=INTEGER)),
    samplers_assumed=listed(TEXT),
    last_spending=or_null(TEXT),
)

RESOURCE = Resource(
    "budgets/{name}/statement",
    "What a budget promises, as a text to print and as fields.",
    budget_statement,
    record(text=TEXT, fields=_FIELDS),
    kept=False,
)
