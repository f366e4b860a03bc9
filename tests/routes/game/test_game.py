"""The game of fixed-size batches: never below what an adversary attains, and near it."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.loss.sum import both_ways
from hockeystick.loss.triples.attained import normal_triple
from hockeystick.loss.triples.gaussian import GaussianTriples
from hockeystick.loss.triples.two_laws import TwoLaws
from hockeystick.numerics.types import Array
from hockeystick.routes.auto import worst
from hockeystick.routes.game import macro
from hockeystick.routes.game.route import upper_end
from hockeystick.routes.game.target import target
from hockeystick.routes.question import DeltaAt, EpsilonAt
from tests.oracles.games import normal_pair, rounded_down, two_laws

GAMES = [
    (odds, rate, steps, delta)
    for odds, rate, steps in [
        (1.5, 0.1, 60),
        (3.0, 0.5, 40),
        (99.0, 0.05, 40),
        (9.0, 0.2, 7),
        (19.0, 0.01, 2),
        (2.0, 0.9, 25),
        (9.0, 0.001, 70),
    ]
    for delta in (0.1, 1e-3, 1e-6, 1e-12, 1e-30)
]


def exact_epsilon(delta: Callable[[float], float], wanted: float, high: float) -> float:
    """The least ε whose δ is at most the one wanted, by halving."""
    low = 0.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if delta(middle) > wanted else (low, middle)
    return high


@pytest.mark.parametrize(("odds", "rate", "steps", "delta"), GAMES)
def test_randomized_response_is_nearly_exact(
    odds: float, rate: float, steps: int, delta: float
) -> None:
    """By the table of all sums of losses, which the adversary's choices cannot leave."""
    game = TwoLaws(rate, math.log(odds))
    upper = upper_end(EpsilonAt(delta), game, steps).upper
    assert two_laws(odds, rate, steps, upper) <= delta
    below = upper * 0.998 - 0.002 * math.log1p(rate * (odds - 1))
    assert below <= 0 or two_laws(odds, rate, steps, below) > delta
    middle = upper / 2
    truth = two_laws(odds, rate, steps, middle)
    assert truth <= upper_end(DeltaAt(middle), game, steps).upper <= 1.03 * truth


@pytest.mark.slow
@pytest.mark.parametrize(
    ("delta", "exact"), [(1e-2, 0.8668), (1e-4, 1.6690), (1e-6, 2.2667), (1e-30, None)]
)
def test_three_hundred_steps(delta: float, exact: float | None) -> None:
    game = TwoLaws(0.01, math.log(9))
    upper = upper_end(EpsilonAt(delta), game, 300).upper
    assert two_laws(9.0, 0.01, 300, upper) <= delta < two_laws(9.0, 0.01, 300, 0.999 * upper)
    assert exact is None or exact < upper < 1.001 * exact


@pytest.mark.parametrize(
    ("odds", "rate", "steps"), [(1.5, 0.1, 60), (3.0, 0.5, 40), (9.0, 0.1, 80)]
)
@pytest.mark.parametrize("delta", [0.05, 1e-4, 1e-9, 1e-30])
@pytest.mark.parametrize("start", [0.003, 0.1])
@pytest.mark.slow
def test_macro_steps_are_above_the_exact_value(
    odds: float, rate: float, steps: int, delta: float, start: float
) -> None:
    """At every node of the lattice, whatever the start, down to a part of the δ asked for."""
    pair = TwoLaws(rate, math.log(odds)).pair(0.0)
    where = target(pair, steps, EpsilonAt(delta), start * steps * pair.variance)
    spacing, profile = macro.profile(pair, steps, start, where)
    last = int(np.flatnonzero(profile <= delta)[0])
    for k in np.unique(np.linspace(0, last, 6).astype(int)).tolist():
        truth = two_laws(odds, rate, steps, k * spacing)
        assert truth <= profile[k]
    if start == 0.003 and delta < 0.01:
        near = exact_epsilon(lambda e: two_laws(odds, rate, steps, e), delta, last * spacing)
        assert last * spacing < 1.06 * near + 0.2 * math.sqrt(steps * pair.variance)


