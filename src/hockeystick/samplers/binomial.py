"""The binomial law, without the second that importing scipy.stats takes."""

from __future__ import annotations

import math

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.series import Array


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
    """The probability of more than `count` successes.

    >>> binomial_above(10**12, 2 * 10**12 + 1, 0.5)
    0.5
    """
    from scipy.special import betainc

    if count < 0:
        return 1.0
    if count >= trials:
        return 0.0
    value = float(betainc(count + 1.0, float(trials - count), probability))
    if math.isnan(value):
        raise NumericalError(
            f"the chance of more than {count} successes in {trials} is out of reach"
        )
    return value
