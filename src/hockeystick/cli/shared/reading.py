"""What the commands read: expressions, files, lists of numbers; `-` is standard input."""

from __future__ import annotations

import math
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from hockeystick import numerals
from hockeystick.checks import shown
from hockeystick.errors import ParameterError

if TYPE_CHECKING:
    from hockeystick.mechanism import Mechanism

MOST_CHARACTERS = 100_000
"""As many as an expression may have."""
MOST_BYTES = 10_000_000
"""As many as a file may have."""
MOST_NUMBERS = 1_000_000


def mechanism(expression: str) -> Mechanism:
    """The mechanism that EXPR describes."""
    from hockeystick.text import parse

    return parse(text(expression))


def text(expression: str) -> str:
    """EXPR itself, or standard input if it is `-`."""
    if expression != "-":
        return expression
    return sys.stdin.buffer.read(MOST_CHARACTERS + 1).decode(errors="replace")


def content(path: str) -> str:
    """The text of a file; `-` is standard input."""
    with nullcontext(sys.stdin.buffer) if path == "-" else Path(path).open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ParameterError(f"{path} must have at most {MOST_BYTES} bytes, got more")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ParameterError(f"{path} must be UTF-8 text") from None


def numbers(name: str, words: str) -> list[float]:
    """A list of numbers and ranges, `start:stop:count` with both ends and equal steps.

    >>> numbers("orders", "2,4:8:3,inf")
    [2.0, 4.0, 6.0, 8.0, inf]
    """
    values: list[float] = []
    for word in words.split(","):
        values += _range(name, *word.split(":")) if ":" in word else [_number(name, word)]
        if len(values) > MOST_NUMBERS:
            raise ParameterError(f"{name} must be at most {MOST_NUMBERS} numbers, got more")
    return values


def _range(name: str, *words: str) -> list[float]:
    try:
        first, last = (numerals.read(name, word) for word in words[:2])
        steps = int(words[2]) - 1
    except (ValueError, IndexError):
        steps = 0
    if len(words) != 3 or not 0 < steps < MOST_NUMBERS or not math.isfinite(last - first):
        given = ":".join(words)
        raise ParameterError(
            f"{name} must be a finite range start:stop:count with count from 2 to {MOST_NUMBERS}, "
            f"got {shown(given)}"
        )
    return [first + (last - first) * (i / steps) for i in range(steps)] + [last]


def _number(name: str, word: str) -> float:
    try:
        return numerals.read(name, word)
    except ParameterError as error:
        if "must be" not in str(error):
            raise
        raise ParameterError(
            f"{name} must be numbers such as 0.5,1,2 or a range such as 0.5:4:50, got {shown(word)}"
        ) from None
