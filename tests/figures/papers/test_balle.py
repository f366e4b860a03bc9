"""Figure 1 of Balle, Barthe and Gaboardi (2018), at a few points."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from hockeystick.figures import Figure
from hockeystick.figures.papers import balle
from tests.support.small_figure import values, watched

BOUND, BLACK_BOX = "bound of the theorem", "the same, black box"
UPPER, LOWER = "hockeystick, upper end", "hockeystick, lower end"
SAMPLED = [
    f"{noise}, {sampler}"
    for noise in ("Laplace", "Gaussian")
    for sampler in ("Poisson", "without", "with replacement")
]


def normal(x: float) -> float:
    """Φ, accurate in the lower tail."""
    return math.erfc(-x / math.sqrt(2)) / 2


@pytest.fixture(scope="module")
def figure() -> Figure:
    return watched(balle.FIGURES[1].make, 6)


def laplace(epsilon: float, k: int = 1) -> float:
    """Theorem 3 with θ = k."""
    return max(0.0, -math.expm1((epsilon - k) / 2))


def gaussian(epsilon: float, k: int = 1) -> float:
    """Theorem 4 with θ = k."""
    return normal(k / 2 - epsilon / k) - math.exp(epsilon) * normal(-k / 2 - epsilon / k)


PROFILES = {"Laplace": laplace, "Gaussian": gaussian}


@pytest.mark.slow
def test_there_are_eight_panels_in_two_rows(figure: Figure) -> None:
    assert len(figure.panels) == 8
    assert figure.columns == 4
    assert balle.POINTS <= 40


@pytest.mark.slow
@pytest.mark.parametrize("panel", ["Laplace, Poisson", "Laplace, without", "Laplace, groups"])
def test_a_profile_that_ends_drops_smoothly(figure: Figure, panel: str) -> None:
    """No step of more than a factor 2 down to a thousandth of δ(0), of however few points."""
    name = "k = 1, hockeystick" if "groups" in panel else UPPER
    deltas = [delta for delta in values(figure, panel, name).values() if delta > 0]
    steps = [one / other for one, other in pairwise(deltas) if other > 1e-3 * deltas[0]]
    assert len(steps) > 10
    assert max(steps) < 2


@pytest.mark.parametrize("panel", SAMPLED)
def test_lower_end_upper_end_bounds_come_in_this_order(figure: Figure, panel: str) -> None:
    lower, upper = values(figure, panel, LOWER), values(figure, panel, UPPER)
    bound = values(figure, panel, BOUND)
    for epsilon in lower:
        assert lower[epsilon] <= upper[epsilon]
        assert upper[epsilon] <= bound[epsilon] * (1 + 1e-11) + 1e-15  # rounding is charged
    if "with replacement" in panel:
        black = values(figure, panel, BLACK_BOX)
        assert all(bound[epsilon] < black[epsilon] for epsilon in bound)


@pytest.mark.parametrize("noise", PROFILES)
@pytest.mark.parametrize("sampler", ["Poisson", "without"])
def test_one_step_attains_theorems_8_and_9(figure: Figure, noise: str, sampler: str) -> None:
    panel = f"{noise}, {sampler}"
    lower, bound = values(figure, panel, LOWER), values(figure, panel, BOUND)
    for epsilon, delta in bound.items():
        base = math.log1p(math.expm1(epsilon) / 0.1)
        assert delta == pytest.approx(0.1 * PROFILES[noise](base), rel=1e-9, abs=1e-15)
        assert lower[epsilon] == pytest.approx(delta, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("noise", PROFILES)
def test_theorem_10_is_a_sum_over_the_copies_of_a_record(figure: Figure, noise: str) -> None:
    bound = values(figure, f"{noise}, with replacement", BOUND)
    once = 1 - 0.999**100
    for epsilon, delta in bound.items():
        base = math.log1p(math.expm1(epsilon) / once)
        total = math.fsum(
            math.comb(100, k) * 0.001**k * 0.999 ** (100 - k) * PROFILES[noise](base, k)
            for k in range(1, 101)
        )
        assert delta == pytest.approx(total, rel=1e-8)


@pytest.mark.parametrize("noise", PROFILES)
def test_white_box_group_privacy_is_exact_and_black_box_is_not(figure: Figure, noise: str) -> None:
    panel = f"{noise}, groups"
    for k in (1, 2, 3):
        white = values(figure, panel, f"k = {k}, white box")
        exact = values(figure, panel, f"k = {k}, hockeystick")
        for epsilon, delta in white.items():
            assert delta == pytest.approx(PROFILES[noise](epsilon, k), rel=1e-9, abs=1e-13)
            assert exact[epsilon] == pytest.approx(delta, rel=1e-9, abs=1e-15)
    for k in (2, 3):
        for epsilon, delta in values(figure, panel, f"k = {k}, black box").items():
            one = PROFILES[noise](epsilon / k)
            growth = math.expm1(epsilon) / math.expm1(epsilon / k) if epsilon else k
            assert delta == pytest.approx(min(1.0, growth * one), rel=1e-9, abs=1e-13)
            assert delta >= PROFILES[noise](epsilon, k)


def test_gaussian_noise_with_replacement_costs_less_than_theorem_10(figure: Figure) -> None:
    """The means lie on a line: no data set moves every group as far as it can, both ways."""
    bound = values(figure, "Gaussian, with replacement", BOUND)
    upper = values(figure, "Gaussian, with replacement", UPPER)
    assert upper[3.0] < 0.1 * bound[3.0]
