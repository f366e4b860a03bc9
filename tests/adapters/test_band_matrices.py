"""Band matrices by their rows, as JAX Privacy writes them down."""

from __future__ import annotations

import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.adapters.band_matrices import from_bands, to_bands

PARAMS = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 0], [13, 0, 0]], dtype=float)
SHAPE = [[1, 0, 0, 0, 0], [2, 4, 0, 0, 0], [3, 5, 7, 0, 0], [0, 6, 8, 10, 0], [0, 0, 9, 11, 13]]
"""The picture in the documentation of `ColumnNormalizedBanded`, before its columns are divided."""


def test_the_picture_of_the_librarys_documentation() -> None:
    strategy = from_bands(PARAMS)
    matrix = np.array(SHAPE, dtype=float)
    np.testing.assert_allclose(strategy.dense(), matrix / np.sqrt((matrix**2).sum(axis=0)))
    assert strategy.bands == 3
    # ⌈5/3⌉ participations of norm 1: the library's own rule for as many bands as separation.
    run = hs.Correlated(strategy, 1.0, hs.MinSeparated(every=3))
    assert run.sensitivity == pytest.approx(math.sqrt(2), rel=1e-12)


def test_both_ways() -> None:
    strategy = from_bands(PARAMS)
    rows = to_bands(strategy)
    assert rows.shape == (5, 3)
    assert (rows[3:, 2] == 0).all()
    np.testing.assert_allclose(from_bands(rows).dense(), strategy.dense(), rtol=1e-15)


@pytest.mark.parametrize(
    ("strategy", "message"),
    [
        (hs.matrix.toeplitz(5, (1, 0.5)), "norm 1"),
        (hs.matrix.tree(4), "lower triangular"),
        (hs.matrix.dense([[1, 1], [0, 1]]), "lower triangular"),
    ],
    ids=repr,
)
def test_what_it_cannot_hold(strategy: hs.matrix.Strategy, message: str) -> None:
    with pytest.raises(hs.ParameterError, match=message):
        to_bands(strategy)


def test_bad_rows() -> None:
    with pytest.raises(hs.ParameterError, match="params must have a row"):
        from_bands([1.0, 2.0])
