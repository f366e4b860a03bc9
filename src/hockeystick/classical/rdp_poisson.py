"""Rényi curves under Poisson sampling, and the curve that fixed-size sampling cannot beat."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hockeystick.classical.amplification import amplified_epsilon
from hockeystick.classical.binomial_terms import log_one_plus, log_weights
from hockeystick.classical.orders import Curve, at_orders, below_chords, chord, remembered
from hockeystick.domain import probability
from hockeystick.errors import ParameterError
from hockeystick.series import Array


def rdp_poisson(curve: Curve, rate: float, order: Any, factor: float = 3) -> Any:
    """Rényi curve of a mechanism on a Poisson sample, under add/remove.

    (λ − 1)·ε'(λ) = log[(1 − q)^(λ−1)·(1 + (λ − 1)·q) + C(λ, 2)·q²·(1 − q)^(λ−2)·e^{ε(2)}
                        + factor·Σ_{k=3}^λ C(λ, k)·q^k·(1 − q)^(λ−k)·e^{(k−1)·ε(k)}]

    at integers λ >= 2, chords of K between them. Factor 3 is the bound of Zhu and Wang (2019) for
    every mechanism. Factor 1 is their lower bound, which is exact for removing a record; adding one
    costs no more because D_λ(Q‖(1−q)Q+qP) is at most the larger of D_λ((1−q)Q+qP‖Q) and
    D_λ((1−q)P+qQ‖P) for λ >= 2, so factor 1 holds for every mechanism too.

    Parameters
    ----------
    curve: order to ε(order) of the mechanism, valid for adding and for removing a record.
    rate: in [0, 1]. order: in [1, inf], a number or an array. factor: in [1, inf).

    >>> round(rdp_poisson(lambda order: order / 2, 0.01, 8, factor=1), 12)
    0.000893643908
    """
    q = probability("rate", rate)
    if not 1 <= factor < math.inf:
        raise ParameterError(f"factor must be in [1, inf), got {factor!r}")
    epsilons = remembered(curve)

    def value(alpha: float) -> float:
        if math.isinf(alpha):
            return amplified_epsilon(float(curve(math.inf)), q)
        return chord(lambda n: _cumulant(epsilons(n), q, n, factor), alpha)

    return at_orders(value, order)


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
    rate = probability("gamma", gamma)
    epsilons = remembered(curve)

    def value(alpha: float) -> float:
        if math.isinf(alpha):
            return amplified_epsilon(float(curve(math.inf)), rate)
        return below_chords(lambda n: _cumulant(epsilons(n), rate, n, 1.0), alpha)

    return at_orders(value, order)


def log_excess(epsilons: Array, rate: float, n: int, factor: float) -> Array:
    """Logarithms of the terms that the bracket has beyond 1, none of them negative.

    The binomial weights add up to 1, so a term counts only by factor·e^{(k−1)ε(k)} − 1.
    """
    x = np.arange(1, n) * epsilons
    factors = np.full(n - 1, factor)
    factors[:1] = 1
    with np.errstate(divide="ignore"):
        growth = np.log(factors - 1 - np.expm1(-x))
    return np.asarray(log_weights(n, epsilons, rate, complement=True) + growth)


def _cumulant(epsilons: Array, rate: float, n: int, factor: float) -> float:
    return 0.0 if rate == 0 else log_one_plus(log_excess(epsilons, rate, n, factor))
