"""Batches of whole runs: who takes part when, and by which law."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pytest

from hockeystick.errors import ParameterError
from hockeystick.random import runs
from hockeystick.random.batches import Indices


def table(run: Iterable[Indices], population: int) -> np.ndarray:
    """Who (column) takes part in which step (row)."""
    rows = [np.isin(np.arange(population), batch) for batch in run]
    return np.array(rows)


@pytest.mark.parametrize(("every", "at_most", "steps"), [(3, 4, 12), (5, 2, 12), (1, 1, 7)])
def test_separated_keeps_its_promise(every: int, at_most: int, steps: int) -> None:
    taken = table(runs.separated(100, every, at_most, steps, rng=1), 100)
    assert taken.any(axis=0).all()
    assert taken.sum(axis=0).max() <= at_most
    for column in taken.T:
        assert np.diff(np.flatnonzero(column)).min(initial=steps) >= every


def test_cyclic_and_once() -> None:
    taken = table(runs.cyclic(11, 4, 3, 12, rng=1), 11)
    assert (taken.sum(axis=0) == 3).all()
    assert (taken[:4] == taken[4:8]).all()
    assert {batch.size for batch in runs.cyclic(11, 4, 3, 12, rng=1)} == {2, 3}
    assert (table(runs.once(11, 4, rng=1), 11).sum(axis=0) == 1).all()
    assert len(list(runs.once(2, 5, rng=0))) == 5  # some of them empty
    assert [batch.size for batch in runs.cyclic(11, 3, 2, 7)] == [4, 4, 3, 4, 4, 3, 0]
    assert [batch.size for batch in runs.cyclic(11, 3, None, 7)] == [4, 4, 3, 4, 4, 3, 4]
    assert table(runs.separated(11, 3, None, 7, rng=1), 11).sum() >= 22
    with pytest.raises(ParameterError, match="steps must be an integer >= 1, got 0"):
        list(runs.cyclic(11, 3, 2, 0))


def test_cyclic_poisson_is_a_coin_in_the_turns_of_one_group() -> None:
    population, period, rate, steps = 3000, 3, 0.4, 9
    taken = table(runs.cyclic_poisson(population, rate, period, steps, rng=2), population)
    groups = [set(np.flatnonzero(column) % period) for column in taken.T]
    assert max(map(len, groups)) == 1
    turns = steps // period
    counts = np.bincount(taken.sum(axis=0), minlength=turns + 1)
    law = [math.comb(turns, k) * rate**k * (1 - rate) ** (turns - k) for k in range(turns + 1)]
    expected = population * np.array(law)
    assert ((counts - expected) ** 2 / expected).sum() < 25  # of χ² with 3 degrees: 1.5e-5
    sizes = taken.sum(axis=1) / (population * rate / period)
    assert np.abs(sizes - 1).max() < 0.25


def test_balls_in_bins_are_the_same_in_every_turn() -> None:
    taken = table(runs.balls_in_bins(3000, 4, 8, rng=3), 3000)
    assert (taken[:4] == taken[4:]).all()
    assert (taken[:4].sum(axis=0) == 1).all()
    sizes = taken[:4].sum(axis=1)
    assert ((sizes - 750) ** 2 / 750).sum() < 25
    assert len(set(sizes.tolist())) > 1  # not cut into equal parts


@pytest.mark.slow
@pytest.mark.parametrize("draw", ["once", "separated", "cyclic_poisson", "balls_in_bins"])
def test_a_record_more_leaves_the_law_of_the_others(draw: str) -> None:
    """Two records are independent, and each is as when it is alone."""

    def in_first_batch(population: int, seed: int) -> list[bool]:
        options = {
            "once": (4,),
            "separated": (2, 2, 4),
            "cyclic_poisson": (0.5, 2, 4),
            "balls_in_bins": (2, 4),
        }[draw]
        batch = next(iter(getattr(runs, draw)(population, *options, seed)))
        return [record in batch for record in range(population)]

    alone = np.mean([in_first_batch(1, seed) for seed in range(2000)])
    both = np.array([in_first_batch(2, seed) for seed in range(2000, 4000)])
    assert abs(both[:, 0].mean() - alone) < 5 * math.sqrt(0.5 / 2000)
    assert abs(both.all(axis=1).mean() - alone**2) < 5 * math.sqrt(0.5 / 2000)
