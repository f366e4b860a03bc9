"""The convex function behind Rényi divergences, and the coordinates of pairs on two points.

J = Σ P^α·Q^{1−α} is 1 + E_Q[φ(log P/Q)] with φ(t) = e^{αt} − 1 − α(e^t − 1) >= 0: no cancellation
where P and Q are close. A pair on two points has losses ρ = log x/y >= 0 and −σ = log (1−x)/(1−y):

    x = a(σ)/a(ρ+σ),  1−y = a(ρ)/a(ρ+σ),  y = e^{−ρ}·x,  1−x = e^{−σ}·(1−y),  a(t) = 1 − e^{−t}
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hockeystick.numerics.series import exp_minus
from hockeystick.numerics.types import Array

NEAR = 0.5
"""Below this |αt| the series is used."""
FAR = 40.0
"""Above this t, φ is its first two terms."""


class TwoPoints(NamedTuple):
    """Probabilities of the first point under P and Q, their complements, and x − y."""

    x: Array
    not_x: Array
    y: Array
    not_y: Array
    apart: Array


def two_points(rho: Array, sigma: Array) -> TwoPoints:
    """The pairs with losses ρ and −σ, in [0, inf] each; (0, 0) where P = Q."""
    with np.errstate(invalid="ignore"):
        total = -np.expm1(-(rho + sigma))
        x = np.where(total > 0, -np.expm1(-sigma) / total, 0.0)
        not_y = np.where(total > 0, -np.expm1(-rho) / total, 1.0)
    return TwoPoints(
        x, np.exp(-sigma) * not_y, np.exp(-rho) * x, not_y, np.asarray(-x * np.expm1(-rho))
    )


def excess(t: Array, order: float, log_scale: float = 0.0) -> Array:
    """e^log_scale·φ(t), at most e^700; its relative error is some 10·2^−52·α/(α − 1)."""
    a, scale = order, math.exp(log_scale)
    middle = np.minimum(t, FAR)
    value = np.exp(np.minimum(a * middle + log_scale, 700.0)) - scale * (1 + a * np.expm1(middle))
    near, far = np.abs(a * t) < NEAR, t > FAR
    if near.any():
        small = np.clip(t, -NEAR, NEAR)
        value = np.where(near, scale * (exp_minus(a * small) - a * exp_minus(small)), value)
    if far.any():  # φ·e^{−αt} = 1 − α·e^{−(α−1)t} to all digits
        large = np.maximum(t, FAR)
        rest = -a * np.expm1(-(a - 1) * large) - (a - 1)
        value = np.where(
            far, np.exp(np.minimum(a * large + log_scale + np.log(rest), 700.0)), value
        )
    return np.asarray(value)


def steepness(t: Array, order: float, log_scale: float = 0.0) -> Array:
    """e^log_scale·α(e^{(α−1)t} − 1), the slope of φ in e^t."""
    s = (order - 1) * t
    near = math.exp(log_scale) * np.expm1(np.clip(s, -40.0, 40.0))
    return order * np.where(
        np.abs(s) < 30, near, np.exp(np.minimum(s + log_scale, 700.0)) - math.exp(log_scale)
    )


def log_excess_of_guarantee(epsilon: float, order: float) -> float:
    """log(e^{(α−1)ε} − 1), the largest J − 1 that a Rényi divergence of ε allows."""
    s = (order - 1) * epsilon
    return math.log(math.expm1(s)) if s < 30 else s + math.log1p(-math.exp(-s))


def divergence_of_excess(log_value: float, order: float) -> float:
    """log(1 + e^log_value)/(α − 1), the Rényi divergence with J − 1 = e^log_value."""
    if log_value > 30:
        return (log_value + math.log1p(math.exp(-log_value))) / (order - 1)
    return math.log1p(math.exp(log_value)) / (order - 1)
