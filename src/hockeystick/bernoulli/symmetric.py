"""The symmetric pair on two opposite corners, which is conjectured to be the worst."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hockeystick.bernoulli.channel import Channel
from hockeystick.bernoulli.excess import (
    TwoPoints,
    divergence_of_excess,
    excess,
    log_excess_of_guarantee,
    two_points,
)
from hockeystick.numerics.roots import find_root


class Symmetric(NamedTuple):
    """P = (p, 1−p) and Q = (1−p, p) on two points, log p/(1−p) = `loss`, as seen by a channel.

    `log_given` and `log_seen` are log(J − 1) of the pair itself and of what the channel shows.
    """

    loss: float
    order: float
    log_given: float
    log_seen: float

    @property
    def pair(self) -> TwoPoints:
        """Its probabilities."""
        return two_points(*2 * [np.array([self.loss])])

    @property
    def divergence(self) -> float:
        """The Rényi divergence that the channel shows."""
        return divergence_of_excess(self.log_seen, self.order)


def symmetric_loss(epsilon: float, order: float) -> float:
    """The loss ρ of the symmetric pair with Rényi divergence ε (to rounding, not more).

    r_α(p) = ε at p = 1/(1 + e^−ρ).
    """
    goal = log_excess_of_guarantee(epsilon, order)

    def surplus(rho: float) -> float:
        return log_excess_of_pair(rho, order) - goal

    high = max(1.0, 2 * epsilon)
    low = high
    while surplus(high) < 0:
        high *= 2
    while surplus(low) > 0:
        low, high = low / 4, low
    return find_root(surplus, low, high)[0]


def log_excess_of_pair(rho: float, order: float) -> float:
    """log(J − 1) of the symmetric pair: (1−p)·φ(ρ) + p·φ(−ρ)."""
    if rho > 100:  # J = e^{(α−1)ρ}, but for e^−100
        return log_excess_of_guarantee(rho, order)
    if order * rho > 600:  # and so α > 6: the second term and what φ takes off are nothing
        return order * rho - float(np.logaddexp(0.0, rho))
    one, other = excess(np.array([rho, -rho]), order)
    return math.log(one / (1 + math.exp(rho)) + other / (1 + math.exp(-rho)))


def seen(channel: Channel, loss: float, order: float) -> Symmetric:
    """The pair of that loss, as the channel shows it."""
    pair = two_points(*2 * [np.array([loss])])
    # Only where the exponents are large do they need to be scaled.
    top = float(channel.losses(pair)[0].max()) if order * loss > 500 else 0.0
    scale = order * top
    value, _ = channel.excess(pair, order, scale)
    return Symmetric(
        loss, order, log_excess_of_pair(loss, order), math.log(float(value[0])) + scale
    )
