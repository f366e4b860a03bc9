"""The binomial law and its coefficients, without the second that importing scipy.stats takes."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.stirling import factorial_remainder
from hockeystick.numerics.types import Array

EXACT_UP_TO = 1024
"""Up to this n log C(n, j) comes from the integer itself, beyond it from Stirling's series."""


def binomial_weights(trials: int, probability: float, most: int) -> Array:
    """Probabilities of 0, 1, …, most successes, each from the one before by their ratio.

    >>> binomial_weights(2, 0.5, 2)
    array([0.25, 0.5 , 0.25])
    """
    if probability == 1:
        return np.where(np.arange(most + 1) == trials, 1.0, 0.0)
    k = np.arange(most)
    odds = probability / (1 - probability)
    with np.errstate(divide="ignore"):
        steps = np.log((trials - k) / (k + 1) * odds)
    log_none = trials * math.log1p(-probability)
    return np.exp(log_none + np.append(0.0, np.cumsum(steps)))


def binomial_above(count: int, trials: int, probability: float) -> float:
    """The probability of more than `count` successes, I_p(count + 1, trials − count).

    scipy's own `bdtrc` is wrong in the tenth digit for a million trials, in the fourth for 1e8, and
    NaN from 2^31 on; the incomplete beta function keeps 12 digits.

    >>> round(binomial_above(10**9, 2 * 10**9, 0.5), 9)  # 1/2 less half of 1/√(π·10⁹)
    0.499991079
    """
    from scipy.special import betainc

    if count < 0:
        return 1.0
    if count >= trials:
        return 0.0
    above = float(betainc(float(count + 1), float(trials - count), probability))
    if math.isnan(above):
        raise NumericalError(
            f"the probability of more than {count} of {trials} with a chance of {probability!r} "
            "each is out of reach"
        )
    return above


@lru_cache(maxsize=256)
def log_binomials(n: int) -> Array:
    """log C(n, j) for j = 2, …, n.

    >>> np.exp(log_binomials(4)).round(9).tolist()
    [6.0, 4.0, 1.0]
    """
    if n <= EXACT_UP_TO:
        half, exact = [0.0], 1
        for j in range(n // 2):
            exact = exact * (n - j) // (j + 1)  # C(n, j + 1), faster than each by itself
            half.append(math.log(exact))
        return np.array((half + half[: n - n // 2][::-1])[2:])
    return log_binomial(n, np.arange(2, n + 1))


def log_binomial(n: int, j: Array) -> Array:
    """log C(n, j) by Stirling's series with its remainders, so that nothing large is subtracted."""
    few = np.minimum(j, n - j).astype(float)
    k = np.maximum(few, 1.0)
    rest = n - k
    entropy = k * np.log(n / k) - rest * np.log1p(-k / n)
    scale = np.log(n / (2 * np.pi * k * rest)) / 2
    remainders = (
        factorial_remainder(np.array(float(n))) - factorial_remainder(k) - factorial_remainder(rest)
    )
    return np.where(few > 0, entropy + scale + remainders, 0.0)
