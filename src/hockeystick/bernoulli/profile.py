"""What coins do to a privacy profile: the largest δ of the coins at each ε, exactly."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hockeystick.bernoulli.box import box_of
from hockeystick.bernoulli.channel import Channel
from hockeystick.checks import non_negative, probability
from hockeystick.numerics.types import Array

CELLS = 1 << 20


def amplify_delta(
    epsilon: float,
    delta: float,
    c: float | Sequence[float],
    dimension: int = 1,
    samples: int = 1,
    *,
    d: float | Sequence[float] | None = None,
) -> float:
    """The δ' for which coins of an (ε, δ)-DP parameter in [c, 1−c]^d are (ε, δ')-DP, the least.

    δ' = δ·B(1 + (e^ε − 1)/δ) with B(t) = H_t(Bin(dk, 1−c)‖Bin(dk, c)). For P − e^ε·Q has positive
    part of mass δ and negative part of mass δ + e^ε − 1, and the coins of any two parameters are a
    garbling of those of two opposite corners, where the parts may both be.

    Parameters
    ----------
    epsilon: in [0, inf]. delta: in [0, 1]. c: in [0, 1/2]. dimension, samples: integers >= 1.
    c and d may be lists, as for `amplify`: then δ' holds, and is the least where d_i = 1 − c_i.

    >>> round(amplify_delta(0.5, 0.1, c=0.1), 12), amplify_delta(1.0, 0.1, c=0.1)
    (0.01512787293, 0.0)
    """
    e, before = non_negative("epsilon", epsilon), probability("delta", delta)
    box = box_of(c, d, dimension, samples)
    if box.tells_all or before == 0:
        return before
    if math.isinf(e) or box.tells_nothing:
        return 0.0
    channel = box.channel(above=True)
    return min(before, float(contracted(channel, np.array([before]), np.array([e]))[0]))


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
