"""Batches of several steps drawn at once: independent, each by its law, and none left over."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import hockeystick as hs
from hockeystick.learn import Logistic, Plan, Records, private_sgd
from hockeystick.random.generators import generator


def people(count: int) -> Records:
    return Records(np.zeros((count, 1)), np.zeros(count))


def test_the_joint_law_of_two_steps() -> None:
    two, rng, rate, calls = people(2), generator(1), 0.4, 2000
    drawn = Counter(
        tuple(tuple(batch.tolist()) for (batch,) in two.drawn_ahead(hs.Poisson(rate), 2, rng))
        for _ in range(calls)
    )
    sets = [s for size in range(3) for s in combinations(range(2), size)]
    law = {(a, b): rate ** len(a + b) * (1 - rate) ** (4 - len(a + b)) for a in sets for b in sets}
    assert set(drawn) <= set(law)
    expected = [calls * p for p in law.values()]
    assert stats.chisquare([drawn[key] for key in law], expected).pvalue > 1e-3


def test_rare_records_are_drawn_independently_in_all_steps() -> None:
    rng, rate, count, steps, calls = generator(2), 0.03, 40, 6, 600
    seen, twice = np.zeros((steps, count)), 0
    for _ in range(calls):
        taken = np.zeros((steps, count))
        for step, (batch,) in enumerate(people(count).drawn_ahead(hs.Poisson(rate), steps, rng)):
            assert (np.diff(batch) > 0).all()
            taken[step, batch] = 1
        seen += taken
        twice += int((taken[1:] * taken[:-1]).sum())
    spread = ((seen - calls * rate) ** 2).sum() / (calls * rate * (1 - rate))
    assert stats.chi2(seen.size).cdf(spread) == pytest.approx(0.5, abs=0.4995)
    assert stats.binomtest(twice, calls * (steps - 1) * count, rate**2).pvalue > 1e-3


@pytest.mark.parametrize(
    ("sampler", "count", "steps", "draws"),
    [
        (hs.Poisson(0.5), 4096, 100, 4),
        (hs.Poisson(0.5), 4096, 3, 3),
        (hs.Poisson(0.01), 10**7, 100, 1),  # one batch is enough
        (hs.Poisson(1.0), 10, 5, 5),
        (hs.Poisson(0.0), 10, 5, 5),
        (hs.Poisson(0.5), 0, 5, 5),
        (hs.Poisson(0.5), 10, 0, 1),  # nothing was announced
        (hs.WithoutReplacement(2, 10), 10, 5, 5),
        (hs.WithoutReplacement(2000, 10**5), 10**5, 50, 4),
        (hs.WithoutReplacement(9000, 10**6), 10**6, 5, 1),
        (hs.WithReplacement(2, 10), 10, 5, 1),
        (hs.RandomAllocation(3), 10, 5, 1),
    ],
)
def test_how_many_are_drawn_at_once(
    sampler: hs.Sampler, count: int, steps: int, draws: int
) -> None:
    drawn = people(count).drawn_ahead(sampler, steps, generator(0))
    assert len(drawn) == draws
    for batches in drawn:
        for batch in batches:
            assert batch.size == 0 or 0 <= batch[0] <= batch[-1] < count


def test_another_population_than_the_declared_one_is_refused() -> None:
    with pytest.raises(hs.ParameterError, match="population must be the declared 10, got 9"):
        people(9).drawn_ahead(hs.WithoutReplacement(2, 10), 5, generator(0))


def test_none_is_left_over_at_a_report(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What a checkpoint's generator would draw next was never drawn before."""
    asked: list[tuple[int, int]] = []
    drawn_ahead = Records.drawn_ahead

    def counted(self: Records, sampler: Any, steps: int, rng: Any) -> list[list[Any]]:
        drawn = drawn_ahead(self, sampler, steps, rng)
        asked.append((steps, len(drawn)))
        return drawn

    monkeypatch.setattr(Records, "drawn_ahead", counted)
    plan = Plan(hs.Gaussian(1.0), hs.Poisson(0.5), steps=12, clip=1.0, batch_size=1000)
    x = np.ones((2000, 1))
    private_sgd(Logistic(), x, x[:, 0], plan, rng=0, every=10, checkpoint=tmp_path / "run.json")
    assert asked == [(10, 8), (2, 2), (2, 2)]
