"""Figures 3 and 5 to 7 of Wang, Balle and Kasiviswanathan (2019), at a few orders."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import pytest

import hockeystick as hs
from hockeystick import classical
from hockeystick.figures import Figure
from hockeystick.figures.papers import wang
from hockeystick.figures.wang_cases import cases
from hockeystick.figures.wang_rdp import END, ORDERS, orders_of
from tests.support.small_figure import values, watched

FEW = (2, 8, 64)
MORE = (2, 8, 16, 64, 128, 512, 2048)
"""Orders of Figure 3; those of the others are few."""
UPPER, LOWER = "hockeystick, upper end", "hockeystick, lower end"
THEOREM_9, THEOREM_19 = "upper bound (Theorem 9)", "upper bound (Theorem 19)"
PROPOSITION_20 = "lower bound (Proposition 20)"
TRANSITION = "γ·α·exp(ε(α)) = 1"
PANELS = ("(a)", "(b)", "(c)", "(d)", "(e)", "(f)")
FIGURES = {3: 0.001, 5: 0.01, 6: 0.1, 7: 0.5}
"""Number and γ."""


class Figures(dict[int, Figure]):
    """Made when they are looked at: the plain run needs one of them."""

    def __missing__(self, number: int) -> Figure:
        figure = watched(wang.FIGURES[number].make, MORE if number == 3 else FEW)
        self[number] = figure
        return figure


@pytest.fixture(scope="module")
def figures() -> Figures:
    return Figures()


def gaussian(sigma: float, order: float) -> float:
    return order / (2 * sigma**2)


def laplace(b: float, order: float) -> float:
    """As the paper prints it, scaled so that it does not overflow."""
    if math.isinf(order):
        return 1 / b
    one = order / (2 * order - 1)
    two = (order - 1) / (2 * order - 1) * math.exp(-(2 * order - 1) / b)
    return 1 / b + math.log(one + two) / (order - 1)


def response(p: float, order: float) -> float:
    """As the paper prints it, scaled likewise."""
    loss = math.log(p / (1 - p))
    if math.isinf(order):
        return loss
    return loss + math.log(p + p * math.exp(-(2 * order - 1) * loss)) / (order - 1)


BASES: dict[str, Callable[[float], float]] = {
    "(a)": lambda order: gaussian(5, order),
    "(b)": lambda order: laplace(2, order),
    "(c)": lambda order: response(0.6, order),
    "(d)": lambda order: gaussian(1, order),
    "(e)": lambda order: laplace(0.5, order),
    "(f)": lambda order: response(0.9, order),
}


def test_the_orders_are_few_and_wide() -> None:
    assert ORDERS[0] == 2
    assert ORDERS[-1] == 10_000
    assert len(ORDERS) <= 40


@pytest.mark.parametrize("gamma", FIGURES.values())
def test_there_are_orders_around_the_jump_of_a_gaussian(gamma: float) -> None:
    """It is where α/(2σ²) = log(1/γ): all integers there, or steps of at most 5 %."""
    for case, sigma in zip(cases(gamma), (5, None, None, 1, None, None), strict=True):
        orders = orders_of(case)
        assert set(ORDERS) <= set(orders)
        if sigma is None:
            assert orders == ORDERS
            continue
        at = 2 * sigma**2 * math.log(1 / gamma)
        near = [order for order in orders if 0.7 * at <= order <= 1.4 * at]
        for one, other in pairwise(near):
            assert other - one == 1 or other / one < 1.05
        assert len(near) >= 0.7 * at - 1 or len(near) >= 20


@pytest.mark.slow
@pytest.mark.parametrize("number", FIGURES)
@pytest.mark.parametrize("panel", PANELS)
def test_bounds_are_those_of_the_theorems(
    figures: dict[int, Figure], number: int, panel: str
) -> None:
    figure, gamma, curve = figures[number], FIGURES[number], BASES[panel]
    upper, lower = values(figure, panel, THEOREM_9), values(figure, panel, PROPOSITION_20)
    for order in upper:
        wanted = classical.rdp_without_replacement(curve, gamma, order, curve(math.inf))
        assert upper[order] == pytest.approx(wanted, rel=1e-9)
        wanted = classical.rdp_lower_bound(curve, gamma, order)
        assert lower[order] == pytest.approx(wanted, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("number", [3, 5, 6, 7])
@pytest.mark.parametrize("panel", PANELS)
def test_lower_end_upper_end_theorems_come_in_this_order(
    figures: dict[int, Figure], number: int, panel: str
) -> None:
    lower, upper = values(figures[number], panel, LOWER), values(figures[number], panel, UPPER)
    limit = values(figures[number], panel, PROPOSITION_20)
    tight = values(figures[number], panel, THEOREM_19)
    plain = values(figures[number], panel, THEOREM_9)
    for order in upper:
        assert 0 < lower[order] <= upper[order]
        assert upper[order] <= tight[order] * (1 + 1e-9)
        assert tight[order] <= plain[order] * (1 + 1e-9)
        assert lower[order] == pytest.approx(limit[order], rel=1e-9)


@pytest.mark.slow
def test_the_upper_end_is_the_librarys(figures: dict[int, Figure]) -> None:
    step = hs.Laplace(0.5, replace_sensitivity=1).on(hs.WithoutReplacement(30, 300))
    found = values(figures[6], "(e)", UPPER)
    for order in FEW:
        assert found[order] == pytest.approx(float(step.rdp(order)), rel=1e-9)


@pytest.mark.slow
def test_the_upper_end_of_randomized_response_is_a_sum_over_two_outcomes(
    figures: dict[int, Figure],
) -> None:
    """Of two answers the worst triple is known: y is as x', and it or its reverse is attained."""
    p, gamma = 0.9, 0.001
    told = [p, 1 - p]
    seen = [(1 - gamma) * p + gamma * (1 - p), (1 - gamma) * (1 - p) + gamma * p]
    for order, value in values(figures[3], "(f)", UPPER).items():
        ways = []
        for one, other in ((seen, told), (told, seen)):
            ratios = [a / b for a, b in zip(one, other, strict=True)]
            # E_Q[(P/Q)^α] − 1, less α·(E_Q[P/Q] − 1) = 0
            terms = [math.expm1(order * math.log(r)) - order * (r - 1) for r in ratios]
            excess = sum(b * term for b, term in zip(other, terms, strict=True))
            ways.append(math.log1p(excess) / (order - 1))
        assert value == pytest.approx(max(ways), rel=1e-8)


