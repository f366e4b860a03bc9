"""The positive losses of a natural family's pair, as one side of another pair."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hockeystick.loss.families.natural import NaturalLoss
from hockeystick.loss.measure import NO_ATOMS, Atoms, Nodes
from hockeystick.loss.two_sided.curve import Curve
from hockeystick.numerics.types import Array


@dataclass(frozen=True)
class PositiveLosses(Curve):
    """The profile of `loss` for ε >= 0, and a constant.

    Where H_a(P‖Q) >= H_a(Q‖P) for all a >= 1 this is the larger of the two at every a, so the
    symmetric pair with this curve is the least that dominates P against Q and Q against P.
    """

    loss: NaturalLoss
    extra: float = 0.0

    @property
    def high(self) -> float:  # type: ignore[override]
        return self.loss.high

    @property
    def infinite(self) -> float:  # type: ignore[override]
        return self.loss.infinite + self.extra

    @property
    def top(self) -> float:  # type: ignore[override]
        return self.loss.top

    def delta(self, u: Array) -> Array:
        value = self.loss.profile(u)
        return value + self.extra if self.extra else value

    def log_delta(self, u: Array) -> Array:
        return super().log_delta(u) if self.extra else self.loss.log_profile(u)

    @property
    def atoms(self) -> Atoms:
        return NO_ATOMS

    def above(self, u: Array) -> tuple[Array, Array]:
        tails = self.loss.tails(u)
        return tails.p_above, tails.q_above

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        steep = turn + max(abs(low), abs(high)) + 1
        nodes = self.loss.part(0.0, -1.0, max(high, 0.0), steep)
        order = np.argsort(nodes.losses)
        return Nodes(*(column[order] for column in nodes))

    def truncated(self, mass: float) -> tuple[Curve, float]:
        cut = self.loss.truncated(mass)
        return (self, 0.0) if cut is self.loss else (replace(self, loss=cut), cut.void)

    def raised(self, by: float) -> Curve:
        return replace(self, extra=self.extra + by)
