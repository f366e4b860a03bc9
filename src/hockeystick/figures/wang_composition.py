"""Figures 4 and 8 to 10 of Wang, Balle and Kasiviswanathan (2019): ε of many sampled steps."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from hockeystick.figures import palette, wang_baselines
from hockeystick.figures.figure import Curve, Figure, Panel, Progress
from hockeystick.figures.wang_cases import MOST, Case, Rdp, figure_of_cases
from hockeystick.figures.wang_ends import ends
from hockeystick.numerics.minimise import in_valley

DELTA = 1e-8
UPPER = "hockeystick, upper end"
COUNTS = tuple(sorted({round(count) for count in np.geomspace(1, 600_000, 21)}))
ORDERS = sorted({round(order) for order in np.geomspace(2, MOST, 30)})
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

    tried: list[tuple[float, int]] = []
    for order in ORDERS:
        if tried and order > 4 * min(tried)[1]:
            break
        tried.append((at(order), order))
    least, best = min(tried)
    i = ORDERS.index(best)
    low, high = ORDERS[max(i - 1, 0)], ORDERS[min(i + 1, len(ORDERS) - 1)]
    while high - low > max(2, CLOSE * low):
        other = _between(low, best, high, [count * (n - 1) * rdp(n) for n in (low, best, high)])
        if (value := at(other)) < least:
            low, high = (low, best) if other < best else (best, high)
            least, best = value, other
        else:
            low, high = (other, high) if other < best else (low, other)
    return min(least, count * rdp(math.inf))


def _between(low: int, best: int, high: int, cumulants: Sequence[float]) -> int:
    """Where the least is if K is a + b·x + c·x² in x = α − 1, at √((a + log(1/δ))/c); but not next
    to the ends or to the best so far, on whose farther side something near is tried then."""
    near = max(1, int(CLOSE * low / 2))
    x, k = (low - 1, best - 1, high - 1), cumulants
    if low < best < high:
        first, second = (k[1] - k[0]) / (x[1] - x[0]), (k[2] - k[1]) / (x[2] - x[1])
        c = (second - first) / (x[2] - x[0])
        a = k[0] - x[0] * first + x[0] * x[1] * c - math.log(DELTA)
        if 0 < c < math.inf and 0 < a < math.inf:
            guess = min(max(1 + round(math.sqrt(a / c)), low + near), high - near)
            if abs(guess - best) >= near:
                return guess
    return best + near if high - best > best - low else best - near


def _of_approximation(rdp: Rdp, count: int) -> float:
    """The same at any order, of a curve with one valley."""
    return in_valley(lambda x: count * rdp(1 + x) - math.log(DELTA) / x, 2e-5)[1]
