"""Pure differential privacy, declared rather than derived."""

from __future__ import annotations

from hockeystick.checks import checked, declare, declared, non_negative, whole
from hockeystick.evidence import Evidence
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
        return Evidence((two_point_loss(self.epsilon_, 0.0),))

    def group(self, size: int) -> Mechanism:
        return PureDP(self.epsilon_ * whole("size", size, 1))
