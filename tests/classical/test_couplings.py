"""Couplings of listed samples: the named theorems are special cases, and enumeration lies below."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hockeystick import classical
from hockeystick.classical import additions_or_removals, couple, replacements
from hockeystick.errors import ParameterError

QUARTER = Fraction(1, 4)
EPSILONS = (0.0, 0.05, 0.3, 1.0)


def law(samples: Iterable[tuple[tuple[Any, ...], Any]]) -> dict[Any, Any]:
    """Samples as multisets."""
    total: dict[Any, Any] = defaultdict(Fraction)
    for sample, chance in samples:
        total[tuple(sorted(sample))] += chance
    return total


def gaussian(k: int, epsilon: float) -> float:
    return float(classical.gaussian_group_profile(epsilon, 0.7, k))


def same(found: Callable[[float], float], expected: Callable[[float], float]) -> None:
    for epsilon in EPSILONS:
        assert found(epsilon) == pytest.approx(expected(epsilon), rel=1e-12, abs=1e-15)


def test_theorem_8() -> None:
    one = law(classical.poisson_samples("abcd", QUARTER))
    other = law(classical.poisson_samples("abc", QUARTER))
    coupled = couple(one, other, additions_or_removals)
    assert (coupled.rate, coupled.compatible) == (0.25, True)
    same(coupled.profile(gaussian), classical.poisson_profile(lambda e: gaussian(1, e), rate=0.25))
    assert couple(other, one, additions_or_removals).far == {0: 1.0}  # the record is never drawn


def test_theorem_9() -> None:
    one = law(classical.without_replacement_samples("abcd", 2))
    other = law(classical.without_replacement_samples("abce", 2))
    expected = classical.without_replacement_profile(lambda e: gaussian(1, e), size=2, population=4)
    same(couple(one, other, replacements).profile(gaussian), expected)


@pytest.mark.parametrize("other", ["abce", "abc"])
def test_theorems_10_and_11(other: str) -> None:
    one = law(classical.with_replacement_samples("abcd", 3))
    coupled = couple(one, law(classical.with_replacement_samples(other, 3)), replacements)
    assert coupled.compatible
    expected = classical.with_replacement_profile(gaussian, size=3, population=4)
    same(coupled.profile(gaussian), expected)


def test_poisson_when_a_record_is_replaced() -> None:
    """The paper's incompatible case: no distance of one kind fits, but kinds of change do."""
    one = law(classical.poisson_samples("abcd", QUARTER))
    other = law(classical.poisson_samples("abce", QUARTER))
    coupled = couple(
        one,
        other,
        lambda y, z: (len(y) == len(z), additions_or_removals(y, z)),
        cost=lambda kind: float(kind[1]),
    )
    assert (coupled.far, coupled.near) == ({(False, 1): 1.0}, {(True, 2): 1.0})
    found = coupled.profile(lambda kind, e: gaussian(2 if kind[0] else 1, e))  # type: ignore[index]
    expected = classical.poisson_replace_one_profile(
        lambda e: gaussian(1, e), lambda e: gaussian(2, e), rate=0.25
    )
    same(found, expected)


def test_never_below_the_truth() -> None:
    """Randomized membership on a strange law: the divergence of its two mixtures."""
    rng = np.random.default_rng(5)
    batches = [b for k in range(1, 4) for b in itertools.combinations("abcd", k)]
    weights = rng.dirichlet(np.ones(len(batches)))
    one = dict(zip(batches, weights.tolist(), strict=True))
    other = law((tuple(x.replace("a", "e") for x in batch), p) for batch, p in one.items())
    one = law(one.items())
    coupled = couple(one, other, additions_or_removals)
    assert coupled.rate == pytest.approx(sum(p for b, p in one.items() if "a" in b), rel=1e-12)
    member = classical.randomized_membership("a", 0.75)
    p = classical.sampled_output(member, iter(one.items()))
    q = classical.sampled_output(member, iter(other.items()))
    profile = coupled.profile(lambda k, e: classical.membership_profile(e, 0.75))
    for epsilon in EPSILONS:
        truth = classical.hockey_stick(p, q, float(np.exp(epsilon)))
        assert truth <= profile(epsilon) * (1 + 1e-12)
        assert profile(epsilon) <= truth * (1 + 1e-9)  # attained by membership


def test_the_coupling_is_the_closest() -> None:
    """Where not all can go to its nearest: by brute force over permutations of equal parts."""
    one, other = {(0,): 0.25, (1,): 0.25, (2,): 0.25, (9,): 0.25}, {}
    places = (3, 4, 8, 20)
    other = {(place,): 0.25 for place in places}
    coupled = couple(one, other, lambda y, z: abs(y[0] - z[0]))
    mean = sum(k * w for k, w in coupled.near.items())
    best = min(
        sum(abs(a - b) for a, b in zip((0, 1, 2, 9), order, strict=True)) / 4
        for order in itertools.permutations(places)
    )
    assert mean == pytest.approx(best, rel=1e-12)
    assert not coupled.compatible


def test_equal_laws_cost_nothing() -> None:
    coupled = couple({(): 1.0}, {(): 1.0}, replacements)
    assert coupled.rate == coupled.profile(gaussian)(0.0) == 0


@pytest.mark.parametrize("bad", [{(): 0.5}, {(): 1.5, (1,): -0.5}, {(): float("nan")}, 3])
def test_refused(bad: Any) -> None:
    with pytest.raises(ParameterError, match="first must"):
        couple(bad, {(): 1.0}, replacements)


def test_refused_sizes() -> None:
    with pytest.raises(ParameterError, match="one size"):
        couple({(): 1.0}, {(1,): 1.0}, replacements)
