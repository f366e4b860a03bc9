"""An audit that sees the answer and how long it took: time tells nothing of the noise."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

import hockeystick as hs

RUNS = 6000
Seen = tuple[int, int]
"""The answer, and in which tenth of the times it was."""


def observed(release: Callable[[int], float]) -> tuple[list[Seen], list[Seen]]:
    """What is seen of the values 0 and 1, in random turns, so that a slow hour tells nothing."""
    values = np.random.default_rng(0).integers(0, 2, RUNS)
    answers, times = [], []
    for value in values.tolist():
        start = time.thread_time_ns()
        answer = release(value)
        times.append(time.thread_time_ns() - start)
        answers.append(round(answer))
    tenths = np.searchsorted(np.quantile(times, np.arange(1, 10) / 10), times)
    seen = list(zip(answers, tenths.tolist(), strict=True))
    return tuple([s for s, v in zip(seen, values, strict=True) if v == i] for i in (0, 1))  # type: ignore[return-value]


def epsilon(zero: list[Seen], one: list[Seen], confidence: float = 0.999) -> float:
    """A lower bound: one half chooses the event, the other bounds its probabilities."""
    half = [Counter(seen[: len(seen) // 2]) for seen in (zero, one)]
    likely = {each for each in half[1] if half[1][each] > 4 * half[0][each] + 3}
    rests = [seen[len(seen) // 2 :] for seen in (zero, one)]
    low, high = (
        stats.binomtest(sum(s in likely for s in rest), len(rest)).proportion_ci(confidence)
        for rest in (rests[1], rests[0])
    )
    return math.log(max(low.low, 1e-9) / high.high)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [hs.DiscreteLaplace, hs.DiscreteGaussian, hs.Laplace])
def test_time_and_answer_together_stay_below_the_claim(kind: Any) -> None:
    mechanism = kind(1.0) if kind is not hs.DiscreteGaussian else kind(3.0)
    rng = np.random.default_rng(5)
    found = epsilon(*observed(lambda value: mechanism.release(value, rng=rng)))
    assert found <= 1.0  # for the discrete Gaussian, of answers up to 9, which are nearly all


@pytest.mark.slow
def test_noise_that_takes_its_time_is_found() -> None:
    """The same audit of a release that counts to a number that grows with the noise."""
    rng = np.random.default_rng(6)

    def release(value: int) -> int:
        noise = hs.DiscreteLaplace(1.0).release(0, rng=rng)
        sum(range(20_000 * abs(noise)))  # so long that a busy machine does not hide it
        return int(value + noise)

    assert epsilon(*observed(release)) > 1.0  # more than is claimed
