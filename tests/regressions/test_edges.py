"""Edges of the domain at which an answer was not a number, or 0, or an error of Python's own."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest

import hockeystick as hs
from hockeystick.loss.mixed import mixed
from hockeystick.loss.points import pair_of, side_through
from hockeystick.numerics.binomial import binomial_above


def test_a_curve_known_at_infinity_alone_says_nothing_better_at_order_one() -> None:
    known = hs.RenyiDP({math.inf: 1.0})
    assert known.rdp(1.0) == known.rdp(2.0) == 1.0
    assert hs.RenyiDP({2.0: 0.5, math.inf: 0.3}).rdp(1.0) == 0.3
    assert hs.RenyiDP({2.0: 0.5}).rdp(1.0) == 0.5


def test_divergences_that_do_not_exist_on_a_labelled_sample() -> None:
    run = hs.GammaPosterior.public_rate(2.0).on(hs.TruncatedPoisson(0.1, 3, 10))
    found = run.rdp([1.5, 2.0, 5.0])
    assert np.isfinite(found.upper[:2]).all()
    assert math.isinf(found.upper[2])  # from the order k/c + 1 = 3 on


@pytest.mark.slow
@pytest.mark.parametrize("rate", [1e-310, 1e-300, 1e-200])
def test_rates_whose_inverse_overflows(rate: float) -> None:
    answer = hs.Gaussian(1.0).on(hs.Poisson(rate)).delta(0.0)
    truth = rate * math.erf(0.5 / math.sqrt(2))
    assert answer.lower <= truth * (1 + 1e-12)
    assert answer.upper == pytest.approx(truth, rel=1e-11)


@pytest.mark.parametrize(
    ("count", "trials", "chance"),
    [(5, 100, 0.01), (50, 60_000, 1e-4), (10, 1000, 1e-6), (2010, 2 * 10**12, 1e-9)],
)
def test_binomial_tails(count: int, trials: int, chance: float) -> None:
    with mp.workdps(40):
        p = mp.mpf(chance)
        # from the largest term of the tail on, each by its ratio to the one before
        term = mp.binomial(trials, count + 1) * p ** (count + 1) * (1 - p) ** (trials - count - 1)
        truth, k = mp.mpf(0), count + 1
        while term > truth * mp.mpf(10) ** -25 and k <= trials:
            truth += term
            term *= mp.mpf(trials - k) / (k + 1) * p / (1 - p)
            k += 1
    assert binomial_above(count, trials, chance) == pytest.approx(float(truth), rel=1e-11)


def test_populations_of_many_digits() -> None:
    full = hs.TruncatedPoisson(0.5, 10**9, 2 * 10**12)
    assert full.full == 1.0
    answer = hs.Gaussian(1.0).on(full).epsilon(1e-5)
    # A thousandth of the records, whoever else is drawn: no less than on a Poisson sample.
    assert answer >= hs.Gaussian(1.0).on(hs.Poisson(0.0005)).epsilon(1e-5)
    assert answer < 1


def test_shifts_whose_square_underflows() -> None:
    answer = hs.GaussianPair([3e-200, 4e-200], np.eye(2), [0, 0], np.eye(2)).delta(0.0)
    assert answer.upper == pytest.approx(5e-200 / math.sqrt(2 * math.pi), rel=1e-12)


@pytest.mark.parametrize("size", [7, 1000, 1001, 10**12])
def test_groups_of_concentrated_releases(size: int) -> None:
    """ξ·k·H_k, never less and within 1e-6 of it."""
    with mp.workdps(30):
        truth = size * mp.harmonic(size)
    found = hs.ZeroConcentratedDP(0.0, 1.0).group(size)
    assert isinstance(found, hs.ZeroConcentratedDP)
    assert float(truth) * (1 - 1e-15) <= found.xi <= float(truth) * (1 + 1e-6)


@pytest.mark.parametrize("top", [0.5, 3.0, 10.0])
def test_points_leave_nothing_where_the_curve_leaves_nothing(top: float) -> None:
    """Randomized response: two losses, and no mass that one law has and the other has not."""
    u = np.linspace(0.0, top, 101)
    p = 1 / (1 + math.exp(-top))
    h = -p * np.expm1(u - top)
    loss = pair_of(side_through(u, h))
    assert loss.void == 0
    assert loss.infinite == 0
    assert loss.atoms.p[-1] == pytest.approx(p, rel=1e-12)
    assert mixed(loss, 0.1).atoms.losses.size == loss.atoms.losses.size


@pytest.mark.slow
def test_moments_that_do_not_exist_in_an_epoch() -> None:
    """E[(Λ₁ + … + Λ_t)³]/t³ by the moments of one ratio; from the order 3.5 on there is none."""
    pair, t = hs.GaussianPair(0.5, 1.4, 0.0, 1.0), 10
    found = pair.on(hs.RandomAllocation(t)).rdp([2.0, 3.0, 4.0, 6.5])
    second, third = (math.exp((a - 1) * pair.rdp(float(a))) for a in (2, 3))
    truth = (t * third + 3 * t * (t - 1) * second + t * (t - 1) * (t - 2)) / t**3
    assert found.upper[0] == pytest.approx(math.log1p((second - 1) / t), rel=1e-9)
    assert found.upper[1] == pytest.approx(math.log(truth) / 2, rel=1e-9)
    assert np.isinf(found.upper[2:]).all()


@pytest.mark.parametrize("steps", [1, 3])
def test_pure_noise_of_many_values_keeps_its_largest_loss(steps: int) -> None:
    """Zeroed out of a sample of fixed size: once inf at a δ of 1e-30, as rounding left some of a
    curve beyond its end."""
    step = hs.DiscreteLaplace(2.0, 40).on(hs.WithoutReplacement(50, 1000))
    answer = (step * steps).epsilon(1e-30, relation=hs.ZERO_OUT)
    assert 0.03 * steps < answer.lower <= answer.upper < 0.0825 * steps
