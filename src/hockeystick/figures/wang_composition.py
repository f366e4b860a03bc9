"""Figures 4 and 8 to 10 of Wang, Balle and Kasiviswanathan (2019): ε of many sampled steps."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from hockeystick.classical import epsilon_from_curve, mironov_epsilon
from hockeystick.figures import palette, wang_baselines
from hockeystick.figures.figure import Curve, Figure, Panel, Progress
from hockeystick.figures.wang_cases import MOST, Case, Rdp, figure_of_cases
from hockeystick.figures.wang_ends import ends

DELTA = 1e-8
UPPER = "hockeystick, upper end"
COUNTS = tuple(sorted({round(count) for count in np.geomspace(1, 600_000, 21)}))
ORDERS = sorted({round(order) for order in np.geomspace(2, MOST, 60)})
CLOSE = 0.01
"""How near a large order has to be to the best, as a part of it: the minimum is flat, so that what
is found is within 1e-4 of the least."""

RATIOS = 0.5, 8.0
"""The ratios drawn, the same in all panels. The largest, 80 000, would hide the gaps around 1."""


def composition_figure(
    number: int, gamma: float, progress: Progress, counts: Sequence[int] = COUNTS
) -> Figure:
    """ε against the number of steps at δ = 1e-8, and below it in ratio to this library's."""

    def panel(case: Case, tell: Progress) -> Panel:
        curves = *_baselines(case, counts), *_by_renyi(case, counts), *_exact(case, counts, tell)
        return Panel(case.base.title, "steps k", "ε (nats)", curves, "log", "log")

    title = f"ε of k steps on samples without replacement, γ = {gamma:g}, δ = 1e-8"
    figure = figure_of_cases(number, title, gamma, panel, progress)
    high, low = figure.panels[:3], figure.panels[3:]
    rows = *high, *map(_ratios, high), *low, *map(_ratios, low)
    return replace(figure, panels=rows, heights=(1.0, 0.75, 1.0, 0.75))


def _ratios(panel: Panel) -> Panel:
    """Each curve over the upper end: gaps of a few per cent show beside those of powers of ten."""
    (exact,) = (curve.y for curve in panel.curves if curve.name == UPPER)
    curves = [
        replace(curve, y=[y / one for y, one in zip(curve.y, exact, strict=True)])
        for curve in panel.curves
    ]
    labels = f"Ratios of {panel.title}", "steps k", "ε / upper end"
    return Panel(*labels, tuple(curves), "log", "log", y_limits=RATIOS)


def _baselines(case: Case, counts: Sequence[int]) -> Iterator[Curve]:
    base = wang_baselines.base_epsilon(case.base.mechanism)
    for name, theorem, colour in (
        ("naive composition", wang_baselines.naive, palette.GREY),
        ("strong composition", wang_baselines.strong, palette.ORANGE),
    ):
        values = [theorem(base, case.gamma, count, DELTA) for count in counts]
        yield Curve(name, counts, values, colour)


def _by_renyi(case: Case, counts: Sequence[int]) -> Iterator[Curve]:
    for name, rdp, colour, line in (
        ("Rényi upper bound (Theorem 9)", case.theorem_9, palette.BLUE, "-"),
        ("Rényi upper bound (Theorem 19)", case.theorem_19, palette.SKY, "-."),
        ("Rényi lower bound (Proposition 20)", case.proposition_20, palette.VERMILION, "--"),
    ):
        yield Curve(name, counts, [epsilon_of(rdp, count) for count in counts], colour, line)
    for name, rdp, colour, _ in case.approximations:
        values = [_of_approximation(rdp, count) for count in counts]
        yield Curve(name, counts, values, colour, ":")


def _exact(case: Case, counts: Sequence[int], tell: Progress) -> Iterator[Curve]:
    lower, upper = ends(case.step, DELTA, counts, tell)
    yield Curve(UPPER, counts, upper, palette.BLACK)
    yield Curve("hockeystick, lower end", counts, lower, palette.BLACK, ":")


def epsilon_of(rdp: Rdp, count: int) -> float:
    """min over α of count·ε(α) + log(1/δ)/(α − 1), α an integer up to 10 000 or inf.

    Their (2.2), after Mironov (2017): on a grid of orders until it gets worse, then ever closer
    around the best.
    """

    def at(order: int) -> float:
        return count * rdp(order) - math.log(DELTA) / (order - 1)

    orders = ORDERS
    while True:
        tried: list[tuple[float, int]] = []
        for i, order in enumerate(orders):
            if tried and order > 4 * orders[min(tried)[1]]:
                break
            tried.append((at(order), i))
        best, i = min(tried)
        low, high = orders[max(i - 1, 0)], orders[min(i + 1, len(orders) - 1)]
        if high - low <= max(2, CLOSE * low):
            return min(best, count * rdp(math.inf))
        orders = sorted({round(order) for order in np.linspace(low, high, 9)})


def _of_approximation(rdp: Rdp, count: int) -> float:
    return epsilon_from_curve(lambda order: count * rdp(order), DELTA, mironov_epsilon)
