"""Figures 4 and 8 to 10 of Wang, Balle and Kasiviswanathan (2019), at a few numbers of steps."""

from __future__ import annotations

import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import classical
from hockeystick.classical import amplified_epsilon, optimal_composition
from hockeystick.figures import Figure
from hockeystick.figures.papers import wang
from hockeystick.figures.wang_baselines import base_epsilon, naive, strong
from hockeystick.figures.wang_cases import cases
from hockeystick.figures.wang_composition import COUNTS, epsilon_of
from hockeystick.figures.wang_ends import ends
from tests.support.small_figure import values, watched

pytestmark = pytest.mark.slow

DELTA = 1e-8
LAST = 600_000
UPPER, LOWER = "hockeystick, upper end", "hockeystick, lower end"
THEOREM_9, THEOREM_19 = "Rényi upper bound (Theorem 9)", "Rényi upper bound (Theorem 19)"
PROPOSITION_20 = "Rényi lower bound (Proposition 20)"
NAIVE, STRONG = "naive composition", "strong composition"
BASES = {
    "(a)": hs.Gaussian(5, replace_sensitivity=1),
    "(b)": hs.Laplace(2, replace_sensitivity=1),
    "(c)": hs.RandomizedResponse.truthful(0.6),
    "(d)": hs.Gaussian(1, replace_sensitivity=1),
    "(e)": hs.Laplace(0.5, replace_sensitivity=1),
    "(f)": hs.RandomizedResponse.truthful(0.9),
}


@pytest.fixture(scope="module")
def figure_4() -> Figure:
    return watched(wang.FIGURES[4].make, (20_000, 150_000, LAST))


def test_the_last_number_of_steps_is_that_of_the_paper() -> None:
    assert COUNTS[0] == 1
    assert COUNTS[-1] == LAST
    assert len(COUNTS) <= 40


def test_there_are_six_panels_in_two_rows_and_ratios_below_each(figure_4: Figure) -> None:
    high, low = ["(a)", "(b)", "(c)"], ["(d)", "(e)", "(f)"]
    titles = [panel.title.removeprefix("Ratios of ")[:3] for panel in figure_4.panels]
    assert titles == high + high + low + low
    assert figure_4.columns == 3
    assert len(figure_4.heights) == 4
    for panel in figure_4.panels:
        assert (panel.x_scale, panel.y_scale) == ("log", "log")
        assert {curve.x for curve in panel.curves} == {(20_000.0, 150_000.0, 600_000.0)}
    assert [len(panel.curves) for panel in figure_4.panels] == [9, 7, 7] * 4


@pytest.mark.parametrize(
    ("panel", "theorem", "lower"),
    [
        ("(b)", 3.5312377 / 2.166417, 1.9538693 / 2.166417),
        ("(c)", 2.6319745 / 1.6627182, 1.6593893 / 1.6627182),
        ("(f)", 23.853724 / 13.3097516, 13.2732454 / 13.3097516),
    ],
)
def test_the_ratios_are_to_the_upper_end(
    figure_4: Figure, panel: str, theorem: float, lower: float
) -> None:
    """Where a gap of a few per cent shows: every curve that is near lies within the limits."""
    title = f"Ratios of {panel}"
    assert values(figure_4, title, THEOREM_9)[LAST] == pytest.approx(theorem, rel=5e-3)
    assert values(figure_4, title, LOWER)[LAST] == pytest.approx(lower, rel=5e-3)
    assert set(values(figure_4, title, UPPER).values()) == {1.0}
    (drawn,) = (each for each in figure_4.panels if each.title.startswith(title))
    assert drawn.y_limits is not None
    low, high = drawn.y_limits
    for name in (THEOREM_9, THEOREM_19, PROPOSITION_20, LOWER, STRONG):
        assert all(low < ratio < high for ratio in values(figure_4, title, name).values())


