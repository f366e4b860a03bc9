"""Randomized membership: the mechanism by which amplification by sampling is seen to be tight.

Balle, Barthe and Gaboardi (2018), Section 5: "is the record in the sample?", answered truthfully
with probability p. The samples of a small data set are listed with their exact probabilities, which
are fractions if the rates are.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from hockeystick.checks import non_negative, probability, whole

Sample = tuple[Hashable, ...]
Output = tuple[Any, ...]
"""The probability of each output."""


def randomized_membership(record: Hashable, truth: Any) -> Callable[[Sample], Output]:
    """M(y): the probabilities of the answers "no" and "yes" to whether the record is in y.

    record: any value. truth: the probability p of a true answer, in [0, 1].

    >>> randomized_membership("a", 0.75)(("b", "c"))
    (0.75, 0.25)
    """
    probability("truth", truth)

    def mechanism(sample: Sample) -> Output:
        return (1 - truth, truth) if record in sample else (truth, 1 - truth)

    return mechanism


def membership_profile(epsilon: float, truth: float) -> float:
    """ψ_p(ε) = [p − e^ε·(1 − p)]_+: the profile of randomized membership, for groups of any size.

    epsilon: in [0, inf]. truth: p in [1/2, 1] (below, the answers only change places).

    >>> membership_profile(0.0, 0.75)
    0.5
    """
    e, p = non_negative("epsilon", epsilon), probability("truth", truth)
    p = max(p, 1 - p)
    if p == 1:
        return 1.0
    return max(0.0, p * -math.expm1(min(e + math.log((1 - p) / p), 0.0)))


def poisson_samples(data: Sequence[Hashable], rate: Any) -> Iterator[tuple[Sample, Any]]:
    """Each subset of the data with its probability when each record is drawn at `rate`.

    >>> list(poisson_samples("a", 0.25))
    [((), 0.75), (('a',), 0.25)]
    """
    probability("rate", rate)
    n = len(data)
    for k in range(n + 1):
        for sample in combinations(data, k):
            yield sample, rate**k * (1 - rate) ** (n - k)


def without_replacement_samples(
    data: Sequence[Hashable], size: int
) -> Iterator[tuple[Sample, Fraction]]:
    """Each subset of `size` records with its probability, one over the number of them.

    >>> list(without_replacement_samples("ab", 1))
    [(('a',), Fraction(1, 2)), (('b',), Fraction(1, 2))]
    """
    chance = Fraction(1, math.comb(len(data), whole("size", size, 0)))
    for sample in combinations(data, size):
        yield sample, chance


def with_replacement_samples(
    data: Sequence[Hashable], size: int
) -> Iterator[tuple[Sample, Fraction]]:
    """Each sequence of `size` draws with its probability, n^−size.

    >>> len(list(with_replacement_samples("ab", 3)))
    8
    """
    chance = Fraction(1, len(data) ** whole("size", size, 0))
    for sample in product(data, repeat=size):
        yield sample, chance


def sampled_output(
    mechanism: Callable[[Sample], Output], samples: Iterator[tuple[Sample, Any]]
) -> Output:
    """The law of the mechanism's output on a random sample: the mixture over all samples.

    >>> sampled_output(randomized_membership("a", 1), without_replacement_samples("ab", 1))
    (Fraction(1, 2), Fraction(1, 2))
    """
    total: Counter[int] = Counter()
    for sample, chance in samples:
        for outcome, p in enumerate(mechanism(sample)):
            total[outcome] += chance * p
    return tuple(total[outcome] for outcome in range(len(total)))
