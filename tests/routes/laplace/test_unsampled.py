"""Laplace noise on all records: the sum over splines against residues, and where it hands over."""

from __future__ import annotations

import math
import random

import mpmath
import numpy as np
import pytest

import hockeystick as hs
from hockeystick.errors import NumericalError
from hockeystick.loss.sum import ComposedLoss
from hockeystick.routes.contour import route as contour
from hockeystick.routes.grid import route as grid
from hockeystick.routes.laplace import unsampled
from tests.oracles.laplace_sums import delta_of, epsilon_of


def of_laplace(noise: float, steps: int) -> ComposedLoss:
    return ComposedLoss([(hs.Laplace(noise).evidence(hs.ADD_REMOVE).loss, steps)])


def random_cases(seed: int, count: int, most: int) -> list[tuple[float, int, float]]:
    draw = random.Random(seed)
    return [
        (10 ** draw.uniform(-1, 2), draw.randint(2, most), 10 ** -draw.choice([2, 5, 9, 30, 100]))
        for _ in range(count)
    ]


@pytest.mark.parametrize(("noise", "steps", "delta"), random_cases(1, 12, 12))
def test_both_ends_hold_the_truth(noise: float, steps: int, delta: float) -> None:
    check_epsilon(noise, steps, delta)


@pytest.mark.slow
@pytest.mark.parametrize(("noise", "steps", "delta"), random_cases(2, 60, 40))
def test_both_ends_hold_the_truth_of_more_steps(noise: float, steps: int, delta: float) -> None:
    check_epsilon(noise, steps, delta)


def check_epsilon(noise: float, steps: int, delta: float) -> None:
    shift = 1 / noise
    answer = unsampled.epsilon(of_laplace(noise, steps), delta)
    with mpmath.workdps(int(70 + 2 * steps - math.log10(delta) + steps * shift)):
        truth = epsilon_of(shift, steps, delta)
        assert answer.lower <= truth <= answer.upper
    assert answer.upper - answer.lower <= 1e-11 * max(answer.upper, 1e-3)


@pytest.mark.parametrize("delta", [5e-324, 1e-310, 1e-200])
@pytest.mark.parametrize(
    ("noise", "rate", "steps"),
    [(0.05, 1.0, 100), (1.0, 1.0, 400), (0.3, 0.1, 100), (20.0, 0.01, 30)],
)
def test_a_delta_next_to_nothing_is_met_at_the_largest_loss(
    noise: float, rate: float, steps: int, delta: float
) -> None:
    """log(1 − δ/P[top]) below it, or less: sampled or not."""
    found = (hs.Laplace(noise).on(hs.Poisson(rate)) * steps).epsilon(delta)
    with mpmath.workdps(400):
        q, ratio = mpmath.mpf(rate), mpmath.exp(1 / mpmath.mpf(noise))
        top = steps * mpmath.log(1 - q + q * ratio)
        mass = ((1 - q) / ratio / 2 + q / 2) ** steps
        least = top + mpmath.log(1 - mpmath.mpf(delta) / mass)
    assert found.lower <= top
    assert least <= found.upper
    assert found.upper - found.lower <= 1e-13 * found.upper


@pytest.mark.parametrize("part", [0.0, 0.3, 0.5, 0.9, 0.999999, 1 - 1e-12])
@pytest.mark.parametrize(("noise", "steps"), [(1.0, 3), (7.0, 15), (0.2, 8)])
def test_delta_has_its_digits_up_to_the_largest_loss(noise: float, steps: int, part: float) -> None:
    epsilon = part * steps / noise
    answer = unsampled.delta(of_laplace(noise, steps), epsilon)
    with mpmath.workdps(150):
        truth = delta_of(1 / noise, steps)(mpmath.mpf(epsilon))
        assert answer.lower <= truth <= answer.upper
    near = 1e-15 * epsilon / (steps / noise - epsilon)  # the last digit of ε itself
    assert answer.upper - answer.lower <= (1e-11 + 100 * near) * answer.upper


@pytest.mark.parametrize("factor", [1e-30, 1e-6, 0.5, 1 - 1e-9, 1 + 1e-9, 2, 1e3])
def test_a_delta_around_the_mass_of_the_largest_loss(factor: float) -> None:
    check_epsilon(1.0, 10, 2.0**-10 * factor)


def test_the_answers_that_were_open() -> None:
    rare = (hs.Laplace(1.0) * 3).epsilon(1e-20)
    assert rare.lower <= 3 <= rare.upper
    assert rare.upper - rare.lower < 1e-13
    usual = (hs.Laplace(12.0) * 150).epsilon(1e-7)
    assert usual.method == "closed form"
    assert usual == pytest.approx(5.2965460420394, abs=1e-12)
    assert usual.upper - usual.lower < 1e-11


def test_a_delta_that_is_met_at_zero() -> None:
    loss = of_laplace(100.0, 2)
    at_zero = unsampled.delta(loss, 0.0)
    assert unsampled.epsilon(loss, at_zero.upper * 1.01)[:2] == (0.0, 0.0)
    assert unsampled.epsilon(loss, at_zero.lower * 0.99).lower > 0


def test_where_it_hands_over_to_the_contour() -> None:
    """Between 90 and 120 levels either may answer; the two agree, and beyond the contour does."""
    both = 0
    for steps in range(100, 1000, 60):
        loss = of_laplace(6.0, steps)
        answers = []
        for route in (unsampled, contour):
            try:
                answers.append(route.epsilon(loss, 1e-8))
            except NumericalError:
                continue
        assert answers
        assert all(each.upper - each.lower < 1e-9 for each in answers)
        assert answers[0].lower <= answers[-1].upper
        assert answers[-1].lower <= answers[0].upper
        both += len(answers) == 2
    assert both >= 2


@pytest.mark.slow
def test_the_grid_says_the_same() -> None:
    draw = random.Random(3)
    for _ in range(60):
        noise, steps = 10 ** draw.uniform(-0.5, 2), draw.randint(2, 600)
        delta = 10 ** draw.uniform(-12, -2)
        loss = of_laplace(noise, steps)
        try:
            sharp, wide = unsampled.epsilon(loss, delta), grid.epsilon(loss, delta)
        except NumericalError:
            continue
        assert sharp.lower <= wide.upper
        assert wide.lower <= sharp.upper


@pytest.mark.slow
def test_more_steps_and_less_noise_cost_more() -> None:
    by_steps = [(hs.Laplace(5.0) * n).epsilon(1e-6) for n in range(1, 260, 7)]
    assert all(np.diff(by_steps) > 0)
    by_noise = [(hs.Laplace(b) * 60).epsilon(1e-6) for b in np.linspace(0.4, 40, 40)]
    assert all(np.diff(by_noise) < 0)
