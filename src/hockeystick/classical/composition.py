"""Composition theorems for (ε, δ): what `count` releases, each (ε, δ)-private, cost together.

All take the guarantee of one step and the δ that the whole may have, and return the ε of the whole:
inf where that δ cannot be met, 0 where it is met by any ε.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from hockeystick.checks import finite_non_negative, probability, whole
from hockeystick.mechanisms.approximate_dp import ApproximateDP
from hockeystick.numerics.minimise import at_each, closer

ULPS = 1e-15
"""Relative rounding of k·δ, within which it counts as equal to another δ."""


def naive_composition(step_epsilon: float, step_delta: float, count: int, *, delta: float) -> float:
    """count·ε: basic composition (Dwork and Roth 2014, Theorem 3.16).

    inf unless count·step_delta <= delta.

    step_epsilon: in [0, inf). step_delta, delta: in [0, 1]. count: an integer >= 0.

    >>> naive_composition(0.5, 1e-6, 10, delta=1e-5)
    5.0
    """
    e, d, k, target = _checked(step_epsilon, step_delta, count, delta)
    if target == 1:
        return 0.0
    return k * e if k * d <= target * (1 + ULPS) else math.inf


def naive_composition_of(
    guarantees: Iterable[tuple[float, float, int]],
) -> tuple[float, float]:
    """(Σ k·ε, Σ k·δ) of different (ε, δ)-private steps, each k times (Dwork and Roth 2014, 3.16).

    guarantees: (ε, δ, k), with ε in [0, inf), δ in [0, 1] and k an integer >= 0.

    >>> naive_composition_of([(0.5, 0.25, 2), (1.0, 0, 2)])
    (3.0, 0.5)
    """
    steps = [_checked(epsilon, delta, count, 1.0) for epsilon, delta, count in guarantees]
    total = math.fsum(k * d for _, d, k, _ in steps)
    return math.fsum(k * e for e, _, k, _ in steps), min(1.0, total)


def strong_composition(
    step_epsilon: float, step_delta: float, count: int, *, delta: float
) -> float:
    """√(2k·log(1/δ'))·ε + k·ε·(e^ε − 1), with all that is left, δ' = δ − k·step_delta, as slack.

    Dwork, Rothblum and Vadhan (2010, Theorem III.3), as Dwork and Roth (2014, Theorem 3.20). More
    slack is never worse, so there is nothing to choose. inf unless δ' > 0, or nothing is spent.
    Above `naive_composition` when ε is not small.

    step_epsilon: in [0, inf). step_delta, delta: in [0, 1]. count: an integer >= 0.

    >>> round(strong_composition(0.1, 0, 100, delta=1e-5), 9)
    5.850235093
    """
    e, d, k, target = _checked(step_epsilon, step_delta, count, delta)
    if target == 1 or (e == 0 and k * d <= target):
        return 0.0
    slack = target - k * d
    if slack <= 0:
        return 0.0 if k == 0 else math.inf
    growth = math.expm1(e) if e < 700 else math.inf
    return math.sqrt(2 * k * -math.log(slack)) * e + k * e * growth


def optimal_composition(
    step_epsilon: float, step_delta: float, count: int, *, delta: float
) -> float:
    """The smallest ε that holds for every mechanism composed of k steps, each (ε, δ)-private.

    Solves `optimal_composition_delta` = delta exactly, between the values (k − 2i)·ε too (Kairouz,
    Oh and Viswanath 2015, Theorem 3.3): `ApproximateDP` is attained, so this is the upper end of
    `(ApproximateDP(ε, δ) * k).epsilon(delta)`. inf unless 1 − (1 − step_delta)^k <= delta.

    step_epsilon: in [0, inf). step_delta, delta: in [0, 1]. count: an integer >= 0.

    >>> round(optimal_composition(0.1, 0, 100, delta=1e-5), 9)
    4.306791373
    """
    e, d, k, target = _checked(step_epsilon, step_delta, count, delta)
    return (ApproximateDP(e, d) * k).epsilon(target).upper


def optimal_composition_delta(
    step_epsilon: float, step_delta: float, count: int, *, epsilon: float
) -> float:
    """The smallest δ at this ε that holds for every mechanism composed of k (ε, δ)-private steps.

    1 − (1 − δ₀)^k + (1 − δ₀)^k·Σ_l C(k, l)·p^l·q^(k−l)·[1 − e^{ε − (2l−k)·ε₀}]_+ with
    p = e^{ε₀}/(1 + e^{ε₀}), q = 1 − p (Kairouz, Oh and Viswanath 2015, Theorem 3.3): the upper end
    of `(ApproximateDP(ε₀, δ₀) * k).delta(ε)`.

    step_epsilon: in [0, inf). step_delta: in [0, 1]. count: an integer >= 0. epsilon: in [0, inf].

    >>> round(optimal_composition_delta(0.1, 0, 100, epsilon=4.0), 15)
    3.4223123192e-05
    """
    e, d, k, _ = _checked(step_epsilon, step_delta, count, 0.0)
    return (ApproximateDP(e, d) * k).delta(epsilon).upper


def compose_profile(
    profile: Callable[[float], float],
    count: int,
    *,
    delta: float,
    theorem: Callable[..., float] = optimal_composition,
) -> float:
    """The least ε of the theorem over the choice of one step's (ε₀, profile(ε₀)).

    Every ε₀ is a valid choice; those from 2^−20 to 2^10 are tried, ever more densely around the
    best. This is how the moments accountant is compared with composition theorems (Wang, Balle and
    Kasiviswanathan 2019, Section 5).

    profile: ε to δ(ε) of one step. count: an integer >= 0. delta: in [0, 1]. theorem: one of the
    three composition theorems.

    >>> from hockeystick.classical import gaussian_profile
    >>> round(compose_profile(lambda e: gaussian_profile(e, 0.1), 100, delta=1e-5), 3)
    28.458
    """

    def at(exponent: float) -> float:
        step = 2.0**exponent
        return theorem(step, profile(step), count, delta=delta)

    _, exponent = min((at(x), x) for x in (i / 4 for i in range(-80, 41)))
    return closer(at_each(at), exponent, 0.25, rounds=4)[1]


def _checked(
    step_epsilon: float, step_delta: float, count: int, delta: float
) -> tuple[float, float, int, float]:
    return (
        finite_non_negative("step_epsilon", step_epsilon),
        probability("step_delta", step_delta),
        whole("count", count, 0),
        probability("delta", delta),
    )
