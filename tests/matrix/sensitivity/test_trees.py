"""Trees: published values, every set of leaves, and sizes of production."""

from __future__ import annotations

import time

import numpy as np
import pytest

from hockeystick.errors import NumericalError
from hockeystick.matrix import tree
from hockeystick.matrix.sensitivity import trees
from hockeystick.matrix.sensitivity.trees import cyclic_tree_sum, largest_tree_sum
from tests.matrix.sensitivity.oracle import cyclic_sets, largest, sets

PUBLISHED = [
    (1, 8, 8, 4), (3, 4, 9, 11), (3, 3, 7, 9), (2, 1, 11, 14), (11, 1, 11, 127), (8, 1, 8, 120),
    (8, 3, 24, 88),
]  # fmt: skip
"""Participations, separation, leaves and the squared sensitivity, from the tests of TF Privacy."""


@pytest.mark.parametrize(("times", "every", "steps", "square"), PUBLISHED)
def test_published_values(times: int, every: int, steps: int, square: int) -> None:
    leaves = tree(steps).perfect_trees
    assert leaves is not None
    assert largest_tree_sum(leaves, every, times) == (square, square)


def random_cases(count: int) -> list[tuple[int, int, int, int]]:
    rng = np.random.default_rng(1)
    return [
        (int(n), int(rng.integers(1, 8)), int(rng.integers(1, 6)), int(rng.integers(1, n + 1)))
        for n in rng.integers(1, 15, size=count)
    ]


@pytest.mark.parametrize(("steps", "every", "times", "restart"), random_cases(60))
def test_every_set_of_leaves(steps: int, every: int, times: int, restart: int) -> None:
    strategy = tree(steps, restart_every=restart)
    leaves = strategy.perfect_trees
    assert leaves is not None
    most = largest(strategy, list(sets(steps, every, times)))[0]
    assert largest_tree_sum(leaves, every, times) == (most, most)
    assert (
        cyclic_tree_sum(leaves, every, times)
        == largest(strategy, cyclic_sets(steps, every, times))[0]
    )


@pytest.mark.parametrize(("steps", "every", "times", "restart"), random_cases(60))
def test_units_of_several_leaves_are_ends(
    steps: int, every: int, times: int, restart: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As for separations that are too large to be followed leaf by leaf."""
    strategy = tree(steps, restart_every=restart)
    leaves = strategy.perfect_trees
    assert leaves is not None
    truth = largest_tree_sum(leaves, every, times)[0]
    for widest in (2, 3):
        monkeypatch.setattr(trees, "COARSE_GAP", widest)
        monkeypatch.setattr(trees, "FINE_GAP", widest)
        low, high = largest_tree_sum(leaves, every, times)
        assert low <= truth <= high


def test_sizes_of_production() -> None:
    """1000 = 8·125: exactly, in units of 8. 333 is odd: between ends that are near."""
    leaves = tree(100_000).perfect_trees
    assert leaves is not None
    start = time.process_time()
    assert largest_tree_sum(leaves, 100, 20) == (2934, 2934)
    assert time.process_time() - start < 10
    low, high = largest_tree_sum(leaves, 333, 20)
    assert low <= high <= 1.01 * low
    assert low >= cyclic_tree_sum(leaves, 333, 20)


def test_restarts_at_odd_places_are_refused_rather_than_slow() -> None:
    with pytest.raises(NumericalError, match="restart"):
        largest_tree_sum([512, 1] * 20, every=700, at_most=4)
