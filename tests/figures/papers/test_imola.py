"""The figures about Bernoulli sampling: complete, in order, and without gaps."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from hockeystick.bernoulli import amplify, asymptote
from hockeystick.figures.figure import Figure
from hockeystick.figures.papers import imola
from tests.support.small_figure import values, watched

LOWER, UPPER = "lower bound: symmetric pair", "hockeystick: certified upper end"
SOLVED = "the paper's program, solved globally"


@pytest.fixture(
    scope="module",
    params=[pytest.param((1, 50, 15), marks=pytest.mark.slow), (2, 5, 15), (3, 50, 9)],
)
def made(request: pytest.FixtureRequest) -> tuple[Figure, float]:
    """Each figure at three ε, with the paper's program at one and for one dimension alone."""
    number, order, count = request.param
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(imola, "SMALL", 2)
        patch.setattr(imola, "SOLVED", (0.7,))
        figure = watched(imola.FIGURES[number].make, 3)
    assert len(figure.panels) == count
    assert f"α = {order}" in figure.title
    return figure, order


@pytest.mark.slow
def test_every_curve_is_there_from_end_to_end(made: tuple[Figure, float]) -> None:
    figure, order = made
    for panel in figure.panels:
        d, k, c = (float(part.split("=")[1]) for part in panel.title.split(","))
        limit = asymptote(order, c, int(d), int(k))
        lower, upper = (values(figure, panel.title, name) for name in (LOWER, UPPER))
        assert all(map(math.isfinite, [*lower.values(), *upper.values()]))
        assert max(upper) == pytest.approx(1.6 * limit)
        for epsilon, value in upper.items():
            assert lower[epsilon] <= value <= min(epsilon, limit * (1 + 1e-12))
            assert value - lower[epsilon] <= 2e-3 * max(value, 1e-9)
        assert all(one <= other for one, other in pairwise(lower.values()))


def test_the_program_lies_on_the_curve(made: tuple[Figure, float]) -> None:
    figure, order = made
    panel = next(panel for panel in figure.panels if panel.title == "d = 1, k = 1, c = 0.1")
    solved = values(figure, panel.title, SOLVED)
    ((epsilon, value),) = solved.items()
    answer = amplify(epsilon, order, 0.1)
    assert value == pytest.approx(answer.lower, rel=1e-8)
    assert value <= answer.upper
