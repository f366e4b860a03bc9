"""Rényi curves under sampling without replacement, a record replaced by another."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from hockeystick.checks import above_one, finite_non_negative, non_negative, probability
from hockeystick.classical.amplification import amplified_epsilon
from hockeystick.classical.large_orders import SINGLE, Sum, log_sum_above
from hockeystick.classical.moments import LogMoments, Moments, moments_of_curve
from hockeystick.classical.orders import Curve, Remembered, at_orders
from hockeystick.classical.rdp_poisson import log_excess, on_sample
from hockeystick.numerics.binomial import EXACT_UP_TO, log_binomial
from hockeystick.numerics.binomial_terms import log_weights
from hockeystick.numerics.log_sum import log_expm1, log_one_plus
from hockeystick.numerics.types import Array


def rdp_without_replacement(
    curve: Curve, gamma: float, order: Any, pure_epsilon: float = math.inf
) -> Any:
    """Rényi curve of a mechanism on a sample of fixed size, one record replaced by another.

    (α − 1)·ε'(α) = log[1 + γ²·C(α, 2)·min{4(e^{ε(2)} − 1), e^{ε(2)}·min(2, (e^{ε(∞)} − 1)²)}
                        + Σ_{j=3}^α γ^j·C(α, j)·e^{(j−1)·ε(j)}·min(2, (e^{ε(∞)} − 1)^j)]

    at integers α >= 2 (Wang, Balle and Kasiviswanathan 2019, Theorem 9), chords of K between them
    (Corollary 10). At order inf it is log(1 + γ(e^{ε(∞)} − 1)). The formula is given as it stands:
    at large γ it can exceed ε(α), which always holds as well. Above α = 1024 it is an upper bound
    of the formula by few values of the curve (their Section 4): see `large_orders`.

    Parameters
    ----------
    curve: order to ε(order) of the mechanism when one record of its input is replaced.
    gamma: the sampled fraction, in [0, 1]. order: in [1, inf], a number or an array.
    pure_epsilon: ε(∞), in [0, inf]; inf if the mechanism is not purely private.

    >>> round(rdp_without_replacement(lambda order: order / 50, 0.001, 8), 16)
    6.710362096e-07
    """
    rate, pure = probability("gamma", gamma), non_negative("pure_epsilon", pure_epsilon)
    epsilons = Remembered.of(curve)

    def cumulant(n: int) -> float:
        terms = _plain_terms if n <= EXACT_UP_TO else _plain_sum
        return log_one_plus(terms(epsilons, rate, n, pure)) if rate and pure else 0.0

    return on_sample(cumulant, rate, order, lambda _: pure)


def rdp_without_replacement_pure(
    curve: Curve, gamma: float, order: Any, pure_epsilon: float
) -> Any:
    """α/(α − 1)·log(1 + γ·e^{ε(α)}·(e^{ε(∞)} − 1)): Theorem 9 for pure DP, in one term.

    Wang, Balle and Kasiviswanathan (2019), after Theorem 9, at every real α: looser than
    `rdp_without_replacement`, of which it bounds every term; never more than the log(1 + γ(e^{ε(∞)}
    − 1)) of pure DP, which holds as well.

    curve, gamma: as in `rdp_without_replacement`. order: in (1, inf]. pure_epsilon: in [0, inf).

    >>> round(rdp_without_replacement_pure(lambda order: 0.1, 0.01, 8.0, 0.1), 9)
    0.001051157
    """
    rate, pure = probability("gamma", gamma), finite_non_negative("pure_epsilon", pure_epsilon)
    most = amplified_epsilon(pure, rate)

    def value(alpha: float) -> float:
        grown = rate * math.exp(min(float(curve(alpha)), pure)) * math.expm1(pure)
        share = 1.0 if math.isinf(alpha) else alpha / (above_one("order", alpha) - 1)
        return min(share * math.log1p(grown), most)

    return at_orders(value, order)


def rdp_without_replacement_self_consistent(
    curve: Curve,
    gamma: float,
    order: Any,
    pure_epsilon: float = math.inf,
    log_moments: LogMoments | None = None,
    *,
    as_printed: bool = False,
) -> Any:
    """The same for a mechanism of which one pair attains the curve and all moments E_q|p/q − 1|^j.

    From j = 3 on, the terms of `rdp_without_replacement` become 4·γ^j·C(α, j)·E_q|p/q − 1|^j where
    that is smaller, or in any case if `as_printed` (Wang, Balle and Kasiviswanathan 2019, Theorem
    19, under the condition of Definition 18, which Gaussian noise meets). Without `log_moments`
    they are the theorem's √(B(2⌊j/2⌋)·B(2⌈j/2⌉)), with
    B(l) = Σ_i (−1)^i·C(l, i)·e^{(i−1)·ε(i)}: see `moments_of_curve` for what rounding costs. With
    them, above α = 1024 it is an upper bound of the formula by few of them, as log E_q|p/q − 1|^j
    is convex in j: the smaller of both sums, with 4·E_q|p/q − 1|² = 4(e^{ε(2)} − 1) at j = 2.

    Parameters
    ----------
    curve, gamma, order, pure_epsilon: as in `rdp_without_replacement`.
    log_moments: j to log E_q|p/q − 1|^j of the pair, such as `gaussian_log_moment`.

    >>> round(rdp_without_replacement_self_consistent(lambda order: order / 50, 0.001, 8), 16)
    6.53477125e-07
    """
    rate, pure = probability("gamma", gamma), non_negative("pure_epsilon", pure_epsilon)
    epsilons = Remembered.of(curve)
    known = None if log_moments is None else Moments.of(log_moments)

    @cache
    def first_moments() -> Array:
        log_moment = moments_of_curve(curve, SINGLE, pure)
        return np.array([math.inf, *(log_moment(j) for j in range(3, SINGLE))])

    def cumulant(n: int) -> float:
        if rate == 0 or pure == 0:
            return 0.0
        if n > EXACT_UP_TO and known is not None:
            above = _moment_sum(known, rate, n)
            return log_one_plus(
                above if as_printed else np.minimum(above, _plain_sum(epsilons, rate, n, pure))
            )
        if n > EXACT_UP_TO and not as_printed:
            return log_one_plus(_few_moments(epsilons, rate, n, pure, first_moments()))
        plain = _plain_terms(epsilons, rate, n, pure)
        moments = known or Moments(moments_of_curve(curve, n, pure))
        weights = log_weights(n, np.zeros(n - 1), rate, complement=False)
        terms = weights + math.log(4) + moments.up_to(n)
        terms[0] = plain[0]  # j = 2 stays as it is
        return log_one_plus(terms if as_printed else np.minimum(plain, terms))

    return on_sample(cumulant, rate, order, lambda _: pure)


def rdp_without_replacement_from_curve(
    curve: Curve, gamma: float, order: Any, *, pair_dominates: bool = False
) -> Any:
    """Rényi curve of a mechanism on a sample of fixed size, about twice as good as Theorem 9.

    (α − 1)·ε'(α) = log(1 + c·(A(α) − 1)), A(α) = Σ_j C(α, j)·(1 − γ)^(α−j)·γ^j·e^{(j−1)·ε(j)},
    integers α >= 2, and never more than ε(α). c = 4 − 2γ for every mechanism; c = 2 if the curve is
    that of a pair (P, Q) that dominates the mechanism, H_a(M(x)‖M(x')) <= H_a(P‖Q) for all a >= 0,
    as for Gaussian and Laplace noise.

    Proof. Write f(r) = (1 − γ + γr)^α − 1 − αγ(r − 1) and F(P‖Q) = ∫_{P>Q} f(P/Q) dQ <= A(α) − 1.
    By joint convexity a triple of mutually adjacent outputs y, y₁, y₂ suffices, the sampled pair
    being p = (1−γ)y + γy₁ and q = (1−γ)y + γy₂. Where p > q the excess q·φ(p/q), with
    φ(t) = t^α − 1 − α(t − 1), falls with q at fixed p − q and is convex in q, so that it is at most
    F(y₁‖y₂) + (1−γ)·F(y₁‖y) in all; where p < q, φ(t) <= φ(1/t)/t bounds it by the same with y₁ and
    y₂ exchanged. If a pair dominates, the sampled profile is at most γ·H_A(P‖Q) in both directions,
    A = 1 + (a − 1)/γ, and integrating it (Balle, Barthe and Gaboardi 2018, Theorems 6 and 9) gives
    2·F(P‖Q).

    Parameters
    ----------
    curve: order to ε(order) of the mechanism when one record of its input is replaced.
    gamma: the sampled fraction, in [0, 1]. order: in [1, inf], a number or an array.
    pair_dominates: whether one pair with this curve dominates the mechanism.

    >>> args = lambda order: order / 50, 0.001, 8
    >>> round(rdp_without_replacement_from_curve(*args, pair_dominates=True), 16)
    3.265669753e-07
    """
    rate = probability("gamma", gamma)
    log_factor = math.log(2 if pair_dominates else 4 - 2 * rate)
    epsilons = Remembered.of(curve)

    def cumulant(n: int) -> float:
        sampled = log_one_plus(log_factor + log_excess(epsilons, rate, n, 1.0))
        return min(sampled, epsilons.cumulant(n))

    return on_sample(cumulant, rate, order, curve)


def _plain_terms(epsilons: Remembered, rate: float, n: int, pure: float) -> Array:
    """Logarithms of the terms of Theorem 9 for j = 2, …, n."""
    weights = log_weights(n, epsilons.up_to(n), rate, complement=False)
    return np.asarray(weights + _log_caps(np.arange(2, n + 1), epsilons.at(2), pure))


def _plain_sum(epsilons: Remembered, rate: float, n: int, pure: float, first: int = 2) -> Array:
    """The logarithm of an upper bound of their sum."""
    tilt = min(0.0, float(log_expm1(np.array(pure))))  # log of the caps' ratio where they fall

    def growth(j: Array, _: Array) -> Array:
        return _log_caps(j, epsilons.at(2), pure) - tilt * j

    total = Sum(n, 0.0, math.log(rate) + tilt, growth)
    return np.array([log_sum_above(total, epsilons.cumulant, first)])


def _few_moments(epsilons: Remembered, rate: float, n: int, pure: float, moments: Array) -> Array:
    """The same with the smaller of both terms for j < 128; beyond, those of Theorem 9.

    A curve of floats has no digits of the moments of larger j.
    """
    j = np.arange(2, SINGLE)
    weights = log_binomial(n, j) + j * math.log(rate)
    plain = weights + np.array([epsilons.cumulant(int(i)) for i in j])
    plain = plain + _log_caps(j, epsilons.at(2), pure)
    few = np.minimum(plain, weights + math.log(4) + moments)
    doubt = few + 2.0**-45 * (np.abs(weights) + 1)
    return np.append(doubt, _plain_sum(epsilons, rate, n, pure, SINGLE))


def _moment_sum(log_moments: LogMoments, rate: float, n: int) -> Array:
    """The logarithm of an upper bound of Σ 4·γ^j·C(n, j)·E_q|p/q − 1|^j over j = 2, …, n."""
    total = Sum(n, math.log(4), math.log(rate), lambda j, _: np.zeros(j.shape))
    return np.array([log_sum_above(total, log_moments)])


def _log_caps(j: Array, second: float, pure: float) -> Array:
    """log min(2, (e^{ε(∞)} − 1)^j); at j = 2 also 4(1 − e^{−ε(2)})."""
    caps = np.minimum(math.log(2), j * log_expm1(np.array(pure)))
    with np.errstate(divide="ignore"):
        chi = math.log(4) + float(np.log(-np.expm1(-second)))
    return np.asarray(np.where(j == 2, np.minimum(caps, chi), caps))
