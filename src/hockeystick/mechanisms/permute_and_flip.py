"""Permute-and-flip: report-noisy-max with exponential noise."""

from __future__ import annotations

import math

from hockeystick.checks import checked, declare, declared, non_negative, whole
from hockeystick.evidence import Evidence
from hockeystick.loss.atoms import EVERYTHING, NOTHING
from hockeystick.loss.base import Loss
from hockeystick.loss.segment import SegmentLoss
from hockeystick.mechanism import Mechanism
from hockeystick.mechanisms.randomized_response import RandomizedResponse
from hockeystick.numerics.series import EPS
from hockeystick.relation import Relation


@declared
class PermuteAndFlip(Mechanism):
    """The candidates in random order, each taken with probability e^{ε(u(r) − max u)/2Δ}.

    McKenna and Sheldon (2020). It is the largest of u(r) + noise, the noise exponential of scale
    2Δ/ε (Ding, Kifer, Steinke, Wang, Xiao and Zhang 2021). Where one record moves all utilities the
    same way, as counts do when it is added, 2Δ may be Δ. It is ε-DP, but not of bounded range.

    Dominating pair Lap(ε, 1) against Lap(0, 1), as for Laplace noise: δ(x) = 1 − e^{(x−ε)/2}. For a
    set S of candidates let F(z) be its probability when the utilities in S are raised by z
    (2Δ/ε being 1) over the others, so that a neighbour gives at most F(ε) where this one gives
    F(0). The largest of shifted exponentials has hazard rate at most 1, and applied to S and to
    its complement that is F' <= min(F, 1 − F): the Laplace cdf grows fastest. With two candidates
    F is that cdf, so the largest profile is attained, at each x by another difference of utilities.

    Parameters
    ----------
    epsilon: in [0, inf], for the relation under which Δ bounds the change of a utility.

    >>> round(PermuteAndFlip(1.0).delta(epsilon=0.5), 6), PermuteAndFlip(1.0).epsilon(delta=0)
    (0.221199, Bound(1.0, lower=1.0, method='closed form', delta=0.0, relation=ADD_REMOVE))
    """

    source = "McKenna and Sheldon 2020"

    epsilon_: float = checked(non_negative)

    def __init__(self, epsilon: float) -> None:
        declare(self, epsilon_=epsilon)

    def evidence(self, relation: Relation, steps: int = 1) -> Evidence:
        """Attained, in several steps, are two candidates, ε/2 apart one way and then the other:
        1 − e^{−ε/2}/2 against the rest."""
        if steps == 1:
            return Evidence((self._loss(),))
        half = self.epsilon_ / 2
        odds = math.log1p(2 * math.expm1(half)) if half < 700 else half + math.log(2)
        odds *= 1 - 4 * EPS  # a little less is attained for certain, by lying a little more
        return Evidence((self._loss(),), RandomizedResponse(odds).evidence(relation).loss)

    def _loss(self) -> Loss:
        epsilon = self.epsilon_
        if epsilon == 0:
            return NOTHING
        if math.isinf(epsilon):
            return EVERYTHING
        return SegmentLoss(epsilon, height=0.25, edge=0.5, quotient=(epsilon, 1.0))

    def group(self, size: int) -> Mechanism:
        return PermuteAndFlip(self.epsilon_ * whole("size", size, 1))
