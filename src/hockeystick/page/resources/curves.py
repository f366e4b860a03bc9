"""`/api/curves`: curves of up to four runs, all at the same points."""

from __future__ import annotations

import math
import time
from typing import Any

from hockeystick.page.errors import about
from hockeystick.page.resource import Json, Resource, Run, read_delta, read_runs
from hockeystick.page.schema import (
    ASKED_NUMBER,
    INTEGER,
    MOST_POINTS,
    RUNS,
    TEXT,
    listed,
    or_null,
    record,
)
from hockeystick.plotting import curves as plotting
from hockeystick.plotting.curves import SMALLEST_DELTA, Kind
from hockeystick.questions import relation_of
from hockeystick.relation import Relation

KINDS = {
    "profile": "profile",
    "tradeoff": "tradeoff",
    "steps": "epsilon-over-steps",
    "renyi": "rdp",
}
"""The names of the page, and those of `hockeystick plot`."""
AXES = {
    "epsilon": ("ε", "privacy loss, nats"),
    "delta": ("δ", "probability"),
    "type_I_error": ("type I error", "probability of a false alarm"),
    "type_II_error": ("type II error", "probability of a miss"),
    "steps": ("steps", "how often it has run"),
    "order": ("order α", "of the Rényi divergence"),
    "rdp": ("Rényi divergence", "nats"),
}
"""Label and unit of each quantity."""
DEFAULT_POINTS = {"profile": 81, "tradeoff": 31, "steps": 61, "renyi": 64}
COARSE = 4
"""Every so many points are drawn where the curve is slow."""
PATIENCE = 0.03
"""Seconds of work for one answer, from which on it is: most take a few milliseconds."""
BELOW = 0.1
"""A profile is drawn down to the δ that is asked, times this, and no less far than any plot."""

Rows = dict[float, tuple[float, float]]
"""Lower and upper end by place."""


def curves(asked: Json) -> Json:
    """Both ends of one curve for each run; an end that is infinite is null.

    >>> run = {"expression": "Gaussian(1)"}
    >>> answer = curves({"runs": [run], "kind": "renyi", "delta": 1e-5, "points": 2})
    >>> [round(each, 9) for each in answer["series"][0]["upper"]]  # α/2
    [0.55, 32.0]
    """
    runs, delta, name = read_runs(asked["runs"]), read_delta(asked), asked["kind"]
    kind = plotting.KINDS[KINDS[name]]
    relations = [_relation(run) for run in runs]
    last = max(_last(run, *(each, delta, name)) for run, each in zip(runs, relations, strict=True))
    points = asked.get("points") or DEFAULT_POINTS[name]
    places = _places(kind, kind.start, max(last, math.nextafter(kind.start, math.inf)), points)
    tables = [
        _table(run, kind, places, delta, relation)
        for run, relation in zip(runs, relations, strict=True)
    ]
    x = [place for place in places if all(place in table for table in tables)]
    series = [
        _series(run, relation, x, table)
        for run, relation, table in zip(runs, relations, tables, strict=True)
    ]
    return {
        "kind": name,
        "delta": delta if kind.at_delta else None,
        "x": _axis(kind.x, kind.log_x),
        "y": _axis(kind.y, kind.log_y),
        "series": series,
    }


def _relation(run: Run) -> Relation:
    with about(run.path):
        return relation_of(run.mechanism, run.relation)


def _last(run: Run, relation: Relation, delta: float, name: str) -> float:
    """Where the axis of a run ends."""
    options: dict[str, Any] = {"relation": relation, "method": "auto"}
    with about(run.path):
        if name == "profile" and delta > 0:
            end = float(run.mechanism.epsilon(min(SMALLEST_DELTA, BELOW * delta), **options))
            return end if 0 < end < math.inf else 10.0
        return plotting.KINDS[KINDS[name]].stop(run.mechanism, options)


def _places(kind: Kind, first: float, last: float, points: int) -> list[float]:
    """Between both ends, close to each other where such a curve is steep."""
    even = kind.points(first, last, points)
    if kind.log_x or len(even) < 3:
        return even
    spaced = [first + (last - first) * kind.spaced(i / (points - 1)) for i in range(1, points - 1)]
    return sorted({first, *(map(_whole, spaced) if kind.x == "steps" else spaced), last})


def _whole(place: float) -> float:
    return float(round(place))


def _table(run: Run, kind: Kind, places: list[float], delta: float, relation: Relation) -> Rows:
    """Both ends at all places, or at every fourth where one answer alone takes long."""
    options: dict[str, Any] = {"relation": relation, "method": "auto"}
    with about(run.path):
        if _is_slow(run, delta, options):
            places = sorted({*places[::COARSE], places[-1]})
        values = kind.values(kind.subject(run.mechanism), places, delta, options)
    ends = zip(values.lower.tolist(), values.upper.tolist(), strict=True)
    return dict(zip(places, ends, strict=True))


def _is_slow(run: Run, delta: float, options: dict[str, Any]) -> bool:
    began = time.process_time()
    run.mechanism.epsilon(delta, **options)
    return time.process_time() - began > PATIENCE


def _series(run: Run, relation: Relation, x: list[float], table: Rows) -> Json:
    lower, upper = zip(*(table[place] for place in x), strict=True)
    return {
        "label": repr(run.mechanism),
        "relation": str(relation),
        "x": x,
        "lower": list(map(_finite, lower)),
        "upper": list(map(_finite, upper)),
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _axis(name: str, logarithmic: bool) -> Json:
    label, unit = AXES[name]
    return {"label": label, "unit": unit, "scale": "log" if logarithmic else "linear"}


_AXIS = record(label=TEXT, unit=TEXT, scale={"type": "string", "enum": ["linear", "log"]})
_NUMBERS = listed({"type": "number"})
_ENDS = listed(or_null({"type": "number"}))

RESOURCE = Resource(
    "curves",
    "Curves of one to four runs: delta over epsilon, trade-off, epsilon over steps, Rényi.",
    curves,
    record(
        kind=TEXT,
        delta=or_null({"type": "number"}),
        x=_AXIS,
        y=_AXIS,
        series=listed(record(label=TEXT, relation=TEXT, x=_NUMBERS, lower=_ENDS, upper=_ENDS)),
    ),
    record(
        ("points",),
        runs=RUNS,
        kind={"type": "string", "enum": list(KINDS)},
        delta=ASKED_NUMBER,
        points=INTEGER | {"minimum": 2, "maximum": MOST_POINTS},
    ),
)
