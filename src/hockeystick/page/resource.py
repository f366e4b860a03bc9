"""A resource: one question of the page, with the schemas of what is asked and answered."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hockeystick import numerals
from hockeystick.bound import Bound
from hockeystick.checks import non_negative, probability
from hockeystick.mechanism import Mechanism
from hockeystick.numerics.digits import at_least, at_most
from hockeystick.page.errors import about
from hockeystick.page.schema import Schema
from hockeystick.relation import Relation
from hockeystick.text import parse

Json = dict[str, Any]


@dataclass(frozen=True)
class Resource:
    """A function of JSON values and its place under /api.

    path: below /api; `{name}` in it is a field of what is asked.
    asked: the schema of the body; None for GET.
    """

    path: str
    sentence: str
    answer: Callable[[Json], Json]
    answered: Schema
    asked: Schema | None = None
    kept: bool = True
    """Whether the same question has the same answer always."""

    @property
    def method(self) -> str:
        """Of HTTP."""
        return "GET" if self.asked is None else "POST"


@dataclass(frozen=True)
class Run:
    """A computation and the neighbours that it is asked about."""

    mechanism: Mechanism
    relation: Relation | None
    path: str
    """Of its expression, in the request."""


def read_run(said: Mapping[str, Any], path: str = "run") -> Run:
    """What a run of the request describes."""
    where = f"{path}.expression"
    with about(where):
        mechanism = parse(said["expression"])
    name = said.get("relation")
    return Run(mechanism, None if name is None else Relation.read(name, "a name"), where)


def read_runs(said: list[Mapping[str, Any]]) -> list[Run]:
    """All runs of a request."""
    return [read_run(each, f"runs.{place}") for place, each in enumerate(said)]


def read_delta(said: Mapping[str, Any]) -> float:
    """δ, in [0, 1]."""
    with about("delta"):
        return probability("delta", _number("delta", said["delta"]))


def read_epsilon(said: Mapping[str, Any]) -> float:
    """ε, not negative."""
    with about("epsilon"):
        return non_negative("epsilon", _number("epsilon", said["epsilon"]))


def _number(name: str, value: Any) -> Any:
    return numerals.read(name, value) if isinstance(value, str) else value


def ends(bound: Bound) -> Json:
    """An ε with both ends, as numbers and as they are shown; the fields of `schema.ENDS`."""
    return {
        "epsilon": number(bound.upper),
        "lower": number(bound.lower),
        "shown": at_most(bound.upper),
        "shown_lower": at_least(bound.lower),
        "method": bound.method,
        "relation": str(bound.relation),
    }


def number(value: float) -> float | str:
    """A number for JSON, which has no word for infinity.

    >>> number(2.5), number(float("inf"))
    (2.5, 'inf')
    """
    return float(value) if math.isfinite(value) else str(float(value))
