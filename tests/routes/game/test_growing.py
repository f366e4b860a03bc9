"""One run of the game through all numbers of steps, and very many steps at once."""

from __future__ import annotations

import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.evidence import known
from hockeystick.loss.triples.two_laws import TwoLaws
from hockeystick.routes.game import growing, one_shot
from hockeystick.routes.game.route import upper_end
from hockeystick.routes.game.stage import reflected, values
from hockeystick.routes.question import EpsilonAt

GAME = TwoLaws(rate=0.01, epsilon=math.log(9))


def test_a_run_is_near_the_walk_and_not_below_it() -> None:
    """The walk is nearly exact: 300 steps at δ = 1e-6 cost 2.2667."""
    counts = [150, 300, 1000]
    found = growing.epsilons(GAME, 1e-6, counts)
    for count, epsilon in zip(counts, found.tolist(), strict=True):
        walked = upper_end(EpsilonAt(1e-6), GAME, count).upper
        assert walked * (1 - 1e-3) <= epsilon <= walked * 1.05


def test_a_coarser_stage_is_nowhere_smaller_and_near() -> None:
    k = np.arange(1, 400)
    stage = reflected(5, -((0.02 * k) ** 2) / 2 - 5.0, 1e-12, 0.02)
    fine, coarse = values(stage, 0.02), values(growing.coarser(stage, 0.02), 0.04)
    assert (coarse[: fine[::2].size] >= fine[::2] * (1 - 1e-12)).all()
    assert coarse[: fine[::2].size] == pytest.approx(fine[::2], rel=1e-2, abs=1e-9)


def test_one_shot_is_above_what_is_attained_by_little() -> None:
    """Two laws: the pair of one direction alone costs 43 418 after 81 551 steps."""
    game = TwoLaws(rate=0.5, epsilon=math.log(9))
    assert 43_418 < one_shot.upper_end(game, 1e-8, 81_551) < 43_418 * 1.001


def test_one_shot_says_nothing_of_few_steps() -> None:
    assert one_shot.upper_end(GAME, 1e-6, 100) == math.inf


def test_single_answers_take_one_shot_where_no_lattice_is_long_enough() -> None:
    """The pair of single steps costs 54 207 there."""
    step = hs.RandomizedResponse.truthful(0.9).on(hs.WithoutReplacement(30_000, 60_000))
    run = step * 81_551
    answer = run.epsilon(1e-8)
    assert answer.method == "game"
    assert 43_418 < answer.lower < answer < 43_450
    assert run.delta(answer) == pytest.approx(1e-8, rel=1e-6)
    assert run.delta(answer.lower) > 1e-8


@pytest.mark.slow
def test_one_shot_is_near_the_macro_steps_of_a_normal_game() -> None:
    """Two ways to the same bound; neither is below what one triple costs in every step."""
    step = hs.Gaussian(0.5).on(hs.WithoutReplacement(30_000, 60_000))
    triples = known(step, hs.ZERO_OUT, 2).triples
    assert triples is not None
    leapt = upper_end(EpsilonAt(1e-6), triples, 5000).upper
    shot = one_shot.upper_end(triples, 1e-6, 5000)
    lower = (step * 5000).epsilon(1e-6, relation=hs.ZERO_OUT).lower
    assert lower < min(leapt, shot)
    assert shot == pytest.approx(leapt, rel=0.02)
