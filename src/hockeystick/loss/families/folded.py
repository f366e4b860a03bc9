"""One pair for both orders of two records: what a record replaced by another needs."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from hockeystick.loss.base import Atoms, Complex, Loss, Nodes, Tails
from hockeystick.loss.families.natural import NaturalLoss
from hockeystick.loss.families.strip import StripLoss
from hockeystick.numerics.series import Array


@dataclass(frozen=True)
class FoldedLoss(StripLoss):
    """The symmetric pair with the profile of `up` for ε >= 0.

    Where H_a(P‖Q) >= H_a(Q‖P) for all a >= 1 this is the larger of the two at every a, hence the
    least pair that dominates P against Q and Q against P. Its positive losses are those of `up`,
    its negative ones their mirror image, and what is left of the mass is an atom at loss 0.
    """

    continuous = True

    up: NaturalLoss
    down: NaturalLoss = field(default=None)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        put = object.__setattr__
        if self.down is None:
            put(self, "down", self.up)
        put(self, "symmetric", self.down == self.up)
        put(self, "top", self.up.top)
        put(self, "bottom", -self.down.top)
        put(self, "infinite", self.up.infinite)
        put(self, "void", self.up.void)
        put(self, "high", self.up.high)
        put(self, "low", -1 - self.down.high)

    @cached_property
    def _sides(self) -> tuple[float, float, float, float]:
        """P- and Q-mass of the positive, then of the negative finite losses."""
        zero = np.zeros(1)
        ahead, behind = self.up.tails(zero), self.down.tails(zero)
        masses = (ahead.p_above, ahead.q_above, behind.q_above, behind.p_above)
        p_up, q_up, p_down, q_down = (float(mass[0]) for mass in masses)
        return p_up, q_up, p_down, q_down

    @cached_property
    def atoms(self) -> Atoms:
        p_up, _, p_down, _ = self._sides
        rest = 1 - self.infinite - p_up - p_down
        return Atoms(np.zeros(1), np.array([math.log(max(rest, 1e-300))]))

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        steep = turn + max(abs(low), abs(high)) + 1
        ahead = self.up.part(0.0, -1.0, max(high, 0.0), steep)
        behind = self.down.part(0.0, -1.0, max(-1 - low, 0.0), steep)
        density = np.exp(behind.losses) * behind.density
        losses = np.concatenate([-behind.losses, ahead.losses])
        log_q = np.concatenate([behind.log_q + behind.losses, ahead.log_q])
        order = np.argsort(losses)
        zero, log_rest = self.atoms
        return Nodes(
            np.append(losses[order], zero),
            np.append(log_q[order], log_rest),
            np.concatenate([density, ahead.density])[order],
        )

    def _cgf(self, s: Complex) -> Complex:
        return Loss.cgf(self, s)

    def tails(self, losses: Array) -> Tails:
        ahead = self.up.tails(np.maximum(losses, 0.0))
        behind = self.down.tails(np.maximum(-losses, 0.0))
        p_up, q_up, p_down, q_down = self._sides
        positive = losses >= 0
        return Tails(
            np.where(positive, ahead.p_above, p_up + p_down - behind.q_above),
            np.where(positive, ahead.q_above, q_up + q_down - behind.p_above),
            np.where(positive, p_up - ahead.p_above + p_down, behind.q_above),
            np.where(positive, q_up - ahead.q_above + q_down, behind.p_above),
        )

    def profile(self, epsilon: Array) -> Array:
        epsilon = np.asarray(epsilon, dtype=float)
        value = self.up.profile(np.maximum(epsilon, 0.0))
        if (epsilon < 0).any():
            below = np.minimum(epsilon, 0.0)
            back = self.down.profile(-below)
            if self.void:
                back = back + self.void
            value = np.where(epsilon < 0, -np.expm1(below) + np.exp(below) * back, value)
        return value

    def log_profile(self, epsilon: Array) -> Array:
        negative = (np.asarray(epsilon) < 0).any()
        return super().log_profile(epsilon) if negative else self.up.log_profile(epsilon)

    def truncated(self, mass: float) -> Loss:
        cut = self.up.truncated(mass)
        assert isinstance(cut, NaturalLoss)
        return self if cut is self.up else replace(self, up=cut)
