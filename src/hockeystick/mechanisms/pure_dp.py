"""Pure differential privacy, declared rather than derived."""

from __future__ import annotations

import math

from hockeystick.checks import checked, declare, declared, non_negative, whole
from hockeystick.evidence import Evidence
from hockeystick.loss.triples.many_laws import ManyLaws
from hockeystick.mechanism import Mechanism
from hockeystick.mechanisms.approximate_dp import two_point_loss
from hockeystick.relation import Relation


@declared
class PureDP(Mechanism):
    """Any ε-DP mechanism, under whichever relation it was proven for.

    Dominated by binary randomized response with the same ε (Kairouz, Oh and Viswanath 2015).

    >>> PureDP(0.5).epsilon(delta=0)
    Bound(0.5, lower=0.5, method='closed form', delta=0.0, relation=ADD_REMOVE)
    """

    source = "Kairouz, Oh and Viswanath 2015"

    epsilon_: float = checked(non_negative)

    def __init__(self, epsilon: float) -> None:
        declare(self, epsilon_=epsilon)

    def evidence(self, relation: Relation, steps: int = 1) -> Evidence:
        triples = ManyLaws(epsilon=self.epsilon_) if 0 < self.epsilon_ < math.inf else None
        return Evidence((two_point_loss(self.epsilon_, 0.0),), triples=triples)

    def group(self, size: int) -> Mechanism:
        return PureDP(self.epsilon_ * whole("size", size, 1))
