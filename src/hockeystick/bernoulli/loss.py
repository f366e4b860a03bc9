"""The privacy loss of coins whose probabilities come from a mechanism with a known loss.

The profile h of the mechanism becomes h'(a) = Σ (h(a)·W₁ − (h(a) + a − 1)·W₀)_+ (see `profile`).
An outcome counts as long as (a − 1)/h(a) is below e^w − 1, which is up to one place a_w. Between
two such places h' is s·h + an affine function with s = Σ (W₁ − W₀), so the law of the loss is s
times what it was; at a_w it has an atom. The loss is bounded even where it was not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from hockeystick.bernoulli.channel import Channel, fewer_outcomes
from hockeystick.bernoulli.profile import contracted
from hockeystick.errors import NumericalError
from hockeystick.loss.atoms import NOTHING
from hockeystick.loss.base import Loss
from hockeystick.loss.measure import Atoms
from hockeystick.loss.points import Side, pair_of, side_through
from hockeystick.loss.two_sided.curve import Curve
from hockeystick.loss.two_sided.loss import TwoSidedLoss, listed
from hockeystick.loss.two_sided.panels import PanelCurve, Panels, panels_of
from hockeystick.numerics.types import Array

MOST_KINKS = 80
"""With more outcomes, points of the curve are as good as its pieces."""
MOST_OUTCOMES = 400
"""More outcomes are merged, to the safe side."""
DOTS = 4000
"""Points of a curve that has more outcomes than that."""
ROUNDING = 1e-15
"""A mass at loss 0 up to this is a difference that is 0."""
LARGEST = 600.0
"""Where coins can tell more, they are taken for the parameter itself."""


@dataclass(frozen=True, eq=False)
class CoinCurve(PanelCurve):
    """h' for a >= 1, of one direction."""

    base: Loss
    channel: Channel

    infinite = 0.0

    @cached_property
    def _speaking(self) -> tuple[Array, Array, Array]:
        """w, W₀ and W₁ − W₀ of each outcome with w > 0."""
        speaks = self.channel.w > 0
        larger = np.exp(self.channel.log_mass[speaks])
        zero, lean = self.channel.ratio[speaks], self.channel.lean[speaks]
        return self.channel.w[speaks], larger * zero, larger * lean

    def delta(self, u: Array) -> Array:
        return contracted(self.channel, self.base.profile(u), u)

    @cached_property
    def kinks(self) -> Array:
        """log a_w of each outcome with w > 0: where e^u − 1 = h·(e^w − 1)."""
        w, _, _ = self._speaking
        goal = w + np.log(-np.expm1(-w))
        low, high = np.zeros_like(goal), w
        for _ in range(64):
            middle = (low + high) / 2
            with np.errstate(divide="ignore", over="ignore"):
                place = np.log(np.expm1(middle)) - np.log(self.base.profile(middle))
            low, high = np.where(place < goal, middle, low), np.where(place < goal, high, middle)
        return high

    @cached_property
    def top(self) -> float:  # type: ignore[override]
        return float(self.kinks.max())

    def _scale(self, u: Array) -> Array:
        """s, by which the law of the loss is multiplied just above each u."""
        return np.asarray(np.where(self.kinks > u[..., None], self._speaking[2], 0.0).sum(axis=-1))

    @cached_property
    def _before(self) -> Atoms:
        losses, log_q = self.base.atoms
        inside = (losses > 0) & (losses < self.top)
        return Atoms(losses[inside], log_q[inside])

    @cached_property
    def panels(self) -> Panels:
        edges = np.unique(np.concatenate([[0.0], self.kinks, self._before.losses]))
        return panels_of(self.delta, self.infinite, edges)

    @cached_property
    def atoms(self) -> Atoms:
        """Q-mass W₀ + (W₁ − W₀)·Q[L >= log a_w] at each a_w, and s times what there was before."""
        _, zero, lean = self._speaking
        losses, log_q = self.base.atoms
        beyond = np.where(losses >= self.kinks[:, None], np.exp(log_q), 0.0).sum(axis=1)
        beyond = beyond + self.base.tails(self.kinks).q_above
        with np.errstate(divide="ignore"):
            new = np.log(zero + lean * beyond)
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

    def truncated(self, mass: float) -> tuple[Curve, float]:
        return self, 0.0

    def raised(self, by: float) -> Curve:
        raise NumericalError("coins have no loss +inf")

    def log_beyond(self, powers: Array, least: Array) -> Array:
        return np.full(powers.shape, -math.inf)


def coin_loss(base: Loss, channel: Channel) -> tuple[Loss, bool]:
    """The loss of the coins, and whether it is exact; else it dominates that."""
    if float(base.profile(np.zeros(1))[0]) == 0:
        return NOTHING, True
    small = channel.w.size <= MOST_KINKS
    if not small and channel.w.size > MOST_OUTCOMES:
        channel = fewer_outcomes(channel, np.exp(channel.log_mass), MOST_OUTCOMES)
    forward = CoinCurve(base, channel)
    backward = forward if base.symmetric else CoinCurve(base.reverse(), channel)
    if max(forward.top, backward.top) > LARGEST:
        return base, False
    if small and not base.continuous:
        return listed(forward, backward, ROUNDING), True
    try:
        if small:
            return TwoSidedLoss(forward, backward), True
    except NumericalError:  # too rough to be integrated
        pass
    return dotted_loss(forward, backward), False


def dotted_loss(forward: CoinCurve, backward: CoinCurve) -> Loss:
    """The pair whose profile connects a few thousand points of h'."""
    up, down = _dots(forward, backward.top), _dots(backward, forward.top)
    return pair_of(up, None if forward is backward else down)


def _dots(curve: CoinCurve, back: float) -> Side:
    """As dense as `DOTS` from the smallest loss, −back, to the largest."""
    even = np.linspace(-back, curve.top, DOTS)
    u = np.unique(np.concatenate([[0.0], even[even > 0], curve.kinks]))
    u = u[np.append(True, np.diff(u) > 1e-12)]
    return side_through(u, curve.delta(u))
