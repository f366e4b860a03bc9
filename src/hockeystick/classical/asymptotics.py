"""Approximations, not bounds: what sampled Gaussian noise costs *on particular data*, as n grows.

The mean of a sample of γn of n numbers in [−1/2, 1/2], plus Gaussian noise of σ/(γn), is nearly
normal by the central limit theorem; the Rényi divergence of the two limiting normal laws stands in
for that of the mixtures (Wang, Balle and Kasiviswanathan 2019, Section 3.4). It says nothing about
other data, and convergence in law does not carry over to the moments that a divergence of a larger
order is. Nothing in the library uses these numbers; they are for looking at.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hockeystick.checks import Between, finite_positive, numbers, probability, whole
from hockeystick.checks import order as checked_order
from hockeystick.errors import ParameterError

HALF = Between("[-0.5, 0.5]")


def approximate_divergence_on_bad_data(
    order: float, noise_multiplier: float, gamma: float, population: int
) -> float:
    """About D_α if all records are −1/2 and the one that is replaced becomes 1/2.

    αγ²/(2σ²)·c + ½·log((α* − 1)/α*) + log(c)/(2(α − 1)) with α* = 1 + σ²n/(γ(1 − γ)(n − 1)) and
    c = (α* − 1)/(α* − α); inf from α = α* on (Wang, Balle and Kasiviswanathan 2019, Example 21).

    Not an upper bound, nor a lower one.

    order: α in [1, inf]. noise_multiplier: σ in (0, inf). gamma: the sampled fraction, in [0, 1].
    population: n, an integer >= 2.

    >>> round(approximate_divergence_on_bad_data(8, 5, 0.001, 100_000), 12)
    1.63239e-07
    """
    a, s, g, n = _checked(order, noise_multiplier, gamma, population)
    if g == 0:
        return 0.0
    if g == 1:
        return a / (2 * s * s)
    room = s * s / (g * (1 - g)) * n / (n - 1)  # α* − 1
    if a - 1 >= room:
        return math.inf
    mean = a * g * g / (2 * s * s) * room / (room - (a - 1))
    if a == 1:
        return mean + (1 / room - math.log1p(1 / room)) / 2
    return mean - math.log1p(1 / room) / 2 - math.log1p(-(a - 1) / room) / (2 * (a - 1))


def approximate_divergence_on_good_data(
    order: float, noise_multiplier: float, gamma: float, population: int
) -> float:
    """About D_α if half of the records are 1/2 and half −1/2, one of which becomes 1/2.

    αγ²/(2σ² + γ(1 − γ)(n − 1/n)/2) (Wang, Balle and Kasiviswanathan 2019, Example 22). Far below
    what other data costs; not an upper bound.

    order: α in [1, inf]. noise_multiplier: σ in (0, inf). gamma: the sampled fraction, in [0, 1].
    population: n, an odd integer >= 3.

    >>> round(approximate_divergence_on_good_data(8, 5, 0.001, 100_001), 12)
    8.004e-08
    """
    a, s, g, n = _checked(order, noise_multiplier, gamma, population)
    if n % 2 == 0:
        raise ParameterError(f"population must be odd, got {population!r}")
    return a * g * g / (2 * s * s + g * (1 - g) * (n - 1 / n) / 2) if g else 0.0


def approximate_divergence_on_data(
    order: float, noise_multiplier: float, gamma: float, values: Any, place: int, other: float
) -> float:
    """About D_α if the values are as given, and the one at `place` becomes `other`.

    Of the two limiting normal laws, with means and variances of the data as they are and as they
    become: N(μ, (1 − γ)/(n·m)·Σ(x − μ)² + σ²/m²), m = γn (Wang, Balle and Kasiviswanathan 2019,
    Section 3.4, of which Examples 21 and 22 are two cases). inf where the divergence of those laws
    is. Not an upper bound, nor a lower one, and itself not private: it is computed from the data.

    order: α in [1, inf). noise_multiplier: σ in (0, inf). gamma: in (0, 1]. values: numbers in
    [−1/2, 1/2], at least 2. place: an integer below their number. other: in [−1/2, 1/2].

    >>> bad = [-0.5] * 99_999 + [0.5]
    >>> round(approximate_divergence_on_data(8, 5, 0.001, bad, 99_999, -0.5), 12)
    1.63239e-07
    """
    data = np.array(numbers("values", values), dtype=float)
    if data.ndim != 1 or data.size < 2 or not (np.abs(data) <= 0.5).all():
        raise ParameterError("values must be a list of at least 2 numbers in [-0.5, 0.5]")
    a, s, g, n = _checked(order, noise_multiplier, gamma, data.size)
    if math.isinf(a) or g == 0:
        raise ParameterError(f"order must be finite and gamma positive, got {order!r}, {gamma!r}")
    changed = data.copy()
    changed[whole("place", place, 0)] = HALF("other", other)
    mean, spread = data.mean() - changed.mean(), [float(x.var()) for x in (data, changed)]
    one, two = ((1 - g) * each / (g * n) + (s / (g * n)) ** 2 for each in spread)
    mixed = a * two + (1 - a) * one
    if mixed <= 0:
        return math.inf
    apart = a * float(mean) ** 2 / (2 * mixed)
    if a == 1:
        return apart + (one / two - 1 - math.log(one / two)) / 2
    logs = math.log(mixed) - (1 - a) * math.log(one) - a * math.log(two)
    return max(0.0, apart + logs / (2 * (1 - a)))


def _checked(
    order: float, noise_multiplier: float, gamma: float, population: int
) -> tuple[float, float, float, int]:
    return (
        checked_order("order", order),
        finite_positive("noise_multiplier", noise_multiplier),
        probability("gamma", gamma),
        whole("population", population, 2),
    )