@pytest.mark.parametrize("delta", [1e-12, 1e-20, 1e-29])
def test_small_losses_keep_their_digits(delta: float) -> None:
    """Losses of 0.001: there the chords' transform once lost half its digits, and the profile fell
    below the truth by half."""
    odds, rate, steps, start = 1.5, 0.003, 45, 0.02
    pair = TwoLaws(rate, math.log(odds)).pair(0.0)
    where = target(pair, steps, EpsilonAt(delta), start * steps * pair.variance)
    spacing, profile = macro.profile(pair, steps, start, where)
    for k in np.linspace(0, 0.8 * steps * pair.top / spacing, 12).astype(int).tolist():
        truth = two_laws(odds, rate, steps, k * spacing)
        assert truth <= profile[k]
        assert truth < 1e-13 or profile[k] < 1.7 * truth


@pytest.mark.parametrize(("odds", "rate", "steps"), [(1e4, 0.5, 260), (3000.0, 0.7, 300)])
@pytest.mark.slow
def test_losses_beyond_a_thousand(odds: float, rate: float, steps: int) -> None:
    """Weights at 0 are e^−200 and less there, and tilts lie between both ends."""
    game = TwoLaws(rate, math.log(odds))
    for delta in (1e-3, 1e-12):
        upper = upper_end(EpsilonAt(delta), game, steps).upper
        assert upper > 1200
        assert two_laws(odds, rate, steps, upper) <= delta
        assert two_laws(odds, rate, steps, 0.99 * upper) > delta


def directions(radius: float, angles: list[float]) -> Array:
    return radius * np.array([[math.cos(each), math.sin(each)] for each in angles])


def shapes_in_ball(radius: float) -> list[Array]:
    """y = x', right, isosceles and equilateral triangles of the great circle."""
    opposite = [0.0, 0.0, math.pi]
    third = [[math.pi / 2, a, math.pi - a] for a in (0.0, -0.2, -0.35, -math.pi / 6)]
    return [directions(radius, each) for each in [opposite, *third, [0.7, 0.0, math.pi]]]


def shapes_within(far: float) -> list[Array]:
    """From y = x' to the equilateral triangle."""
    turns = [0.0, 0.3, 0.6, 0.85, math.pi / 3]
    return [far * np.array([[math.cos(a), math.sin(a)], [0.0, 0.0], [1.0, 0.0]]) for a in turns]


def shapes_around_zero(near: float) -> list[Array]:
    """x' = 0, |x| = |y| = 1, from y = x to its opposite."""
    turns = [0.0, 0.8, 1.6, 2.4, math.pi]
    return [near * np.array([[math.cos(a), math.sin(a)], [1.0, 0.0], [0.0, 0.0]]) for a in turns]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "sigma", "rate", "steps"),
    [
        ("ball", 4.0, 0.5, 30),
        ("ball", 2.0, 0.1, 40),
        ("distance", 1.5, 0.1, 40),
        ("zero", 2.0, 0.2, 30),
    ],
)
def test_normal_games_are_above_brute_force(
    kind: str, sigma: float, rate: float, steps: int
) -> None:
    """Five shapes or six and their reverses, the best at every node, all rounded down."""
    unit = 1 / sigma
    shapes = {"ball": shapes_in_ball, "distance": shapes_within, "zero": shapes_around_zero}[kind]
    pairs = [normal_pair(rate, each, 160) for each in shapes(unit)]
    far = unit if kind == "distance" else 2 * unit
    game = GaussianTriples(rate, near=unit, far=far, zero_out=kind == "zero")
    deviation = math.sqrt(game.pair(1e-12).variance)
    spacing = deviation / 200
    x, value = rounded_down(pairs, steps, spacing, 12 * deviation * math.sqrt(steps) + 2)
    for delta in (1e-2, 1e-4, 1e-6):
        attained = float(x[np.flatnonzero(value > delta)[-1]])
        upper = upper_end(EpsilonAt(delta), game, steps).upper
        assert attained < upper < 1.05 * (attained + steps * spacing)
        assert upper_end(DeltaAt(attained), game, steps).upper > delta


FIXED = hs.WithoutReplacement(60, 60_000)


