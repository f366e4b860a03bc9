"""The best of several runs: against every order of few outcomes, and against simulation."""

from __future__ import annotations

import itertools
import math
from functools import cache
from typing import Any

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import RepeatAndSelect
from hockeystick.learn import draw_trials, tuning_cost

SHAPES = [-0.5, 0.0, 1.0, 2.5, math.inf]


def generating(z: Any, mean: float, shape: float) -> Any:
    """E[z^K] in closed form, with a root finder of its own for γ."""
    if math.isinf(shape):
        return np.exp(mean * (z - 1))
    gamma = _gamma(mean, shape)
    if shape == 0:
        return np.log1p(-(1 - gamma) * z) / math.log(gamma)
    return ((1 - (1 - gamma) * z) ** -shape - 1) / (gamma**-shape - 1)


@cache
def _gamma(mean: float, shape: float) -> float:
    from scipy.optimize import brentq

    def expected(log: float) -> float:
        g = math.exp(log)
        return (1 / g - 1) / -log if shape == 0 else shape * (1 - g) / (g * (1 - g**shape))

    return math.exp(brentq(lambda log: expected(log) - mean, -60, -1e-9, xtol=1e-14))


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "mean"), [*zip(SHAPES, [1.5, 6.0, 6.0, 3.0, 2.0], strict=True)])
def test_every_order_of_few_outcomes(shape: float, mean: float) -> None:
    """Three reports of randomized response, each split in two by a coin: 720 orders."""
    p = np.repeat([0.6, 0.2, 0.2], 2) / 2
    q = np.repeat([0.2, 0.6, 0.2], 2) / 2
    best = RepeatAndSelect(hs.RandomizedResponse(math.log(3), 3), mean, shape)
    at = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5]
    truth = np.zeros(len(at))
    for order in itertools.permutations(range(6)):
        one, other = (
            np.diff(generating(np.append(0.0, np.cumsum(m[list(order)])), mean, shape))
            for m in (p, q)
        )
        gains = np.maximum(0.0, one - np.exp(at)[:, None] * other).sum(axis=1)
        truth = np.maximum(truth, gains)
    answers = [best.delta(epsilon) for epsilon in at]
    assert all(t <= a.upper + 1e-9 for t, a in zip(truth, answers, strict=True))
    ends = [best.epsilon(1e-3), best.epsilon(0.0)]
    assert all(end.lower <= end.upper <= (2 + shape) * math.log(3) for end in ends)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("move", "shape", "lower", "upper", "renyi"),
    [
        (0.5, 1.0, 3.22, 3.382515, 4.544928),
        pytest.param(0.5, 0.0, 3.06, 3.173862, 3.868386, marks=pytest.mark.slow),
        pytest.param(0.2, 1.0, 1.21, 1.291766, 1.813467, marks=pytest.mark.slow),
        pytest.param(0.2, 0.0, 1.15, 1.207569, 1.512850, marks=pytest.mark.slow),
        pytest.param(1.0, 1.0, 6.85, 7.080316, 8.962793, marks=pytest.mark.slow),
        pytest.param(1.0, 0.0, 6.51, 6.675911, 7.859710, marks=pytest.mark.slow),
    ],
)
def test_gaussian_runs(move: float, shape: float, lower: float, upper: float, renyi: float) -> None:
    """The formula with a search of its own, and Papernot and Steinke's curve, at δ = 1e-6."""
    answer = RepeatAndSelect(hs.Gaussian(1 / move), 10.0, shape).epsilon(1e-6)
    assert lower < answer.lower
    assert answer == pytest.approx(upper, abs=3e-5)
    assert tuning_cost(hs.Gaussian(1 / move), 10, delta=1e-6, shape=shape) == pytest.approx(
        renyi, rel=1e-5
    )


