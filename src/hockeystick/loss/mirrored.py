"""The symmetric loss behind one bound on the profile, when the losses before it are discrete."""

from __future__ import annotations

import math

import numpy as np

from hockeystick.errors import ParameterError
from hockeystick.loss.atoms import AtomicLoss
from hockeystick.loss.base import EMPTY, Atoms, DiscreteLoss, Loss, Nodes
from hockeystick.loss.half import Half
from hockeystick.numerics.series import Array

MOST_TILT = 1e7


class MirroredLoss(DiscreteLoss):
    """Atoms without end: for each ℓ > 0 of the losses before, one at log(1 − rate + rate·e^ℓ).

    As many at the opposite losses, by symmetry, and what is left at 0 (the pair that two-sided
    Theorem 6 of Balle, Barthe and Gaboardi 2018 gives for a discrete loss). The list is made for
    the powers that are asked for, because rare losses decide large powers.
    """

    symmetric = True

    def __init__(self, half: Half) -> None:
        self.half = half
        self.top, self.bottom = half.top, -half.top
        self.infinite = self.void = half.infinite
        up, log_up = half.atoms
        rest = 1 - half.infinite - float(np.exp(log_up + up).sum() + np.exp(log_up).sum())
        self._rest = max(rest, 0.0)

    @property
    def atoms(self) -> Atoms:
        return self._both(self.half.atoms)

    def _both(self, up: Atoms) -> Atoms:
        losses = np.concatenate([-up.losses[::-1], [0.0], up.losses])
        with np.errstate(divide="ignore"):
            log_rest = math.log(self._rest) if self._rest else -math.inf
        log_q = np.concatenate([(up.log_q + up.losses)[::-1], [log_rest], up.log_q])
        kept = log_q > -math.inf
        return Atoms(losses[kept], log_q[kept])

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        return Nodes(*self._both(self.half.atoms_for(max(high, -1 - low, 0.0))), EMPTY)

    def profile(self, epsilon: Array) -> Array:
        below, there = np.minimum(epsilon, 0.0), self.half.delta(np.abs(epsilon))
        return np.where(epsilon >= 0, there, -np.expm1(below) + np.exp(below) * there)

    def truncated(self, mass: float) -> Loss:
        if math.isfinite(self.top):
            return self
        power = 1.0
        while True:
            losses, log_q, _ = self.nodes(0.0, power, 0.0)
            p = np.exp(log_q + losses)
            if p[-1] < mass * 1e-6 or power > MOST_TILT:
                break
            power *= 2
        beyond = np.cumsum(p[::-1])[::-1]
        last = int(np.searchsorted(-beyond, -mass))
        return AtomicLoss(
            losses[:last],
            log_q[:last],
            infinite=self.infinite + float(p[last:].sum()),
            void=self.void + float(np.exp(log_q[last:]).sum()),
        )

    def mix(self, rate: float) -> Loss:
        if rate == 1:
            return self
        raise ParameterError("a sample of a sample is accounted for Poisson sampling only")


def mirrored(half: Half) -> Loss | None:
    """The loss of a bound without a continuous part; None where there is one."""
    if any(term.falling or term.loss.continuous for term in half.terms):
        return None
    loss = MirroredLoss(half)
    if math.isinf(half.top):
        return loss
    losses, log_q = loss.atoms
    spacing = None
    if half.atoms.losses.size == 1:
        spacing = float(half.top) * (1 if losses.size == 3 else 2)
    return AtomicLoss(
        losses, log_q, infinite=half.infinite, void=half.infinite, spacing=spacing, symmetric=True
    )
