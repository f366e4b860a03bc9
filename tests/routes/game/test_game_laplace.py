"""The game with Laplace noise on one number: never below what an adversary attains, and near it."""

from __future__ import annotations

import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.errors import ParameterError
from hockeystick.loss.triples.laplace import LaplaceTriples
from hockeystick.numerics.types import Array
from hockeystick.routes.game.route import upper_end
from hockeystick.routes.question import DeltaAt, EpsilonAt
from tests.oracles.games import laplace_pair, rounded_down

FIXED = hs.WithoutReplacement(60, 60_000)


def on_a_line(far: float) -> list[Array]:
    """(y, x, x'): y at or between the others, and x between them."""
    between = [np.array([y * far, far, 0.0]) for y in (0.0, 0.1, 0.25, 0.5)]
    return between + [np.array([far, x * far, 0.0]) for x in (0.3, 0.6, 0.85)]


def around_zero(near: float) -> list[Array]:
    """x' = 0 and x at the end, y anywhere; and x between."""
    ends = [np.array([y * near, near, 0.0]) for y in (-1.0, -0.5, 0.0, 0.5, 1.0)]
    return [*ends, np.array([near, near / 2, 0.0])]


@pytest.mark.parametrize(
    ("zero_out", "far", "rate", "steps"),
    [
        (False, 0.5, 0.1, 60),
        (False, 2.0, 0.1, 40),
        (False, 1.0, 0.5, 40),
        (False, 5.0, 0.3, 25),
        (True, 1.0, 0.1, 60),
        (True, 4.0, 0.2, 40),
    ],
)
@pytest.mark.slow
def test_games_are_above_brute_force(zero_out: bool, far: float, rate: float, steps: int) -> None:
    """Six or seven triples and their reverses, the best at every node, all rounded down; for few
    steps and a large δ the bound is loose, and the pair's is taken."""
    triples = around_zero(far / 2) if zero_out else on_a_line(far)
    game = LaplaceTriples(rate, far / 2, far, zero_out)
    deviation = math.sqrt(game.pair(0.0).variance)
    spacing = deviation / 100
    pairs = [laplace_pair(rate, each, 800) for each in triples]
    x, value = rounded_down(pairs, steps, spacing, deviation * (12 * math.sqrt(steps) + 2))
    for delta, near in ((1e-2, 1.3), (1e-4, 1.11), (1e-6, 1.07)):
        attained = float(x[np.flatnonzero(value > delta)[-1]])
        upper = upper_end(EpsilonAt(delta), game, steps).upper
        assert attained < upper < near * attained
        assert upper_end(DeltaAt(attained), game, steps).upper > delta


@pytest.mark.parametrize(
    ("step", "relation", "lower", "upper", "pair"),
    [
        ("Laplace(0.5, replace_sensitivity=1, dimension=1)", None, 9.40249, 9.69, 12.9132),
        ("Laplace(2.0, replace_sensitivity=1, dimension=1)", None, 1.93229, 1.953, 2.16642),
        ("Laplace(2.0, dimension=1)", None, 4.008, 4.095, 4.9049),
        ("Laplace(0.5, dimension=1)", hs.ZERO_OUT, 30.18, 30.31, 31.1905),
        ("Laplace(2.0, dimension=1)", hs.ZERO_OUT, 2.27, 2.288, 2.51998),
    ],
)
@pytest.mark.slow
def test_long_runs(
    step: str, relation: hs.Relation | None, lower: float, upper: float, pair: float
) -> None:
    """γ = 0.001, 600 000 steps, δ = 1e-8."""
    run = hs.parse(step).on(FIXED) * 600_000
    answer = run.epsilon(1e-8, relation=relation)
    assert answer.method == "game"
    assert lower < answer.lower < answer < upper
    assert run.epsilon(1e-8, relation=relation, method="contour") == pytest.approx(pair, rel=1e-4)
    back = run.delta(answer, relation=relation)
    assert back.lower < 1e-8 < back * (1 + 1e-6) < 1.0001e-8


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.3, 1e-3, 1e-10, 1e-30])
def test_both_ends_at_any_delta(delta: float) -> None:
    """What y = x' attains is below, and near for a small δ."""
    run = hs.Laplace(1.0, dimension=1).on(hs.WithoutReplacement(1, 100)) * 10_000
    answer = run.epsilon(delta)
    assert answer.lower < answer < run.epsilon(delta, method="contour")
    assert answer < (1.15 if delta > 0.1 else 1.05) * answer.lower


@pytest.mark.slow
def test_more_of_anything_costs_more() -> None:
    def epsilon(noise: float = 1.0, size: int = 200, steps: int = 500, far: float = 2.0) -> float:
        step = hs.Laplace(noise, far, dimension=1).on(hs.WithoutReplacement(size, 10_000))
        return float((step * steps).epsilon(1e-6, method="game"))

    rows = [
        [epsilon(steps=steps) for steps in (50, 100, 400, 3000, 20_000)],
        [epsilon(size=size) for size in (50, 100, 500, 3000, 9000)],
        [epsilon(noise=noise) for noise in (8.0, 3.0, 2.0, 1.0, 0.5)],
        [epsilon(far=far) for far in (0.3, 1.0, 1.9, 2.0)],
    ]
    assert min(np.diff(row).min() for row in rows) > 0


@pytest.mark.parametrize("noise", [0.02, 1.0, 1e6])
@pytest.mark.parametrize(("size", "population"), [(1, 10**9), (1, 2), (999, 1000)])
@pytest.mark.parametrize("relation", [hs.REPLACE_ONE, hs.ZERO_OUT], ids=str)
@pytest.mark.slow
def test_no_answer_is_worse_than_that_of_the_pair(
    noise: float, size: int, population: int, relation: hs.Relation
) -> None:
    """Few steps and many, noise that hides nothing or everything; vectors cost at least as much."""
    sampler = hs.WithoutReplacement(size, population)
    for steps in (1, 2, 10_000):
        number = hs.Laplace(noise, dimension=1).on(sampler) * steps
        vector = hs.Laplace(noise).on(sampler) * steps
        one, many = (run.epsilon(1e-6, relation=relation) for run in (number, vector))
        assert one.lower <= one <= many * 1.03  # where the game answers alone, its ends are so near
        assert one.lower <= many * (1 + 1e-9)
        assert many.lower <= many


def test_vectors_have_no_game() -> None:
    for dimension in (None, 2):
        run = hs.Laplace(2.0, dimension=dimension).on(FIXED) * 9
        with pytest.raises(ParameterError, match="game"):
            run.epsilon(1e-6, method="game")
