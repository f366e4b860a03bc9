"""The curves that `plot` draws, as data."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hockeystick.errors import ParameterError

if TYPE_CHECKING:
    from hockeystick.bound import Bounds
    from hockeystick.mechanism import Mechanism

SMALLEST_DELTA = 1e-8
"""Down to which a profile is drawn."""


@dataclass(frozen=True)
class Curve:
    """The safe ends `y` at each `x`, and both ends."""

    label: str
    x: list[float]
    y: list[float]
    lower: list[float]
    upper: list[float]


@dataclass(frozen=True)
class Kind:
    """One kind of picture: its axes, where it begins and ends, and the values at each point."""

    x: str
    y: str
    points: Callable[[float, float, int], list[float]]
    start: float
    stop: Callable[[Mechanism, dict[str, Any]], float]
    values: Callable[[Mechanism, list[float], float, dict[str, Any]], Bounds]
    count: int = 101
    log_x: bool = False
    log_y: bool = False
    least: float = 0.0
    """What is smaller is not drawn."""


def even(start: float, stop: float, count: int) -> list[float]:
    """Equal steps, both ends included.

    >>> even(0.0, 1.0, 3)
    [0.0, 0.5, 1.0]
    """
    return [start + (stop - start) * (i / (count - 1)) for i in range(count - 1)] + [stop]


def _even_logarithms(start: float, stop: float, count: int) -> list[float]:
    if start <= 0:
        raise ParameterError(f"from must be > 0 for this kind, got {start!r}")
    inside = even(math.log(start), math.log(stop), count)[1:-1]
    return [start, *map(math.exp, inside), stop]


def _whole(start: float, stop: float, count: int) -> list[float]:
    return [float(n) for n in sorted({round(x) for x in even(start, stop, count)})]


def _last_epsilon(mechanism: Mechanism, options: dict[str, Any]) -> float:
    """Where the profile has fallen to `SMALLEST_DELTA`, or what is known of it ends."""
    last = float(mechanism.epsilon(SMALLEST_DELTA, **options))
    return last if 0 < last < math.inf else 10.0


def step_of(mechanism: Mechanism) -> tuple[Mechanism, int]:
    """The step of a run `step * count`; anything else is a step itself, drawn for 100 steps."""
    if len(mechanism.parts) == 1:
        ((step, count),) = mechanism.parts.items()
        return step, count if count > 1 else 100
    return mechanism, 100


def _epsilons(mechanism: Mechanism, x: list[float], delta: float, options: dict[str, Any]) -> Any:
    return step_of(mechanism)[0].epsilons(delta, [int(n) for n in x], **options)


KINDS = {
    "profile": Kind(
        "epsilon", "delta", even, 0.0, _last_epsilon,
        lambda m, x, _, options: m.profile(x, **options),
        log_y=True, least=SMALLEST_DELTA,
    ),
    "epsilon-over-steps": Kind(
        "steps", "epsilon", _whole, 1.0, lambda m, _: float(step_of(m)[1]), _epsilons
    ),
    "rdp": Kind(
        "order", "rdp", _even_logarithms, 1.1, lambda _m, _o: 64.0,
        lambda m, x, _, options: m.rdp(x, **options), count=64, log_x=True, log_y=True,
    ),
    "tradeoff": Kind(
        "type_I_error", "type_II_error", even, 0.0, lambda _m, _o: 1.0,
        lambda m, x, _, options: m.tradeoff(x, **options), count=51,
    ),
}  # fmt: skip


def curves(
    mechanisms: Sequence[Mechanism],
    kind: Kind,
    start: float | None,
    stop: float | None,
    points: int | None,
    delta: float,
    options: dict[str, Any],
) -> list[Curve]:
    """One curve for each mechanism, all at the same points."""
    first = kind.start if start is None else start
    last = max(kind.stop(m, options) for m in mechanisms) if stop is None else stop
    if not -math.inf < first < last < math.inf:
        raise ParameterError(f"from must be below to, both finite, got {first!r} and {last!r}")
    x = kind.points(first, last, points or kind.count)
    found = [(m, kind.values(m, x, delta, options)) for m in mechanisms]
    return [Curve(repr(m), x, y.tolist(), y.lower.tolist(), y.upper.tolist()) for m, y in found]


def write_csv(curves: Sequence[Curve], kind: Kind, path: str) -> None:
    """A row for each point of each curve."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["expression", kind.x, kind.y, "lower", "upper"])
        for curve in curves:
            for values in zip(curve.x, curve.y, curve.lower, curve.upper, strict=True):
                rows.writerow([curve.label, *map(repr, values)])
