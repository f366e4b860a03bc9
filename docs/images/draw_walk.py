"""Draws docs/images/walk.svg: the way of one ε from the expression to the answer.

    python docs/images/draw_walk.py
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

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
        top = self.y + self.height / 2
        text = {"ha": "center", "va": "top"}
        axes.text(self.x, top - 0.13, self.title, fontsize=11, weight="bold", color=INK, **text)
        axes.text(
            self.x, top - 0.43, self.file, fontsize=8, family="monospace", color=GREY, **text
        )
        axes.text(
            self.x, top - 0.70, "\n".join(self.lines), fontsize=8.5, color=INK, linespacing=1.35, **text
        )  # fmt: skip


TOP, MIDDLE, BOTTOM = 6.55, 3.75, 1.0
STATIONS = (
    Box(1.6, TOP, 2.7, 1.75, "the question", "mechanism.py",
        ("(Gaussian(1.1)", ".on(Poisson(0.01)) * 10_000)", ".epsilon(1e-5)"), VALUE),
    Box(5.0, TOP, 2.9, 1.75, "which relation, which parts", "questions.py",
        ("add-remove, as Poisson says;", "one part, 10 000 times", "(composition.py)"), VALUE),
    Box(8.5, TOP, 3.0, 1.75, "what each part says of itself", "evidence.py",
        ("pairs that dominate", "a pair that is attained", "a Rényi curve"), LAW),
    Box(12.0, TOP, 2.9, 1.75, "the law of one step", "loss/",
        ("N(1, σ²) against N(0, σ²),", "mixed: ℓ → log(1 − q + q·e^ℓ);", "its K(s)"), LAW),
    Box(12.0, MIDDLE, 2.9, 1.75, "both directions, added up", "loss/sum.py",
        ("(P, Q) and (Q, P):", "10 000·K(s) each;", "nothing is added up before"), LAW),
)  # fmt: skip
ROUTES = (
    Box(1.35, MIDDLE, 1.75, 1.75, "renyi", "routes/renyi.py",
        ("the best order", "of the curve;", "an upper end"), ROUTE),
    Box(3.25, MIDDLE, 1.75, 1.75, "adding up", "routes/enumeration.py",
        ("outcomes of few", "steps, listed", ""), ROUTE),
    Box(5.15, MIDDLE, 1.75, 1.75, "lattice", "routes/lattice.py",
        ("losses on a grid,", "up and down,", "FFT"), ROUTE),
    Box(7.05, MIDDLE, 1.75, 1.75, "contour", "routes/contour/",
        ("∫ e^(K(s) − sε)", "along Re s = c:", "this one answers"), ROUTE),
    Box(8.95, MIDDLE, 1.75, 1.75, "closed form", "routes/closed_form.py",
        ("one step, or", "all Gaussian,", "or at the ends"), ROUTE),
)  # fmt: skip
ANSWERS = (
    Box(5.15, BOTTOM, 3.3, 1.6, "Interval", "bound.py",
        ("the worse direction,", "the better pair:", "lower ≤ truth ≤ upper"), ANSWER),
    Box(9.6, BOTTOM, 3.3, 1.6, "Bound", "bound.py",
        ("a float: its upper end, 5.192583", ".lower .method", ".certified"), ANSWER),
)  # fmt: skip


def arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    axes.add_patch(
        FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=14, color=GREY, linewidth=1.2)
    )


def arrows(axes: Axes) -> None:
    for one, other in zip(STATIONS[:3], STATIONS[1:4], strict=True):
        arrow(axes, (one.x + one.width / 2, TOP), (other.x - other.width / 2, TOP))
    last = STATIONS[-1]
    arrow(axes, (last.x, TOP - 0.875), (last.x, MIDDLE + 0.875))
    arrow(axes, (last.x - last.width / 2, MIDDLE), (10.05, MIDDLE))
    interval, bound = ANSWERS
    arrow(axes, (interval.x, MIDDLE - 1.05), (interval.x, BOTTOM + interval.height / 2))
    arrow(axes, (interval.x + interval.width / 2, BOTTOM), (bound.x - bound.width / 2, BOTTOM))


def draw() -> Figure:
    rcParams["svg.hashsalt"] = "walk"  # the same file whenever it is drawn
    rcParams["svg.fonttype"] = "none"
    figure = Figure(figsize=(13.6, 7.6))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, 13.6)
    axes.set_ylim(0, 7.6)
    axes.axis("off")
    frame = FancyBboxPatch(
        (0.3, MIDDLE - 1.05), 9.75, 2.45, "round,pad=0,rounding_size=0.15", facecolor=PAPER, edgecolor=LINE
    )  # fmt: skip
    axes.add_patch(frame)
    words = "routes/base.py: “auto” asks them in turn, from the right; NumericalError means: the next"
    axes.text(5.15, MIDDLE + 1.14, words, fontsize=9, color=GREY, ha="center", va="center")
    for box in STATIONS + ROUTES + ANSWERS:
        box.draw(axes)
    arrows(axes)
    return figure


if __name__ == "__main__":
    path = Path(__file__).with_name("walk.svg")
    draw().savefig(path, metadata={"Date": None, "Creator": None})
