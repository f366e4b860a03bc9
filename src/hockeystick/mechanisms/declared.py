"""Guarantees that are declared rather than derived: pure and approximate DP, zCDP and tCDP."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hockeystick.checks import above_one, finite_non_negative, non_negative, probability, whole
from hockeystick.loss.atoms import EVERYTHING, AtomicLoss
from hockeystick.loss.base import Loss
from hockeystick.mechanism import Mechanism, call_text
from hockeystick.numerics.series import Array
from hockeystick.relation import Relation

EULER = 0.5772156649015329
"""Euler's constant, the limit of Σ_{i<=k} 1/i − log k, rounded up."""


def _two_point(epsilon: float, delta: float) -> Loss:
    if math.isinf(epsilon) or delta == 1:
        return EVERYTHING
    scale = math.log1p(-delta) - math.log1p(math.exp(-epsilon))
    return AtomicLoss(
        [-epsilon, epsilon],
        [scale, scale - epsilon],
        infinite=delta,
        void=delta,
        spacing=2 * epsilon,
        symmetric=True,
        slip=0.0,
    )


@dataclass(frozen=True, repr=False)
class PureDP(Mechanism):
    """Any ε-DP mechanism, under whichever relation it was proven for.

    Dominated by binary randomized response with the same ε (Kairouz, Oh and Viswanath 2015).

    >>> PureDP(0.5).epsilon(delta=0)
    Bound(0.5, lower=0.5, method='closed form')
    """

    source = "Kairouz, Oh and Viswanath 2015"

    epsilon_: float

    def __init__(self, epsilon: float) -> None:
        object.__setattr__(self, "epsilon_", non_negative("epsilon", epsilon))

    def loss(self, relation: Relation) -> Loss:
        return _two_point(self.epsilon_, 0.0)

    def group(self, size: int) -> Mechanism:
        return PureDP(self.epsilon_ * whole("size", size, 1))

    def __repr__(self) -> str:
        return call_text("PureDP", self.epsilon_)


@dataclass(frozen=True, repr=False)
class ApproximateDP(Mechanism):
    """Any (ε, δ)-DP mechanism, under whichever relation it was proven for.

    Dominated by the pair that reveals everything with probability δ and else is randomized
    response (Kairouz, Oh and Viswanath 2015, Theorem 3.2): its loss has P-mass δ at infinity.

    >>> (ApproximateDP(0.1, 1e-8) * 100).delta(epsilon=5.0).method
    'lattice'
    """

    source = "Kairouz, Oh and Viswanath 2015, Theorem 3.2"

    epsilon_: float
    delta_: float

    def __init__(self, epsilon: float, delta: float) -> None:
        object.__setattr__(self, "epsilon_", non_negative("epsilon", epsilon))
        object.__setattr__(self, "delta_", probability("delta", delta))

    def loss(self, relation: Relation) -> Loss:
        return _two_point(self.epsilon_, self.delta_)

    def group(self, size: int) -> Mechanism:
        """(kε, δ·(e^{kε} − 1)/(e^ε − 1)), by going from one data set to the other in k steps."""
        k, epsilon = whole("size", size, 1), self.epsilon_
        if epsilon * k > 700:
            return ApproximateDP(epsilon * k, 1.0 if self.delta_ else 0.0)
        steps = math.expm1(k * epsilon) / math.expm1(epsilon) if epsilon else k
        return ApproximateDP(epsilon * k, min(1.0, self.delta_ * steps))

    def __repr__(self) -> str:
        return call_text("ApproximateDP", self.epsilon_, self.delta_)


def _harmonic(k: int) -> float:
    """Σ_{i<=k} 1/i; of many terms, the first of its asymptotic series that leave it from above."""
    if k <= 100:
        return sum(1 / i for i in range(1, k + 1))
    return math.log(k) + EULER + 1 / (2 * k) - 1 / (12 * k**2) + 1 / (120 * k**4)


@dataclass(frozen=True, repr=False)
class ZeroConcentratedDP(Mechanism):
    """Any (ξ, ρ)-zCDP mechanism: Rényi divergence at most ξ + ρα at every order α > 1.

    Bun and Steinke (2016). Known by its Rényi curve alone, it is accounted by it.

    >>> ZeroConcentratedDP(0.5).rdp(4.0)
    Bound(2.0, lower=0.0, method='renyi')
    """

    source = "Bun and Steinke 2016"

    rho: float
    xi: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", finite_non_negative("rho", self.rho))
        object.__setattr__(self, "xi", finite_non_negative("xi", self.xi))

    def loss(self, relation: Relation) -> None:
        return None

    def group(self, size: int) -> Mechanism:
        """ρ grows with the square of the size, ξ by size·Σ 1/i (Bun and Steinke 2016)."""
        k = whole("size", size, 1)
        return ZeroConcentratedDP(k * k * self.rho, self.xi * k * _harmonic(k) if self.xi else 0.0)

    def renyi(self, orders: Array, relation: Relation) -> tuple[Array, Array]:
        value = self.xi + (self.rho * orders if self.rho else 0 * np.minimum(orders, 1))
        return value, value

    def __repr__(self) -> str:
        return call_text("ZeroConcentratedDP", self.rho, xi=self.xi or None)


@dataclass(frozen=True, repr=False)
class TruncatedConcentratedDP(Mechanism):
    """Any (ρ, ω)-tCDP mechanism: Rényi divergence at most ρα at the orders 1 < α < ω.

    Bun, Dwork, Rothblum and Steinke (2018). Nothing is known at the orders from ω on.
    """

    source = "Bun, Dwork, Rothblum and Steinke 2018"

    rho: float
    omega: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", finite_non_negative("rho", self.rho))
        object.__setattr__(self, "omega", above_one("omega", self.omega))

    def loss(self, relation: Relation) -> None:
        return None

    def renyi(self, orders: Array, relation: Relation) -> tuple[Array, Array]:
        known = orders < self.omega
        value = np.where(known, self.rho * np.where(known, orders, 0), math.inf)
        return value, value

    def __repr__(self) -> str:
        return call_text("TruncatedConcentratedDP", self.rho, self.omega)