@pytest.mark.slow
def test_bounds_match_up_to_a_constant_factor(figures: dict[int, Figure]) -> None:
    """Section 5: at γ = 0.001, in all panels and at all orders."""
    for panel in PANELS:
        upper = values(figures[3], panel, THEOREM_9)
        lower = values(figures[3], panel, PROPOSITION_20)
        exact = values(figures[3], panel, UPPER)
        for order in MORE:
            assert upper[order] < 8.5 * lower[order]
            assert exact[order] < 2.5 * lower[order]


@pytest.mark.slow
@pytest.mark.parametrize(("panel", "sigma", "at"), [("(a)", 5.0, 110.25), ("(d)", 1.0, 9.3)])
def test_the_gaussian_has_a_phase_transition(
    figures: dict[int, Figure], panel: str, sigma: float, at: float
) -> None:
    """Far below γαe^{ε(α)} = 1 it is γ²-small and linear, far above it follows the mechanism."""
    (x, *_), ys = zip(*_line(figures[3], panel), strict=True)
    assert x == pytest.approx(at, rel=0.01)
    assert math.log(0.001 * x) + gaussian(sigma, x) == pytest.approx(0, abs=1e-9)
    assert ys[0] < ys[1]
    for name in (THEOREM_9, UPPER, PROPOSITION_20):
        found = values(figures[3], panel, name)
        assert found[8] / found[2] == pytest.approx(4, rel=0.25)
        assert found[8] < 1e-4 * gaussian(sigma, 8)
        for order in (512, 2048):
            sampled = gaussian(sigma, order) + order / (order - 1) * math.log(0.001)
            assert found[order] == pytest.approx(sampled, rel=0.01)


def _line(figure: Figure, panel: str) -> list[tuple[float, float]]:
    (found,) = (
        curve
        for each in figure.panels
        if each.title.startswith(panel)
        for curve in each.curves
        if curve.name == TRANSITION
    )
    return list(zip(found.x, found.y, strict=True))


@pytest.mark.slow
def test_pure_mechanisms_are_linear_first_and_flat_later(figures: dict[int, Figure]) -> None:
    """Section 5: they flatten as ε(α) approaches ε(∞)."""
    for panel, pure in (("(e)", 2.0), ("(f)", math.log(9))):
        ceiling = math.log1p(0.001 * math.expm1(pure))
        for name in (UPPER, PROPOSITION_20):
            found = values(figures[3], panel, name)
            assert found[16] / found[2] == pytest.approx(8, rel=0.1)
            assert math.log(found[2048] / found[512], 4) < 0.7
            assert 0.75 * ceiling < found[2048] < ceiling


@pytest.mark.slow
def test_the_approximations_frame_the_lower_bound(figures: dict[int, Figure]) -> None:
    """Section 5: bad data as the lower bound up to the transition, good data below it."""
    for panel, orders in (("(a)", (2, 8, 16, 64)), ("(d)", (2, 8))):
        limit = values(figures[3], panel, PROPOSITION_20)
        bad = values(figures[3], panel, "approximation, bad data (Example 21)")
        good = values(figures[3], panel, "approximation, good data (Example 22)")
        for order in orders:
            assert bad[order] == pytest.approx(limit[order], rel=0.6 if panel == "(d)" else 0.05)
            assert good[order] < 0.7 * limit[order]


@pytest.mark.parametrize(
    ("number", "panel", "end"),
    [
        pytest.param(3, "(d)", 1002.0, marks=pytest.mark.slow),
        (6, "(a)", 278.9),
        pytest.param(7, "(d)", 5.02, marks=pytest.mark.slow),
    ],
)
def test_the_approximation_for_bad_data_rises_to_where_it_ends(
    figures: dict[int, Figure], number: int, panel: str, end: float
) -> None:
    """α* = 1 + σ²/(γ(1 − γ))·n/(n − 1), n = 100/γ + 1: a line marks it."""
    bad = values(figures[number], panel, "approximation, bad data (Example 21)")
    (at,) = values(figures[number], panel, END)
    assert at == pytest.approx(end, rel=1e-3)
    assert all(math.isfinite(y) == (order < at) for order, y in bad.items())
    before = [y for order, y in bad.items() if order < at]
    assert before == sorted(before)
    assert before[-1] > 20 * before[-3]
    assert bad[max(order for order in bad if order < at)] == before[-1]


@pytest.mark.slow
def test_the_gap_widens_with_the_rate(figures: dict[int, Figure]) -> None:
    """Appendix G: and at γ = 0.5 Theorem 9 exceeds what holds without sampling."""
    gaps = []
    for number in FIGURES:
        upper = values(figures[number], "(a)", THEOREM_9)[8]
        gaps.append(upper / values(figures[number], "(a)", PROPOSITION_20)[8])
    assert gaps[0] < gaps[1] < gaps[2]
    assert gaps[3] > gaps[0]
    assert values(figures[7], "(a)", THEOREM_9)[8] > gaussian(5, 8)
    assert values(figures[7], "(a)", UPPER)[8] < gaussian(5, 8)
