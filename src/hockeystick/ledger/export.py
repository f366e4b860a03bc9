"""A ledger for others to read: as lines of JSON, as a table, as a statement."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import hockeystick
from hockeystick.ledger.entry import Entry
from hockeystick.ledger.state import State
from hockeystick.relation import Relation
from hockeystick.samplers.sampler import Sampled
from hockeystick.text import parse

COLUMNS = ("number", "time", "budget", "kind", "part", "by", "purpose", "key", "expression", "hash")
MODES = {
    "adaptive": "each spending may depend on earlier answers; a filter that allows this adds up",
    "planned": "all spending was declared in advance and was accounted for exactly",
}


def lines(entries: Iterable[Entry]) -> Iterator[str]:
    """Each entry as it was hashed, with its hash: what is needed to check the chain elsewhere."""
    for entry in entries:
        yield json.dumps({"entry": json.loads(entry.body), "hash": entry.hash}, sort_keys=True)


def rows(entries: Iterable[Entry]) -> Iterator[list[Any]]:
    """The table of `COLUMNS`."""
    for entry in entries:
        known = {
            "number": entry.number,
            "budget": entry.budget,
            "kind": entry.kind,
            "hash": entry.hash,
        }
        yield [(known | dict(entry.content)).get(name) for name in COLUMNS]


def statement(state: State) -> dict[str, Any]:
    """What a register of deployments asks for."""
    said = state.opened.content
    relation = Relation.read(said["relation"], "a name")
    releases = Counter(entry.content["expression"] for entry in state.spendings)
    samplers = {
        repr(part.sampler)
        for expression in releases
        for part in parse(expression).parts
        if isinstance(part, Sampled)
    }
    return {
        "budget": state.opened.budget,
        "unit": said["unit"],
        "relation": str(relation),
        "neighbours": relation.words("; the number of records is public"),
        "variant": "(epsilon, delta)-differential privacy",
        "epsilon": state.epsilon,
        "delta": state.delta,
        "bound": "upper bound on all spending together, whatever is still spent",
        "composition": f"{MODES[said['mode']]}: {state.rule.sentence}",
        "filter": state.rule.name,
        "partition": said["partition"],
        "used": state.used,
        "mechanisms": [{"mechanism": name, "times": n} for name, n in releases.items()],
        "samplers_assumed": sorted(samplers),
        "opened": said["time"],
        "last_spending": state.entries[-1].content["time"] if state.spendings else None,
        "software": f"hockeystick {hockeystick.__version__}",
        "head": state.entries[-1].hash,
    }


def page(said: dict[str, Any]) -> str:
    """The same in sentences."""
    releases = [f"- {each['mechanism']}: {each['times']} times" for each in said["mechanisms"]]
    samplers = ", ".join(said["samplers_assumed"]) or "none"
    parts = (
        f"The data are divided by {said['partition']}, which is fixed without looking at them; "
        "what is spent on one part does not count for the others.\n\n"
        if said["partition"]
        else ""
    )
    return f"""Privacy statement: {said["budget"]}

Everything that was and will be released under this budget, taken together, is
({said["epsilon"]}, {said["delta"]})-differentially private for {said["unit"]}. In other words:
whoever sees all of it can hardly tell which of two data sets was used, where {said["neighbours"]}.
No probability changes by more than a factor of e^{said["epsilon"]}, but for a chance of
{said["delta"]}.

{parts}How the total is kept: {said["composition"]}.
{said["used"]:.2%} of the budget is spent. The promise above holds whether or not the rest is
spent; it is not smaller for what was spent so far.

Released:
{chr(10).join(releases) or "- nothing yet"}

Sampling that the accounting assumes: {samplers}. That it is the sampling which was run is for the
people who ran it to say.

Opened {said["opened"]}; last spending {said["last_spending"] or "none"}; {said["software"]}.
The last entry has the hash {said["head"]}."""
