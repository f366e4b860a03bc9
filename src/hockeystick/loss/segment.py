"""Losses whose density is an exponential on a segment, with or without atoms at its ends."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.base import Loss
from hockeystick.loss.exact import Exact
from hockeystick.loss.measure import NO_ATOMS, Atoms, LaplaceLaw, Nodes, Tails
from hockeystick.numerics.gauss import on_panels
from hockeystick.numerics.types import Array, Complex

PANEL_POINTS = 20
MOST_NODES = 400_000
"""More take minutes; large orders ask for them."""


@dataclass(frozen=True)
class SegmentLoss(Loss):
    """P-density `height`·e^{(ℓ−reach)/2} on [−reach, reach], P-atom `edge` at reach; symmetric.

    Laplace noise has atoms at both ends, the exponential mechanism has none. Q is P mirrored.
    """

    reach: float
    height: float
    edge: float
    slip: float = 0.0
    quotient: tuple[float, float] | None = field(default=None, compare=False, repr=False)
    """Of which two numbers `reach` is the rounded quotient, if that is known."""

    infinite = void = 0.0
    continuous = True
    symmetric = True

    def __post_init__(self) -> None:
        self.__dict__.update(top=self.reach, bottom=-self.reach)
        if (self.height, self.edge) == (0.25, 0.5) and 0 < self.reach < math.inf:
            self.__dict__["laplace"] = LaplaceLaw(self.reach)

    def exact(self) -> Exact | None:
        if self.quotient is None:
            return None
        above, below = self.quotient
        kind = "laplace" if self.edge else "exponential"
        return Exact(kind, (Fraction(above) / Fraction(below),))

    @cached_property
    def atoms(self) -> Atoms:
        if not self.edge:
            return NO_ATOMS
        ends = np.array([-self.reach, self.reach])
        return Atoms(ends, math.log(self.edge) - (self.reach + ends) / 2)

    def cgf(self, s: Complex | Array) -> Complex:
        """Where e^{sL} grows or turns far, by its integral: with r = reach,

        e^{K(s)} = height·(e^{sr} − e^{−(s+1)r})/(s + 1/2) + edge·(e^{sr} + e^{−(s+1)r}).
        """
        s = np.atleast_1d(np.asarray(s, dtype=complex))
        if s.real.min() < 1 or np.abs(s).max() * self.reach < 30:
            return super().cgf(s)
        back = np.exp(-(2 * s + 1) * self.reach)
        bracket = self.height * (1 - back) / (s + 0.5) + self.edge * (1 + back)
        return np.asarray(s * self.reach + np.log(bracket))

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        """Gauss–Legendre panels, short enough for the turns of e^{sℓ}; at the ends for its growth.

        At a distance x from the end where it is largest e^{sℓ} is e^{−|s|x} of what it is there, so
        that a panel may be as long as x: what the rule misses is relative to that.
        """
        longest = min(3.0, 20 / (1 + turn))
        count = math.ceil(2 * self.reach / longest) * PANEL_POINTS
        if count > MOST_NODES:
            raise NumericalError(f"the quadrature of {self!r} would need {count} nodes")
        first = 20 / (max(abs(low), abs(high)) + 1 + turn)
        inwards = _from_an_end(self.reach, first, longest) - self.reach
        losses, weights = on_panels(np.append(inwards, -inwards[-2::-1]), PANEL_POINTS)
        log_density = math.log(self.height) - (self.reach + losses) / 2
        log_q = log_density + np.log(weights)
        ends, log_ends = self.atoms
        return Nodes(np.append(losses, ends), np.append(log_q, log_ends), np.exp(log_density))

    def tails(self, losses: Array) -> Tails:
        x = np.clip(losses, -self.reach, self.reach)
        above = -2 * self.height * np.expm1((x - self.reach) / 2)
        below = -2 * self.height * np.expm1(-(x + self.reach) / 2)
        return Tails(
            above,
            above * np.exp(-(x + self.reach) / 2),
            below * np.exp((x - self.reach) / 2),
            below,
        )

    def profile(self, epsilon: Array) -> Array:
        # With y = e^{(ε−reach)/2} the segment gives 2·height·(1−y)², the upper atom edge·(1−y²).
        x = np.clip(epsilon, -self.reach, self.reach)
        inside = 2 * self.height * np.expm1((x - self.reach) / 2) ** 2
        inside = inside - self.edge * np.expm1(x - self.reach)
        return np.where(epsilon < -self.reach, -np.expm1(np.minimum(epsilon, 0.0)), inside)


def _from_an_end(distance: float, first: float, longest: float) -> Array:
    """Edges of panels from 0 to a distance: each as long as all before it, up to the longest."""
    doubled = first * 2.0 ** np.arange(max(0, math.ceil(math.log2(longest / first)) + 1))
    doubled = doubled[doubled < distance]
    last = doubled[-1] if doubled.size else 0.0
    rest = np.linspace(last, distance, max(1, math.ceil((distance - last) / longest)) + 1)
    return np.concatenate([[0.0][: doubled.size], doubled[:-1], rest])
