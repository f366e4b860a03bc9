"""What coins do to a privacy profile: the largest δ of the coins at each ε, exactly."""

from __future__ import annotations

import math

import numpy as np

from hockeystick.bernoulli.channel import MOST_COINS, Channel, coins
from hockeystick.bernoulli.parameters import coins_of
from hockeystick.checks import non_negative, probability
from hockeystick.numerics.types import Array

CELLS = 1 << 20


def amplify_delta(
    epsilon: float, delta: float, c: float, dimension: int = 1, samples: int = 1
) -> float:
    """The δ' for which coins of an (ε, δ)-DP parameter in [c, 1−c]^d are (ε, δ')-DP, the least.

    δ' = δ·B(1 + (e^ε − 1)/δ) with B(t) = H_t(Bin(dk, 1−c)‖Bin(dk, c)). For P − e^ε·Q has positive
    part of mass δ and negative part of mass δ + e^ε − 1, and the coins of any two parameters are a
    garbling of those of two opposite corners, where the parts may both be.

    Parameters
    ----------
    epsilon: in [0, inf]. delta: in [0, 1]. c: in [0, 1/2]. dimension, samples: integers >= 1.

    >>> round(amplify_delta(0.5, 0.1, c=0.1), 12), amplify_delta(1.0, 0.1, c=0.1)
    (0.01512787293, 0.0)
    """
    e, d = non_negative("epsilon", epsilon), probability("delta", delta)
    number, c = coins_of(c, dimension, samples)
    if c == 0 or d == 0 or number > MOST_COINS:
        return d
    if math.isinf(e) or c == 0.5:
        return 0.0
    return float(contracted(coins(number, c), np.array([d]), np.array([e]))[0])


def contracted(channel: Channel, delta: Array, epsilon: Array) -> Array:
    """Σ (δ·W₁ − (δ + e^ε − 1)·W₀)_+ over the outcomes, for every real ε.

    Jointly convex in (δ, e^ε) and growing with δ, so a profile (convex in e^ε) becomes a profile.
    """
    one, zero = channel.masses
    lean = np.exp(channel.log_mass) * channel.lean  # W₁ − W₀
    flat, shift = np.ravel(delta), np.expm1(np.minimum(np.ravel(epsilon), 700.0))
    rows = max(1, CELLS // one.size)
    sums = [
        np.maximum(flat[i : i + rows, None] * lean - shift[i : i + rows, None] * zero, 0).sum(
            axis=1
        )
        for i in range(0, flat.size, rows)
    ]
    return np.concatenate(sums).reshape(np.shape(delta)) if sums else np.zeros(np.shape(delta))
