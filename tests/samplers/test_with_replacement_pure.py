"""Pure DP on a sample with replacement: the largest loss, by linear programs, and what it gives."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from scipy.optimize import linprog

import hockeystick as hs
from hockeystick.numerics.types import Array
from hockeystick.samplers.bases.pure_copies import pure_with_replacement


def worst_mechanism(
    size: int, population: int, epsilon: float, zeroed: float, removed: bool = False
) -> float:
    """The largest loss over all such mechanisms and events, by two linear programs.

    A mechanism is the chance of the event on each batch. Record 0 is replaced by record 1, or is
    removed; the others are in both data sets. Charnes and Cooper: the second chance is 1. Draws
    that differ in record 1 are `zeroed` apart, all others ε.
    """
    others = list(range(2, population + 1))
    batches = list(itertools.combinations_with_replacement(range(population + 1), size))
    place = {batch: i for i, batch in enumerate(batches)}

    def law(records: list[int]) -> Array:
        row = np.zeros(len(batches))
        for draw in itertools.product(records, repeat=size):
            row[place[tuple(sorted(draw))]] += len(records) ** -size
        return row

    rows = []
    for one, other in itertools.permutations(batches, 2):
        new, old = Counter(one) - Counter(other), Counter(other) - Counter(one)
        if sum(new.values()) == 1:
            row = np.zeros(len(batches))
            row[place[one]] = 1.0
            row[place[other]] = -math.exp(zeroed if 1 in new | old else epsilon)
            rows.append(row)
    first, second = law([0, *others]), law(others if removed else [1, *others])

    def largest(p: Array, q: Array) -> float:
        found = linprog(-p, A_ub=rows, b_ub=np.zeros(len(rows)), A_eq=[q], b_eq=[1.0])
        assert found.fun is not None
        return math.log(-found.fun)

    return max(largest(first, second), largest(second, first))


@pytest.mark.parametrize(("size", "population"), [(1, 3), (2, 2), (2, 3), (3, 2), (3, 3), (4, 3)])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_what_the_worst_mechanism_loses(size: int, population: int, epsilon: float) -> None:
    """Attained, where a record is replaced or removed; a bound, where it is zeroed out."""
    found = pure_with_replacement(size, population, epsilon, epsilon)
    for removed in (False, True):
        truth = worst_mechanism(size, population, epsilon, epsilon, removed)
        assert found == pytest.approx(truth, rel=1e-8)
    truth = worst_mechanism(size, population, epsilon, epsilon / 2)
    found = pure_with_replacement(size, population, epsilon, epsilon / 2)
    assert truth * (1 - 1e-9) <= found <= truth * 1.0001


def test_one_record_and_large_losses() -> None:
    assert pure_with_replacement(3, 1, 0.5, 0.5) == pytest.approx(1.5, rel=1e-9)
    assert pure_with_replacement(3, 10, 1000.0, 1000.0) == math.inf


@pytest.mark.parametrize("relation", [hs.REPLACE_ONE, hs.ADD_REMOVE])
def test_both_ends_of_laplace_nearly_meet(relation: hs.Relation) -> None:
    found = hs.Laplace(1.0).on(hs.WithReplacement(50, 1000)).epsilon(1e-6, relation=relation)
    assert found.lower <= found <= 1.004 * found.lower
    assert found <= pure_with_replacement(50, 1000, 2.0, 2.0)


def test_many_copies_cost_no_more_than_they_are_likely() -> None:
    """The curve, too: at every order at most the largest loss, and at infinity that."""
    run = hs.Laplace(1.0).on(hs.WithReplacement(50, 1000))
    largest = pure_with_replacement(50, 1000, 2.0, 2.0)
    assert 0 < run.rdp(2.0) < run.rdp(64.0) < largest
    assert run.rdp(math.inf) == pytest.approx(largest, rel=1e-9)
