"""A record zeroed out of a sample of fixed size, with Laplace noise: no three answers are worse
than those in line, with nothing between the record and what is drawn instead."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate

import hockeystick as hs
from hockeystick.numerics.types import Array

ZEROED = hs.ZERO_OUT


def masses(scale: float, wide: int, moved: int = 0) -> Array:
    """Of discrete Laplace noise at −wide … wide."""
    x = np.arange(-wide, wide + 1)
    return np.asarray(math.tanh(1 / (2 * scale)) * np.exp(-np.abs(x - moved) / scale))


def hockey_stick(p: Array, q: Array, epsilon: float) -> float:
    return math.fsum(np.maximum(p - math.exp(epsilon) * q, 0.0))


@pytest.mark.parametrize("move", [1, 3])
@pytest.mark.parametrize(("size", "population"), [(1, 100), (50, 1000), (9, 10)])
def test_one_step_in_line_attains_it(move: int, size: int, population: int) -> None:
    scale, wide, rate = 1.5 * move, 60 * move, size / population
    rest, record, nothing = (masses(scale, wide, k * move) for k in (-1, 1, 0))
    p, q = ((1 - rate) * rest + rate * each for each in (record, nothing))
    step = hs.DiscreteLaplace(1.5, move).on(hs.WithoutReplacement(size, population))
    for epsilon in (0.0, 0.01, 0.2, 0.5):
        truth = hockey_stick(p, q, epsilon)
        assert step.delta(epsilon, relation=ZEROED).upper == pytest.approx(
            truth, rel=1e-9, abs=1e-13
        )


@pytest.mark.parametrize("rate", [0.01, 0.3])
@pytest.mark.parametrize("noise", [0.2, 1.5])
def test_laplace_noise_by_integrals(noise: float, rate: float) -> None:
    move = 1 / noise

    def density(x: float, drawn: float) -> float:
        return ((1 - rate) * math.exp(-abs(x + move)) + rate * math.exp(-abs(x - drawn))) / 2

    step = hs.Laplace(noise).on(hs.WithoutReplacement(round(1000 * rate), 1000))
    for epsilon in (0.0, 0.02, 0.1):

        def excess(x: float, growth: float = math.exp(epsilon)) -> float:
            return max(density(x, move) - growth * density(x, 0.0), 0.0)

        places = [-40 - move, -move, 0, move / 2, move, 40 + move]
        parts = [
            integrate.quad(excess, low, high, limit=400, epsabs=1e-12)[0]
            for low, high in pairwise(places)
        ]
        found, truth = step.delta(epsilon, relation=ZEROED), math.fsum(parts)
        assert found.upper == pytest.approx(truth, rel=1e-6, abs=1e-10)
        assert found.lower == pytest.approx(truth, rel=1e-4, abs=1e-10)  # attained


@pytest.mark.parametrize("seed", range(8))
def test_nothing_made_of_three_answers_is_worse(seed: int) -> None:
    """Answers on the batch with the record, without its contribution, and with another one in its
    place, anywhere in the plane, and seen through a channel."""
    rng = np.random.default_rng(seed)
    noise, size = float(rng.uniform(0.4, 2.0)), int(rng.integers(1, 100))
    one = masses(noise, 25)
    plane = np.multiply.outer(one, one)
    moves = [(0, 0), *rng.permutation([(1, 0), (-1, 0), (0, 1), (0, -1)])[:2].tolist()]
    channel = rng.dirichlet(np.full(6, 0.05), plane.size)
    nothing, record, other = (np.roll(plane, m, axis=(0, 1)).ravel() @ channel for m in moves)
    p, q = (((100 - size) * other + size * each) / 100 for each in (record, nothing))
    step = hs.DiscreteLaplace(noise).on(hs.WithoutReplacement(size, 100))
    for epsilon in np.linspace(0, 1.5, 16):
        bound = step.delta(float(epsilon), relation=ZEROED).upper
        assert hockey_stick(p, q, epsilon) <= bound + 1e-12
        assert hockey_stick(q, p, epsilon) <= bound + 1e-12


@pytest.mark.parametrize("steps", [2, 4])
def test_several_steps_against_all_their_outcomes(steps: int) -> None:
    """What two data sets attain is below the upper end, and not far."""
    move, scale, wide, rate = 1, 1.0, 30, 0.3
    rest, record, nothing = (masses(scale, wide, k * move) for k in (-1, 1, 0))
    p, q = ((1 - rate) * rest + rate * each for each in (record, nothing))
    _, place = np.unique(np.round(np.log(p / q), 12), return_inverse=True)
    each_p, each_q = np.bincount(place, p), np.bincount(place, q)
    all_p, all_q = np.ones(1), np.ones(1)
    for _ in range(steps):
        all_p, all_q = np.outer(all_p, each_p).ravel(), np.outer(all_q, each_q).ravel()
    run = hs.DiscreteLaplace(scale).on(hs.WithoutReplacement(3, 10)) * steps
    for epsilon in (0.1, 0.6):
        truth = max(hockey_stick(all_p, all_q, epsilon), hockey_stick(all_q, all_p, epsilon))
        upper = run.delta(epsilon, relation=ZEROED).upper
        assert truth * (1 - 1e-9) <= upper <= 1.4 * truth


def test_what_it_saves() -> None:
    """Ten steps were between 1.195 and 1.551, a thousand with large losses at most 1337.9."""
    sampler = hs.WithoutReplacement(50, 1000)
    few = (hs.Laplace(1.0).on(sampler) * 10).epsilon(1e-6, relation=ZEROED)
    assert 1.195 < few.lower <= few.upper < 1.207
    many = (hs.Laplace(0.1).on(sampler) * 1000).epsilon(1e-6, relation=ZEROED)
    assert 776.5 < many.lower <= many.upper < 777.1