@pytest.mark.parametrize(
    ("step", "relation", "lower", "upper", "pair"),
    [
        ("RandomizedResponse.truthful(0.9)", None, 13.2732, 13.3136, 18.8019),
        ("Gaussian(1.0, replace_sensitivity=1.0)", None, 6.62, 6.6889, 7.90184),
        ("Gaussian(5.0, replace_sensitivity=1.0)", None, 0.7925, 0.7981, 0.85209),
        ("Gaussian(1.0)", None, 46.0227, 46.62, 63.7526),
        ("Gaussian(5.0)", None, 1.69698, 1.7095, 1.95841),
        ("Gaussian(2.0)", hs.ZERO_OUT, 3.634, 3.684, 4.00383),
        ("Gaussian(2.0, replace_sensitivity=1.9)", None, 5.473, 5.622, 7.16139),
        ("Gaussian(1.0, replace_sensitivity=1.8)", None, 33.32, 34.75, 40.65404),
    ],
)
@pytest.mark.slow
def test_long_runs(
    step: str, relation: hs.Relation | None, lower: float, upper: float, pair: float
) -> None:
    """γ = 0.001, 600 000 steps, δ = 1e-8: lower ends by explicit pairs, and the bound of pairs."""
    run = hs.parse(step).on(FIXED) * 600_000
    answer = run.epsilon(1e-8, relation=relation)
    assert answer.method == "game"
    assert answer == run.epsilon(1e-8, relation=relation, method="game")
    assert lower < answer.lower < answer < upper
    assert run.epsilon(1e-8, relation=relation, method="contour") == pytest.approx(pair, rel=1e-5)
    back = run.delta(answer, relation=relation)
    assert back.lower < 1e-8
    assert back == pytest.approx(1e-8, rel=1e-3)  # at another tilt other pairs stand for all


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sigma", "ratio", "size", "steps", "delta"),
    [(1.0, 1.74, 10, 100_000, 1e-8), (1.0, 1.85, 30, 5_000, 1e-6), (3.0, 1.95, 200, 2_000, 1e-5)],
)
def test_lower_ends_between_both_geometries(
    sigma: float, ratio: float, size: int, steps: int, delta: float
) -> None:
    """Two sides as long as may be: more than triangles of base √3 or r in the circle, and than
    y = x' alone; below the upper end."""
    sampler = hs.WithoutReplacement(size, 10_000)
    run = hs.Gaussian(sigma, replace_sensitivity=ratio).on(sampler) * steps
    answer = run.epsilon(delta)
    others = []
    for side in (math.sqrt(3), ratio):
        height = 1 + math.sqrt(1 - side**2 / 4)
        points = [(0.0, height / sigma), (side / 2 / sigma, 0.0), (-side / 2 / sigma, 0.0)]
        loss = normal_triple(sampler.fraction, *points)
        sides = both_ways([(loss, steps)])
        others.append(worst(sides, EpsilonAt(delta), "contour").lower)
    assert max(others) < answer.lower < answer < 1.1 * answer.lower


def epsilon(step: hs.Mechanism, rate: float, steps: int) -> float:
    sampler = hs.WithoutReplacement(round(rate * 10_000), 10_000)
    return float((step.on(sampler) * steps).epsilon(1e-6, method="game"))


@pytest.mark.slow
@pytest.mark.parametrize("step", [hs.RandomizedResponse(2.0), hs.Gaussian(2.0)], ids=str)
def test_more_of_anything_costs_more(step: hs.Mechanism) -> None:
    steps = [epsilon(step, 0.02, count) for count in (50, 100, 400, 3000, 20_000)]
    rates = [epsilon(step, rate, 500) for rate in (0.005, 0.01, 0.05, 0.3)]
    assert np.diff(steps).min() > 0
    assert np.diff(rates).min() > 0
    noises = [epsilon(hs.Gaussian(sigma), 0.02, 500) for sigma in (8.0, 3.0, 2.0, 1.2)]
    assert np.diff(noises).min() > 0


