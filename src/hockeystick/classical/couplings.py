"""Amplification by any finite sampling: maximal couplings and couplings of least distance.

Balle, Barthe and Gaboardi (2018), Section 3: the method behind their Theorems 8 to 11, for two laws
of the samples of two neighbouring data sets that are listed one by one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from hockeystick.checks import shown
from hockeystick.classical.amplification import GroupProfile, Profile, base_epsilon
from hockeystick.errors import ParameterError
from hockeystick.numerics.transport import transport
from hockeystick.numerics.types import Array

Law = Mapping[Any, Any]
"""Samples, or other outcomes, with their probabilities: numbers that add up to 1."""
Weights = dict[Any, float]
"""Distances, or other kinds of change, with the probability of each."""

MOST_PAIRS = 500_000
"""Pairs of samples whose distances are listed: about a second."""
CLOSE = 1e-9
"""By how much, relative to it, a coupling may miss the least distance and count as compatible."""


@dataclass(frozen=True)
class Coupling:
    """What two laws ω = (1 − η)·ω₀ + η·ω₁ and ω' = (1 − η)·ω₀ + η·ω₁' of samples have in common.

    η is their total variation distance: the decomposition is that of the maximal coupling.
    """

    rate: float
    """η."""
    far: Weights
    """Distances between ω₁ and ω₀, when they are coupled as closely as can be."""
    near: Weights
    """Distances between ω₁ and ω₁'."""
    compatible: bool
    """Whether every sample is coupled with those nearest to it: then no other coupling has a
    smaller bound, whatever the mechanism (Theorem 7)."""

    def profile(self, group_profile: GroupProfile) -> Profile:
        """δ'(ε') = η·((1 − β)·Σ_k far_k·δ_k(ε) + β·Σ_k near_k·δ_k(ε)), of the first against
        the second.

        ε' = log(1 + η·(e^ε − 1)) and β = e^{ε' − ε}; equations (4) and (5). No change costs
        nothing: δ_0 = 0.

        >>> from hockeystick.classical import laplace_group_profile
        >>> one = {("a",): 0.5, ("b",): 0.5}  # one of two records, the first of which is replaced
        >>> other = {("c",): 0.5, ("b",): 0.5}
        >>> coupled = couple(one, other, replacements)
        >>> sampled = coupled.profile(lambda k, e: laplace_group_profile(e, 1.0, k))
        >>> sampled(0.1) == 0.5 * laplace_group_profile(base_epsilon(0.1, 0.5), 1.0, 1)
        True
        """

        def mean(weights: Weights, epsilon: float) -> float:
            return math.fsum(w * group_profile(k, epsilon) for k, w in weights.items() if k)

        def profile(epsilon: float) -> float:
            if self.rate == 0:
                return 0.0
            base = base_epsilon(epsilon, self.rate)
            near = mean(self.near, base)
            if self.far == self.near:
                return self.rate * near
            beta = self.rate if math.isinf(base) else math.exp(epsilon - base)
            return self.rate * ((1 - beta) * mean(self.far, base) + beta * near)

        return profile


def couple(
    first: Law,
    second: Law,
    distance: Callable[[Any, Any], Any],
    *,
    cost: Callable[[Any], float] = float,
) -> Coupling:
    """The coupling of two laws of samples by which amplification is bounded.

    distance: of two samples, the k of the group profile δ_k; `replacements` and
    `additions_or_removals` are two. Where it is another kind of value than a number, `cost` puts
    a number on it: the couplings of ω₁ with ω₀ and with ω₁' have the least mean cost.

    >>> half = {(): 0.5, ("a",): 0.5}
    >>> couple(half, {(): 1.0}, additions_or_removals)
    Coupling(rate=0.5, far={1: 1.0}, near={1: 1.0}, compatible=True)
    """
    p, q = _law("first", first), _law("second", second)
    zero = {each: min(p[each], q[each]) for each in p if each in q}
    one, other = _beyond(p, zero), _beyond(q, zero)
    rate = sum(one.values(), Fraction(0))
    if rate == 0:
        return Coupling(0.0, {}, {}, True)
    near, near_compatible = _distances(one, other, distance, cost)
    far, far_compatible = near, True
    if rate < 1:
        far, far_compatible = _distances(one, zero, distance, cost)
    return Coupling(float(rate), far, near, near_compatible and far_compatible)