@pytest.mark.slow
def test_poisson_is_bounded_by_its_renyi_curve() -> None:
    answer = RepeatAndSelect(hs.Gaussian(2.0), 10.0, math.inf).epsilon(1e-6)
    assert answer == pytest.approx(4.252490, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("shape", [0.0, 1.0])
def test_the_lower_end_is_reached_by_a_program(shape: float) -> None:
    """Runs whose score is their loss if that is positive, and more if it is not."""
    rng = np.random.default_rng(7)
    best = RepeatAndSelect(hs.RandomizedResponse(0.8), 4.0, shape)
    epsilon = 1.2
    kept: dict[int, Any] = {}
    coins = 200_000
    trials = [draw_trials(4.0, shape=shape, rng=rng) for _ in range(coins)]
    chance = 1 / (1 + math.exp(-0.8))
    for truth in (0, 1):
        scores = np.zeros(coins)
        for round_ in range(max(trials)):
            runs = np.array(trials) > round_
            good = rng.random(coins) < (chance if truth else 1 - chance)
            score = np.where(good, rng.random(coins), 2.0)
            scores = np.where(runs, np.maximum(scores, score), scores)
        kept[truth] = scores
    edges = np.linspace(0, 1, 40)
    gains = [
        np.mean((kept[1] >= low) & (kept[1] < 1))
        - math.exp(epsilon) * np.mean((kept[0] >= low) & (kept[0] < 1))
        for low in edges
    ]
    answer = best.delta(epsilon)
    noise = 6 * math.exp(epsilon) / math.sqrt(coins)
    assert max(gains) - noise < answer.upper
    assert abs(max(gains) - answer.lower) < noise


@pytest.mark.slow
def test_runs_of_many_steps() -> None:
    run = hs.Gaussian(1.0).on(hs.Poisson(0.01)) * 1000
    answer = RepeatAndSelect(run, 10.0).epsilon(1e-6)
    assert run.epsilon(1e-7) < answer < 0.75 * tuning_cost(run, 10, delta=1e-6)


@pytest.mark.slow
def test_composed() -> None:
    one = RepeatAndSelect(hs.Gaussian(8.0), 10.0)
    assert one.epsilon(1e-6) < (one * 4).epsilon(1e-6) < 4 * one.epsilon(1e-6 / 4)


def test_extremes_and_text() -> None:
    assert RepeatAndSelect(hs.Gaussian(math.inf), 10.0).epsilon(0) == 0.0
    assert RepeatAndSelect(hs.Gaussian(0.0), 10.0).epsilon(0.5) == math.inf
    leak = RepeatAndSelect(hs.ApproximateDP(0.5, 1e-4), 10.0)
    assert leak.epsilon(1e-4) == math.inf
    assert leak.epsilon(2e-3) < 1.5
    curve = RepeatAndSelect(hs.ZeroConcentratedDP(0.1), 10.0)
    assert curve.epsilon(1e-6) == pytest.approx(
        tuning_cost(hs.ZeroConcentratedDP(0.1), 10, delta=1e-6), rel=1e-6
    )
    run = RepeatAndSelect(hs.Gaussian(1.0).on(hs.Poisson(0.01)) * 10, 5.0, shape=0.5)
    assert hs.parse(repr(run * 2)) == run * 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("Gaussian(1)", 10.0), "mechanism must be a Mechanism"),
        ((hs.Gaussian(1.0), 0.5), "mean must be in"),
        ((hs.Gaussian(1.0), math.nan), "mean must be in"),
        ((hs.Gaussian(1.0), 1.0), "above 1"),
        ((hs.Gaussian(1.0), 10.0, -1.0), "shape must be in"),
    ],
)
def test_bad_arguments(arguments: Any, said: str) -> None:
    with pytest.raises(hs.ParameterError, match=said):
        RepeatAndSelect(*arguments)


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 50])
def test_losses_that_no_float_holds_are_not_lost(count: int) -> None:
    """The best of several runs costs no less than one: here δ is far from small at any ε."""
    run = hs.Gaussian(0.01) * count
    best = hs.RepeatAndSelect(run, mean=10)
    assert best.epsilon(1e-6).upper >= run.epsilon(1e-6).lower > 5000


@pytest.mark.slow
def test_a_curve_of_a_theorem_is_no_lower_end() -> None:
    """Near order 1 the theorem says 23 000, where no divergence is above those of larger orders.
    What is attained is more than one release costs."""
    run = hs.RepeatAndSelect(hs.Gaussian(3.0), mean=10.0, shape=1.0)
    near, two = run.rdp([1.0001, 2.0]), run.rdp(2.0)
    assert near.upper.tolist() == [two.upper, two.upper]
    alone = run.rdp(1.0001)
    assert 0 < near.lower[0] <= alone.lower < two.upper < alone.upper
    assert hs.Gaussian(3.0).rdp(1.0001).lower <= near.lower[0] * (1 + 1e-9)