@pytest.mark.parametrize(
    ("panel", "theorem", "upper", "lower"),
    [
        ("(a)", 2.0270076, 0.797072, 0.792663),
        ("(d)", 12.696294, 6.681528, 6.622193),
        ("(b)", 3.5312377, 2.166417, 1.9538693),
        ("(e)", 18.029524, 12.913199, 10.3412),
        ("(c)", 2.6319745, 1.662718, 1.659389),
        ("(f)", 23.853724, 13.309752, 13.273245),
    ],
)
def test_headline_values(
    figure_4: Figure, panel: str, theorem: float, upper: float, lower: float
) -> None:
    assert values(figure_4, panel, THEOREM_9)[LAST] == pytest.approx(theorem, rel=5e-8)
    assert values(figure_4, panel, UPPER)[LAST] == pytest.approx(upper, rel=5e-3)
    assert values(figure_4, panel, UPPER)[LAST] >= lower * (1 - 1e-6)
    assert values(figure_4, panel, LOWER)[LAST] == pytest.approx(lower, rel=1e-3)
    assert values(figure_4, panel, LOWER)[LAST] <= lower * (1 + 1e-6)


@pytest.mark.parametrize("panel", BASES)
@pytest.mark.parametrize("gamma", [0.001, 0.5])
def test_the_ends_are_those_of_the_library(panel: str, gamma: float) -> None:
    """Those of pairs on the right side of exact ones, by little; a game may be somewhat smaller."""
    step = BASES[panel].on(hs.WithoutReplacement(100, round(100 / gamma)))
    counts = [1, 54, 1507, 2930]
    found = zip(counts, *ends(step, DELTA, counts, lambda done: None), strict=True)
    for k, low, high in (each for each in found if each[0] != 1507):
        bound = (step * k).epsilon(DELTA)
        assert bound.lower * (1 - 2e-3) <= low <= bound.lower * (1 + 1e-6)
        assert bound.lower * (1 - 1e-9) <= high <= bound.upper * (1 + 5e-3)


@pytest.mark.parametrize("panel", BASES)
def test_the_theorems_are_converted_at_the_best_integer(figure_4: Figure, panel: str) -> None:
    def curve(order: float) -> float:
        return float(BASES[panel].rdp(order, relation=hs.REPLACE_ONE))

    orders = np.arange(2, 200)
    pure = curve(math.inf)
    for name, sampled in (
        (THEOREM_9, classical.rdp_without_replacement(curve, 0.001, orders, pure)),
        (PROPOSITION_20, classical.rdp_lower_bound(curve, 0.001, orders)),
    ):
        for k in (150_000, LAST):
            least = np.min(k * sampled - math.log(DELTA) / (orders - 1))
            assert values(figure_4, panel, name)[k] == pytest.approx(least, rel=1e-9)


def test_the_approximations_are_converted_at_their_best_order(figure_4: Figure) -> None:
    """c·α + L/(α − 1) is least, c + 2√(cL), at α = 1 + √(L/c)."""
    n = 100_001
    for panel, sigma in (("(a)", 5.0), ("(d)", 1.0)):
        good = values(figure_4, panel, "approximation, good data (Example 22)")
        for count, epsilon in good.items():
            noise = 2 * sigma**2 + 0.001 * 0.999 * (n - 1 / n) / 2
            c, log_term = count * 1e-6 / noise, -math.log(DELTA)
            assert epsilon == pytest.approx(c + 2 * math.sqrt(c * log_term), rel=1e-9)


def _curve(case: str, order: np.ndarray) -> np.ndarray:
    """ε(α) as the paper prints it."""
    if case == "gaussian":
        return order / 50
    moments = 0.6**order * 0.4 ** (1 - order) + 0.4**order * 0.6 ** (1 - order)
    return np.asarray(np.log(moments) / (order - 1))


@pytest.mark.parametrize(("panel", "case"), [("(a)", "gaussian"), ("(c)", "response")])
def test_baselines_against_a_search_over_all_choices(
    figure_4: Figure, panel: str, case: str
) -> None:
    gamma, count = 0.001, 150_000
    orders = 1 + np.geomspace(0.01, 700, 40_000)
    shares = np.linspace(0.05, 1, 20)
    best, least = math.inf, math.inf
    for share in shares:
        tilde = share * DELTA / (count * gamma)
        base = float(np.min(_curve(case, orders) - math.log(tilde) / (orders - 1)))
        if case == "response":
            base = min(base, math.log(1.5))
        step = amplified_epsilon(base, gamma)
        best = min(best, optimal_composition(step, gamma * tilde, count, delta=DELTA))
        least = min(least, count * step)
    if case == "response":
        pure = amplified_epsilon(math.log(1.5), gamma)
        best = min(best, optimal_composition(pure, 0.0, count, delta=DELTA))
    assert values(figure_4, panel, STRONG)[count] == pytest.approx(best, rel=2e-4)
    assert values(figure_4, panel, NAIVE)[count] == pytest.approx(least, rel=1e-6)


