"""`/api/budgets/{name}`: one budget, its sums beside their limits, and its entries over time."""

from __future__ import annotations

from hockeystick.ledger.state import State
from hockeystick.page.resource import Json, Resource, number
from hockeystick.page.resources.budgets import SUMMARY, described
from hockeystick.page.schema import INTEGER, NUMBER, TEXT, listed, record
from hockeystick.page.where import LEDGER

MOST_ENTRIES = 500
"""The last ones; the rest is for `hockeystick ledger show --all`."""
MOST_POINTS = 1000
"""Of the chart."""


def budget(asked: Json) -> Json:
    """What `hockeystick ledger show` prints, as fields."""
    state = LEDGER.books().show(asked["name"])
    used = state.running()
    rows = list(zip(state.spendings, used, strict=True))
    return {
        **described(state.opened, state.used),
        "sums": _sums(state),
        "spendings": len(rows),
        "entries": [
            {
                "number": entry.number,
                **{name: str(entry.content[name] or "") for name in TEXTS},
                "used": number(after),
            }
            for entry, after in rows[-MOST_ENTRIES:]
        ],
        "chart": _chart(state, used),
    }


def _sums(state: State) -> list[Json]:
    """Each coordinate of the filter: what is reached of its limit."""
    rule = state.rule
    return [
        {"label": label, "reached": number(float(sum_)), "limit": number(float(limit))}
        for label, sum_, limit in zip(rule.labels, state.total, rule.limits, strict=True)
    ]


def _chart(state: State, used: list[float]) -> Json:
    """The part that was gone after each spending, at most `MOST_POINTS` of them."""
    entries = [state.opened, *state.spendings]
    every = -(-len(entries) // MOST_POINTS)
    places = sorted({*range(0, len(entries), every), len(entries) - 1})
    values = [0.0, *used]
    return {
        "time": [entries[place].content["time"] for place in places],
        "used": [number(values[place]) for place in places],
    }


TEXTS = ("time", "by", "purpose", "part", "expression")
_ENTRY = record(number=INTEGER, used=NUMBER, **dict.fromkeys(TEXTS, TEXT))

RESOURCE = Resource(
    "budgets/{name}",
    "One budget: what is spent and left, its last 500 entries, and the part spent over time.",
    budget,
    record(
        **SUMMARY,
        sums=listed(record(label=TEXT, reached=NUMBER, limit=NUMBER)),
        spendings=INTEGER,
        entries=listed(_ENTRY),
        chart=record(time=listed(TEXT), used=listed(NUMBER)),
    ),
    kept=False,
)
