"""Contributions that are vectors: between signs and absolute values, with a proof above."""

from __future__ import annotations

import numpy as np
import pytest

from hockeystick.matrix.sensitivity import elliptope
from hockeystick.matrix.sensitivity.elliptope import is_balanced, largest_move
from tests.matrix.sensitivity.oracle import by_signs, by_vectors

STAR = np.array([[1, -0.5, -0.5], [-0.5, 1, -0.5], [-0.5, -0.5, 1]])
"""Columns 120° apart: signs 4, vectors 4.5, absolute values 6."""


def random_gram(seed: int, size: int) -> np.ndarray:
    matrix = np.random.default_rng(seed).normal(size=(size, size))
    return np.asarray(matrix.T @ matrix)


def test_signs_are_not_enough() -> None:
    low, high = largest_move(STAR)
    assert by_signs(STAR) == 4
    assert low <= 4.5 <= high
    assert high - low < 1e-11
    assert np.abs(STAR).sum() == 6


@pytest.mark.parametrize("size", [2, 3, 5, 8])
@pytest.mark.parametrize("seed", range(4))
def test_both_ends_against_another_method(seed: int, size: int) -> None:
    gram = random_gram(seed, size)
    low, high = largest_move(gram)
    least, most = by_vectors(gram)
    assert low <= most * (1 + 1e-12)
    assert least * (1 - 1e-12) <= high
    assert high - low <= 1e-9 * high
    assert by_signs(gram) * (1 - 1e-14) <= high <= np.abs(gram).sum() * (1 + 1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_the_proof_holds_in_exact_numbers(seed: int) -> None:
    """Diag(y) − X is positive semidefinite: its pivots, in rationals, are not negative."""
    from fractions import Fraction

    gram = random_gram(seed, 5)
    rows = elliptope._start(gram)
    for _ in range(200):
        elliptope._turn(gram, rows)
    y = np.einsum("ij,ij->i", gram @ rows, rows)
    lift = (elliptope._dual(gram, rows) - y.sum()) / len(y)
    exact = [[-Fraction(float(x)) for x in row] for row in gram]
    for i in range(5):
        exact[i][i] += Fraction(float(y[i])) + Fraction(lift)
    for i in range(5):
        assert exact[i][i] > 0
        for j in range(i + 1, 5):
            factor = exact[j][i] / exact[i][i]
            exact[j] = [a - factor * b for a, b in zip(exact[j], exact[i], strict=True)]


def test_flipped_signs_are_seen() -> None:
    flips = np.array([1, -1, -1, 1.0])
    gram = np.abs(random_gram(0, 4)) * np.outer(flips, flips)
    assert is_balanced(gram)
    assert largest_move(gram) == (np.abs(gram).sum(), np.abs(gram).sum())
    assert not is_balanced(STAR)


def test_many_steps_are_bounded() -> None:
    gram = random_gram(1, elliptope.MOST_STEPS + 1)
    low, high = largest_move(gram)
    assert np.trace(gram) < low < high == np.abs(gram).sum()
