"""δ between the two highest values of a sum of atoms: δ(ε) = δ(inf) + P[top]·(1 − e^{ε − top})."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hockeystick.bound import Interval
from hockeystick.errors import NumericalError
from hockeystick.loss.base import Loss
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.series import EPS

NAME = "closed form"


@dataclass(frozen=True)
class HighestValue:
    """The largest value of a sum of atoms, with its probability and the distance to the next."""

    loss: ComposedLoss
    log_mass: float
    error: float
    """How far the logarithm of the mass may be off."""
    gap: float

    def delta(self, epsilon: float) -> Interval:
        """δ(ε) above the second highest value."""
        low, high = self.loss.highest
        if epsilon <= high - self.gap + 2 * self.loss.slip:
            raise _below()
        upper = math.exp(self.log_mass + self.error) * -math.expm1(min(epsilon - high, 0.0))
        lower = math.exp(self.log_mass - self.error) * -math.expm1(min(epsilon - low, 0.0))
        return Interval(
            (self.loss.least_infinite + lower) * (1 - 2 * EPS),
            min(1.0, (self.loss.infinite + upper) * (1 + 2 * EPS) + 5e-324),
            NAME,
        )

    def epsilon(self, delta: float) -> Interval:
        """ε = top + log(1 − (δ − δ(inf))/P[top]) above the second highest value."""
        low, high = self.loss.highest
        log_mass, error = self.log_mass, self.error + 4 * EPS * (1 + abs(math.log(delta)))
        log_most = math.log(delta - self.loss.least_infinite) - log_mass + error
        if log_most >= math.log(-math.expm1(-self.gap)) - 4 * self.loss.slip / self.gap:
            raise _below()
        lower = low + math.log(-math.expm1(log_most))
        upper, target = high, delta - self.loss.infinite
        if target > 0:
            upper += math.log(-math.expm1(math.log(target) - log_mass - error))
        room = 4 * EPS * max(high, 1.0)
        return Interval(max(0.0, lower - room), min(high, max(0.0, upper + room)), NAME)


def _below() -> NumericalError:
    return NumericalError("there is no closed form below the second highest loss")


def highest_value(loss: ComposedLoss) -> HighestValue | None:
    """The highest value of a sum; None where it is no atom or the sum comes arbitrarily near."""
    log_mass, size, gap = 0.0, 0.0, math.inf
    for part, count in loss.parts:
        highest = _highest_atom(part)
        if highest is None:
            return None
        log_q, below = highest
        log_mass += count * (log_q + part.top)
        size += count * (abs(log_q) + abs(part.top) + part.slip / EPS)
        gap = min(gap, below)
    if gap <= 64 * loss.slip:
        return None
    return HighestValue(loss, log_mass, 4 * EPS * (size + len(loss.parts)), gap)


def _highest_atom(loss: Loss) -> tuple[float, float] | None:
    """log of the Q-mass of the largest loss, and how far below it the next one lies."""
    losses, log_q = loss.atoms
    at_top = losses == loss.top
    if loss.continuous or not at_top.any():
        return None
    below = losses[~at_top]
    gap = loss.top - float(below.max()) if below.size else math.inf
    return float(np.logaddexp.reduce(log_q[at_top])), gap
