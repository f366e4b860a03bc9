"""Amplification by sampling: from a guarantee of a mechanism to that of it on a random sample.

Balle, Barthe and Gaboardi (2018), Section 4. If the sample takes in the record with probability η
then ε becomes ε' = log(1 + η(e^ε − 1)), and δ'(ε') is η·δ(ε) or a mixture of such. The results are
upper bounds up to rounding (a few units in the last place).
"""

from __future__ import annotations

import math
from collections.abc import Callable

from hockeystick.checks import Between, finite_non_negative, non_negative, probability, whole
from hockeystick.classical.occurrences import occurrences
from hockeystick.errors import ParameterError

POSITIVE_RATE = Between("(0, 1]")
Profile = Callable[[float], float]
"""ε to δ(ε), for ε >= 0."""
GroupProfile = Callable[[int, float], float]
"""k, ε to δ_k(ε): the profile when up to k records of the input change."""


def amplified_epsilon(epsilon: float, rate: float) -> float:
    """ε' = log(1 + rate·(e^ε − 1)), for ε in [0, inf] and rate in [0, 1].

    >>> amplified_epsilon(1000.0, 0.5) == 1000 - math.log(2)
    True
    """
    e, eta = non_negative("epsilon", epsilon), probability("rate", rate)
    if eta == 0:
        return 0.0
    if e < 709:  # e^ε is a float
        return math.log1p(eta * math.expm1(e))
    x = e + math.log(eta)
    return x if x > 40 else math.log1p(math.exp(x))


def base_epsilon(epsilon: float, rate: float) -> float:
    """ε = log(1 + (e^{ε'} − 1)/rate): which ε of the mechanism gives this ε' after sampling.

    The inverse of `amplified_epsilon`; epsilon in [0, inf], rate in (0, 1].

    >>> round(base_epsilon(amplified_epsilon(2.0, 0.01), 0.01), 12)
    2.0
    """
    e, eta = non_negative("epsilon", epsilon), POSITIVE_RATE("rate", rate)
    if e > 36:
        return e - math.log(eta) + math.log1p(-(1 - eta) * math.exp(-e))
    growth = math.expm1(e) / eta
    if math.isinf(growth):
        return math.log(math.expm1(e)) - math.log(eta)
    return math.log1p(growth)


def amplify_poisson(epsilon: float, delta: float, *, rate: float) -> tuple[float, float]:
    """(ε', δ') of a mechanism on a Poisson sample, under add/remove.

    From (ε, δ) under add/remove to ε' = log(1 + γ(e^ε − 1)), δ' = γδ (Theorem 8; attained).

    epsilon: in [0, inf]. delta, rate: in [0, 1].

    >>> amplify_poisson(0.0, 1e-6, rate=0.5)
    (0.0, 5e-07)
    """
    return amplified_epsilon(epsilon, rate), probability("rate", rate) * probability("delta", delta)


def amplify_without_replacement(
    epsilon: float, delta: float, *, size: int, population: int
) -> tuple[float, float]:
    """(ε', δ') of a mechanism on `size` of `population` records, one record being replaced.

    From (ε, δ) under replace-one to ε' = log(1 + (m/n)(e^ε − 1)), δ' = (m/n)·δ (Theorem 9;
    attained).

    epsilon: in [0, inf]. delta: in [0, 1]. size, population: integers, 1 <= size <= population.

    >>> amplify_without_replacement(0.0, 1e-6, size=1, population=2)
    (0.0, 5e-07)
    """
    return amplify_poisson(epsilon, delta, rate=sampled_fraction(size, population))


def amplify_with_replacement(
    epsilon: float, group_profile: GroupProfile, *, size: int, population: int
) -> tuple[float, float]:
    """(ε', δ') of a mechanism on `size` draws from `population` records, with replacement.

    ε' = log(1 + η(e^ε − 1)), η = 1 − (1 − 1/n)^m, and
    δ' = Σ_{k=1}^m C(m, k)·(1/n)^k·(1 − 1/n)^(m−k)·δ_k(ε),
    where δ_k is the profile when up to k records of the sample are replaced. It holds when a record
    of the data is replaced (Theorem 10; attained) and when one is added or removed, with n the
    size of the larger data set (Theorem 11). Terms of total weight below 1e-300 are counted as 1.

    epsilon: in [0, inf]. size, population: integers >= 1.

    >>> epsilon, delta = amplify_with_replacement(0.0, lambda k, e: 1.0, size=2, population=2)
    >>> delta
    0.75
    """
    e, law = non_negative("epsilon", epsilon), occurrences(size, population)
    total = law.beyond + math.fsum(
        weight * probability("group_profile", group_profile(k, e)) for k, weight in law.weights
    )
    return amplified_epsilon(e, law.once), min(law.once, total)


