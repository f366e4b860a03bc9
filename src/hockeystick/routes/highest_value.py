"""δ between the two highest values of a sum of atoms: δ(ε) = δ(inf) + P[top]·(1 − e^{ε − top}).

Where other values come arbitrarily near, as those of Laplace noise, this is what δ is at least: a δ
that is next to nothing of P[top] is met at the highest value, but for its last digits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hockeystick.bound import Interval
from hockeystick.errors import NumericalError
from hockeystick.loss.base import Loss
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.series import EPS
from hockeystick.routes.base import Route

NAME = "closed form"
LEAST_FLOAT = 5e-324


@dataclass(frozen=True)
class HighestValue:
    """The largest value of a sum, with its probability and the distance to the next."""

    loss: ComposedLoss
    log_mass: float
    error: float
    """How far the logarithm of the mass may be off."""
    gap: float
    """0 where others come arbitrarily near."""

    def delta(self, epsilon: float) -> Interval:
        """δ(ε) above the second highest value."""
        low, high = self.loss.highest
        if epsilon <= high - self.gap + 2 * self.loss.slip:
            raise _below()
        upper = math.exp(self.log_mass + self.error) * -math.expm1(min(epsilon - high, 0.0))
        lower = math.exp(self.log_mass - self.error) * -math.expm1(min(epsilon - low, 0.0))
        return Interval(
            (self.loss.least_infinite + lower) * (1 - 2 * EPS),
            min(1.0, (self.loss.infinite + upper) * (1 + 2 * EPS) + LEAST_FLOAT),
            NAME,
        )

    def epsilon(self, delta: float) -> Interval:
        """ε = top + log(1 − (δ − δ(inf))/P[top]) above the second highest value."""
        low, high = self.loss.highest
        log_mass, error = self.log_mass, self.error + 4 * EPS * (1 + abs(math.log(delta)))
        log_most = math.log(delta - self.loss.least_infinite) - log_mass + error
        if log_most >= self._log_largest_part():
            raise _below()
        lower, upper, target = low + _log_rest(log_most), high, delta - self.loss.infinite
        if target > 0 and self.gap:
            upper += _log_rest(math.log(target) - log_mass - error)
        room = 8 * EPS * (2 * high - lower)
        return Interval(max(0.0, lower - room), min(high, max(0.0, upper + room)), NAME)

    def _log_largest_part(self) -> float:
        """log of δ/P[top] up to which ε is above the second highest value; where others come
        arbitrarily near, up to which it is the highest but for its last digits."""
        slip = self.loss.slip
        return (
            math.log(-math.expm1(-self.gap)) - 4 * slip / self.gap if self.gap else math.log(slip)
        )


def _log_rest(log_part: float) -> float:
    """log(1 − e^log_part), with all its digits."""
    if log_part > -1:
        return math.log(-math.expm1(log_part))
    return math.log1p(-math.exp(log_part))


def _below() -> NumericalError:
    return NumericalError("there is no closed form below the second highest loss")


def highest_value(loss: ComposedLoss) -> HighestValue:
    """The highest value of a sum, an error where it is no atom."""
    log_mass, size, gap = 0.0, 0.0, math.inf
    for part, count in loss.parts:
        log_q, below = _highest_atom(part)
        log_mass += count * (log_q + part.top)
        size += count * (abs(log_q) + abs(part.top) + part.slip / EPS)
        gap = min(gap, below)
    if gap <= 64 * loss.slip:
        gap = 0.0
    return HighestValue(loss, log_mass, 4 * EPS * (size + len(loss.parts)), gap)


def _highest_atom(loss: Loss) -> tuple[float, float]:
    """log of the Q-mass of the largest loss, and how far below it the next one lies."""
    losses, log_q = loss.atoms
    at_top = losses >= loss.top - (loss.slip if loss.laplace else 0.0)
    if (loss.continuous and not loss.laplace) or not at_top.any():
        raise NumericalError("there is no closed form for this composition")
    below = losses[~at_top]
    gap = loss.top - float(below.max()) if below.size else math.inf
    return float(np.logaddexp.reduce(log_q[at_top])), 0.0 if loss.continuous else gap


HIGHEST = Route(
    NAME,
    "the probability of the highest value of a sum",
    lambda loss, delta: highest_value(loss).epsilon(delta),
    lambda loss, epsilon: highest_value(loss).delta(epsilon),
)
