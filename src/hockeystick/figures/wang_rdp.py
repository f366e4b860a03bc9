"""Figures 3 and 5 to 7 of Wang, Balle and Kasiviswanathan (2019): Rényi curves under sampling."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from hockeystick.figures import palette
from hockeystick.figures.figure import Curve, Figure, Panel, Progress
from hockeystick.figures.wang_cases import MOST, Case, Rdp, figure_of_cases

ORDERS = tuple(sorted({round(order) for order in np.geomspace(2, MOST, 40)}))
AROUND = np.geomspace(0.6, 1.6, 41)
"""Orders over that of the jump at which a curve that has one is drawn too."""

TRANSITION = "γ·α·exp(ε(α)) = 1"
END = "bad data: approximation infinite from here on"


def rdp_figure(
    number: int, gamma: float, progress: Progress, orders: Sequence[int] | None = None
) -> Figure:
    """ε(α) against α: the paper's bounds, the dominating pair and a pair that is attained."""

    def panel(case: Case, tell: Progress) -> Panel:
        curves: list[Curve] = []
        for curve in _curves(case, orders_of(case) if orders is None else orders):
            curves.append(curve)
            tell(len(curves) / 8)
        return _panel(case, curves)

    title = f"Rényi divergence of a mechanism on a sample without replacement, γ = {gamma:g}"
    return figure_of_cases(number, title, gamma, panel, progress)


def orders_of(case: Case) -> tuple[int, ...]:
    """Those of every case, and more of them around the jump."""
    more = set() if case.jump is None else {round(order) for order in case.jump * AROUND}
    return tuple(sorted({*ORDERS, *(order for order in more if 2 <= order <= MOST)}))


def _curves(case: Case, orders: Sequence[int]) -> Iterator[Curve]:
    """At most seven."""

    def curve(name: str, rdp: Rdp, colour: str, line: str, at: Iterable[float] = orders) -> Curve:
        x = tuple(at)
        return Curve(name, x, [rdp(order) for order in x], colour, line)

    alphas = np.array(orders, dtype=float)
    yield curve("upper bound (Theorem 9)", case.theorem_9, palette.BLUE, "-")
    yield curve("upper bound (Theorem 19)", case.theorem_19, palette.SKY, "-.")
    yield Curve("hockeystick, upper end", orders, case.step.rdp(alphas).upper, palette.BLACK)
    yield curve("lower bound (Proposition 20)", case.proposition_20, palette.VERMILION, "--")
    # Of two steps: the ends for one step may belong to different data sets.
    attained = (case.step * 2).rdp(alphas).lower / 2
    yield Curve("hockeystick, lower end", orders, attained, palette.BLACK, "", ".")
    for name, rdp, colour, end in case.approximations:
        before = [1 + (end - 1) * (1 - 10.0**-digits) for digits in (1, 2, 3, 4)]
        yield curve(name, rdp, colour, ":", sorted({*orders, *(a for a in before if a < MOST)}))


def _panel(case: Case, curves: list[Curve]) -> Panel:
    """With vertical lines where sampling begins to help less and an approximation ends."""
    heights = [y for curve in curves for y in curve.y if math.isfinite(y)]
    span = min(heights), max(heights)
    if case.transition > 2:
        curves.append(Curve(TRANSITION, [case.transition] * 2, span, palette.GREY, width=0.8))
    for *_, colour, end in case.approximations:
        if end < MOST:
            curves.append(Curve(END, [end] * 2, span, colour, width=0.8))
    labels = "order α", "Rényi divergence ε(α) (nats)"
    return Panel(case.base.title, *labels, tuple(curves), "log", "log")
