"""How the commands print: one bound as a line, anything as JSON, numbers on the safe side."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from hockeystick.numerics.digits import at_least as at_least
from hockeystick.numerics.digits import at_most as at_most

if TYPE_CHECKING:
    from hockeystick.bound import Bound


def show(name: str, bound: Bound, given: Mapping[str, float], as_json: bool) -> None:
    """Print a bound on `name`, and what it was asked for."""
    if as_json:
        proof = {"certificate": bound.certificate} if bound.certificate else {}
        print_json({name: bound.upper, **ends(bound), **given, **proof})
    else:
        click.echo(line(name, bound, given))


def line(name: str, bound: Bound, given: Mapping[str, float]) -> str:
    """A bound and what it was asked for, as one line."""
    asked = "; ".join(f"{key} = {value}" for key, value in given.items())
    least, most = at_least(bound.lower), at_most(bound.upper)
    how = f"relation: {bound.relation}; method: {bound.method}"
    proven = "; certified" if bound.certified else ""
    return f"{name} = {most}  ({asked}; at least {least}; {how}{proven})"


def ends(bound: Bound) -> dict[str, Any]:
    """What a bound is, for JSON."""
    about = {} if bound.relation is None else {"relation": str(bound.relation)}
    return {
        "lower": bound.lower,
        "upper": bound.upper,
        "method": bound.method,
        "certified": bound.certified,
        **about,
    }


def print_json(answer: Mapping[str, Any]) -> None:
    """Print a JSON object; a number that JSON has no word for becomes text."""
    click.echo(json.dumps(_plain(answer), ensure_ascii=False))


def _named(key: str, value: Any) -> tuple[str, Any]:
    """What is written under a name: a δ that no float holds as its logarithm."""
    log = getattr(value, "log", None)
    return (key, _plain(value)) if log is None else (f"log_{key}", log)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(_named(key, each) for key, each in value.items())
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(float(value))
    return value
