"""Rényi divergences of random allocation: moments of the mean of t likelihood ratios."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from hockeystick.loss.base import Loss
from hockeystick.loss.divergence import divergence
from hockeystick.numerics.log_sum import log_sum_exp
from hockeystick.numerics.peak import log_integrals
from hockeystick.numerics.types import Array

MOST_MOMENTS = 512
"""Largest order of the generating function; beyond it the mechanism without a sample counts."""
MOST_REVERSE_ORDER = 2000.0
"""Beyond it the integral of the reverse is not tried: one step counts."""
LEAST_POWER = 1e-3
"""Stands for the power 0 of order 1, where the integral is 0/0; divergences grow with the order."""
HOLDER_POWERS = (1.1, 1.25, 1.5, 2.0, 3.0)
"""Powers p that are tried."""
RESOLVED = 40.0
"""Frequency for which the nodes are chosen, so that e^{−z·Λ} is resolved."""


def allocation_divergences(base: Loss, steps: int, orders: Array) -> tuple[Array, Array]:
    """Upper bounds for (mean of the pairs, Q) and for its reverse, at orders in [1, inf].

    The first is exact at integers from 2 to 512 and linear in (α−1)·ε(α) between them. Neither is
    above the divergence of one step: the mean of the ratios is below one of them in convex order.
    """
    one, other = divergence(base, orders), divergence(base.reverse(), orders)
    few = orders <= MOST_MOMENTS
    if few.any() and not base.infinite:
        one[few] = np.minimum(one[few], _between_integers(base, steps, orders[few]))
    # Other unbounded losses have moments that end somewhere, which a quadrature cannot see.
    if not base.void and (math.isfinite(base.bottom) or base.gaussian_shift is not None):
        bounds = [_reverse(base, steps, float(order)) for order in orders]
        other = np.minimum(other, bounds)
    return one, other


def replaced_divergences(base: Loss, steps: int, orders: Array) -> tuple[Array, Array]:
    """Upper bounds for one record replaced, by way of the data Q without either.

    By Hölder's inequality with 1/p + 1/p' = 1,

        E_Q[(P/Q)^α·(R/Q)^{1−α}] <= E_Q[(P/Q)^{pα}]^{1/p}·E_Q[(R/Q)^{p'(1−α)}]^{1/p'}

    so (α−1)·D_α(P‖R) <= (α − 1/p)·D_{pα}(P‖Q) + (α−1)·D_{p'(α−1)+1}(Q‖R), for the best of some p.
    """
    value = np.full(orders.shape, math.inf)
    some = (orders > 1) & np.isfinite(orders)
    alpha = orders[some]
    for power in HOLDER_POWERS if some.any() else ():
        conjugate = power / (power - 1)
        first, _ = allocation_divergences(base, steps, power * alpha)
        _, second = allocation_divergences(base, steps, conjugate * (alpha - 1) + 1)
        found = (alpha - 1 / power) / (alpha - 1) * first + second
        value[some] = np.minimum(value[some], found)
    return value, value


def _between_integers(base: Loss, steps: int, orders: Array) -> Array:
    s = np.maximum(orders - 1, 1.0)  # up to order 2 the chord from 0 has the slope ε(2)
    low = np.floor(s).astype(int)
    k = np.append(0.0, _log_moments(base, steps, int(low.max()) + 2)[2:])
    part = s - low
    with np.errstate(invalid="ignore"):  # 0 times a moment that does not exist
        chord = np.where(part == 0, k[low], (1 - part) * k[low] + part * k[low + 1])
    return np.asarray(chord / s)


@lru_cache(maxsize=64)
def _log_moments(base: Loss, steps: int, most: int) -> Array:
    """log E_Q[((Λ_1 + … + Λ_t)/t)^α] for α = 0, …, most.

    It is t^−α·α!·[z^α] (Σ_j E_Q[Λ^j]·z^j/j!)^t, all of it positive; rounding is added.
    """
    from scipy.special import gammaln

    j = np.arange(most + 1.0)
    log_factorials = gammaln(j + 1)
    moments = np.zeros(most + 1)
    moments[2:] = base.cgf(j[2:] - 1).real
    power, total = moments - log_factorials, np.where(j == 0, 0.0, -math.inf)
    count = steps
    while count:
        if count & 1:
            total = _product(total, power)
        count >>= 1
        power = _product(power, power) if count else power
    value = total + log_factorials - j * math.log(steps)
    largest = np.maximum(np.abs(total), log_factorials) + j * math.log(steps)
    return np.asarray(value + 1e-15 * (1 + largest) * (2 + 2 * math.log2(steps)))


def _product(one: Array, other: Array) -> Array:
    """The product of two polynomials, both known by the logarithms of their coefficients."""
    size = one.size
    places = np.arange(size)[:, None] - np.arange(size)
    # 0 times a coefficient that is infinite is 0
    there = (places >= 0) & (one > -math.inf) & (other[places] > -math.inf)
    with np.errstate(invalid="ignore"):
        terms = np.where(there, one + other[places], -math.inf)
    return np.asarray(np.logaddexp.reduce(terms, axis=1))


def _reverse(base: Loss, steps: int, order: float) -> float:
    """Q against the mean: with S the sum of the ratios, φ(z) = E_Q[e^{−zΛ}] and s = α − 1,

    E_Q[(S/t)^−s] = t^s/Γ(s+1)·∫ z^s·t·φ(z)^{t−1}·E_Q[Λ·e^{−zΛ}] dz over z = e^y > 0.
    """
    s = max(order - 1, LEAST_POWER)
    if order > MOST_REVERSE_ORDER:
        return math.inf
    losses, log_q, _ = base.nodes(-1 - s, 0.0, RESOLVED)
    ratios, q = np.exp(np.minimum(losses, 700)), np.exp(log_q)

    def log_height(y: Array) -> Array:
        exponent = -np.exp(np.minimum(y, 600))[..., None] * ratios
        near = np.log1p(np.maximum(np.expm1(exponent) @ q, -0.9))
        far = log_sum_exp(exponent + log_q)
        log_phi = np.where(far > -0.7, near, far)
        rest = log_sum_exp(exponent + log_q + losses)
        return np.asarray((s + 1) * y + (steps - 1) * log_phi + rest)

    start = -math.log(steps) - 60  # there e^{y} is e^−60 of what it is where z·S is about 1
    log_integral = float(log_integrals(log_height, np.zeros(1), start)[0])
    value = (s + 1) * math.log(steps) - math.lgamma(s + 1) + log_integral
    error = 1e-10 + 4e-16 * (steps * 50 + s * (60 + math.log(steps)))
    return max(value + error, 0.0) / s
