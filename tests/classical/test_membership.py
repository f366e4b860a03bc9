"""Theorem 13 of Balle, Barthe and Gaboardi (2018): randomized membership attains Theorems 8–10.

All neighbouring data sets of a small universe and all their samples, in exact fractions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pytest

from hockeystick.classical import (
    amplify_poisson,
    amplify_with_replacement,
    amplify_without_replacement,
    membership_profile,
    poisson_samples,
    randomized_membership,
    sampled_output,
    with_replacement_samples,
    without_replacement_samples,
)

UNIVERSE = "vabc"
TRUTHS = (Fraction(2, 3), Fraction(9, 10), Fraction(1))
ALPHAS = (Fraction(1), Fraction(3, 2), Fraction(4))
Data = tuple[str, ...]
Law = tuple[Fraction, ...]


def sets(sizes: Iterable[int]) -> list[Data]:
    return [data for size in sizes for data in combinations(UNIVERSE, size)]


def replaced(data: list[Data]) -> Iterator[tuple[Data, Data]]:
    return ((x, y) for x, y in product(data, data) if len(set(x) - set(y)) == 1)


def added_or_removed(data: list[Data]) -> Iterator[tuple[Data, Data]]:
    return ((x, y) for x, y in product(data, data) if len(set(x) ^ set(y)) == 1)


def largest(
    pairs: Iterable[tuple[Data, Data]],
    sample: Callable[[Data], Iterator[tuple[Any, Any]]],
    truth: Fraction,
    alpha: Fraction,
) -> Fraction:
    """sup of H_α over the neighbouring data sets, exactly."""
    mechanism = randomized_membership("v", truth)
    laws: dict[Data, Law] = {}
    best = Fraction(0)
    for pair in pairs:
        for data in pair:
            laws.setdefault(data, sampled_output(mechanism, sample(data)))
        p, q = (laws[data] for data in pair)
        best = max(best, hockey_stick_of(p, q, alpha))
    return best


def hockey_stick_of(p: Law, q: Law, alpha: Fraction) -> Fraction:
    """Σ [p − α·q]_+, exactly."""
    gains = (max(Fraction(0), a - alpha * b) for a, b in zip(p, q, strict=True))
    return sum(gains, start=Fraction(0))


def attained(eta: Fraction, truth: Fraction, alpha: Fraction) -> Fraction:
    return eta * max(Fraction(0), truth - alpha * (1 - truth))


def after(eta: Fraction, alpha: Fraction) -> Fraction:
    return 1 + eta * (alpha - 1)


@pytest.mark.parametrize("rate", [Fraction(1, 10), Fraction(1, 2), Fraction(1)])
def test_theorem_8_is_attained(rate: Fraction) -> None:
    pairs = list(added_or_removed(sets(range(4))))
    for truth, alpha in product(TRUTHS, ALPHAS):
        value = largest(pairs, lambda x: poisson_samples(x, rate), truth, after(rate, alpha))
        assert value == attained(rate, truth, alpha)
        epsilon = math.log(alpha)
        bound = amplify_poisson(
            epsilon, membership_profile(epsilon, float(truth)), rate=float(rate)
        )
        assert bound[1] == pytest.approx(float(value), abs=1e-15)
        assert math.exp(bound[0]) == pytest.approx(float(after(rate, alpha)), rel=1e-14, abs=0)


@pytest.mark.parametrize(("size", "population"), [(1, 2), (1, 3), (2, 3), (3, 3)])
def test_theorem_9_is_attained(size: int, population: int) -> None:
    pairs, eta = list(replaced(sets([population]))), Fraction(size, population)
    for truth, alpha in product(TRUTHS, ALPHAS):
        value = largest(
            pairs, lambda x: without_replacement_samples(x, size), truth, after(eta, alpha)
        )
        assert value == attained(eta, truth, alpha)
        epsilon = math.log(alpha)
        bound = amplify_without_replacement(
            epsilon, membership_profile(epsilon, float(truth)), size=size, population=population
        )
        assert bound[1] == pytest.approx(float(value), abs=1e-15)


@pytest.mark.parametrize(("size", "population"), [(1, 2), (2, 2), (2, 3), (4, 3), (3, 1)])
def test_theorem_10_is_attained(size: int, population: int) -> None:
    pairs = list(replaced(sets([population])))
    eta = 1 - (1 - Fraction(1, population)) ** size
    for truth, alpha in product(TRUTHS, ALPHAS):
        value = largest(
            pairs, lambda x: with_replacement_samples(x, size), truth, after(eta, alpha)
        )
        assert value == attained(eta, truth, alpha)

        def group(size: int, epsilon: float, truth: float = float(truth)) -> float:
            return membership_profile(epsilon, truth)

        bound = amplify_with_replacement(
            math.log(alpha),
            group,
            size=size,
            population=population,
        )
        assert bound[1] == pytest.approx(float(value), abs=1e-15)
        assert math.exp(bound[0]) == pytest.approx(float(after(eta, alpha)), rel=1e-14, abs=0)


def test_samples_are_laws() -> None:
    for law in (
        poisson_samples("abc", Fraction(1, 7)),
        without_replacement_samples("abcd", 2),
        with_replacement_samples("abc", 3),
    ):
        listed = list(law)
        assert sum(chance for _, chance in listed) == 1
        assert len({sample for sample, _ in listed}) == len(listed)


def test_the_profile_of_membership() -> None:
    assert membership_profile(0.0, 0.25) == membership_profile(0.0, 0.75) == 0.5
    assert membership_profile(5.0, 1) == 1
    assert membership_profile(math.log(3), 0.75) == 0
    assert membership_profile(0.5, 0.75) == pytest.approx(
        0.75 - 0.25 * math.exp(0.5), rel=1e-14, abs=0
    )
    tiny = 1 - 2.0**-40
    assert membership_profile(2.0, tiny) == pytest.approx(
        tiny - math.exp(2) * 2.0**-40, rel=1e-14, abs=0
    )
