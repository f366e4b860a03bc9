"""What people give a ledger: names, numbers, texts and mechanisms, each checked."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from hockeystick.checks import shown
from hockeystick.errors import ParameterError
from hockeystick.ledger.exact import fraction
from hockeystick.mechanism import Mechanism
from hockeystick.relation import ADD_REMOVE, Relation
from hockeystick.text import parse

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
MOST_TEXT = 500
"""Characters of what people write."""

Number = str | int | float | Fraction


def check_name(what: str, name: Any) -> str:
    """A name as it is, if it is one."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ParameterError(
            f"{what} must be a name of up to 100 letters, digits, '.', '_' and '-' (of ASCII), "
            f"got {shown(name)}"
        )
    return name


def check_text(what: str, text: Any) -> str:
    """A line of text as it is."""
    good = isinstance(text, str) and 0 < len(text) <= MOST_TEXT and text.isprintable()
    if not good or not text.strip():
        raise ParameterError(
            f"{what} must be a line of 1 to {MOST_TEXT} printable characters, got {shown(text)}"
        )
    return str(text)


def check_partition(partition: str, relation: Relation, mode: str) -> None:
    """Records stay in their part: so only where they are added or removed."""
    check_name("partition", partition)
    if relation is not ADD_REMOVE or mode != "adaptive":
        raise ParameterError(
            "a partitioned budget must be adaptive and of the relation add-remove: a record that "
            f"is replaced may move from part to part, got {mode} and {relation}"
        )


def amount(what: str, value: Number) -> Fraction:
    """A number, exactly."""
    if isinstance(value, str):
        return fraction(what, value)
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        raise ParameterError(f"{what} must be a number or a text, got {shown(value)}")
    try:
        return Fraction(value)
    except (ValueError, OverflowError):
        raise ParameterError(f"{what} must be a finite number, got {value!r}") from None


def share(delta: Number | None) -> Fraction | None:
    """A part of a budget's delta."""
    if delta is None:
        return None
    share = amount("delta", delta)
    if not 0 <= share < 1:
        raise ParameterError(f"delta must be in [0, 1), got {float(share)!r}")
    return share


def read(mechanism: str | Mechanism) -> tuple[str, Mechanism]:
    """As text, and its value: the text is what is stored, so it must say it all."""
    text = mechanism if isinstance(mechanism, str) else repr(mechanism)
    value = parse(text)
    if not value.parts:
        raise ParameterError(f"mechanism must not be empty, got {text!r}")
    return text, value
