"""What a notebook shows: small tables, in which every number stands beside its question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from hockeystick.numerics.digits import at_least, at_most
from hockeystick.report.pieces import meaning, pieces

if TYPE_CHECKING:
    from hockeystick.bound import Bound
    from hockeystick.mechanism import Mechanism
    from hockeystick.relation import Relation

DIGITS = 8
LONGEST = 300
"""Of so many characters of a mechanism the rest is left out."""

Pairs = Iterable[tuple[str, str]]


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """An HTML table; every text is escaped.

    >>> table("a < b", ["n"], [["1"]])
    '<table><caption>a &lt; b</caption><thead><tr><th>n</th></tr></thead><tbody>...'
    """
    top = "".join(f"<th>{escape(head)}</th>" for head in heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    head = f"<thead><tr>{top}</tr></thead>" if heads else ""
    return f"<table><caption>{escape(caption)}</caption>{head}<tbody>{body}</tbody></table>"


def facts(caption: str, pairs: Pairs) -> str:
    """A table of names and values; what has no value is left out."""
    return table(caption, (), [pair for pair in pairs if pair[1]])


def of_mechanism(mechanism: Mechanism) -> str:
    """What runs, how often, what it means and for which neighbours it is made."""
    rows = [
        (str(count), short(part), " ".join(map(meaning, pieces(part))), words_of(part.made_for))
        for part, count in mechanism.parts.items()
    ]
    return table(short(mechanism), ("count", "runs", "meaning", "made for"), rows)


def of_account(
    spent: Mechanism, relation: Relation | None, budget: tuple[float, float] | None
) -> str:
    """What was spent, of which budget and for whose privacy."""
    pairs = [
        ("neighbours", words_of(relation) or "the natural ones of the samplers"),
        ("budget", f"epsilon = {budget[0]:g} at delta = {budget[1]:g}" if budget else "none"),
        *((str(count), short(part)) for part, count in spent.parts.items()),
    ]
    return facts("Accountant", pairs)


def of_bound(bound: Bound) -> str:
    """Both ends, the question, and how it was found."""
    name = next((name for name, given in NAMES.items() if getattr(bound, given) is not None), "")
    pairs = [
        ("delta", _given(bound.delta)),
        ("epsilon", _given(bound.epsilon)),
        ("order", _given(bound.order)),
        ("neighbours", words_of(bound.relation)),
        ("at least", at_least(bound.lower, DIGITS)),
        ("method", bound.method),
        ("rounding", "proven" if bound.certified else "estimated with a margin, not proven"),
        ("mechanism", "" if bound.mechanism is None else short(bound.mechanism)),
    ]
    return facts(f"{name or 'bound'} = {at_most(bound, DIGITS)}", pairs)


NAMES = {"epsilon": "delta", "delta": "epsilon", "rdp": "order"}
"""What each answer is asked at."""


def words_of(relation: Relation | None) -> str:
    """A relation and what changes; nothing where there is none."""
    return "" if relation is None else f"{relation}: {relation.change}"


def short(mechanism: Mechanism) -> str:
    """Its text, cut where it is long."""
    text = repr(mechanism)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} …"


def _given(number: float | None) -> str:
    return "" if number is None else f"{number:g}"
