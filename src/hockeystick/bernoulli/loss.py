"""The privacy loss of coins whose probabilities come from a mechanism with a known loss.

The profile h of the mechanism becomes h'(a) = Σ (h(a)·W₁ − (h(a) + a − 1)·W₀)_+ (see `profile`).
An outcome counts as long as (a − 1)/h(a) is below e^w − 1, which is up to one place a_w. Between
two such places h' is s·h + an affine function with s = Σ (W₁ − W₀), so the law of the loss is s
times what it was; at a_w it has an atom. The loss is bounded even where it was not.
"""

from __future__ import annotations

import math
from functools import cached_property
from itertools import pairwise

import numpy as np

from hockeystick.bernoulli.channel import Channel, fewer_outcomes
from hockeystick.bernoulli.profile import contracted
from hockeystick.errors import NumericalError
from hockeystick.loss.atoms import NOTHING, AtomicLoss
from hockeystick.loss.base import EMPTY, Atoms, Loss
from hockeystick.loss.half import Half
from hockeystick.loss.halves import HalvesLoss
from hockeystick.loss.hull import hull_loss
from hockeystick.numerics.series import Array

MOST_KINKS = 80
"""With more outcomes, points of the curve are as good as its pieces."""
MOST_OUTCOMES = 400
"""More outcomes are merged, to the safe side."""
DOTS = 4000
LARGEST = 600.0
"""Where coins can tell more, they are taken for the parameter itself."""


class CoinHalf(Half):
    """h' for a >= 1, of one direction."""

    def __init__(self, base: Loss, channel: Channel) -> None:
        super().__init__((), 1.0)
        object.__setattr__(self, "base", base)
        speaks = channel.w > 0
        larger = np.exp(channel.log_mass[speaks])
        object.__setattr__(self, "channel", channel)
        object.__setattr__(self, "_reach", channel.w[speaks])
        object.__setattr__(self, "_zero", larger * channel.ratio[speaks])
        object.__setattr__(self, "_lean", larger * channel.lean[speaks])

    base: Loss
    channel: Channel
    _reach: Array
    _zero: Array
    _lean: Array

    def delta(self, u: Array) -> Array:
        return contracted(self.channel, self.base.profile(u), u)

    @property
    def infinite(self) -> float:
        return 0.0

    @cached_property
    def kinks(self) -> Array:
        """log a_w of each outcome with w > 0: where e^u − 1 = h·(e^w − 1)."""
        goal = self._reach + np.log(-np.expm1(-self._reach))
        low, high = np.zeros_like(goal), self._reach.copy()
        for _ in range(64):
            middle = (low + high) / 2
            with np.errstate(divide="ignore", over="ignore"):
                place = np.log(np.expm1(middle)) - np.log(self.base.profile(middle))
            low, high = np.where(place < goal, middle, low), np.where(place < goal, high, middle)
        return high

    @cached_property
    def top(self) -> float:
        return float(self.kinks.max())

    @cached_property
    def last(self) -> float:
        return self.top

    def _scale(self, u: Array) -> Array:
        """s, by which the law of the loss is multiplied just above each u."""
        return np.asarray(np.where(self.kinks > u[..., None], self._lean, 0.0).sum(axis=-1))

    @cached_property
    def _before(self) -> Atoms:
        losses, log_q = self.base.atoms
        inside = (losses > 0) & (losses < self.top)
        return Atoms(losses[inside], log_q[inside])

    @cached_property
    def breaks(self) -> Array:
        return np.unique(np.concatenate([self.kinks, self._before.losses]))

    @cached_property
    def atoms(self) -> Atoms:
        """Q-mass W₀ + (W₁ − W₀)·Q[L >= log a_w] at each a_w, and s times what there was before."""
        losses, log_q = self.base.atoms
        beyond = np.where(losses >= self.kinks[:, None], np.exp(log_q), 0.0).sum(axis=1)
        beyond = beyond + self.base.tails(self.kinks).q_above
        with np.errstate(divide="ignore"):
            new = np.log(self._zero + self._lean * beyond)
            old = self._before.log_q + np.log(self._scale(self._before.losses))
        both = np.append(self.kinks, self._before.losses), np.append(new, old)
        kept = (both[1] > -math.inf) & (both[0] > 0)
        return Atoms(both[0][kept], both[1][kept])

    def above(self, u: Array) -> tuple[Array, Array]:
        edges = np.unique(np.append(0.0, self.kinks))
        p, q = np.zeros_like(u, dtype=float), np.zeros_like(u, dtype=float)
        for low, high in pairwise(edges):
            near, far = self.base.tails(np.clip(u, low, high)), self.base.tails(np.array([high]))
            scale = float(self._scale(np.array([low]))[0])
            p += scale * np.maximum(near.p_above - far.p_above, 0.0)
            q += scale * np.maximum(near.q_above - far.q_above, 0.0)
        return p, q

    def truncated(self, mass: float) -> tuple[Half, float]:
        return self, 0.0

    def log_beyond(self, power: float, least: float) -> float:
        return -math.inf


def coin_loss(base: Loss, channel: Channel) -> tuple[Loss, bool]:
    """The loss of the coins, and whether it is exact; else it dominates that."""
    if float(base.profile(np.zeros(1))[0]) == 0:
        return NOTHING, True
    small = channel.w.size <= MOST_KINKS
    if not small and channel.w.size > MOST_OUTCOMES:
        channel = fewer_outcomes(channel, np.exp(channel.log_mass), MOST_OUTCOMES)
    forward = CoinHalf(base, channel)
    backward = forward if base.symmetric else CoinHalf(base.reverse(), channel)
    if max(forward.top, backward.top) > LARGEST:
        return base, False
    if small and not base.continuous:
        return _listed(forward, backward), True
    try:
        if small:
            return HalvesLoss(forward, None if base.symmetric else backward), True
    except NumericalError:  # too rough to be integrated
        pass
    return _dotted(forward, backward), False


def _listed(forward: CoinHalf, backward: CoinHalf) -> AtomicLoss:
    """Where nothing is continuous, atoms are all there is."""
    (up, log_up), (down, log_down) = forward.atoms, backward.atoms
    rest = 1 - float(np.exp(log_up + up).sum() + np.exp(log_down).sum())
    middle = ([0.0], [math.log(rest)]) if rest > 1e-15 else (EMPTY, EMPTY)
    return AtomicLoss(
        np.concatenate([-down, middle[0], up]),
        np.concatenate([log_down + down, middle[1], log_up]),
        symmetric=forward is backward,
    )


def _dotted(forward: CoinHalf, backward: CoinHalf) -> Loss:
    """The pair whose profile connects a few thousand points of h'."""
    even = np.linspace(-backward.top, forward.top, DOTS)
    u = np.unique(np.concatenate([even, [0.0], forward.kinks, -backward.kinks]))
    u = u[np.append(True, np.diff(u) > 1e-12)]
    h = contracted(forward.channel, forward.base.profile(u), u)
    return hull_loss(np.append(0.0, np.exp(u)), np.append(1.0, h))
