"""Exact confidence bounds for a probability, from how often something happened."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from hockeystick.numerics.types import Array


def at_least(happened: ArrayLike, trials: ArrayLike, miss: float) -> Array:
    """A number that exceeds the probability in at most a share `miss` of all experiments.

    The p at which Binomial(trials, p) is `happened` or more with probability `miss`, 0 for none
    (Clopper and Pearson 1934).

    >>> float(at_least(20, 20, 0.05))  # 0.05^(1/20)
    0.8608916...
    """
    from scipy.special import betaincinv

    k, n = np.broadcast_arrays(np.asarray(happened, float), np.asarray(trials, float))
    return np.where(k > 0, betaincinv(np.maximum(k, 1), n - np.maximum(k, 1) + 1, miss), 0.0)


def at_most(happened: ArrayLike, trials: ArrayLike, miss: float) -> Array:
    """A number that is below the probability in at most a share `miss` of all experiments.

    >>> float(at_most(0, 20, 0.05))
    0.1391083...
    """
    return 1 - at_least(np.asarray(trials) - np.asarray(happened), trials, miss)
