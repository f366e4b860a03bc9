"""Draws docs/images/walk.svg: the way of one ε from the expression to the answer.

python docs/images/draw_walk.py
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

INK, GREY, PAPER, LINE = "#1b1b1b", "#5c5c5c", "#f4f6f8", "#8fa3b5"
VALUE, LAW, ROUTE, ANSWER = "#fde9c9", "#d6e8f5", "#dcefdc", "#f3dcea"
"""Colours of the four stages: values, laws of losses, routes, answers."""


@dataclass(frozen=True)
class Box:
    """A station of the walk: what it is, where it stands, what it does."""

    x: float
    y: float
    width: float
    height: float
    title: str
    file: str
    lines: tuple[str, ...]
    colour: str

    def draw(self, axes: Axes) -> None:
        corner = self.x - self.width / 2, self.y - self.height / 2
        style = "round,pad=0,rounding_size=0.12"
        axes.add_patch(
            FancyBboxPatch(
                corner, self.width, self.height, style, facecolor=self.colour, edgecolor=LINE
            )
        )
        self._write(axes, 0.13, self.title, fontsize=11, weight="bold", color=INK)
        self._write(axes, 0.43, self.file, fontsize=8, family="monospace", color=GREY)
        self._write(axes, 0.70, "\n".join(self.lines), fontsize=8.5, color=INK, linespacing=1.35)

    def _write(self, axes: Axes, below: float, words: str, **style: Any) -> None:
        """So far below the upper edge."""
        top = self.y + self.height / 2 - below
        axes.text(self.x, top, words, ha="center", va="top", **style)


TOP, MIDDLE, BOTTOM = 5.85, 3.35, 0.95
STATIONS = (
    Box(1.6, TOP, 2.7, 1.5, "the question", "mechanism.py",
        ("(Gaussian(1.1)", ".on(Poisson(0.01)) * 10_000)", ".epsilon(1e-5)"), VALUE),
    Box(5.0, TOP, 2.9, 1.5, "relation and parts", "questions.py",
        ("add-remove, as Poisson says;", "one part,", "10 000 times"), VALUE),
    Box(8.5, TOP, 2.9, 1.5, "evidence of each part", "evidence.py",
        ("pairs that dominate,", "a pair that is attained,", "a Rényi curve"), LAW),
    Box(12.0, TOP, 2.9, 1.5, "the loss of one step", "loss/",
        ("N(1, σ²) against N(0, σ²),", "mixed: ℓ → log(1 − q + q·e^ℓ);", "its K(s)"), LAW),
    Box(12.0, MIDDLE, 2.9, 1.5, "sums, both directions", "loss/sum.py",
        ("10 000·K(s) of (P, Q),", "10 000·K(s) of (Q, P),", "each by itself"), LAW),
)  # fmt: skip
ROUTES = (
    Box(1.62, MIDDLE, 2.15, 1.5, "renyi", "routes/renyi.py",
        ("the best order of", "the curve:", "an upper end"), ROUTE),
    Box(3.97, MIDDLE, 2.15, 1.5, "lattice", "routes/lattice.py",
        ("on a grid, up and down,", "or outcomes added up;", "for few steps, atoms"), ROUTE),
    Box(6.32, MIDDLE, 2.15, 1.5, "contour", "routes/contour/",
        ("∫ e^(K(s) − sε) / s(s+1)", "along Re s = c;", "here it answers"), ROUTE),
    Box(8.67, MIDDLE, 2.15, 1.5, "closed form", "routes/closed_form.py",
        ("one step, normal", "laws alone, the", "highest values"), ROUTE),
)  # fmt: skip
ANSWERS = (
    Box(5.15, BOTTOM, 3.3, 1.5, "Interval", "bound.py",
        ("the better pair,", "the worse direction:", "lower ≤ truth ≤ upper"), ANSWER),
    Box(9.6, BOTTOM, 3.3, 1.5, "Bound", "bound.py",
        ("a float, its upper end: 5.192583", ".lower, .method,", ".certified"), ANSWER),
)  # fmt: skip


def arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    axes.add_patch(
        FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=14, color=GREY, linewidth=1.2)
    )


def arrows(axes: Axes) -> None:
    for one, other in pairwise(STATIONS[:4]):
        arrow(axes, (one.x + one.width / 2, TOP), (other.x - other.width / 2, TOP))
    last = STATIONS[-1]
    arrow(axes, (last.x, TOP - last.height / 2), (last.x, MIDDLE + last.height / 2))
    arrow(axes, (last.x - last.width / 2, MIDDLE), (10.05, MIDDLE))
    interval, bound = ANSWERS
    arrow(axes, (interval.x, MIDDLE - 0.9), (interval.x, BOTTOM + interval.height / 2))
    arrow(axes, (interval.x + interval.width / 2, BOTTOM), (bound.x - bound.width / 2, BOTTOM))


def draw() -> Figure:
    rcParams["svg.hashsalt"] = "walk"  # the same file whenever it is drawn
    rcParams["svg.fonttype"] = "none"
    figure = Figure(figsize=(13.6, 6.8))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, 13.6)
    axes.set_ylim(0, 6.8)
    axes.axis("off")
    style: dict[str, Any] = {
        "boxstyle": "round,pad=0,rounding_size=0.15",
        "facecolor": PAPER,
        "edgecolor": LINE,
    }
    axes.add_patch(FancyBboxPatch((0.3, MIDDLE - 0.9), 9.75, 2.12, **style))
    words = "routes/auto.py asks them in turn, from the right; NumericalError means: the next"
    axes.text(5.15, MIDDLE + 0.98, words, fontsize=9, color=GREY, ha="center", va="center")
    for box in STATIONS + ROUTES + ANSWERS:
        box.draw(axes)
    arrows(axes)
    return figure


if __name__ == "__main__":
    path = Path(__file__).with_name("walk.svg")
    draw().savefig(path, metadata={"Date": None, "Creator": None})
