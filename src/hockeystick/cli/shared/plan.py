"""A plan: the releases of a project, with names, and the budget for all of them.

relation = "add-remove"                  # optional

[budget]
epsilon = 3.0
delta = 1e-6

[releases.training]
expression = "Gaussian(1.1).on(Poisson(0.01))"
count = 10000                            # optional, 1

The same as JSON has the keys "relation", "budget" and "releases".
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hockeystick import checks
from hockeystick.cli.shared import options
from hockeystick.errors import ParameterError
from hockeystick.saving import check_keys

if TYPE_CHECKING:
    from hockeystick.mechanism import Mechanism
    from hockeystick.relation import Relation


@dataclass(frozen=True)
class Release:
    """One line of the plan."""

    name: str
    expression: str
    count: int
    mechanism: Mechanism
    """All `count` runs of it."""


@dataclass(frozen=True)
class Plan:
    """What is to be released, and what it may cost."""

    releases: tuple[Release, ...]
    epsilon: float
    delta: float
    relation: Relation | None

    def without(self, left_out: Release | None) -> Mechanism:
        """The composition of all releases but one."""
        from hockeystick.mechanism import compose

        return compose((each.mechanism, 1) for each in self.releases if each is not left_out)


def read(text: str) -> Plan:
    """The plan in a TOML or JSON text; every surprise in it is a `ParameterError` that says where.

    A text that begins with a brace is JSON: no TOML does.
    """
    kind = "JSON" if text.lstrip().startswith("{") else "TOML"
    loads = json.loads if kind == "JSON" else tomllib.loads
    try:
        table = loads(text, parse_float=_float)
    except ParameterError:
        raise
    except RecursionError:
        raise ParameterError(
            f"plan must be {kind} of few levels, got lists in lists in lists"
        ) from None
    except ValueError as error:  # TOMLDecodeError is one, and integers may be too long for Python
        raise ParameterError(f"plan must be {kind}: {error}") from None
    check_keys("plan", table, {"budget", "releases"}, {"relation"})
    budget = table["budget"]
    check_keys("budget", budget, {"epsilon"}, {"delta", "log_delta"})
    releases = table["releases"]
    if not isinstance(releases, dict) or not releases:
        raise ParameterError("releases must be tables such as [releases.training], got none")
    return Plan(
        tuple(_release(name, entry) for name, entry in releases.items()),
        checks.non_negative("budget.epsilon", budget["epsilon"]),
        _delta(budget),
        options.relation_named(table["relation"]) if "relation" in table else None,
    )


def _delta(budget: dict[str, Any]) -> float:
    from hockeystick.small_delta import given

    if "log_delta" in budget or "delta" not in budget:
        return given(budget.get("delta"), budget.get("log_delta"))
    return checks.probability("budget.delta", budget["delta"])


def _float(word: str) -> float:
    """The number; infinity must be written as such."""
    value = float(word)
    if math.isinf(value) and "inf" not in word:
        raise ParameterError(
            f"numbers must be below 2^1024, got {checks.shown(word)}; infinity is inf"
        )
    if value == 0 and re.search(r"[1-9]", re.split("[eE]", word)[0]):
        raise ParameterError(f"numbers must be 0 or at least 5e-324, got {checks.shown(word)}")
    return value


def _release(name: str, entry: Any) -> Release:
    from hockeystick.text import parse

    place = f"releases.{name}"
    check_keys(place, entry, {"expression"}, {"count"})
    try:
        step = parse(entry["expression"])
        count = checks.whole("count", entry.get("count", 1), 0)
        return Release(name, entry["expression"], count, step * count)
    except ParameterError as error:
        raise ParameterError(f"{place}: {error}") from error
