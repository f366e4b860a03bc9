"""Errors of prefix sums, against published values and the pseudo-inverse."""

from __future__ import annotations

import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.errors import ParameterError

SQUARE_ROOT = {  # sensitivity × error, for one participation: (max, mean), 10 digits
    2: (1.25, 1.1858541226),
    4: (1.48828125, 1.3814172980),
    10: (1.7913439416, 1.6531805808),
    64: (2.3888481083, 2.2296764716),
    1000: (3.2650030807, 3.1022390635),
    100_000: (4.7309530518, 4.5690335270),
}


def column_norm(strategy: hs.matrix.Strategy) -> float:
    return float(np.linalg.norm(strategy.toeplitz or strategy.column(0)))


@pytest.mark.parametrize("steps", SQUARE_ROOT)
def test_square_root(steps: int) -> None:
    strategy = hs.matrix.square_root(steps)
    most, mean = SQUARE_ROOT[steps]
    assert column_norm(strategy) * strategy.error("max") == pytest.approx(most, abs=6e-11)
    assert column_norm(strategy) * strategy.error("mean") == pytest.approx(mean, abs=6e-11)


def test_square_root_grows_as_the_logarithm() -> None:
    strategy = hs.matrix.square_root(1_000_000)
    limit = (math.log(1_000_000) + np.euler_gamma + 4 * math.log(2)) / math.pi
    assert strategy.error("max") ** 2 == pytest.approx(limit, abs=1e-6)


@pytest.mark.slow
def test_buffered_of_100_000_steps_has_the_published_ratio() -> None:
    strategy = hs.matrix.buffered(
        100_000, decay=(0.9999528892, 0.9857068667), scale=(0.0122853238, 0.1878393665)
    )
    assert column_norm(strategy) == pytest.approx(2.04127211, abs=1e-8)
    assert column_norm(strategy) * strategy.error("max") == pytest.approx(5.29674715, abs=1e-8)


def test_buffered_of_two_participations() -> None:
    strategy = hs.matrix.buffered(
        1000,
        decay=(0.993433070819512, 0.6342644427247973),
        scale=(0.07538320617916519, 0.5144060910151949),
    )
    twice = np.array(strategy.toeplitz)
    twice[5:] += twice[:-5]
    sensitivity = float(np.linalg.norm(twice))
    assert sensitivity == pytest.approx(2.37521069, abs=1e-8)
    assert sensitivity * strategy.error("max") == pytest.approx(6.96257606, abs=1e-8)
    assert sensitivity * strategy.error("mean") == pytest.approx(5.79508246, abs=1e-8)


@pytest.mark.parametrize(
    ("steps", "most", "mean"),
    [(4, 1.647509, 1.388730), (8, 2.009501, 1.656157), (64, 3.069294, 2.517806)],
)
def test_a_tree_with_later_rows_has_the_published_errors(
    steps: int, most: float, mean: float
) -> None:
    whole = hs.matrix.dense(hs.matrix.tree(steps).dense())
    sensitivity = math.sqrt(steps.bit_length())
    assert sensitivity * whole.error("max") == pytest.approx(most, abs=6e-7)
    assert sensitivity * whole.error("mean") == pytest.approx(mean, abs=6e-7)


@pytest.mark.parametrize("strategy", [hs.matrix.tree(13), hs.matrix.tree(13, restart_every=5)])
def test_a_tree_as_it_goes_is_the_best_estimate_from_the_rows_so_far(
    strategy: hs.matrix.Tree,
) -> None:
    matrix, variances = strategy.dense(), strategy.prefix_variances()
    ends = [start + length for start, length in strategy.blocks()]
    for step in range(strategy.steps):
        known = matrix[[end <= step + 1 for end in ends], : step + 1]
        best = np.linalg.pinv(known).sum(axis=0)  # least squares, of variance ‖best‖²
        assert variances[step] == pytest.approx(best @ best, rel=1e-12)


TRIANGULAR = [
    hs.matrix.identity(7),
    hs.matrix.square_root(7),
    hs.matrix.banded(steps=7, bands=3),
    hs.matrix.toeplitz(7, (2.0, -0.5, 0.25, 0.3)),
    hs.matrix.buffered(7, decay=(0.9, 0.3), scale=(0.2, 0.4)),
]


@pytest.mark.parametrize("strategy", TRIANGULAR)
def test_errors_are_those_of_the_written_matrix(strategy: hs.matrix.Strategy) -> None:
    written = np.tril(np.ones((7, 7))) @ np.linalg.inv(strategy.dense())
    assert strategy.prefix_variances() == pytest.approx((written**2).sum(axis=1), rel=1e-12)
    assert strategy.error("max") == pytest.approx(np.linalg.norm(written, axis=1).max(), rel=1e-12)
    assert strategy.error("mean") == pytest.approx(
        np.linalg.norm(written) / math.sqrt(7), rel=1e-12
    )


def test_strange_measures_and_dependent_columns_are_refused() -> None:
    with pytest.raises(ParameterError, match="measure must be 'max' or 'mean', got 'sum'"):
        hs.matrix.identity(2).error("sum")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="independent columns"):
        hs.matrix.dense([[1, 1], [1, 1]]).error()
