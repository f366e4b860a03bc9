"""|χ|^α-differential privacy, of two laws and of three: the notion that sampling scales by γ.

A mechanism is ξ-binary-|χ|^α-DP if E_q|p/q − 1|^α <= ξ(α)^α for its laws p, q on neighbouring data,
and ζ-ternary-|χ|^α-DP if E_r|(p − q)/r|^α <= ζ(α)^α for its laws p, q, r on data that all are
neighbours (Wang, Balle and Kasiviswanathan 2019, Definitions 11 and 12). The functions take and
give *log moments*, α·log ξ(α) and α·log ζ(α). The log moments of the papers' mechanisms are in
`moments`; what one says about (ε, δ), in `conversion`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from hockeystick.checks import non_negative, probability, whole
from hockeystick.classical.joint_convexity import Distribution, distribution, same_outcomes
from hockeystick.classical.orders import Curve, at_orders, chord, from_one
from hockeystick.numerics.binomial import log_binomials
from hockeystick.numerics.log_sum import log_expm1, log_one_plus


def pearson_vajda(first: Distribution, second: Distribution, order: float) -> float:
    """E_q|p/q − 1|^α of two laws: twice their total variation at α = 1, χ² at α = 2 (Vajda 1973).

    first, second: p and q, on the same outcomes. order: α in [1, inf).

    >>> pearson_vajda([0.75, 0.25], [0.5, 0.5], 2)
    0.25
    """
    return ternary_pearson_vajda(first, second, second, order)


def signed_pearson_vajda(first: Distribution, second: Distribution, order: int) -> float:
    """E_q[(p/q − 1)^j] of two laws, with its sign: the j-th forward difference of e^K at 0.

    Wang, Balle and Kasiviswanathan (2019, equation 3.2). For even j it is `pearson_vajda`; for odd
    j it may be negative, so it is no divergence, and a bound on it need not bound the moment of
    |p/q − 1|.

    first, second: p and q, on the same outcomes. order: j, an integer >= 0.

    >>> round(signed_pearson_vajda([1.0, 0.0], [0.9, 0.1], 3), 9)  # p is certain: −0.0988
    -0.098765432
    >>> signed_pearson_vajda([0.75, 0.25], [0.5, 0.5], 2)
    0.25
    """
    j = whole("order", order, 0)
    p, q = distribution("first", first), distribution("second", second)
    same_outcomes(p, q)
    if ((q == 0) & (p > 0)).any() and j > 1:
        return math.inf
    ratio = np.divide(p, q, out=np.ones_like(p), where=q > 0)
    return float(((ratio - 1) ** j * q).sum() + (p[q == 0].sum() if j == 1 else 0.0))


def ternary_pearson_vajda(
    first: Distribution, second: Distribution, third: Distribution, order: float
) -> float:
    """E_r|(p − q)/r|^α of three laws (Wang, Balle and Kasiviswanathan 2019, Section 3.1).

    inf where p and q differ at an outcome that r does not have, if α > 1.

    first, second, third: p, q and r, on the same outcomes. order: α in [1, inf).

    >>> ternary_pearson_vajda([0.75, 0.25], [0.25, 0.75], [0.5, 0.5], 2)
    1.0
    """
    p, q = distribution("first", first), distribution("second", second)
    r, a = distribution("third", third), from_one("order", order)
    same_outcomes(p, q, r)
    gap = np.abs(p - q)
    with np.errstate(divide="ignore"):
        terms = gap[gap > 0] ** a * r[gap > 0] ** (1 - a)
    return float(terms.sum())


def ternary_from_binary(log_moment: float) -> float:
    """ζ(α)^α <= 4·ξ(α)^α (Wang, Balle and Kasiviswanathan 2019, Lemma 15).

    log_moment: α·log ξ(α).

    >>> round(math.exp(ternary_from_binary(math.log(0.25))), 12)
    1.0
    """
    return math.log(4) + log_moment


def ternary_from_renyi(order: float, divergence: float, pure_epsilon: float = math.inf) -> float:
    """ζ(α)^α <= e^{(α−1)·ε(α)}·min(2, (e^{ε(∞)} − 1)^α).

    Wang, Balle and Kasiviswanathan (2019, Lemmas 16 and 17). order: α in [1, inf).
    divergence: ε(α) in [0, inf]. pure_epsilon: ε(∞) in [0, inf].

    >>> round(math.exp(ternary_from_renyi(2, 0.1)), 9)  # 2·e^0.1
    2.210341836
    """
    a, epsilon = from_one("order", order), non_negative("divergence", divergence)
    log_ratio = float(log_expm1(np.array(non_negative("pure_epsilon", pure_epsilon))))
    if math.isinf(log_ratio) and log_ratio < 0:  # all laws are the same
        return log_ratio
    return (a - 1) * epsilon + min(math.log(2), a * log_ratio)


def ternary_by_hoelder(
    order: float, power: float, curve: Curve, log_moments: Callable[[float], float]
) -> float:
    """ζ(α)^α <= e^{(α−1)·ε((α−1)·v + 1)}·ξ(α·u)^α for any conjugate powers, 1/u + 1/v = 1.

    Wang, Balle and Kasiviswanathan (2019, Lemma 29), with the suprema over neighbours for the
    divergence of (q, r) and the moment of (p, q). At u = 1 this is the second part of
    `ternary_from_renyi` with ξ itself; at u = 2 no odd moments of p/q − 1 are needed.

    order: α in [1, inf). power: u in [1, inf). curve: order to ε(order), at inf too if u = 1.
    log_moments: α to α·log ξ(α).

    >>> from hockeystick.classical import gaussian_log_moment
    >>> log_moments = lambda j: gaussian_log_moment(int(j), 0.2)
    >>> bound = ternary_by_hoelder(2, 2, lambda order: order / 50, log_moments)
    >>> round(math.exp(bound), 9)
    0.083111278
    """
    a, u = from_one("order", order), from_one("power", power)
    v = u / (u - 1) if u > 1 else math.inf
    divergence = non_negative("curve", curve((a - 1) * v + 1)) if a > 1 else 0.0
    return (a - 1) * divergence + log_moments(a * u) / u


def sampled_ternary(order: float, log_moment: float, gamma: float) -> float:
    """ζ'(α) = γ·ζ(α) on a sample of the fraction γ, without replacement.

    Wang, Balle and Kasiviswanathan (2019, Proposition 14). order: α in [1, inf).
    log_moment: α·log ζ(α). gamma: in [0, 1].

    >>> round(math.exp(sampled_ternary(2, math.log(4.0), 0.5)), 12)
    1.0
    """
    a, g = from_one("order", order), probability("gamma", gamma)
    return log_moment + a * math.log(g) if g else -math.inf


def rdp_from_ternary(log_moments: Callable[[int], float], order: Any) -> Any:
    """ε(α) <= log(1 + Σ_{j=2}^α C(α, j)·ζ(j)^j)/(α − 1) at integers, chords of K between them.

    Wang, Balle and Kasiviswanathan (2019, (3.7) and Corollary 10); binary moments ξ do as well.

    log_moments: j to j·log ζ(j). order: in [1, inf), a number or an array.

    >>> round(rdp_from_ternary(lambda j: j * math.log(0.1), 4), 9)  # log(1.1⁴ − 0.4)/3
    0.02070979
    """

    def cumulant(n: int) -> float:
        logs = np.array([float(log_moments(j)) for j in range(2, n + 1)])
        return log_one_plus(log_binomials(n) + logs)

    return at_orders(lambda alpha: chord(cumulant, from_one("order", alpha)), order)
