"""Transport: row and column sums are kept, and no permutation is cheaper."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from hockeystick.numerics.transport import transport


@pytest.mark.parametrize("seed", range(4))
def test_the_best_of_equal_parts_is_a_permutation(seed: int) -> None:
    """Birkhoff: of equal parts, a best table is one of the permutations."""
    cost = np.random.default_rng(seed).random((5, 5))
    equal = np.full(5, 0.2)
    moved = transport(equal, equal, cost)
    best = min(cost[np.arange(5), list(p)].sum() / 5 for p in itertools.permutations(range(5)))
    assert (moved * cost).sum() == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_the_sums_are_kept(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, q = rng.dirichlet(np.ones(6)), rng.dirichlet(np.ones(9))
    moved = transport(p, q, rng.integers(0, 3, (6, 9)).astype(float))
    assert (moved >= 0).all()
    assert moved.sum(axis=1) == pytest.approx(p, abs=1e-15)
    assert moved.sum(axis=0) == pytest.approx(q, abs=1e-15)
