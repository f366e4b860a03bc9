"""Curves of a game: never below the exact value, near single answers, nowhere above the pair's."""

from __future__ import annotations

import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.loss.triples.two_laws import TwoLaws
from hockeystick.routes.game.curves import MOST_COUNTS, PlayedProfile, played_epsilons
from tests.oracles.games import two_laws

ODDS, RATE = 9.0, 0.1
GAME = TwoLaws(RATE, math.log(ODDS))


def test_a_profile_is_above_the_exact_one_and_near() -> None:
    """One lattice for all, a second where δ is below 1e-10."""
    epsilons = [0.0, 0.7, 3.0, 6.0, 14.0]
    upper = PlayedProfile(GAME, 60).upper(epsilons)
    for epsilon, delta in zip(epsilons, upper.tolist(), strict=True):
        truth = two_laws(ODDS, RATE, 60, epsilon)
        assert truth <= delta <= 1.01 * truth + 1e-35
    assert PlayedProfile(GAME, 60).upper([math.inf])[0] <= 1


@pytest.mark.slow
def test_many_counts_share_a_lattice() -> None:
    counts = np.array([1, 5, 110, 130, 160, 200])
    upper = played_epsilons(GAME, 1e-6, counts)
    assert upper[0] == upper[1:3].min()  # one step is no game, but costs no more than many
    for count, epsilon in zip(counts[2:].tolist(), upper[2:].tolist(), strict=True):
        assert two_laws(ODDS, RATE, count, epsilon) <= 1e-6
        assert two_laws(ODDS, RATE, count, 0.95 * epsilon) > 1e-6


@pytest.mark.slow
def test_counts_between_are_answered_by_the_next() -> None:
    counts = np.arange(110, 210)
    upper = played_epsilons(GAME, 1e-6, counts)
    assert np.diff(upper).min() >= 0
    assert MOST_COUNTS <= np.unique(upper).size < counts.size
    for i in (0, 31, 99):
        assert two_laws(ODDS, RATE, int(counts[i]), float(upper[i])) <= 1e-6


@pytest.mark.slow
def test_curves_of_a_mechanism_take_the_smaller_end() -> None:
    step = hs.Gaussian(2.0).on(hs.WithoutReplacement(10, 1000))
    run = step * 4000
    epsilons = [0.0, 1.0, 3.0, 5.0]
    curve, pair = run.profile(epsilons), run.profile(epsilons, method="contour")
    assert curve.method == "game"
    assert (curve.lower <= curve.upper).all()
    assert (curve.upper < 0.95 * pair.upper).all()
    singles = [run.delta(each) for each in epsilons]
    # A curve has one pair for all its points, which for some may be larger than their own.
    assert (curve.upper >= np.array(singles, dtype=float) * (1 - 1e-3)).all()
    assert curve.upper == pytest.approx(np.array(singles, dtype=float), rel=0.12)
    errors, by_pair = run.tradeoff([0.05, 0.3]), run.tradeoff([0.05, 0.3], method="contour")
    assert (errors.lower > 1.05 * by_pair.lower).all()
    assert (errors.lower <= errors.upper).all()
    counts = [1, 300, 2000, 4000]
    steps = step.epsilons(1e-6, counts)
    single = np.array([float((step * count).epsilon(1e-6)) for count in counts])
    assert steps.upper == pytest.approx(single, rel=0.006)
    assert (steps.lower <= steps.upper).all()


def test_a_curve_without_a_game_is_that_of_the_pair() -> None:
    step = hs.RandomizedResponse(1.0, 3).on(hs.WithoutReplacement(1, 10))
    assert "game" not in (step * 20).profile([0.1, 0.5]).method
    binary = hs.RandomizedResponse(1.0).on(hs.WithoutReplacement(1, 10))
    assert "game" not in binary.profile([0.1]).method  # one step
    assert binary.epsilons(0.0, [1, 5]).upper.tolist() == pytest.approx(
        [math.log1p(0.1 * math.expm1(1.0)), 5 * math.log1p(0.1 * math.expm1(1.0))]
    )
