"""`/api/budgets/{name}/propose`: would a spending fit? Nothing is written."""

from __future__ import annotations

import math

from hockeystick.ledger import given
from hockeystick.ledger.entry import WHOLE
from hockeystick.page.errors import about
from hockeystick.page.resource import Json, Resource, number
from hockeystick.page.schema import ASKED_NUMBER, EXPRESSION, FLAG, NUMBER, TEXT, record
from hockeystick.page.where import LEDGER


def propose(asked: Json) -> Json:
    """How often the ledger would still let the mechanism pass, now."""
    books, name = LEDGER.books(), asked["name"]
    books.relation(name)  # a budget that is not there is said first
    with about("delta"):
        share = given.share(asked.get("delta"))
    with about("expression"):
        part = asked.get("part") or WHOLE
        times = books.left(name, asked["expression"], part=part, delta=share)
    return {
        "fits": times >= 1,
        "times": number(times),
        "sentence": _sentence(times, books.used(name)),
    }


def _sentence(times: float, used: float) -> str:
    spent = f"{used:.2%} of the budget is spent"
    if times < 1:
        return f"It would not fit: {spent}."
    if math.isinf(times):
        return f"It would fit, as often as you like: {spent}."
    often = "once, and then no more" if times == 1 else f"{int(times)} times in all"
    return f"It would fit, {often}: {spent}, and nothing was written."


RESOURCE = Resource(
    "budgets/{name}/propose",
    "Whether a spending would fit; nothing is written.",
    propose,
    record(fits=FLAG, times=NUMBER, sentence=TEXT),
    record(
        ("part", "delta"),
        expression=EXPRESSION,
        part={"type": "string", "maxLength": 500},
        delta=ASKED_NUMBER,
    ),
    kept=False,
)
