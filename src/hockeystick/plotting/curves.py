"""The curves that `plot` draws, as data, all for the same neighbours."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hockeystick import saving
from hockeystick.errors import ParameterError, RelationError
from hockeystick.plotting import thrift
from hockeystick.relation import ADD_REMOVE, Relation

if TYPE_CHECKING:
    from hockeystick.bound import Bounds
    from hockeystick.figures.figure import Figure
    from hockeystick.mechanism import Mechanism

SMALLEST_DELTA = 1e-8
"""Down to which a profile is drawn."""
FEW_STEPS = 100.0
"""Up to which what is no run of its own is drawn."""

LONGEST_LABEL = 90
"""Characters of a mechanism that fit into a picture."""

SYMBOLS = {"epsilon": "ε", "delta": "δ", "rdp": "Rényi divergence", "order": "order α"}


@dataclass(frozen=True)
class Curve:
    """The safe ends `y` at each `x`, both ends, and what they are about."""

    label: str
    relation: Relation
    delta: float | None
    """Of each ε; None where it is drawn, or has no part in it."""
    x: list[float]
    y: list[float]
    lower: list[float]
    upper: list[float]


@dataclass(frozen=True)
class Kind:
    """One kind of picture: its axes, where it begins and ends, and the values at each point."""

    x: str
    y: str
    start: float
    stop: Callable[[Mechanism, dict[str, Any]], float]
    values: Callable[[Mechanism, list[float], float, dict[str, Any]], Bounds]
    count: int
    points: Callable[[float, float, int], list[float]]
    spaced: Callable[[float], float] = lambda place: place
    """From equal distances in [0, 1] to those of points that are not asked for: close where the
    curve is steep, and equal along it rather than along the axis."""
    subject: Callable[[Mechanism], Mechanism] = lambda mechanism: mechanism
    log_x: bool = False
    log_y: bool = False
    least: float = 0.0
    """What is smaller is not drawn."""
    alone: bool = False
    """Whether each point is computed by itself, so that one may be slow."""
    at_delta: bool = False
    """Whether what is drawn is asked at one δ."""


def even(start: float, stop: float, count: int) -> list[float]:
    """Equal steps, both ends included.

    >>> even(0.0, 1.0, 3)
    [0.0, 0.5, 1.0]
    """
    return [start + (stop - start) * (i / (count - 1)) for i in range(count - 1)] + [stop]


def _even_from_zero(start: float, stop: float, count: int) -> list[float]:
    if start < 0:
        raise ParameterError(f"from must be >= 0 for this kind, got {start!r}")
    return even(start, stop, count)


def _even_logarithms(start: float, stop: float, count: int) -> list[float]:
    if start <= 0:
        raise ParameterError(f"from must be > 0 for this kind, got {start!r}")
    inside = even(math.log(start), math.log(stop), count)[1:-1]
    return [start, *map(math.exp, inside), stop]


def _whole(start: float, stop: float, count: int) -> list[float]:
    if start < 0.5:
        raise ParameterError(f"from must be at least 1 for epsilon-over-steps, got {start!r}")
    return [float(n) for n in sorted({round(x) for x in even(start, stop, count)})]


def _errors(start: float, stop: float, count: int) -> list[float]:
    if start < 0 or stop > 1:
        raise ParameterError(
            f"from and to must be in [0, 1] for tradeoff, whose axis is an error probability, "
            f"got {start!r} and {stop!r}"
        )
    return even(start, stop, count)


def _last_epsilon(mechanism: Mechanism, options: dict[str, Any]) -> float:
    """Where the profile has fallen to `SMALLEST_DELTA`, or what is known of it ends."""
    last = float(mechanism.epsilon(SMALLEST_DELTA, **options))
    return last if 0 < last < math.inf else 10.0


def step_of(mechanism: Mechanism) -> Mechanism:
    """The step of a run `step * count`; anything else is a step itself."""
    return next(iter(mechanism.parts)) if len(mechanism.parts) == 1 else mechanism


def _last_step(mechanism: Mechanism, _: dict[str, Any]) -> float:
    counts = list(mechanism.parts.values())
    return float(counts[0]) if len(counts) == 1 and counts[0] > 1 else FEW_STEPS


KINDS = {
    "profile": Kind(
        "epsilon", "delta", 0.0, _last_epsilon,
        lambda m, x, _, options: m.profile(x, **options),
        count=81, points=_even_from_zero, log_y=True, least=SMALLEST_DELTA, alone=True,
    ),
    "epsilon-over-steps": Kind(
        "steps", "epsilon", 1.0, _last_step,
        lambda m, x, delta, options: m.epsilons(delta, [int(n) for n in x], **options),
        count=101, points=_whole, spaced=lambda place: place**2, subject=step_of, at_delta=True,
    ),
    "rdp": Kind(
        "order", "rdp", 1.1, lambda _m, _o: 64.0,
        lambda m, x, _, options: m.rdp(x, relation=options["relation"]),
        count=64, points=_even_logarithms, log_x=True, log_y=True,
    ),
    "tradeoff": Kind(
        "type_I_error", "type_II_error", 0.0, lambda _m, _o: 1.0,
        lambda m, x, _, options: m.tradeoff(x, **options),
        count=101, points=_errors, spaced=lambda place: place**3 * (10 - 15 * place + 6 * place**2),
    ),
}  # fmt: skip


def common_relation(mechanisms: Sequence[Mechanism], relation: Relation | None) -> Relation:
    """The relation that all curves of a picture are about: what differs is not to be compared."""
    if relation is not None:
        return relation
    natural = {each.natural_relation for each in mechanisms} - {None}
    if len(natural) > 1:
        names = ", ".join(sorted(map(str, natural)))
        raise RelationError(
            f"the curves speak of different neighbours ({names}); name one with relation= or "
            "--relation"
        )
    return next(iter(natural), None) or ADD_REMOVE


def curves(
    mechanisms: Sequence[Mechanism],
    kind: Kind,
    start: float | None,
    stop: float | None,
    points: int | None,
    delta: float,
    options: dict[str, Any],
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Curve]:
    """One curve for each mechanism, all at the same points."""
    first = kind.start if start is None else start
    options = options | {"relation": common_relation(mechanisms, options.get("relation"))}
    last = max(kind.stop(m, options) for m in mechanisms) if stop is None else stop
    if not -math.inf < first < last < math.inf:
        raise ParameterError(f"from must be below to, both finite, got {first!r} and {last!r}")
    x = kind.points(first, last, points or kind.count)
    if points is None and len(x) == kind.count:
        x = _respaced(x, kind)
    subjects = [kind.subject(mechanism) for mechanism in mechanisms]

    def ask(x: list[float]) -> list[list[thrift.Row]]:
        values = (kind.values(mechanism, x, delta, options) for mechanism in subjects)
        return [
            list(zip(y.tolist(), y.lower.tolist(), y.upper.tolist(), strict=True)) for y in values
        ]

    if kind.alone:
        x, tables = thrift.affordable(x, ask, kind.least, progress, everywhere=points is not None)
    else:
        tables = ask(x)
    about = options["relation"], delta if kind.at_delta else None
    return [_curve((repr(m), *about), x, rows) for m, rows in zip(subjects, tables, strict=True)]


def _respaced(x: list[float], kind: Kind) -> list[float]:
    """As many points between the same ends, close to each other where the curve is steep."""
    first, last = x[0], x[-1]
    inside = [first + (last - first) * kind.spaced(place) for place in even(0, 1, len(x))[1:-1]]
    spaced = [first, *inside, last]
    return sorted({float(round(each)) for each in spaced}) if kind.points is _whole else spaced


def invisible(curve: Curve, kind: Kind) -> str | None:
    """Why nothing of a curve can be drawn; None if something can."""
    if any(math.isfinite(y) and (not kind.log_y or y >= max(kind.least, 5e-324)) for y in curve.y):
        return None
    name = kind.y.replace("_", " ")
    if all(math.isinf(y) for y in curve.y):
        return f"{name} is infinite everywhere"
    if all(y == 0 for y in curve.y):
        return f"{name} is 0 everywhere"
    return f"{name} is nowhere above {kind.least:g}"


def _curve(
    about: tuple[str, Relation, float | None], x: list[float], rows: list[thrift.Row]
) -> Curve:
    y, lower, upper = map(list, zip(*rows, strict=True))
    return Curve(*about, x, y, lower, upper)


def title(curve: Curve, kind: Kind, symbols: Mapping[str, str] = SYMBOLS) -> str:
    """What is drawn over what, at which δ and for which neighbours."""
    x, y = (symbols.get(name, name.replace("_", " ")) for name in (kind.x, kind.y))
    at = "" if curve.delta is None else f" at {symbols.get('delta', 'delta')} = {curve.delta:g}"
    return f"{y} over {x}{at}, {curve.relation}"


def figure(curves: Sequence[Curve], kind: Kind) -> Figure:
    """The curves in one panel; what is too small to be drawn is below its edge."""
    from hockeystick.figures.figure import Curve as Line
    from hockeystick.figures.figure import Figure, Panel

    lines = tuple(Line(_cut(each.label), each.x, each.y, f"C{i}") for i, each in enumerate(curves))
    lowest = min(y for each in curves for y in each.y)
    visible = any(invisible(each, kind) is None for each in curves)
    x_label, y_label = (SYMBOLS.get(name, name.replace("_", " ")) for name in (kind.x, kind.y))
    panel = Panel(
        title(curves[0], kind), x_label, y_label, lines,
        "log" if kind.log_x else "linear", "log" if visible and kind.log_y else "linear",
        y_limits=(kind.least, 1.0) if visible and lowest < kind.least else None,
    )  # fmt: skip
    return Figure("plot", "", "", (panel,), columns=1)


def _cut(label: str) -> str:
    return label if len(label) <= LONGEST_LABEL else f"{label[:LONGEST_LABEL]} …"


def write_csv(curves: Sequence[Curve], kind: Kind, path: str) -> None:
    """A row for each point of each curve."""
    rows = (
        (curve.label, *map(repr, values), str(curve.relation), *([curve.delta] * kind.at_delta))
        for curve in curves
        for values in zip(curve.x, curve.y, curve.lower, curve.upper, strict=True)
    )
    asked = ("relation", "delta") if kind.at_delta else ("relation",)
    saving.write_csv(path, ("expression", kind.x, kind.y, "lower", "upper", *asked), rows)
