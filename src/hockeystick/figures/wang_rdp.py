"""Figures 3 and 5 to 7 of Wang, Balle and Kasiviswanathan (2019): Rényi curves under sampling."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from hockeystick.figures import palette
from hockeystick.figures.figure import Curve, Figure, Panel, Progress
from hockeystick.figures.wang_cases import MOST, Case, Rdp, figure_of_cases

ORDERS = tuple(sorted({round(order) for order in np.geomspace(2, MOST, 40)}))


def rdp_figure(
    number: int, gamma: float, progress: Progress, orders: Sequence[int] = ORDERS
) -> Figure:
    """ε(α) against α: the paper's bounds, the dominating pair and a pair that is attained."""

    def panel(case: Case, tell: Progress) -> Panel:
        curves: list[Curve] = []
        for curve in _curves(case, orders):
            curves.append(curve)
            tell(len(curves) / 8)
        return _panel(case, curves)

    title = f"Rényi divergence of a mechanism on a sample without replacement, γ = {gamma:g}"
    return figure_of_cases(number, title, gamma, panel, progress)


def _curves(case: Case, orders: Sequence[int]) -> Iterator[Curve]:
    """At most seven."""

    def curve(name: str, rdp: Rdp, colour: str, line: str) -> Curve:
        return Curve(name, orders, [rdp(order) for order in orders], colour, line)

    alphas = np.array(orders, dtype=float)
    yield curve("upper bound (Theorem 9)", case.theorem_9, palette.BLUE, "-")
    yield curve("upper bound (Theorem 19)", case.theorem_19, palette.SKY, "-.")
    yield Curve("hockeystick, upper end", orders, case.step.rdp(alphas).upper, palette.BLACK)
    yield curve("lower bound (Proposition 20)", case.proposition_20, palette.VERMILION, "--")
    # Of two steps: the ends for one step may belong to different data sets.
    attained = (case.step * 2).rdp(alphas).lower / 2
    yield Curve("hockeystick, lower end", orders, attained, palette.BLACK, "", ".")
    for name, rdp, colour in case.approximations:
        yield curve(name, rdp, colour, ":")


def _panel(case: Case, curves: list[Curve]) -> Panel:
    """With a vertical line where sampling begins to help less."""
    heights = [y for curve in curves for y in curve.y if math.isfinite(y)]
    if case.transition > 2:
        x, y = [case.transition] * 2, [min(heights), max(heights)]
        curves.append(Curve("γ·α·exp(ε(α)) = 1", x, y, palette.GREY, width=0.8))
    labels = "order α", "Rényi divergence ε(α) (nats)"
    return Panel(case.base.title, *labels, tuple(curves), "log", "log")
