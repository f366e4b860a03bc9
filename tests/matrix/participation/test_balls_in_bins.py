"""Balls in bins: between ends that a simulation confirms."""

from __future__ import annotations

import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.matrix.participation.balls_in_bins import _log_moment


def normalised(*c: float) -> tuple[float, ...]:
    return tuple(x / math.hypot(*c) for x in c)


CASES = [
    (hs.matrix.toeplitz(8, normalised(1, 0.5)), 1.0, 4, 1.0, 0.13774, 0.16705, 0.08628),
    (hs.matrix.toeplitz(8, normalised(1, 0.5)), 1.0, 4, 4.0, 3.168e-4, 4.689e-4, 1.126e-4),
    (hs.matrix.toeplitz(100, normalised(1, 0.5, 0.25, 0.125)), 6.0, 10, 0.5, 4.983e-3, 9.81e-3,
     1.85e-4),
    (hs.matrix.square_root(64), 3.0, 16, 1.0, 0.15362, 0.18586, 0.11727),
    (hs.matrix.square_root(64), 3.0, 16, 3.0, 3.432e-3, 7.31e-3, 1.11e-3),
]  # fmt: skip
"""Strategy, noise, bins, ε; δ by simulation, and both ends by another program."""


@pytest.mark.slow
@pytest.mark.parametrize(("strategy", "noise", "bins", "epsilon", "truth", "upper", "lower"), CASES)
def test_between_both_ends(
    strategy: hs.matrix.Strategy,
    noise: float,
    bins: int,
    epsilon: float,
    truth: float,
    upper: float,
    lower: float,
) -> None:
    answer = hs.Correlated(strategy, noise, hs.BallsInBins(bins)).delta(epsilon)
    assert answer.lower < truth < answer.upper
    assert answer.upper < 1.08 * upper
    assert answer.lower == pytest.approx(lower, rel=4e-3)
    known = hs.Correlated(strategy, noise, hs.MinSeparated(every=bins)).delta(epsilon)
    assert answer.upper < known.upper


@pytest.mark.slow
def test_independent_noise_is_random_allocation() -> None:
    """C = 1, two epochs: N(√2) in one of 4 bins."""
    run = hs.Correlated(hs.matrix.identity(8), 2.0, hs.BallsInBins(4))
    same = hs.Gaussian(2.0 / math.sqrt(2)).on(hs.RandomAllocation(4))
    for epsilon in (0.25, 1.0):
        one, other = run.delta(epsilon), same.delta(epsilon)
        assert one.upper == pytest.approx(other.upper, rel=1e-5)
        assert one.lower == pytest.approx(other.lower, rel=1e-5)


def test_the_lower_end_where_the_diagonal_is_least() -> None:
    """Means √0.5 and √2 along one line: τ must not exceed the least entry of the diagonal."""
    strategy = hs.matrix.dense([[math.sqrt(0.5), math.sqrt(2.0)]])
    answer = hs.Correlated(strategy, 1.0, hs.BallsInBins(2)).delta(0.5)
    x = np.linspace(-12, 12, 200_001)
    density = [np.exp(-0.5 * (x - m) ** 2) / math.sqrt(2 * math.pi) for m in (0, 0.5**0.5, 2**0.5)]
    mixed = (density[1] + density[2]) / 2
    sides = [
        float(np.trapezoid(np.maximum(one - math.exp(0.5) * other, 0), x))
        for one, other in ((mixed, density[0]), (density[0], mixed))
    ]
    assert answer.lower <= max(sides) <= answer.upper
    assert answer.lower > 0.4 * max(sides)


@pytest.mark.slow
def test_replaced_records() -> None:
    run = hs.Correlated(hs.matrix.square_root(16), 4.0, hs.BallsInBins(4))
    removed, replaced = run.delta(1.0), run.delta(1.0, relation=hs.REPLACE_ONE)
    assert removed.upper < replaced.upper
    known = hs.Correlated(hs.matrix.square_root(16), 4.0, hs.MinSeparated(every=4))
    assert replaced.upper <= known.delta(1.0, relation=hs.REPLACE_ONE).upper
    assert replaced.lower > 0


@pytest.mark.parametrize("order", [2, 3, 6])
def test_moments_of_a_mean_of_ratios(order: int) -> None:
    """By the quadrature of two ratios."""
    z, w = np.polynomial.hermite_e.hermegauss(80)
    ratio = np.exp(0.6 * z - 0.18)
    mean = (ratio[:, None] + ratio) / 2
    truth = float((w[:, None] * w * mean**order).sum() / (2 * math.pi))
    assert _log_moment(0.36, 2, order) == pytest.approx(math.log(truth), rel=1e-10)
