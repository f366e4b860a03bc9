"""Every pattern: its text, its check, and that it draws what it promises."""

from __future__ import annotations

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.matrix.participation.pattern import Pattern

PATTERNS: list[Pattern] = [
    hs.Once(),
    hs.EveryStep(),
    hs.MinSeparated(every=3),
    hs.MinSeparated(every=4, at_most=2),
    hs.Cyclic(period=3),
    hs.Cyclic(period=3, times=2),
    hs.CyclicPoisson(0.5, 3),
    hs.BallsInBins(4),
]
every = pytest.mark.parametrize("pattern", PATTERNS, ids=repr)


@every
def test_the_text_of_a_run_reads_back(pattern: Pattern) -> None:
    run = hs.Correlated(hs.matrix.tree(12), 2.0, pattern)
    assert hs.parse(repr(run)) == run
    assert hash(hs.parse(repr(run * 2))) == hash(run * 2)
    assert pattern.words in run.statement(delta=1e-5)


@every
def test_what_is_drawn_keeps_the_promise(pattern: Pattern) -> None:
    steps, population = 12, 10
    batches = list(pattern.draw(population, steps, rng=3))
    assert len(batches) == steps
    for record in range(population):
        taken = [step for step, batch in enumerate(batches) if record in batch]
        pattern.check(taken, steps)
    assert sum(batch.size for batch in batches) > 0
    assert all(np.unique(batch).size == batch.size for batch in batches)


@pytest.mark.parametrize(
    ("pattern", "steps"),
    [
        (hs.Once(), [1, 5]),
        (hs.EveryStep(), [3, 3]),
        (hs.EveryStep(), [12]),
        (hs.MinSeparated(every=3), [0, 2]),
        (hs.MinSeparated(every=3, at_most=2), [0, 3, 6]),
        (hs.Cyclic(period=3), [0, 6]),
        (hs.Cyclic(period=3, times=2), [0, 3, 6]),
        (hs.Cyclic(period=3, times=2), [6, 9]),
        (hs.CyclicPoisson(0.5, 3), [0, 4]),
        (hs.BallsInBins(4), [0, 4]),
        (hs.BallsInBins(5), [5, 10]),
    ],
    ids=repr,
)
def test_a_log_that_breaks_it_is_seen(pattern: Pattern, steps: list[int]) -> None:
    with pytest.raises(hs.ParameterError, match=r"steps"):
        pattern.check(steps, 12)


def test_domains() -> None:
    for make in (
        lambda: hs.MinSeparated(every=0),
        lambda: hs.Cyclic(period=2, times=0),
        lambda: hs.CyclicPoisson(1.5, 2),
        lambda: hs.BallsInBins(0),
    ):
        with pytest.raises(hs.ParameterError, match="must be"):
            make()
    with pytest.raises(hs.ParameterError, match="bins must be at most the 3 steps"):
        hs.Correlated(hs.matrix.tree(3), 1.0, hs.BallsInBins(4)).epsilon(1e-5)
