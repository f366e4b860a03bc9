"""Gaussian noise on a sample of fixed size, of a record zeroed out: three answers in line."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from hockeystick.loss.gaussian import GaussianLoss, gaussian_log_delta
from hockeystick.loss.measure import NO_ATOMS, Atoms
from hockeystick.loss.two_sided.amplified import AmplifiedCurve
from hockeystick.loss.two_sided.panels import ACCURACY, PanelCurve, Panels, panels_of
from hockeystick.loss.two_sided.term import Term
from hockeystick.numerics.roots import last_true_by_grids
from hockeystick.numerics.special import ndtr
from hockeystick.numerics.types import Array

FIRST_PANELS = 32
REACH = 42.0
"""Deviations beyond which a normal law has nothing."""
FARTHEST = 1e8
"""A loss beyond which there is nothing, for infinite ones."""
EXACT = 200.0
"""From losses so large on e^u loses digits that panels look for."""
STEPS = 12
"""Of Newton's method, which begins within log 2 of its goal."""


@dataclass(frozen=True)
class InLineGaussian(PanelCurve):
    """(1−γ)·N(near − far) + γ·N(near) against (1−γ)·N(near − far) + γ·N(0), for losses u >= 0.

    With λ = e^{near·x − near²/2} and ρ = e^{−d·x − d²/2}, d = far − near >= 0, the densities of the
    record and of what is there instead over that of nothing, the loss at an outcome x is
    log((1−γ)ρ + γλ) − log((1−γ)ρ + γ), which grows from 0 at near/2 on. At the x of a loss u,
    a = e^u, all outcomes beyond make

        δ(u) = γ·a·φ(x)·(m(x − near) − m(x)) + (a−1)(1−γ)·φ(x + d)·(m(x − near) − m(x + d)),

    with Mills' ratio m, which falls. Losses above `ceiling` give the record away.
    """

    near: float
    far: float
    rate: float
    ceiling: float = math.inf
    extra: float = 0.0
    """Added to the curve, at every u."""

    def __post_init__(self) -> None:
        self.__dict__.update(top=self.ceiling, infinite=self.extra + self._beyond[0])

    @cached_property
    def _beyond(self) -> tuple[float, float]:
        """P- and Q-mass above the ceiling."""
        if math.isinf(self.ceiling):
            return 0.0, 0.0
        p, q = self._masses(self._place(np.array([self.ceiling])))
        return float(p[0]), float(q[0])

    def _logs(self, x: Array) -> tuple[Array, Array]:
        """log λ, and log of (1−γ)ρ/γ."""
        d = self.far - self.near
        odds = math.log1p(-self.rate) - math.log(self.rate)
        return self.near * (x - self.near / 2), odds - d * (x + d / 2)

    def _loss(self, x: Array) -> Array:
        log_l, log_r = self._logs(x)
        below = np.logaddexp(log_r, 0.0)
        small = np.log1p(np.expm1(np.minimum(log_l, 30.0)) * np.exp(-below))
        return np.where(log_l < 30, small, np.logaddexp(log_r, log_l) - below)

    def _place(self, u: Array) -> Array:
        """The outcome of each loss, by Newton's method for log(e^u − 1) = log(λ − 1) − log(1 +
        (1−γ)ρ/γ), a concave function, from where one term of the sum alone would have it."""
        u, d = np.minimum(u, FARTHEST), self.far - self.near
        odds = self.rate / (1 - self.rate)
        with np.errstate(all="ignore"):  # at u = 0
            small = np.log(np.expm1(np.minimum(u, 30.0)) / odds)
            goal = np.where(u < 30, small, u + np.log1p(-np.exp(-u)) - math.log(odds))
            only_other = (goal + (self.near - d) * self.far / 2) / self.far
            x = np.maximum(self.near / 2 + u / self.near, only_other)
            for _ in range(STEPS):
                log_l, log_r = self.near * (x - self.near / 2), -d * (x + d / 2)
                below, grown = np.logaddexp(log_r, math.log(odds)), -np.expm1(-log_l)
                slope = self.near / grown + d * np.exp(log_r - below)
                x = x + (goal - (log_l + np.log(grown) - below)) / slope
        return np.where(u > 0, x, self.near / 2)

    def _masses(self, x: Array) -> tuple[Array, Array]:
        """P- and Q-mass beyond each outcome."""
        rest = (1 - self.rate) * ndtr(self.near - self.far - x)
        return rest + self.rate * ndtr(self.near - x), rest + self.rate * ndtr(-x)

    def _log_whole(self, u: Array) -> Array:
        """log δ(u), without a ceiling."""
        x = self._place(u)
        d = self.far - self.near
        own, other = self.near * (x - self.near / 2), self.far * (x + (d - self.near) / 2)
        with np.errstate(all="ignore"):  # at u = 0
            grown = u + np.log(-np.expm1(-u)) + math.log1p(-self.rate)
            return np.logaddexp(
                u + math.log(self.rate) - own + gaussian_log_delta(self.near, own),
                grown - other + gaussian_log_delta(self.far, other),
            )

    def delta(self, u: Array) -> Array:
        u = np.asarray(u, dtype=float)
        at = np.minimum(u, self.ceiling)
        value = np.exp(self._log_whole(at)) + self.extra
        if self._beyond[1]:
            value = value + np.exp(at) * self._beyond[1]
        return np.where(u >= self.top, self.infinite, value)

    def log_delta(self, u: Array) -> Array:
        plain = math.isinf(self.ceiling) and not self.extra
        return self._log_whole(u) if plain else super().log_delta(u)

    @property
    def atoms(self) -> Atoms:
        return NO_ATOMS

    def above(self, u: Array) -> tuple[Array, Array]:
        p, q = self._masses(self._place(np.minimum(u, self.ceiling)))
        return np.maximum(p - self._beyond[0], 0.0), np.maximum(q - self._beyond[1], 0.0)

    @cached_property
    def panels(self) -> Panels:
        first, last = self._place(np.array([0.0, self.last]))
        inside = self._loss(np.linspace(first, last, FIRST_PANELS + 1)[1:-1])
        edges = np.unique(np.append(inside[(inside > 0) & (inside < self.last)], [0.0, self.last]))
        accuracy = ACCURACY * max(1.0, self.last / EXACT)
        return panels_of(self.delta, self.infinite, edges, accuracy)

    def log_beyond(self, powers: Array, least: Array) -> Array:
        """At most that of γ·h(a), h that of the record against nothing: what is there instead can
        only take from it."""
        if math.isfinite(self.top):
            return np.full(powers.shape, -math.inf)
        most = AmplifiedCurve((Term(self.rate, 0.0, GaussianLoss(self.near)),), 1.0)
        most.__dict__["last"] = self.last
        return most.log_beyond(powers, least)

    def truncated(self, mass: float) -> tuple[Self, float]:
        if math.isfinite(self.top):
            return self, 0.0
        first, far = self.near / 2, self.near + REACH
        most = min(mass, float(self._masses(np.array([first]))[0][0]) / 2)
        _, x = last_true_by_grids(lambda x: self._masses(x)[0] > most, first, far, 12)
        ended = replace(self, ceiling=float(self._loss(np.array([x]))[0]))
        return ended, ended._beyond[1]

    def raised(self, by: float) -> Self:
        return replace(self, extra=self.extra + by)
