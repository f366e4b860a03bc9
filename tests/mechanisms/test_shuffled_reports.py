"""Shuffled reports: the histograms of a few users, one by one, lie between the ends."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict

import numpy as np
import pytest
from scipy.stats import binom

import hockeystick as hs
from hockeystick import classical

Law = dict[tuple[int, ...], float]


def histogram(answers: tuple[int, ...], epsilon: float, categories: int) -> Law:
    """The law of the numbers of reports of each kind, of randomized response."""
    laws: Law = {(0,) * categories: 1.0}
    other = 1 / (math.exp(epsilon) + categories - 1)
    for answer in answers:
        after: Law = defaultdict(float)
        for counts, chance in laws.items():
            for report in range(categories):
                p = other * (math.exp(epsilon) if report == answer else 1.0)
                more = tuple(n + (i == report) for i, n in enumerate(counts))
                after[more] += chance * p
        laws = after
    return laws


def worst(users: int, epsilon: float, categories: int, at: float) -> float:
    """The largest divergence when the first user's answer changes, over all others' answers."""
    largest = 0.0
    for others in itertools.combinations_with_replacement(range(categories), users - 1):
        one, two = (histogram((x, *others), epsilon, categories) for x in (0, 1))
        for p, q in ((one, two), (two, one)):
            total = sum(max(p[h] - math.exp(at) * q[h], 0.0) for h in p)
            largest = max(largest, total)
    return largest


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
@pytest.mark.parametrize(("users", "categories"), [(1, 2), (2, 2), (5, 2), (4, 3), (4, 4), (3, 5)])
def test_all_answers_of_the_others(users: int, categories: int, epsilon: float) -> None:
    named = hs.ShuffledReports(epsilon, users, categories=categories)
    anything = hs.ShuffledReports(epsilon, users)
    for at in (0.0, 0.3, 0.8 * epsilon):
        truth = worst(users, epsilon, categories, at)
        found = named.delta(at)
        assert found.lower <= truth * (1 + 1e-9) + 1e-13
        assert truth <= found * (1 + 1e-9) + 1e-13
        assert found <= anything.delta(at) * (1 + 1e-12)


@pytest.mark.parametrize("users", [30, 400])
@pytest.mark.parametrize("at", [0.0, 0.1, 0.3])
def test_clones_by_their_law(users: int, at: float) -> None:
    """The pair of the theorem, added up outcome by outcome."""
    e = math.e
    c, a = np.arange(users)[:, None], np.arange(users + 1)
    chance = binom.pmf(c, users - 1, 2 / (e + 1))
    first, second = binom.pmf(a - 1, c, 0.5), binom.pmf(a, c, 0.5)
    p = chance * (e * first + second) / (e + 1)
    q = chance * (first + e * second) / (e + 1)
    truth = np.maximum(p - math.exp(at) * q, 0).sum()
    found = hs.ShuffledReports(1.0, users).delta(at)
    assert found == pytest.approx(truth, rel=1e-4)
    assert found >= truth * (1 - 1e-12)


@pytest.mark.slow
def test_between_the_clones_and_no_shuffling() -> None:
    for users in (100, 10_000, 1_000_000):
        found = hs.ShuffledReports(1.0, users).epsilon(1e-6)
        assert 0.85 * found < found.lower < found < classical.shuffle_epsilon(1.0, users, 1e-6)
    assert hs.ShuffledReports(1.0, 1).epsilon(0) == 1.0
    assert hs.ShuffledReports(0.0, 10).epsilon(0) == 0.0


@pytest.mark.slow
def test_more_users_and_more_categories_hide_better() -> None:
    by_users = [hs.ShuffledReports(2.0, n).epsilon(1e-5) for n in (10, 100, 1000, 10_000)]
    assert by_users == sorted(by_users, reverse=True)
    by_categories = [hs.ShuffledReports(2.0, 200, k).epsilon(1e-5) for k in (2, 3, 5, 20)]
    assert by_categories == sorted(by_categories, reverse=True)


@pytest.mark.slow
def test_composition() -> None:
    one = hs.ShuffledReports(1.0, 1000, categories=4)
    found = (one * 10).epsilon(1e-6)
    assert one.epsilon(1e-6) < found < 10 * one.epsilon(1e-7)
    assert 0.98 * found < found.lower


def test_of_a_sample_of_users() -> None:
    reports = hs.ShuffledReports(1.0, 50)
    assert reports.on(hs.WithoutReplacement(5, 50)).epsilon(1e-6) < reports.epsilon(1e-6)


def test_row_of_compare() -> None:
    table = hs.compare(hs.ShuffledReports(1.0, 1000), 1e-6)
    names = {row.name: row.epsilon for row in table}
    assert names["shuffling"] > names["exact"] > names["lower bound"]


@pytest.mark.parametrize("epsilon", [10.0, 20.0, 40.0])
@pytest.mark.parametrize("categories", [None, 2, 3, 50])
def test_reports_that_hide_little(epsilon: float, categories: int | None) -> None:
    """Next to no report is random: a clone is as rare as a lie."""
    found = hs.ShuffledReports(epsilon, 1000, categories).epsilon(1e-6)
    assert 0 <= found.lower <= found <= epsilon
    if epsilon == 40:
        assert found > 39


@pytest.mark.slow
def test_fewer_users_tell_more() -> None:
    """What is left out of a crowd that is too large to list is safe, and better than nothing."""
    many = hs.ShuffledReports(1.0, 300_000, categories=10).epsilon(1e-6)
    assert many.lower < many < 0.8 * hs.ShuffledReports(1.0, 300_000).epsilon(1e-6)


@pytest.mark.slow
def test_release_is_randomized_response_in_any_order() -> None:
    """Chances of all sequences of three reports: those of randomized response, the order lost."""
    e, runs = math.exp(1.0), 5_000
    reports = hs.ShuffledReports(1.0, 3, categories=3)
    rng = np.random.default_rng(5)
    seen: dict[tuple[int, ...], int] = defaultdict(int)
    for _ in range(runs):
        seen[tuple(reports.release([0, 0, 2], rng=rng).tolist())] += 1
    for each in itertools.product(range(3), repeat=3):
        orders = [
            math.prod(
                (e if said == answer else 1.0) / (e + 2)
                for said, answer in zip(order, (0, 0, 2), strict=True)
            )
            for order in itertools.permutations(each)
        ]
        chance = sum(orders) / 6
        assert abs(seen[each] / runs - chance) < 5 * math.sqrt(chance / runs)


def test_release_takes_labels_and_refuses_what_was_not_accounted() -> None:
    reports = hs.ShuffledReports(2.0, 4, categories=2)
    said = reports.release(["yes", "no", "no", "yes"], labels=["no", "yes"])
    assert set(said.tolist()) <= {"yes", "no"}
    for answers in ([0, 1, 1], [[0, 1], [1, 1]], 1):
        with pytest.raises(hs.ParameterError, match="answers must be a list of 4"):
            reports.release(answers)
    with pytest.raises(hs.ParameterError, match="categories must be given"):
        hs.ShuffledReports(2.0, 4).release([0, 1, 1, 0])