def amplify_poisson_replace_one(
    epsilon: float, removed_delta: float, replaced_delta: float, *, rate: float
) -> tuple[float, float]:
    """(ε', δ') of a mechanism on a Poisson sample, one record of the data being replaced.

    ε' = log(1 + γ(e^ε − 1)), δ' = γ·((1 − β)·δ_r + β·δ_s), β = e^{ε' − ε}, where the mechanism is
    (ε, δ_r)-DP when a record of its input is removed and (ε, δ_s)-DP when one is replaced. By
    advanced joint convexity (Theorem 2), the sample without the record being the common part; the
    paper treats this case in its supplement.

    epsilon: in [0, inf]. removed_delta, replaced_delta, rate: in [0, 1].

    >>> amplify_poisson_replace_one(0.0, 0.5, 1e-6, rate=0.5)  # β = 1
    (0.0, 5e-07)
    """
    removed = probability("removed_delta", removed_delta)
    replaced = probability("replaced_delta", replaced_delta)
    amplified = amplified_epsilon(epsilon, rate)
    beta = rate if math.isinf(epsilon) else math.exp(amplified - epsilon)
    return amplified, rate * ((1 - beta) * removed + beta * replaced)


def poisson_profile(profile: Profile, *, rate: float) -> Profile:
    """The profile of a mechanism on a Poisson sample, from its own: `amplify_poisson` at every ε.

    >>> from hockeystick.classical import laplace_profile
    >>> sampled = poisson_profile(lambda epsilon: laplace_profile(epsilon, 1.0), rate=0.1)
    >>> round(sampled(amplified_epsilon(0.5, 0.1)) / (0.1 * laplace_profile(0.5, 1.0)), 12)
    1.0
    """
    eta = probability("rate", rate)
    return lambda epsilon: eta * profile(base_epsilon(epsilon, eta)) if eta else 0.0


def without_replacement_profile(profile: Profile, *, size: int, population: int) -> Profile:
    """The profile on `size` of `population` records: `amplify_without_replacement` at every ε.

    >>> without_replacement_profile(lambda epsilon: 0.5, size=1, population=4)(1.0)
    0.125
    """
    return poisson_profile(profile, rate=sampled_fraction(size, population))


def with_replacement_profile(group_profile: GroupProfile, *, size: int, population: int) -> Profile:
    """The profile on `size` draws from `population` records: `amplify_with_replacement` at every ε.

    >>> with_replacement_profile(lambda k, epsilon: 0.5, size=2, population=2)(1.0)
    0.375
    """
    once = occurrences(size, population).once

    def profile(epsilon: float) -> float:
        base = base_epsilon(epsilon, once)
        return amplify_with_replacement(base, group_profile, size=size, population=population)[1]

    return profile


def poisson_replace_one_profile(removed: Profile, replaced: Profile, *, rate: float) -> Profile:
    """The replace-one profile on a Poisson sample: `amplify_poisson_replace_one` at every ε.

    >>> poisson_replace_one_profile(lambda e: 0.5, lambda e: 0.5, rate=0.25)(1.0)
    0.125
    """
    eta = probability("rate", rate)

    def profile(epsilon: float) -> float:
        if eta == 0:
            return 0.0
        base = base_epsilon(epsilon, eta)
        return amplify_poisson_replace_one(base, removed(base), replaced(base), rate=eta)[1]

    return profile


def sampled_fraction(size: int, population: int) -> float:
    """m/n for integers 1 <= m <= n."""
    m, n = whole("size", size, 1), whole("population", population, 1)
    if m > n:
        raise ParameterError(f"size must be at most population = {n}, got {m}")
    return m / n


def shuffle_epsilon(epsilon: float, users: int, delta: float) -> float:
    """ε of `users` shuffled reports, each ε₀-locally private, in closed form; ε₀ if that is less.

    log(1 + (e^{ε₀} − 1)/(e^{ε₀} + 1)·(8·√(e^{ε₀}·log(4/δ)/n) + 8·e^{ε₀}/n)) for ε₀ <=
    log(n/(16·log(2/δ))) (Feldman, McMillan and Talwar 2021, Theorem 3.1). `ShuffledReports` is a
    mechanism with the exact cost of the clones.

    epsilon: ε₀ in [0, inf). users: an integer >= 1. delta: in (0, 1].

    >>> round(shuffle_epsilon(1.0, 10_000, 1e-6), 4)
    0.214
    """
    e, n = finite_non_negative("epsilon", epsilon), whole("users", users, 1)
    d = Between("(0, 1]")("delta", delta)
    if e > math.log(n / (16 * math.log(2 / d))):
        return e
    noise = 8 * math.sqrt(math.exp(e) * math.log(4 / d) / n) + 8 * math.exp(e) / n
    return min(e, math.log1p(math.tanh(e / 2) * noise))
