"""How the commands print: one bound as a line, anything as JSON, numbers on the safe side."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from hockeystick.bound import Bound

DIGITS = 13


def show(name: str, bound: Bound, given: Mapping[str, float], as_json: bool) -> None:
    """Print a bound on `name`, and what it was asked for."""
    if as_json:
        proof = {"certificate": bound.certificate} if bound.certificate else {}
        print_json({name: bound.upper, **ends(bound), **given, **proof})
    else:
        click.echo(line(name, bound, given))


def line(name: str, bound: Bound, given: Mapping[str, float]) -> str:
    """A bound and what it was asked for, as one line."""
    asked = "; ".join(f"{key} = {value!r}" for key, value in given.items())
    least, most = at_least(bound.lower), at_most(bound.upper)
    proven = "; certified" if bound.certified else ""
    return f"{name} = {most}  ({asked}; at least {least}; method: {bound.method}{proven})"


def ends(bound: Bound) -> dict[str, Any]:
    """What a bound is, for JSON."""
    return {
        "lower": bound.lower,
        "upper": bound.upper,
        "method": bound.method,
        "certified": bound.certified,
    }


def print_json(answer: Mapping[str, Any]) -> None:
    """Print a JSON object; a number that JSON has no word for becomes text."""
    click.echo(json.dumps(_plain(answer), ensure_ascii=False))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(float(value))
    return value


def at_most(value: float, digits: int = DIGITS) -> str:
    """So many significant digits, rounded up.

    >>> at_most(2 / 3), at_most(2 / 3, 3), at_most(0.5)
    ('0.6666666666667', '0.667', '0.5')
    """
    return _digits(value, ROUND_CEILING, digits)


def at_least(value: float, digits: int = DIGITS) -> str:
    """So many significant digits, rounded down.

    >>> at_least(2 / 3), at_least(2 / 3, 3)
    ('0.6666666666666', '0.666')
    """
    return _digits(value, ROUND_FLOOR, digits)


def _digits(value: float, rounding: str, digits: int) -> str:
    rounded = Context(prec=digits, rounding=rounding).plus(Decimal(repr(float(value))))
    return f"{float(rounded):.{digits}g}"
