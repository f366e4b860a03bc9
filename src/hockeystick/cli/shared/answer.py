"""What the commands that answer with one bound share: the expression, the options, the printing."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from hockeystick.bound import Bound
    from hockeystick.mechanism import Mechanism

RELATIONS = ("add-remove", "replace-one", "zero-out")
METHODS = ("auto", "closed-form", "contour", "lattice", "renyi")
DIGITS = 13

Command = TypeVar("Command", bound=Callable[..., Any])


def question(command: Command) -> Command:
    """The argument EXPR and the options that every question takes."""
    relation = click.option(
        "--relation",
        type=click.Choice(RELATIONS),
        help="What changes between neighbouring datasets; the sampler's natural one if not given.",
    )
    method = click.option(
        "--method", type=click.Choice(METHODS), default="auto", show_default=True, help="The route."
    )
    as_json = click.option(
        "--json", "as_json", is_flag=True, help='Print a JSON object; infinity is the text "inf".'
    )
    return click.argument("expression", metavar="EXPR")(relation(method(as_json(command))))


def read(expression: str) -> Mechanism:
    """The mechanism that EXPR describes; `-` reads it from standard input."""
    from hockeystick.expression import MOST_CHARACTERS, parse

    if expression == "-":
        expression = sys.stdin.buffer.read(MOST_CHARACTERS + 1).decode(errors="replace")
    return parse(expression)


def options(relation: str | None, method: str) -> dict[str, Any]:
    """The options as the queries take them."""
    from hockeystick.relation import Relation

    chosen = None if relation is None else Relation[relation.upper().replace("-", "_")]
    return {"relation": chosen, "method": method.replace("-", " ")}


def show(name: str, answer: Bound, given: dict[str, float], as_json: bool) -> None:
    """Print a bound on `name`, and what it was asked for."""
    if as_json:
        ends = {name: answer.upper, "lower": answer.lower, "upper": answer.upper}
        numbers = {key: _json_number(value) for key, value in (ends | given).items()}
        click.echo(json.dumps({**numbers, "method": answer.method, "certified": answer.certified}))
        return
    asked = "; ".join(f"{key} = {value!r}" for key, value in given.items())
    lower, upper = _digits(answer.lower, ROUND_FLOOR), _digits(answer.upper, ROUND_CEILING)
    click.echo(f"{name} = {upper}  ({asked}; at least {lower}; method: {answer.method})")


def _json_number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)


def _digits(value: float, rounding: str) -> str:
    """At most 13 significant digits, rounded to the safe side.

    >>> _digits(2 / 3, ROUND_CEILING), _digits(2 / 3, ROUND_FLOOR), _digits(0.5, ROUND_CEILING)
    ('0.6666666666667', '0.6666666666666', '0.5')
    """
    rounded = Context(prec=DIGITS, rounding=rounding).plus(Decimal(repr(float(value))))
    return f"{float(rounded):.{DIGITS}g}"
