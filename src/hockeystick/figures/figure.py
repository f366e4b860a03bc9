"""A figure as a value: curves in panels, and how they are drawn. Nothing here draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from hockeystick.checks import checked, declared
from hockeystick.errors import ParameterError
from hockeystick.numerics.types import Array

T = TypeVar("T")
Scale = Literal["linear", "log"]
Numbers = Sequence[float] | Array
"""Kept as a tuple of floats."""
Progress = Callable[[float], None]
"""Told the fraction of the work that is done, in [0, 1]."""


def _floats(_name: str, values: Numbers) -> tuple[float, ...]:
    return tuple(map(float, values))


@declared
class Curve:
    """Points (x, y) with a name; y may be inf or nan where there is nothing to draw.

    Curves of one name look the same in every panel of a figure.

    >>> Curve("exact", [1, 2], [0.5, 0.7], line="--").y
    (0.5, 0.7)
    """

    name: str
    x: Numbers = checked(_floats)
    y: Numbers = checked(_floats)
    colour: str = "black"
    """As matplotlib writes it: "black", "C0", "#0072b2"."""
    line: str = "-"
    """"-", "--", ":", "-." or "" for points alone."""
    marker: str = ""
    """"o", "s", … or "" for none."""
    width: float = 1.6
    """Of the line, in points."""

    def check_together(self) -> None:
        if len(self.x) != len(self.y):
            raise ParameterError(
                f"x and y must have the same length, got {len(self.x)} and {len(self.y)}"
            )


@dataclass(frozen=True)
class Panel:
    """One pair of axes. Limits are (least, largest), or None for what the curves need."""

    title: str
    x_label: str
    y_label: str
    curves: tuple[Curve, ...]
    x_scale: Scale = "linear"
    y_scale: Scale = "linear"
    x_limits: tuple[float, float] | None = None
    y_limits: tuple[float, float] | None = None


@dataclass(frozen=True)
class Figure:
    """Panels in a grid with so many `columns`, row by row."""

    name: str
    """As on the command line: "wang-4"."""
    title: str
    source: str
    """Paper and figure that it follows."""
    panels: tuple[Panel, ...]
    columns: int
    heights: tuple[float, ...] = ()
    """Of the rows, in panels of usual size; 1 where nothing is said."""


@dataclass(frozen=True)
class Entry:
    """A row of the catalogue."""

    shows: str
    """One line that says what the figure shows."""
    make: Callable[..., Figure]
    """Takes a `Progress` and, if they shall not be the usual ones, the points to compute."""


def panels(
    cases: Sequence[T], panel: Callable[[T, Progress], Panel], progress: Progress
) -> tuple[Panel, ...]:
    """A panel for each case, which may tell how far it has come with it."""
    made: list[Panel] = []

    def tell(part: float) -> None:
        progress((len(made) + part) / len(cases))

    for case in cases:
        made.append(panel(case, tell))
        tell(0.0)
    return tuple(made)
