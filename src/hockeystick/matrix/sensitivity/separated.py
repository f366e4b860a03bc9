"""Sensitivity where two participations of a record are some number of steps apart."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hockeystick.bound import Bound
from hockeystick.errors import NumericalError
from hockeystick.matrix.sensitivity.columns import falls, majorant, shifted_sum, squared_norms
from hockeystick.matrix.sensitivity.cyclic import CLOSE, MOST_GRAM
from hockeystick.matrix.sensitivity.elliptope import is_balanced, largest_move
from hockeystick.matrix.sensitivity.ends import rounded
from hockeystick.matrix.sensitivity.history import largest_form
from hockeystick.matrix.sensitivity.spaced import largest_sum
from hockeystick.matrix.sensitivity.trees import largest_tree_sum
from hockeystick.matrix.sensitivity.two_level import found_set, two_level
from hockeystick.matrix.strategy import Strategy
from hockeystick.numerics.types import Array

MOST_SETS = 300
"""Sets of steps that are tried one by one where entries of X have different signs."""


def separated(strategy: Strategy, every: int, at_most: int) -> Bound:
    """max ‖C·H‖ over contributions at no more than `at_most` steps, `every` or more apart.

    Exact where columns that far apart share no row (a dynamic programme over their squared norms,
    Choquette-Choo et al. 2023, Algorithm 3), for trees, for Toeplitz matrices whose coefficients
    are non-negative and never grow (the columns 0, every, 2·every, … are the worst, Kalinin and
    Lampert 2024), and for non-negative X = CᵀC where near steps interact alone. Else both ends:
    above by |X|, below by a set of steps that is found. `method` begins with "exact" or "upper".

    >>> from hockeystick.matrix import square_root
    >>> round(separated(square_root(64), every=16, at_most=4), 10)
    3.9606202681
    """
    steps, terms = strategy.steps, strategy.rows + strategy.steps
    at_most = min(at_most, -(-steps // every))
    c = strategy.toeplitz
    if at_most == 1 or (strategy.bands is not None and strategy.bands <= every):
        most = float(largest_sum(squared_norms(strategy), every, at_most))
        return rounded(most, most, "exact: column norms", terms)
    if strategy.perfect_trees is not None:
        try:
            low, high = largest_tree_sum(strategy.perfect_trees, every, at_most)
            method = "exact" if low == high else "upper"
            return rounded(low, high, f"{method}: nodes of a tree")
        except NumericalError:  # restarts at odd places: as any other matrix
            pass
    if c is not None and falls(c):
        most = float(np.square(shifted_sum(c, steps, every, at_most)).sum())
        return rounded(most, most, "exact: the sum of Toeplitz columns", terms)
    return _any(strategy, every, at_most, terms)


def _any(strategy: Strategy, every: int, at_most: int, terms: int) -> Bound:
    c, bounds = strategy.toeplitz, []
    if c is not None:
        above = shifted_sum(majorant(c), strategy.steps, every, at_most)
        bounds.append(float(np.square(above).sum()))
    if strategy.steps > MOST_GRAM:
        norms = squared_norms(strategy)
        low = float(largest_sum(norms, every, at_most))
        bounds.append(float(largest_sum(np.sqrt(norms), every, at_most)) ** 2)
        return rounded(low, min(bounds), "upper: lengths of columns", terms)
    gram = strategy.gram()
    size = float(largest_sum(np.sqrt(np.diag(gram)), every, at_most)) ** 2
    low, high, method = _of_gram(gram, strategy.bands or strategy.steps, every, at_most)
    if bounds and bounds[0] < high:
        high, method = bounds[0], "upper: a Toeplitz matrix above it"
    return rounded(min(low, high), high, method, terms, size)


def _of_gram(gram: Array, bands: int, every: int, at_most: int) -> tuple[float, float, str]:
    """Both ends of the square, and how they were found."""
    weights, balanced = np.abs(gram), is_balanced(gram)
    if not balanced:
        sets = list(_up_to(_maximal_sets(len(gram), every, at_most), MOST_SETS))
        if len(sets) <= MOST_SETS:
            ends = [largest_move(gram[np.ix_(each, each)]) for each in sets]
            low, high = max(low for low, _ in ends), max(high for _, high in ends)
            if high - low <= CLOSE * high:
                return low, high, "exact: semidefinite programmes"
    try:
        high, method = largest_form(weights, bands, every, at_most), "pairs of near steps"
        if balanced:
            return high, high, f"exact: {method}"
    except NumericalError:
        high, method = two_level(weights, every, at_most), "rows one by one"
    found = found_set(weights, every, at_most)
    low = largest_move(gram[np.ix_(found, found)])[0]
    exact = high - low <= CLOSE * high
    return low, high, f"{'exact' if exact else 'upper'}: {method}"


def _maximal_sets(steps: int, every: int, at_most: int) -> Iterator[list[int]]:
    """Sets of at most `at_most` steps, `every` or more apart, of which some holds any other."""

    def more(taken: list[int]) -> Iterator[list[int]]:
        first = taken[-1] + every if taken else 0
        room, left = -(-(steps - first) // every), at_most - len(taken)
        if left == 0 or room <= 0:
            yield taken
            return
        # Where all that fit are allowed, to skip so many steps would leave one out.
        for step in range(first, min(steps, first + every) if room <= left else steps):
            yield from more([*taken, step])

    return more([])


def _up_to(sets: Iterator[list[int]], most: int) -> Iterator[list[int]]:
    """No more than one above the number: then they are too many."""
    for _, each in zip(range(most + 1), sets, strict=False):
        yield each
