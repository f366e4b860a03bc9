"""Integer noise on a Poisson sample, of a record that is replaced by one on the other side."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.atoms import AtomicLoss
from hockeystick.loss.base import DiscreteLoss, Loss
from hockeystick.loss.exact import Exact
from hockeystick.loss.measure import EMPTY, Atoms, Nodes
from hockeystick.numerics.series import EPS, log_mixed
from hockeystick.numerics.types import Array

REACH = 10.0
"""Scales beyond which Gaussian noise is dropped: 1e-22 of its mass."""
FARTHEST = 38.5
"""Scales beyond which no float holds its mass."""
MOST_ATOMS = 10_000_000
"""More take hundreds of megabytes; large orders ask for them."""


def opposite_laplace(scale: float, steps: int, rate: float, origin: Exact | None) -> Loss:
    """P[x] ∝ e^{−|x|/scale}; all outcomes beyond ±`steps` are alike."""
    x = np.arange(-steps, steps + 1)
    log_w = -np.abs(x) / scale + math.log(math.tanh(1 / (2 * scale)))
    log_w[[0, -1]] -= math.log(-math.expm1(-1 / scale))
    loss, still = _losses(lambda y: -np.abs(y) / scale, x, steps, rate)
    slip = 4 * EPS * (float(loss[-1]) + steps / scale)
    return AtomicLoss(loss, log_w + still, symmetric=True, slip=slip, origin=origin)


def _losses(
    log_density: Callable[[Array], Array], x: Array, steps: int, rate: float
) -> tuple[Array, Array]:
    """The losses of ((1−q)·N + q·N(+steps), (1−q)·N + q·N(−steps)), and log Q less log N."""
    right = np.abs(x)
    there, up, down = (log_density(right - move) for move in (0, steps, -steps))
    far, near = log_mixed(rate, up - there), log_mixed(rate, down - there)
    apart = rate * np.exp(down - there - near) * np.expm1(np.minimum(up - down, 1.0))
    losses = np.where(up - down < 1, np.log1p(apart), far - near)
    return np.sign(x) * losses, np.where(x < 0, far, near)


@dataclass(frozen=True)
class OppositeGaussian(DiscreteLoss):
    """P[x] ∝ e^{−x²/2σ²}, moved by ±`steps` if the record is drawn, against the other side."""

    scale: float
    steps: int
    rate: float
    origin: Exact | None = field(default=None, compare=False, repr=False)

    top, bottom = math.inf, -math.inf
    infinite = void = 0.0
    spacing = None
    symmetric = True

    @property
    def slip(self) -> float:
        move = self.steps / self.scale
        return 4 * EPS * move * (FARTHEST + move)

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        return Nodes(*self._between(min(low + 1, 0.0), max(high + 1, 1.0)), EMPTY)

    @cached_property
    def atoms(self) -> Atoms:
        return self._between(0.0, 1.0)

    def _between(self, low: float, high: float, reach: float = REACH) -> Atoms:
        """The atoms that matter to E_Q[e^{pL}] for p in [low, high]: p moves the centre to p·k, or
        to (p−1)·k where the loss is negative."""
        wide = reach * self.scale + 2
        first, last = (low - 1) * self.steps - wide, high * self.steps + wide
        if last - first > MOST_ATOMS:
            raise NumericalError(f"the sum over {self!r} would have {last - first:g} terms")
        x = np.arange(math.floor(first), math.ceil(last) + 1, dtype=float)
        centre = np.arange(-math.ceil(wide), math.ceil(wide) + 1)
        total = math.log(np.exp(self._log_density(centre)).sum())
        losses, still = _losses(self._log_density, x, self.steps, self.rate)
        return Atoms(losses, self._log_density(x) + still - total)

    def _log_density(self, x: Array) -> Array:
        return np.asarray(-(x**2) / (2 * self.scale**2))

    @cached_property
    def _all(self) -> AtomicLoss:
        """All outcomes that floats hold."""
        return AtomicLoss(*self._between(0.0, 1.0, FARTHEST), symmetric=True, slip=self.slip)

    def profile(self, epsilon: Array) -> Array:
        return self._all.profile(epsilon)

    def truncated(self, mass: float) -> Loss:
        """Without outcomes on either side, so that both directions stay alike."""
        losses, log_q = self._all.atoms
        p = np.exp(log_q + losses)
        last = int(np.searchsorted(-np.cumsum(p[::-1])[::-1], -mass))
        kept = slice(p.size - last, last)
        gone = float(p[last:].sum() + p[: p.size - last].sum())
        kept_q, slip = log_q[kept], self.slip
        return AtomicLoss(losses[kept], kept_q, infinite=gone, void=gone, symmetric=True, slip=slip)
