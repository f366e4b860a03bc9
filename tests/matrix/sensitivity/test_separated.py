"""Separated participations against every set of steps, and published values."""

from __future__ import annotations

import time

import numpy as np
import pytest

from hockeystick.matrix import banded, dense, square_root, toeplitz, tree
from hockeystick.matrix.sensitivity import history
from hockeystick.matrix.sensitivity import separated as module
from hockeystick.matrix.sensitivity.ends import is_exact
from hockeystick.matrix.sensitivity.separated import separated
from hockeystick.matrix.strategy import Strategy
from tests.matrix.sensitivity.oracle import largest, sets

SIGNED = dense(
    [
        [1, 0, 0, 0, 0, 0], [-1, 2, 0, 0, 0, 0], [0, -1, 1, 0, 0, 0], [1, 0, -2, 1, 0, 0],
        [0, 1, 0, -1, 2, 0], [-1, 0, 1, 0, -1, 1],
    ]
)  # fmt: skip


@pytest.mark.parametrize(
    ("every", "at_most", "square"), [(6, 1, 6), (2, 3, 25), (2, 2, 16), (1, 6, 48.2597813063)]
)
def test_a_signed_matrix(every: int, at_most: int, square: float) -> None:
    """The last one is 46 by signs and 62 by absolute values."""
    answer = separated(SIGNED, every, at_most)
    assert is_exact(answer)
    assert answer.lower**2 - 1e-9 <= square <= answer.upper**2 + 1e-9
    assert answer.upper - answer.lower < 1e-10


@pytest.mark.parametrize(
    ("steps", "every", "times", "many", "once", "two_bands"),
    [
        (64, 16, 4, 3.9606202681, 1.5455898901, 5**0.5),
        (1000, 5, 2, 3.2834674326, 1.8069319524, 1.5811388301),
        (2000, 100, 5, 6.3923570120, 1.8669971782, 2.5),
        (2052, 342, 6, 6.0994237265, 1.8691842523, 2.7386127875),
    ],
)
def test_square_roots(
    steps: int, every: int, times: int, many: float, once: float, two_bands: float
) -> None:
    root = square_root(steps)
    assert separated(root, every, times) == pytest.approx(many, abs=1e-10)
    assert separated(root, steps, 1) == pytest.approx(once, abs=1e-10)
    assert separated(toeplitz(steps, (1, 0.5)), every, times) == pytest.approx(two_bands, abs=1e-10)


def random_strategy(case: int) -> tuple[Strategy, int, int]:
    """Dense and Toeplitz, of any sign and not, with few bands and many."""
    rng = np.random.default_rng(case)
    steps, every, times = (int(rng.integers(*ends)) for ends in ((2, 9), (1, 5), (1, 5)))
    bands, least = int(rng.integers(1, steps + 1)), 0.4 * (case % 2)
    if case % 3 == 0:
        return toeplitz(steps, (1.0, *(rng.random(bands - 1) - least))), every, times
    near = np.subtract.outer(np.arange(steps), np.arange(steps)) < bands
    return dense(np.tril(rng.random((steps, steps)) - least) * near + np.eye(steps)), every, times


@pytest.mark.parametrize("case", range(48))
def test_every_set_of_steps(case: int) -> None:
    strategy, every, times = random_strategy(case)
    low, high = largest(strategy, list(sets(strategy.steps, every, times)))
    answer = separated(strategy, every, times)
    assert answer.lower**2 <= high * (1 + 1e-9)
    assert low * (1 - 1e-9) <= answer.upper**2
    assert is_exact(answer)
    assert answer.upper**2 <= high * (1 + 1e-8)


@pytest.mark.parametrize("case", range(24))
def test_bounds_where_no_programme_is_fast_enough(
    case: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "MOST_STATES", 0)
    monkeypatch.setattr(history, "MOST_TERMS", 0)
    monkeypatch.setattr(module, "MOST_SETS", 0)
    strategy, every, times = random_strategy(case)
    low, high = largest(strategy, list(sets(strategy.steps, every, times)))
    answer = separated(strategy, every, times)
    assert answer.lower**2 <= high * (1 + 1e-9)
    assert low * (1 - 1e-9) <= answer.upper**2 <= 1.6 * high
    assert answer.lower**2 >= 0.5 * low


def test_long_runs_without_structure_are_bounded_by_lengths(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MOST_GRAM", 5)
    answer = separated(SIGNED, 1, 6)
    assert answer.method == "upper: lengths of columns"
    assert answer.lower**2 < 48.2597 < answer.upper**2


def test_formula_of_falling_coefficients() -> None:
    """‖Σ_j C[:, j·every]‖², against enumeration."""
    rng = np.random.default_rng(5)
    for steps, every, times in [(12, 3, 3), (12, 4, 2), (10, 2, 5), (13, 5, 3), (9, 1, 4)]:
        strategy = toeplitz(steps, np.sort(rng.random(steps))[::-1].tolist())
        most, _ = largest(strategy, list(sets(steps, every, times)))
        answer = separated(strategy, every, times)
        assert answer.method == "exact: the sum of Toeplitz columns"
        assert answer.lower**2 <= most <= answer.upper**2
        assert answer.upper**2 - most < 1e-12 * most


@pytest.mark.parametrize("strategy", [banded(2000, 100), banded(2000, 150), tree(2000)], ids=repr)
def test_sizes_of_production(strategy: Strategy) -> None:
    start = time.process_time()
    assert is_exact(separated(strategy, 100, 20))
    assert time.process_time() - start < 10
