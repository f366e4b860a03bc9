"""A small figure and ways to look into one."""

from __future__ import annotations

import math
from collections.abc import Callable

from hockeystick.figures import Curve, Figure, Panel

SMALL = Figure(
    "small-1",
    "A small figure",
    "nobody (2026), Figure 1",
    (
        Panel(
            "left, with a comma",
            "order α",
            "ε (nats)",
            (
                Curve("first", [1, 10, 100], [0.1, 1.0, 30.0]),
                Curve("second", [1, 10, 100], [1e-3, math.inf, 2.0], "C1", "--"),
            ),
            "log",
            "log",
        ),
        Panel(
            "right",
            "x",
            "y",
            (
                Curve("first", [0.0, 1.0], [2 / 3, 0.0]),
                Curve("dots", [0, 1], [1, 2], "C2", "", "o"),
            ),
            x_limits=(-1.0, 2.0),
            y_limits=(-1.0, 3.0),
        ),
    ),
    columns=2,
)


def values(figure: Figure, panel: str, curve: str) -> dict[float, float]:
    """x to y of the curve in the panel whose title begins so."""
    (found,) = (
        each
        for one in figure.panels
        if one.title.startswith(panel)
        for each in one.curves
        if each.name == curve
    )
    return dict(zip(found.x, found.y, strict=True))


def watched(make: Callable[..., Figure], points: object) -> Figure:
    """The figure at a few points; its progress must rise to 1."""
    told: list[float] = []
    figure = make(told.append, points)
    assert told == sorted(told)
    assert 0 <= told[0] <= told[-1] == 1
    return figure