@pytest.mark.parametrize("number", [8, 9, 10])
def test_other_rates_are_ordered_alike(number: int) -> None:
    _assert_ordered(watched(wang.FIGURES[number].make, (20_000, LAST)))


def test_lower_end_upper_end_theorems_baselines_come_in_this_order(figure_4: Figure) -> None:
    _assert_ordered(figure_4)


def _assert_ordered(figure: Figure) -> None:
    """And no Rényi curve, the best of them included, converts to less than the lower end."""
    for panel in BASES:
        lower, upper = values(figure, panel, LOWER), values(figure, panel, UPPER)
        tight, plain = values(figure, panel, THEOREM_19), values(figure, panel, THEOREM_9)
        limit = values(figure, panel, PROPOSITION_20)
        optimal, plainest = values(figure, panel, STRONG), values(figure, panel, NAIVE)
        for k in lower:
            assert 0 < lower[k] <= upper[k]
            assert upper[k] <= tight[k] * (1 + 1e-12)
            assert tight[k] <= plain[k] * (1 + 1e-12)
            if not isinstance(BASES[panel], hs.Gaussian):  # its best pair is not the proposition's
                assert lower[k] <= limit[k] * (1 + 1e-12)
            assert limit[k] <= plain[k] * (1 + 1e-12)
            assert upper[k] <= optimal[k] * (1 + 1e-12)
            assert optimal[k] <= plainest[k] * (1 + 1e-12)


def test_one_step_of_a_gaussian_is_worse_by_renyi_than_by_the_baselines() -> None:
    """Section 5: and the lower bound shows that no Rényi bound can be better there."""
    for case in cases(0.001):
        if isinstance(case.base.mechanism, hs.Gaussian):
            base = base_epsilon(case.base.mechanism)
            limit = epsilon_of(case.proposition_20, 1)
            assert limit > 5 * naive(base, 0.001, 1, DELTA)
            assert limit > 5 * strong(base, 0.001, 1, DELTA)


def test_one_step_of_a_pure_mechanism_takes_order_inf() -> None:
    case = cases(0.001)[2]
    pure = math.log1p(0.001 * 0.5)  # e^ε(∞) = 0.6/0.4
    assert epsilon_of(case.theorem_9, 1) == pytest.approx(pure, rel=1e-9)
    assert naive(base_epsilon(case.base.mechanism), 0.001, 1, DELTA) == pytest.approx(
        pure, rel=1e-9
    )


def test_pure_mechanisms_are_never_much_worse_by_renyi(figure_4: Figure) -> None:
    """Section 5: "about the same or better for all k"."""
    for panel in ("(b)", "(c)", "(e)", "(f)"):
        plain, optimal = values(figure_4, panel, THEOREM_9), values(figure_4, panel, STRONG)
        for k in plain:
            assert plain[k] < (1.5 if panel in ("(b)", "(c)") else 1) * optimal[k]


def test_after_many_steps_renyi_wins_by_orders_of_magnitude(figure_4: Figure) -> None:
    """Section 5: about one order for σ = 5, about five (4.4) for σ = 1."""
    for panel, least, most in (("(a)", 8, 10), ("(d)", 2e4, 1e5)):
        gain = values(figure_4, panel, STRONG)[LAST] / values(figure_4, panel, THEOREM_9)[LAST]
        assert least < gain < most


def test_growth_with_the_number_of_steps(figure_4: Figure) -> None:
    """Section 5: √k by Rényi and strong composition, k by naive composition."""

    def exponent(panel: str, curve: str) -> float:
        found = values(figure_4, panel, curve)
        return math.log(found[LAST] / found[150_000], 4)

    for panel in BASES:
        assert 0.95 < exponent(panel, NAIVE) < 1.1
        assert 0.45 < exponent(panel, UPPER) < 0.65
    for panel in ("(a)", "(b)", "(c)"):
        assert 0.45 < exponent(panel, THEOREM_9) < 0.55
        assert 0.45 < exponent(panel, STRONG) < 0.65
