"""Amplification of profiles: random mechanisms on all neighbours in a small universe."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations, combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf

from hockeystick.classical import (
    amplified_epsilon,
    amplify_poisson,
    amplify_poisson_replace_one,
    amplify_with_replacement,
    amplify_without_replacement,
    base_epsilon,
    gaussian_group_profile,
    gaussian_profile,
    hockey_stick,
    laplace_group_profile,
    poisson_profile,
    poisson_replace_one_profile,
    poisson_samples,
    sampled_output,
    with_replacement_profile,
    with_replacement_samples,
    without_replacement_profile,
    without_replacement_samples,
)
from hockeystick.errors import ParameterError
from hockeystick.numerics.types import Array

UNIVERSE = "abcd"
EPSILONS = (0.0, 0.1, 0.5, 1.0, 2.5)
Data = tuple[str, ...]
Table = dict[Data, Array]


def apart(x: Data, y: Data) -> int:
    """How many records of x must be replaced to make it y (of the same size)."""
    return sum((Counter(x) - Counter(y)).values())


def laws(seed: int, samples: Iterator[Data]) -> Table:
    rng = np.random.default_rng(seed)
    spread = rng.choice([0.5, 1.5, 4.0])
    table = {tuple(sorted(sample)): np.exp(spread * rng.normal(size=3)) for sample in samples}
    return {sample: weights / weights.sum() for sample, weights in table.items()}


def largest(table: Table, adjacent: Callable[[Data, Data], bool]) -> Callable[[float], float]:
    """The profile over all adjacent inputs; 0 if there are none."""
    pairs = [(p, q) for (x, p), (y, q) in product(table.items(), repeat=2) if adjacent(x, y)]
    return lambda e: max((hockey_stick(p, q, math.exp(e)) for p, q in pairs), default=0.0)


def sampled(
    table: Table, data: list[Data], samples: Callable[[Data], Iterator[tuple[Any, Any]]]
) -> Table:
    def read(sample: Any) -> tuple[Any, ...]:
        return tuple(table[tuple(sorted(sample))])

    return {x: np.array([float(p) for p in sampled_output(read, samples(x))]) for x in data}


def one_replaced(x: Data, y: Data) -> bool:
    return len(x) == len(y) and apart(x, y) == 1


def one_more_or_less(x: Data, y: Data) -> bool:
    return abs(len(x) - len(y)) == 1 and (set(x) < set(y) or set(y) < set(x))


def subsets(sizes: range) -> Iterator[Data]:
    return (data for size in sizes for data in combinations(UNIVERSE, size))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("rate", [0.1, 0.6])
def test_poisson_holds_and_is_used(seed: int, rate: float) -> None:
    table = laws(seed, subsets(range(5)))
    after = sampled(table, list(subsets(range(5))), lambda x: poisson_samples(x, rate))
    truth = largest(after, one_more_or_less)
    bound = poisson_profile(largest(table, one_more_or_less), rate=rate)
    for epsilon in EPSILONS:
        assert truth(epsilon) <= bound(epsilon) + 1e-15
    assert truth(0.0) > 0.1 * bound(0.0)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("rate", [0.1, 0.6])
def test_poisson_under_replace_one(seed: int, rate: float) -> None:
    table = laws(seed, subsets(range(5)))
    after = sampled(table, list(subsets(range(1, 4))), lambda x: poisson_samples(x, rate))
    truth = largest(after, one_replaced)
    bound = poisson_replace_one_profile(
        largest(table, one_more_or_less), largest(table, one_replaced), rate=rate
    )
    for epsilon in EPSILONS:
        assert truth(epsilon) <= bound(epsilon) + 1e-15
    assert truth(0.0) > 0.1 * bound(0.0)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("size", "population"), [(1, 3), (2, 3)])
def test_without_replacement_holds(seed: int, size: int, population: int) -> None:
    table = laws(seed, subsets(range(size, size + 1)))
    data = list(subsets(range(population, population + 1)))
    after = sampled(table, data, lambda x: without_replacement_samples(x, size))
    truth = largest(after, one_replaced)
    bound = without_replacement_profile(
        largest(table, one_replaced), size=size, population=population
    )
    for epsilon in EPSILONS:
        assert truth(epsilon) <= bound(epsilon) + 1e-15
    assert truth(0.0) > 0.1 * bound(0.0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("size", "population"), [(2, 2), (2, 3), (3, 3)])
def test_with_replacement_holds_under_both_relations(seed: int, size: int, population: int) -> None:
    """Theorem 10 for two data sets of n records, Theorem 11 for n and n − 1."""
    table = laws(seed, combinations_with_replacement(UNIVERSE, size))

    def group(k: int, epsilon: float) -> float:
        return largest(table, lambda x, y: 0 < apart(x, y) <= k)(epsilon)

    bound = with_replacement_profile(group, size=size, population=population)
    for sizes, adjacent in (
        (range(population, population + 1), one_replaced),
        (range(population - 1, population + 1), one_more_or_less),
    ):
        after = sampled(table, list(subsets(sizes)), lambda x: with_replacement_samples(x, size))
        truth = largest(after, adjacent)
        for epsilon in (0.0, 0.5, 2.5):
            assert truth(epsilon) <= bound(epsilon) + 1e-15
        assert truth(0.0) > 0.05 * bound(0.0)


def test_the_two_forms_agree() -> None:
    def profile(epsilon: float) -> float:
        return float(gaussian_profile(epsilon, 1.2))

    def group(k: int, epsilon: float) -> float:
        return float(gaussian_group_profile(epsilon, 1.2, k))

    for epsilon in (0.0, 0.3, 2.0):
        after, delta = amplify_poisson(epsilon, profile(epsilon), rate=0.2)
        assert poisson_profile(profile, rate=0.2)(after) == pytest.approx(delta, rel=1e-12, abs=0)
        after, delta = amplify_without_replacement(epsilon, profile(epsilon), size=3, population=9)
        other = without_replacement_profile(profile, size=3, population=9)
        assert other(after) == pytest.approx(delta, rel=1e-12, abs=0)
        after, delta = amplify_with_replacement(epsilon, group, size=3, population=9)
        assert with_replacement_profile(group, size=3, population=9)(after) == pytest.approx(
            delta, rel=1e-12, abs=0
        )
        after, delta = amplify_poisson_replace_one(
            epsilon, profile(epsilon), group(2, epsilon), rate=0.2
        )
        both = poisson_replace_one_profile(profile, lambda e: group(2, e), rate=0.2)
        assert both(after) == pytest.approx(delta, rel=1e-12, abs=0)


def test_poisson_is_exact_for_the_gaussian_pair() -> None:
    """H of (1−q)N(0,1)+qN(μ,1) against N(0,1), by its crossing point: an identity, not a bound."""
    q, mu, epsilon = 0.1, 1.3, 0.4
    with mp.workdps(30):
        x = (mp.log((mp.exp(epsilon) - 1 + mpf(q)) / q) + mpf(mu) ** 2 / 2) / mu
        exact = (1 - mpf(q) - mp.exp(epsilon)) * mp.ncdf(-x) + q * mp.ncdf(mu - x)
    value = poisson_profile(lambda e: gaussian_profile(e, mu), rate=q)(epsilon)
    assert value == pytest.approx(float(exact), rel=1e-12, abs=0)


@pytest.mark.parametrize("rate", [1e-305, 1e-12, 1e-3, 0.5, 1.0])
def test_epsilon_there_and_back_in_fifty_digits(rate: float) -> None:
    with mp.workdps(50):
        for epsilon in (0.0, 1e-12, 0.1, 30.0, 40.0, 699.0, 702.0, 800.0, 5000.0):
            exact = mp.log1p(mpf(rate) * mp.expm1(mpf(epsilon)))
            assert amplified_epsilon(epsilon, rate) == pytest.approx(float(exact), rel=1e-13, abs=0)
            base = mp.log1p(mp.expm1(mpf(epsilon)) / mpf(rate))
            assert base_epsilon(epsilon, rate) == pytest.approx(float(base), rel=1e-14, abs=0)


def test_the_ends() -> None:
    assert amplified_epsilon(math.inf, 0.5) == math.inf
    assert amplified_epsilon(3.0, 0) == 0
    assert base_epsilon(math.inf, 0.5) == math.inf
    assert poisson_profile(lambda e: 1.0, rate=0)(0.0) == 0
    assert poisson_replace_one_profile(lambda e: 1.0, lambda e: 1.0, rate=0)(0.0) == 0
    assert amplify_poisson_replace_one(math.inf, 0.5, 0.1, rate=0.5)[0] == math.inf
    assert amplify_with_replacement(1.0, lambda k, e: 0.25, size=5, population=1) == (1.0, 0.25)


@pytest.mark.parametrize("size", [10, 1000, 10**6])
def test_with_replacement_at_any_size(size: int) -> None:
    """Σ_k Bin(k; m, 1/n)·δ_k in 40 digits."""
    for population in (size, 10 * size):
        value = amplify_with_replacement(
            0.5, lambda k, e: laplace_group_profile(e, 0.3, k), size=size, population=population
        )[1]
        with mp.workdps(40):
            p = mpf(1) / population
            weight, total = (1 - p) ** size, mpf(0)
            for k in range(1, min(size, 80) + 1):
                weight *= (size - k + 1) * p / (k * (1 - p))
                total += weight * max(0, 1 - mp.exp((mpf(0.5) - k * mpf(0.3)) / 2))
        assert value == pytest.approx(float(total), rel=1e-12, abs=0)


def test_bad_input() -> None:
    with pytest.raises(ParameterError, match="size must be at most population"):
        amplify_without_replacement(1.0, 0.1, size=3, population=2)
    with pytest.raises(ParameterError, match=r"rate must be in \(0, 1\]"):
        base_epsilon(1.0, 0.0)
    with pytest.raises(ParameterError, match="group_profile must be in"):
        amplify_with_replacement(1.0, lambda k, e: 2.0, size=2, population=2)
    with pytest.raises(ParameterError, match="delta must be in"):
        amplify_poisson(1.0, -0.1, rate=0.5)
