"""A loop that asks at every step gets the answers that it would get alone, and soon."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import ahead
from hockeystick.curves import each_epsilon

STEP = hs.Gaussian(1.1).on(hs.Poisson(0.01))


@pytest.mark.slow
@pytest.mark.parametrize("stride", [1, 7])
def test_every_answer_is_that_of_its_own_count(stride: int) -> None:
    accountant = hs.Accountant()
    for done in range(1, 41):
        accountant.spend(STEP, stride)
        found = accountant.epsilon(1e-5)
        assert (found.mechanism, found.delta) == (accountant.spent, 1e-5)
        assert found.relation is hs.ADD_REMOVE
        if done % 8 < 2:
            alone = (STEP * (stride * done)).epsilon(1e-5)
            assert found.lower <= alone.upper
            assert alone.lower <= found.upper
            assert found == pytest.approx(alone, rel=1e-9)


def test_what_is_not_foreseen_is_answered_too() -> None:
    accountant, step = hs.Accountant(), hs.Laplace(2.0)
    counts = [1, 2, 3, 10, 11, 11, 100, 1000, 1001]
    before = 0
    for count in counts:
        accountant.spend(step, count - before)
        before = count
        assert accountant.epsilon(0) == count / 2
        assert accountant.epsilon(1.0) == 0.0
        assert accountant.epsilon(0, method="closed form").method == "closed form"
    accountant.spend(hs.Laplace(4.0))
    assert accountant.epsilon(0) == before / 2 + 0.25


def test_the_curve_ahead_of_what_was_spent() -> None:
    accountant = hs.Accountant()
    accountant.spend(STEP, 100)
    ahead = accountant.epsilons(1e-5, [0, 50], mechanism=STEP)
    np.testing.assert_allclose(ahead, STEP.epsilons(1e-5, [100, 150]), rtol=1e-9)
    accountant.spend(hs.Laplace(5.0))
    ahead = accountant.epsilons(1e-5, [0, 50], mechanism=STEP)
    expected = [(STEP * n + hs.Laplace(5.0)).epsilon(1e-5) for n in (100, 150)]
    np.testing.assert_allclose(ahead, expected, rtol=1e-9)
    assert (ahead.delta, ahead.relation, ahead.counts.tolist()) == (1e-5, hs.ADD_REMOVE, [0, 50])


OTHER = hs.Gaussian(2.0).on(hs.Poisson(0.02))
THIRD = hs.Gaussian(3.0).on(hs.Poisson(0.01))
LOOPS: dict[str, list[list[hs.Mechanism]]] = {
    "after another": [[OTHER * 60, STEP], *([STEP] for _ in range(60))],
    "both each time": [[STEP, OTHER] for _ in range(60)],
    "in turn": [[STEP if n % 2 else OTHER] for n in range(60)],
    "one, then the other": [[STEP if n < 30 else OTHER] for n in range(60)],
    "three in turn": [[(STEP, OTHER, THIRD)[n % 3]] for n in range(60)],
    "irregular": [[STEP * (1 + n * n % 5)] for n in range(32)],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LOOPS)
def test_several_parts_are_answered_as_alone(name: str) -> None:
    accountant = hs.Accountant()
    for done, spent in enumerate(LOOPS[name]):
        for mechanism in spent:
            accountant.spend(mechanism)
        found = accountant.epsilon(1e-5)
        assert found.mechanism == accountant.spent
        if done % 10 < 2:
            alone = accountant.spent.epsilon(1e-5)
            assert found.lower <= alone.upper
            assert alone.lower <= found.upper
            assert found.upper - found.lower <= 1e-9 * alone.upper


@pytest.mark.slow
@pytest.mark.parametrize("name", ["after another", "both each time", "in turn"])
def test_several_parts_are_looked_ahead_of(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the first questions none is asked alone, and a few blocks serve the others."""
    blocks: list[Any] = []

    def ask(*how: Any) -> Any:
        blocks.append(each_epsilon(*how))
        return blocks[-1]

    monkeypatch.setattr(ahead, "each_epsilon", ask)
    accountant = hs.Accountant()
    for spent in LOOPS[name]:
        for mechanism in spent:
            accountant.spend(mechanism)
        accountant.epsilon(1e-5)
    assert 1 <= len(blocks) <= 6


def test_a_block_that_nobody_asks_for_is_followed_by_a_short_one() -> None:
    track, asking = ahead.Track(), ahead.Asking(1e-5, None, "auto")
    for count in (1, 2, 3, 50, 51, 52, 400, 401, 402):
        found = track.answer(asking, {hs.Gaussian(9.0): count})
        assert found == pytest.approx((hs.Gaussian(9.0) * count).epsilon(1e-5), rel=1e-9)
    assert [len(block._answers) for block in track._blocks] == [4, 4, 16]


@pytest.mark.slow
def test_a_loop_takes_about_a_millisecond_a_step() -> None:
    """A thousand steps asked one by one took minutes; the margin is for a slow machine."""
    accountant, start = hs.Accountant(budget=(8.0, 1e-5)), time.process_time()
    for _ in range(1000):
        accountant.spend(STEP)
        accountant.epsilon(1e-5)
    assert time.process_time() - start < 20


@pytest.mark.slow
def test_a_search_that_is_led_far_away_warns_nobody() -> None:
    """Its sums overflow there; any warning is an error here."""
    step, account = hs.Laplace(5.0).on(hs.Poisson(0.01)), hs.Accountant()
    for _ in range(25):
        account.spend(step)
        told = account.epsilon(1e-6)
    alone = (step * 25).epsilon(1e-6)
    assert alone.lower <= told <= alone * 1.02
