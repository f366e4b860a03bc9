"""The text form of an accountant: what was spent, as JSON in which every part is checked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from hockeystick.checks import shown
from hockeystick.errors import ParameterError
from hockeystick.mechanism import Mechanism
from hockeystick.relation import Relation
from hockeystick.saving import check_keys
from hockeystick.small_delta import SmallDelta, given
from hockeystick.text import parse

FORMAT = "hockeystick accountant"
VERSION = 1


def written(
    relation: Relation | None,
    counts: Mapping[Mechanism, int],
    budget: tuple[float, float] | None,
) -> str:
    """The JSON text; an error if a mechanism has no text form."""
    spent = [{"mechanism": _text(m), "count": count} for m, count in counts.items()]
    named = relation and str(relation)
    head = {"format": FORMAT, "version": VERSION, "relation": named}
    most = {} if budget is None else {"budget": _budget(*budget)}
    return json.dumps({**head, **most, "spent": spent}, indent=2)


def read(text: str) -> tuple[Relation | None, list[Any], list[Any] | None]:
    """The relation, and the entries and the budget, not yet checked, of what `written` wrote."""
    state = _decoded(text)
    check_keys("state", state, {"format", "version", "relation", "spent"}, {"budget"})
    if state["format"] != FORMAT:
        raise ParameterError(f"format must be {FORMAT!r}, got {shown(state['format'])}")
    if state["version"] != VERSION or isinstance(state["version"], bool):
        raise ParameterError(f"version must be {VERSION}, got {shown(state['version'])}")
    if not isinstance(state["spent"], list):
        raise ParameterError(f"spent must be a list, got {shown(state['spent'])}")
    name, names = state["relation"], ", ".join(map(str, Relation))
    relation = None if name is None else Relation.read(name, f"null or one of {names}")
    if "budget" not in state:
        return relation, state["spent"], None
    return relation, state["spent"], _pair(state["budget"])


def _budget(epsilon: float, delta: float) -> dict[str, float]:
    """A budget by name, with the logarithm of a δ that no float holds."""
    if isinstance(delta, SmallDelta):
        return {"epsilon": epsilon, "log_delta": delta.log}
    return {"epsilon": epsilon, "delta": delta}


def _pair(budget: Any) -> list[Any]:
    if isinstance(budget, dict) and "log_delta" in budget:
        check_keys("budget", budget, {"epsilon", "log_delta"})
        return [budget["epsilon"], given(None, budget["log_delta"])]
    check_keys("budget", budget, {"epsilon", "delta"})
    return [budget["epsilon"], budget["delta"]]


def entries(spent: list[Any]) -> Iterator[tuple[str, str, Any]]:
    """Where each entry is, its mechanism and its count; neither is checked yet."""
    for number, entry in enumerate(spent):
        place = f"spent[{number}]"
        check_keys(place, entry, {"mechanism", "count"})
        yield place, entry["mechanism"], entry["count"]


def _text(mechanism: Mechanism) -> str:
    """The text of a mechanism, which must mean the same when read back."""
    text = repr(mechanism)
    try:
        same = parse(text) == mechanism
    except ParameterError as error:
        raise ParameterError(f"a mechanism cannot be written as text: {error}") from error
    if not same:
        raise ParameterError(f"a mechanism cannot be written as text: {text} is another one")
    return text


def _decoded(text: str) -> dict[str, Any]:
    try:
        state = json.loads(text, object_pairs_hook=_without_repeats)
    except ParameterError:
        raise
    except (ValueError, TypeError, RecursionError) as error:
        raise ParameterError(f"text must be JSON: {error}") from None
    if not isinstance(state, dict):
        raise ParameterError(f"text must be a JSON object, got {shown(state)}")
    return state


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ParameterError(f"each key must be given once, got {shown([n for n, _ in pairs])}")
    return values
