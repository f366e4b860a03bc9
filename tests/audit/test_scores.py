"""Runs by turns, and what is not a sample of independent runs is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.audit import lower_bound


@pytest.mark.parametrize("batched", [False, True])
def test_a_drift_in_time_is_no_leak(batched: bool) -> None:
    """Scores that depend on when they are made alone: the inputs run by turns."""
    rng, clock = np.random.default_rng(0), [0]

    def run(data: int, count: int = 1) -> Any:
        clock[0] += count
        scores = clock[0] / 100 + rng.normal(size=count)
        return scores if batched else float(scores[0])

    found = lower_bound(run, 0, 1, delta=0, runs=5000, confidence=0.99, batched=batched)
    assert found.epsilon < 0.2
    assert clock == [10_000]


def test_neither_input_always_goes_first() -> None:
    """A generator that makes normal numbers in pairs has two kinds of call."""
    order: list[int] = []

    def run(data: int) -> float:
        order.append(data)
        return len(order)

    lower_bound(run, 0, 1, delta=0, runs=1000)
    firsts = np.array(order[::2])
    assert sorted(order[:2]) == [0, 1]
    assert 400 < firsts.sum() < 600
    assert order.count(0) == order.count(1) == 1000


@pytest.mark.parametrize(
    ("returned", "shape"),
    [
        (lambda count: 1.0, "()"),
        (lambda count: np.ones(1), "(1,)"),
        (lambda count: np.ones((count, 1)), "(20, 1)"),
        (lambda count: np.ones(count + 1), "(21,)"),
    ],
)
def test_one_score_for_a_whole_batch_is_refused(returned: Any, shape: str) -> None:
    """It was counted as many runs: an ε of 5.6 at 95 % for noise that was drawn twice."""
    rng = np.random.default_rng(0)

    def run(data: int, count: int) -> Any:
        return returned(count) * rng.normal()

    with pytest.raises(hs.ParameterError) as caught:
        lower_bound(run, 0, 1, delta=0, runs=1000, batched=True)
    assert "must return 20 scores" in str(caught.value)
    assert f"got the shape {shape}" in str(caught.value)


def test_words_for_scores_are_refused() -> None:
    with pytest.raises(hs.ParameterError, match="numbers all of them"):
        lower_bound(lambda x, n: ["word"] * n, 0, 1, delta=0, runs=100, batched=True)


def test_noise_that_starts_again_is_refused() -> None:
    """One number on each input: an ε of 7.2 for a mechanism of ε = 1 was shown."""
    with pytest.raises(hs.ParameterError, match="repeats its noise"):
        lower_bound(lambda x: hs.Laplace(1.0).release(x, rng=7), 0, 1, delta=0, runs=100)
    with pytest.raises(hs.ParameterError, match="fresh noise in every call"):
        lower_bound(
            lambda x, n: hs.Laplace(1.0).release(np.full(n, x), rng=7),
            0, 1, delta=0, batched=True,
        )  # fmt: skip


def test_few_different_scores_may_come_twice() -> None:
    """Blocks of answers yes or no can be the same by chance."""
    found = lower_bound(lambda x, n: np.arange(n) % 2 == x, 0, 1, delta=0, runs=200, batched=True)
    assert found.runs == 100
