"""Rényi curves under Poisson sampling, and the curve that fixed-size sampling cannot beat."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from hockeystick.checks import probability
from hockeystick.classical.amplification import amplified_epsilon
from hockeystick.classical.large_orders import Sum, log_sum_above
from hockeystick.classical.orders import (
    Cumulant,
    Curve,
    Remembered,
    at_orders,
    below_chords,
    chord,
    from_one,
)
from hockeystick.numerics.binomial import EXACT_UP_TO
from hockeystick.numerics.binomial_terms import log_weights
from hockeystick.numerics.log_sum import log_one_plus
from hockeystick.numerics.types import Array


def rdp_poisson(curve: Curve, rate: float, order: Any, factor: float = 3) -> Any:
    """Rényi curve of a mechanism on a Poisson sample, under add/remove.

    (λ − 1)·ε'(λ) = log[(1 − q)^(λ−1)·(1 + (λ − 1)·q) + C(λ, 2)·q²·(1 − q)^(λ−2)·e^{ε(2)}
                        + factor·Σ_{k=3}^λ C(λ, k)·q^k·(1 − q)^(λ−k)·e^{(k−1)·ε(k)}]

    at integers λ >= 2, chords of K between them. Factor 3 is the bound of Zhu and Wang (2019) for
    every mechanism. Factor 1 is their lower bound, which is exact for removing a record; adding one
    costs no more because D_λ(Q‖(1−q)Q+qP) is at most the larger of D_λ((1−q)Q+qP‖Q) and
    D_λ((1−q)P+qQ‖P) for λ >= 2, so factor 1 holds for every mechanism too. Above λ = 1024 it is an
    upper bound of the formula by few values of the curve: see `large_orders`.

    Parameters
    ----------
    curve: order to ε(order) of the mechanism, valid for adding and for removing a record.
    rate: in [0, 1]. order: in [1, inf], a number or an array. factor: in [1, inf).

    >>> round(rdp_poisson(lambda order: order / 2, 0.01, 8, factor=1), 12)
    0.000893643908
    """
    q, c, epsilons = probability("rate", rate), from_one("factor", factor), Remembered.of(curve)
    return on_sample(lambda n: log_one_plus(log_excess(epsilons, q, n, c)), q, order, curve)


def rdp_lower_bound(curve: Curve, gamma: float, order: Any) -> Any:
    """What no bound for sampling without replacement can go below, if one pair attains the curve.

    (α − 1)·ε'(α) >= log Σ_j C(α, j)·(1 − γ)^(α−j)·γ^j·e^{(j−1)·ε(j)}, integers α >= 2 (Wang, Balle
    and Kasiviswanathan 2019, Proposition 20). Between integers the chords of K on either side are
    prolonged, which a convex K stays above.

    Parameters
    ----------
    curve: order to ε(order), attained at every integer order by one pair of data sets that consist
        of copies of a record and of another one in the place of one of them.
    gamma: the sampled fraction, in [0, 1]. order: in [1, inf], a number or an array.

    >>> round(rdp_lower_bound(lambda order: order / 50, 0.001, 8), 15)
    1.63283581e-07
    """
    rate, epsilons = probability("gamma", gamma), Remembered.of(curve)

    def cumulant(n: int) -> float:
        return log_one_plus(_excess_terms(epsilons, rate, n, 1.0))

    return on_sample(cumulant, rate, order, curve, below_chords)


def on_sample(
    cumulant: Cumulant,
    rate: float,
    order: Any,
    curve: Curve,
    between: Callable[[Cumulant, float], float] = chord,
) -> Any:
    """The curve of a mechanism on a sample: by K at the integers, `between` them, and at inf by the
    largest loss, which becomes log(1 + rate·(e^{ε(∞)} − 1))."""

    def value(alpha: float) -> float:
        if math.isinf(alpha):
            return amplified_epsilon(float(curve(math.inf)), rate)
        return between(cumulant, alpha)

    return at_orders(value, order)


def log_excess(epsilons: Remembered, rate: float, n: int, factor: float) -> Array:
    """Logarithms of what the bracket has beyond 1: of its terms, or at large n of a bound."""
    if n <= EXACT_UP_TO or rate in (0, 1):
        return _excess_terms(epsilons, rate, n, factor)
    none = math.log1p(-rate)
    total = Sum(n, n * none, math.log(rate) - none, lambda j, k: _log_growth(j, k, factor))
    return np.array([log_sum_above(total, epsilons.cumulant)])


def _excess_terms(epsilons: Remembered, rate: float, n: int, factor: float) -> Array:
    """The binomial weights add up to 1, so a term counts only by factor·e^{(k−1)ε(k)} − 1."""
    if rate == 0:
        return np.array([])
    if rate == 1:
        last = np.array([epsilons.cumulant(n)])
        return last + _log_growth(np.array([n]), last, factor)
    values, j = epsilons.up_to(n), np.arange(2, n + 1)
    weights = log_weights(n, values, rate, complement=True)
    return weights + _log_growth(j, (j - 1) * values, factor)


def _log_growth(j: Array, k: Array, factor: float) -> Array:
    """log(factor − e^{−K}), with factor 1 at j = 2."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.where(j == 2, 1.0, factor) - 1 - np.expm1(-k)))
