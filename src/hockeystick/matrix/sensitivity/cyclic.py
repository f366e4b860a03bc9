"""Sensitivity where a record takes part in every so-many-th step."""

from __future__ import annotations

import numpy as np

from hockeystick.bound import Bound
from hockeystick.errors import ParameterError
from hockeystick.matrix.sensitivity.columns import shifted_gram, shifted_sum, squared_norms
from hockeystick.matrix.sensitivity.elliptope import MOST_STEPS, largest_move
from hockeystick.matrix.sensitivity.ends import rounded
from hockeystick.matrix.sensitivity.trees import cyclic_tree_sum
from hockeystick.matrix.strategy import Strategy
from hockeystick.numerics.types import Array

Coefficients = tuple[float, ...]

CLOSE = 1e-9
"""Relative gap of the ends up to which a sensitivity counts as exact."""
MOST_GRAM = 4000
"""Steps up to which a matrix that has no structure is looked at column by column."""


def cyclic(strategy: Strategy, period: int, times: int) -> Bound:
    """max_j max_H ‖C·H‖ over contributions at the steps j, j + period, …, at most `times` of them.

    Exact, for contributions that are vectors: columns without common rows add their squares; for
    C >= 0 all contributions are the same; else a semidefinite programme for each j. The square is
    of a sum over the steps of one j (Choquette-Choo et al. 2023, "fixed-epoch participation").

    >>> from hockeystick.matrix import toeplitz
    >>> round(cyclic(toeplitz(5, (1.0, 0.5)), period=2, times=3) ** 2, 9)
    3.5
    """
    steps, terms = strategy.steps, strategy.rows + strategy.steps
    times = min(times, -(-steps // period))
    if strategy.perfect_trees is not None:
        nodes = cyclic_tree_sum(strategy.perfect_trees, period, times)
        return rounded(nodes, nodes, "exact: nodes of a tree")
    if times == 1 or (strategy.bands is not None and strategy.bands <= period):
        squares = _strided(squared_norms(strategy), period, times)
        most = float(squares.max())
        return rounded(most, most, "exact: column norms", terms)
    if strategy.toeplitz is not None:
        return _toeplitz(strategy, strategy.toeplitz, period, times, terms)
    if steps > MOST_GRAM:
        raise ParameterError(
            f"steps must be at most {MOST_GRAM} for a matrix without structure, got {steps}"
        )
    return _any(strategy.dense(), period, times, terms)


def _strided(values: Array, period: int, times: int) -> Array:
    """Σ values at j, j + period, … for each j."""
    rows = -(-values.size // period)
    padded = np.zeros(rows * period)
    padded[: values.size] = values
    return np.asarray(padded.reshape(rows, period)[:times].sum(axis=0))


def _toeplitz(strategy: Strategy, c: Coefficients, period: int, times: int, terms: int) -> Bound:
    """The steps 0, period, …: those of any other j are the same, cut earlier."""
    steps = strategy.steps
    if min(c) >= 0:
        most = float(np.square(shifted_sum(c, steps, period, times)).sum())
        return rounded(most, most, "exact: the sum of Toeplitz columns", terms)
    if times > MOST_STEPS:
        most = float(np.square(shifted_sum(tuple(map(abs, c)), steps, period, times)).sum())
        low = float(squared_norms(strategy)[::period][:times].sum())
        return rounded(low, most, "upper: absolute values of the coefficients", terms)
    return _of_sets([shifted_gram(c, steps, period, times)], terms)


def _any(matrix: Array, period: int, times: int, terms: int) -> Bound:
    shifts = range(min(period, matrix.shape[1]))
    if (matrix >= 0).all():
        sums = [matrix[:, j::period][:, :times].sum(axis=1) for j in shifts]
        most = max(float(each @ each) for each in sums)
        return rounded(most, most, "exact: sums of non-negative columns", terms)
    columns = (matrix[:, j::period][:, :times] for j in shifts)
    return _of_sets([each.T @ each for each in columns], terms)


def _of_sets(grams: list[Array], terms: int) -> Bound:
    """The largest of the sets of steps, each by its Gram matrix."""
    ends = [largest_move(gram) for gram in grams]
    low, high = max(low for low, _ in ends), max(high for _, high in ends)
    size = max(float(np.sqrt(np.diag(gram)).sum()) ** 2 for gram in grams)
    exact = high - low <= CLOSE * high
    method = "exact: semidefinite programme" if exact else "upper: semidefinite programme"
    return rounded(low, high, method, terms, size)