@pytest.mark.slow
def test_no_answer_is_worse_than_that_of_the_pair() -> None:
    """Also where the game is of no use: a single step, few, or steps far too uneven."""
    million = hs.WithoutReplacement(1, 1_000_000)
    half = hs.WithoutReplacement(5, 10)
    for run in (
        hs.Gaussian(1.0).on(million) * 1_000_000,
        hs.Gaussian(0.3).on(half) * 3,
        hs.Gaussian(2.0).on(half),
        hs.RandomizedResponse(3.0).on(half) * 4,
        hs.RandomizedResponse(3.0, 4).on(half) * 4,
        hs.Laplace(1.0).on(half) * 50,
    ):
        answer, pair = run.epsilon(1e-6), run.epsilon(1e-6, method="lattice")
        assert answer.lower <= answer <= pair * (1 + 1e-9)
        assert answer.lower >= pair.lower * (1 - 1e-9)
    assert (hs.Gaussian(1.0).on(million) * 1_000_000).epsilon(1e-6).method != "game"


def test_a_game_takes_a_sample_and_steps_that_are_alike() -> None:
    step = hs.Gaussian(2.0).on(FIXED)
    other = hs.Gaussian(3.0).on(FIXED)
    laplace = hs.Laplace(2.0).on(FIXED)
    for run in (step, step * 3 + other * 3, laplace * 9, hs.Gaussian(2.0) * 3):
        with pytest.raises(ParameterError, match="game"):
            run.epsilon(1e-6, method="game")
    with pytest.raises(ParameterError, match="game"):
        (step * 3).epsilon(1e-6, relation=hs.ADD_REMOVE, method="game")
    with pytest.raises(NumericalError, match="δ = 0"):
        (hs.RandomizedResponse(1.0).on(FIXED) * 3).epsilon(0.0, method="game")
    whole = hs.Gaussian(2.0).on(hs.WithoutReplacement(5, 5))
    assert (whole * 4).epsilon(1e-6, relation=hs.REPLACE_ONE).method != "game"


def test_a_third_answer_nearly_attains_the_bound_of_pairs() -> None:
    """ε0-DP mechanisms in general: randomized response of three answers, both ends near."""
    answer = (hs.PureDP(math.log(9)).on(FIXED) * 600_000).epsilon(1e-8)
    assert 17.742 < answer.lower < answer < 18.803
    three = hs.RandomizedResponse(math.log(9), 3).on(FIXED) * 600_000
    assert three.epsilon(1e-8) >= answer.lower * (1 - 1e-9)


def test_auto_plays_where_the_ends_of_pairs_are_apart() -> None:
    """Two moves: nearly exact in a hundredth of a second. Ends that are near each other stay."""
    response = hs.RandomizedResponse(2.0).on(hs.WithoutReplacement(1, 100)) * 200
    answer = response.epsilon(1e-6)
    assert answer.method == "game"
    assert answer < 1.01 * answer.lower < 0.9 * response.epsilon(1e-6, method="lattice")
    assert response.delta(answer) == pytest.approx(1e-6, rel=1e-3)
    most = hs.RandomizedResponse(2.0).on(hs.WithoutReplacement(999, 1000)) * 20
    assert most.epsilon(1e-6).method != "game"


def test_pairs_are_left_out_where_they_are_above_the_game() -> None:
    """By a guess: what is left out is above the answer, which is the game's, both ways."""
    step = hs.RandomizedResponse.truthful(0.9).on(hs.WithoutReplacement(60, 6000))
    run = step * 3000
    answer, pair = run.epsilon(1e-6), run.epsilon(1e-6, method="lattice")
    assert answer.method == "game"
    assert answer == run.epsilon(1e-6, method="game")
    assert answer.lower == pytest.approx(run.epsilon(1e-6, method="game").lower, rel=1e-9)
    assert 1.03 * answer < pair
    delta = run.delta(3.0)
    assert delta == run.delta(3.0, method="game") < 0.5 * run.delta(3.0, method="lattice")


@pytest.mark.slow
def test_pairs_are_asked_where_there_are_few_steps() -> None:
    """A saddle point says too much there: once the answer was 1 % above that of the pair."""
    run = hs.Gaussian(3.824).on(hs.WithoutReplacement(254, 10_000)) * 5
    assert run.epsilon(4.5e-9) <= run.epsilon(4.5e-9, method="lattice") <= 0.3363