def replacements(one: tuple[Hashable, ...], other: tuple[Hashable, ...]) -> int:
    """How many records of a sample must be replaced to make another of the same size.

    >>> replacements(("a", "a", "b"), ("a", "b", "c"))
    1
    """
    if len(one) != len(other):
        raise ParameterError(
            f"samples must be of one size for replacements, got {len(one)} and {len(other)}"
        )
    return additions_or_removals(one, other) // 2


def additions_or_removals(one: tuple[Hashable, ...], other: tuple[Hashable, ...]) -> int:
    """How many records must be added or removed to make one sample of another.

    >>> additions_or_removals(("a", "a", "b"), ("a", "c"))
    3
    """
    return sum(abs(one.count(each) - other.count(each)) for each in {*one, *other})


def _law(name: str, law: Law) -> dict[Any, Fraction]:
    """The law in exact numbers, which are made to add up to exactly 1."""
    try:
        exact = {each: Fraction(weight) for each, weight in law.items() if weight != 0}
    except (TypeError, ValueError, OverflowError, AttributeError):
        raise ParameterError(
            f"{name} must be a mapping of outcomes to probabilities, got {shown(law)}"
        ) from None
    total = sum(exact.values(), Fraction(0))
    if abs(total - 1) > Fraction(1, 10**9) or min(exact.values()) < 0:
        raise ParameterError(
            f"{name} must have probabilities that add up to 1, got {shown(float(total))} in all"
        )
    return {each: weight / total for each, weight in exact.items()}


def _beyond(law: dict[Any, Fraction], common: dict[Any, Fraction]) -> dict[Any, Fraction]:
    rests = ((each, weight - common.get(each, 0)) for each, weight in law.items())
    return {each: Fraction(rest) for each, rest in rests if rest > 0}


def _distances(
    first: dict[Any, Fraction],
    second: dict[Any, Fraction],
    distance: Callable[[Any, Any], Any],
    cost: Callable[[Any], float],
) -> tuple[Weights, bool]:
    """How often each distance occurs when two laws, up to their sums, are coupled closely."""
    if len(first) * len(second) > MOST_PAIRS:
        raise ParameterError(
            f"the laws must have at most {MOST_PAIRS} pairs of different samples, got "
            f"{len(first)} × {len(second)}"
        )
    kinds = [distance(one, other) for one, other in product(first, second)]
    by_kind = {kind: float(cost(kind)) for kind in dict.fromkeys(kinds)}
    table = np.array([by_kind[kind] for kind in kinds]).reshape(len(first), len(second))
    if np.isnan(table).any() or (table < 0).any():
        raise ParameterError("distance must be a number in [0, inf) of any two samples")
    p, q = _floats(first), _floats(second)
    moved = transport(p, q, table)
    weights: Weights = dict.fromkeys(by_kind, 0.0)
    for kind, weight in zip(kinds, moved.ravel().tolist(), strict=True):
        weights[kind] += weight
    least = float(p @ table.min(axis=1))
    compatible = float((moved * table).sum()) <= least + CLOSE * max(least, 1.0)
    return _whole({kind: w for kind, w in weights.items() if w > 0}), compatible


def _floats(law: dict[Any, Fraction]) -> Array:
    total = sum(law.values(), Fraction(0))
    return np.array([float(weight / total) for weight in law.values()])


def _whole(weights: Weights) -> Weights:
    """The weights, made to add up to 1, as rounding leaves a little."""
    total = math.fsum(weights.values())
    return {kind: weight / total for kind, weight in weights.items()}
