"""Hockey-stick divergences of discrete distributions, and their advanced joint convexity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from hockeystick.checks import non_negative, probability
from hockeystick.classical.orders import from_one
from hockeystick.errors import ParameterError
from hockeystick.numerics.types import Array

Distribution = Sequence[float] | Array
"""Probabilities of the outcomes, in one order for all distributions of a call."""


def hockey_stick(first: Distribution, second: Distribution, alpha: float) -> float:
    """H_α(μ‖μ') = Σ_z [μ(z) − α·μ'(z)]_+, the least δ for ε = log α (Barthe and Olmedo 2013).

    first, second: probabilities on the same outcomes. alpha: in [0, inf).

    >>> round(hockey_stick([0.75, 0.25], [0.25, 0.75], 2.0), 12)
    0.25
    """
    a = non_negative("alpha", alpha)
    p, q = distribution("first", first), distribution("second", second)
    same_outcomes(p, q)
    return float(np.maximum(p - a * q, 0.0).sum())


class JointConvexity(NamedTuple):
    """The two sides of an identity, and the bound that plain joint convexity makes of it."""

    left: float
    right: float
    bound: float


def advanced_joint_convexity(
    common: Distribution, first: Distribution, second: Distribution, *, rate: float, alpha: float
) -> JointConvexity:
    """Both sides of H_{α'}(μ‖μ') = η·H_α(μ₁‖(1 − β)·μ₀ + β·μ₁').

    μ = (1 − η)·μ₀ + η·μ₁ and μ' = (1 − η)·μ₀ + η·μ₁', α' = 1 + η(α − 1), β = α'/α; the bound is
    η·((1 − β)·H_α(μ₁‖μ₀) + β·H_α(μ₁‖μ₁')) (Balle, Barthe and Gaboardi 2018, Theorem 2).

    common, first, second: μ₀, μ₁ and μ₁', on the same outcomes. rate: η, in [0, 1].
    alpha: in [1, inf).

    >>> sides = advanced_joint_convexity([0.5, 0.5], [1, 0], [0, 1], rate=0.5, alpha=2.0)
    >>> sides.left, sides.right, sides.bound
    (0.375, 0.375, 0.375)
    """
    eta, a = probability("rate", rate), from_one("alpha", alpha)
    zero, one = distribution("common", common), distribution("first", first)
    other = distribution("second", second)
    same_outcomes(zero, one, other)
    amplified = 1 + eta * (a - 1)
    beta = amplified / a
    left = hockey_stick((1 - eta) * zero + eta * one, (1 - eta) * zero + eta * other, amplified)
    right = eta * hockey_stick(one, (1 - beta) * zero + beta * other, a)
    apart = (1 - beta) * hockey_stick(one, zero, a) + beta * hockey_stick(one, other, a)
    return JointConvexity(left, right, eta * apart)


def distribution(name: str, values: Any) -> Array:
    """Probabilities that add up to 1, as an array."""
    p = np.asarray(values, dtype=float)
    if p.ndim != 1 or not (p >= 0).all() or abs(p.sum() - 1) > 1e-9:
        raise ParameterError(f"{name} must be probabilities that add up to 1, got {values!r}")
    return p


def same_outcomes(*distributions: Array) -> None:
    """Raise unless all are on the same number of outcomes."""
    sizes = [p.size for p in distributions]
    if len(set(sizes)) > 1:
        raise ParameterError(f"distributions must have the same outcomes, got sizes {sizes}")
