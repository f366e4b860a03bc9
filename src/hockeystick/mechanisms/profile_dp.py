"""A mechanism known by its privacy profile alone."""

from __future__ import annotations

from functools import lru_cache

from hockeystick.checks import checked, declare, declared, finite_non_negative, probability
from hockeystick.evidence import Evidence
from hockeystick.loss.base import Loss
from hockeystick.loss.points import table_pair
from hockeystick.loss.two_sided.function import FunctionCurve
from hockeystick.loss.two_sided.loss import TwoSidedLoss
from hockeystick.mechanism import Mechanism
from hockeystick.mechanisms.bases.given_curve import Curve, GivenAs, GivenCurve, given_curve
from hockeystick.relation import Relation


@declared
class ProfileDP(GivenCurve):
    """Any mechanism that is (ε, profile(ε))-DP for every ε >= 0, in both directions.

    `profile` is a function of ε with values in [0, 1], not increasing and convex in e^ε; a mapping
    {ε: δ}, which stands for the least convex curve through the points (Doroshenko et al. 2022); or
    another mechanism, of which then only δ(ε), its upper end, is used. It is composed exactly,
    through Theorem 6 of Balle, Barthe and Gaboardi (2018). `ProfileDP.table(0, 0.1, 1, 0)` is the
    mapping {0: 0.1, 1: 0}.

    >>> round((ProfileDP({0.0: 0.1, 1.0: 0.0}) * 2).delta(epsilon=2.0), 12)
    0.0
    """

    source = "Doroshenko et al. 2022"

    curve: Curve = checked(
        given_curve("profile", "point", epsilon=finite_non_negative, delta=probability)
    )

    def __init__(self, profile: GivenAs) -> None:
        declare(self, curve=profile)

    def evidence(self, relation: Relation, steps: int = 1) -> Evidence:
        return Evidence((_loss(self.curve, relation),))


@lru_cache(maxsize=64)
def _loss(curve: Curve, relation: Relation) -> Loss:
    if isinstance(curve, tuple):
        return table_pair(curve)
    if isinstance(curve, Mechanism):
        mechanism = curve
        return TwoSidedLoss(FunctionCurve(lambda e: mechanism.delta(e, relation=relation)))
    return TwoSidedLoss(FunctionCurve(curve))
