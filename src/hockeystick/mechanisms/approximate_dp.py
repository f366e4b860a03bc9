"""Approximate differential privacy, declared rather than derived."""

from __future__ import annotations

import math

from hockeystick.checks import checked, declare, declared, non_negative, probability, whole
from hockeystick.evidence import Evidence
from hockeystick.loss.atoms import EVERYTHING, AtomicLoss
from hockeystick.loss.base import Loss
from hockeystick.loss.exact import response
from hockeystick.mechanism import Mechanism
from hockeystick.relation import Relation


@declared
class ApproximateDP(Mechanism):
    """Any (ε, δ)-DP mechanism, under whichever relation it was proven for.

    Dominated by the pair that reveals everything with probability δ and else is randomized
    response (Kairouz, Oh and Viswanath 2015, Theorem 3.2): its loss has P-mass δ at infinity.

    >>> (ApproximateDP(0.1, 1e-8) * 100).delta(epsilon=5.0).method
    'lattice'
    """

    source = "Kairouz, Oh and Viswanath 2015, Theorem 3.2"

    epsilon_: float = checked(non_negative)
    delta_: float = checked(probability)

    def __init__(self, epsilon: float, delta: float) -> None:
        declare(self, epsilon_=epsilon, delta_=delta)

    def evidence(self, relation: Relation, steps: int = 1) -> Evidence:
        return Evidence((two_point_loss(self.epsilon_, self.delta_),))

    def group(self, size: int) -> Mechanism:
        """(kε, δ·(e^{kε} − 1)/(e^ε − 1)), by going from one data set to the other in k steps."""
        k, epsilon = whole("size", size, 1), self.epsilon_
        if epsilon * k > 700:
            return ApproximateDP(epsilon * k, 1.0 if self.delta_ else 0.0)
        steps = math.expm1(k * epsilon) / math.expm1(epsilon) if epsilon else k
        return ApproximateDP(epsilon * k, min(1.0, self.delta_ * steps))


def two_point_loss(epsilon: float, delta: float) -> Loss:
    """Randomized response at ε with probability 1 − δ, and else everything."""
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
        origin=response(epsilon, 2, delta),
    )
