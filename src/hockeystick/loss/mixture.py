"""The loss of one mixture of Gaussians on the line against another."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from hockeystick.loss.exact import Exact
from hockeystick.loss.line import (
    HALVINGS,
    NORMAL_REACH,
    LineLoss,
    panel_width,
    steepest,
    trapezoid_step,
)
from hockeystick.loss.measure import Nodes, Tails
from hockeystick.numerics.blocks import in_blocks
from hockeystick.numerics.gauss import gauss_legendre
from hockeystick.numerics.log_sum import log_sum_exp
from hockeystick.numerics.roots import last_true
from hockeystick.numerics.special import ndtr
from hockeystick.numerics.types import Array

NEWTON_STEPS = 20
"""Most steps to the place of a loss: the table begins so near that a few are enough."""
FEW_MEANS = 4
"""The density takes a search for each point, so a grid of it pays for few means only."""
FAR_OUT = 40.0
"""Standard deviations beyond which there is no mass that a float could hold."""
LEAST_SLOPE = 1e-300
"""Stands for a slope that is 0 but for rounding."""


@dataclass(frozen=True)
class GaussianMixture:
    """Σ weight·N(mean, 1)."""

    weights: tuple[float, ...]
    means: tuple[float, ...]

    @classmethod
    def of(cls, weights: Array, means: Array) -> GaussianMixture:
        """From arrays; weights that have vanished are left out and the rest made to add up."""
        kept = weights > 1e-300
        total = float(weights[kept].sum())
        return cls(tuple((weights[kept] / total).tolist()), tuple(means[kept].tolist()))

    def log_ratio(self, x: Array) -> Array:
        """log of the density over that of N(0, 1), accurate where it is near 0."""
        return in_blocks(self._log_ratio, x, len(self.means))

    def _log_ratio(self, x: Array) -> Array:
        means, weights = np.array(self.means), np.array(self.weights)
        exponent = means * x[..., None] - 0.5 * means**2
        excess = np.expm1(np.minimum(exponent, 30)) @ weights
        near = (exponent.max(axis=-1, initial=0.0) < 30) & (excess > -0.5)
        small = np.log1p(np.maximum(excess, -0.5))
        if near.all():
            return np.asarray(small)
        exponent += np.log(weights)
        return np.asarray(np.where(near, small, log_sum_exp(exponent)))

    def log_density(self, x: Array) -> Array:
        """log of the density."""
        return np.asarray(self.log_ratio(x) - 0.5 * x * x - 0.5 * math.log(2 * math.pi))

    def above(self, x: Array) -> Array:
        """Mass beyond x."""
        return self.flipped.below(-x)

    def below(self, x: Array) -> Array:
        """Mass up to x."""
        means, weights = np.array(self.means), np.array(self.weights)
        return in_blocks(lambda part: ndtr(part[..., None] - means) @ weights, x, means.size)

    @cached_property
    def flipped(self) -> GaussianMixture:
        """The law of −x."""
        return GaussianMixture(self.weights, tuple(-mean for mean in self.means))

    def slope(self, x: Array) -> Array:
        """d/dx of `log_ratio`: the mean of the means, weighted by how likely each is."""
        means, log_weights = np.array(self.means), np.log(np.array(self.weights))

        def some(part: Array) -> Array:
            terms = log_weights - 0.5 * (part[..., None] - means) ** 2
            terms = np.exp(terms - terms.max(axis=-1, keepdims=True))
            return np.asarray(terms @ means / terms.sum(axis=-1))

        return in_blocks(some, x, means.size)


@dataclass(frozen=True)
class MixtureLoss(LineLoss):
    """P and Q mixtures of unit Gaussians with P/Q increasing in x.

    So it is when every mean of P is at least every mean of Q.
    """

    p: GaussianMixture
    q: GaussianMixture
    mirrored: bool = False
    """Whether Q is P mirrored, so that both directions are alike."""
    origin: Exact | None = field(default=None, compare=False, repr=False)

    most_nodes = 30_000

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        return self.mirrored and not self.cut

    @property
    def smooth(self) -> bool:  # type: ignore[override]
        return len(self.p.means) + len(self.q.means) <= FEW_MEANS

    def exact(self) -> Exact | None:
        return None if self.cut else self.origin

    @cached_property
    def _span(self) -> float:
        """No loss grows faster with x."""
        return max(self.p.means) - min(self.q.means)

    @cached_property
    def _limits(self) -> tuple[float, float]:
        return self._limit(-1.0), self._limit(1.0)

    def _limit(self, sign: float) -> float:
        """The loss as x goes to ±∞: finite where the outermost means agree."""
        ends = []
        for mixture in (self.p, self.q):
            place = max(mixture.means, key=lambda mean: sign * mean)
            ends.append((place, mixture.weights[mixture.means.index(place)]))
        (p_mean, p_weight), (q_mean, q_weight) = ends
        return math.log(p_weight / q_weight) if p_mean == q_mean else sign * math.inf

    def _loss(self, x: Array) -> Array:
        return self.p.log_ratio(x) - self.q.log_ratio(x)

    def _slope(self, x: Array) -> Array:
        return np.asarray(np.maximum(self.p.slope(x) - self.q.slope(x), LEAST_SLOPE))

    @cached_property
    def _table(self) -> tuple[Array, Array]:
        """Places and their losses, to begin the search from."""
        reach = FAR_OUT + 5 + self._span
        x = np.linspace(min(self.q.means) - reach, max(self.p.means) + reach, 4001)
        return x, np.maximum.accumulate(self._loss(x))

    def _place(self, losses: Array) -> Array:
        """The x at which the loss has each value, by Newton's method; ±∞ beyond the limits."""
        wanted = np.asarray(losses, dtype=float)
        goal, (bottom, top) = wanted.ravel(), self._limits
        places, values = self._table
        j = np.clip(np.searchsorted(values, goal), 1, len(places) - 1)
        low, high = places[j - 1], places[j]
        part = (goal - values[j - 1]) / np.maximum(values[j] - values[j - 1], LEAST_SLOPE)
        x = low + (high - low) * np.clip(part, 0.0, 1.0)
        open_ = np.flatnonzero((goal > bottom) & (goal < top))
        for _ in range(NEWTON_STEPS):
            here = x[open_]
            excess = self._loss(here) - goal[open_]
            low[open_] = np.where(excess < 0, here, low[open_])
            high[open_] = np.where(excess < 0, high[open_], here)
            new = here - excess / self._slope(here)
            inside = (new >= low[open_]) & (new <= high[open_])
            x[open_] = np.where(inside, new, (low[open_] + high[open_]) / 2)
            open_ = open_[np.abs(x[open_] - here) > 1e-13 * (1 + np.abs(here))]
            if not open_.size:
                break
        x = np.where(wanted <= bottom, -math.inf, x.reshape(wanted.shape))
        return np.where(wanted >= top, math.inf, x)

    @cached_property
    def _end(self) -> float:
        """Where the ceiling is."""
        return float(self._whole._place(np.array([self.ceiling]))[0])

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        """The trapezoid rule, as for one Gaussian; panels where the line is cut."""
        first = min(self.q.means) + min(low + 1, 0.0) * self._span - NORMAL_REACH
        if self.cut:
            width = panel_width(self._span, steepest(low, high, turn))
            return self._nodes(*self._panels(self._edges(first, self._end, width)))
        last = max(self.p.means) + max(high + 1, 0.0) * self._span + NORMAL_REACH
        bend = turn + 0.5 * max(0.0, -1 - low)  # a negative power narrows the strip
        return self._nodes(*self._trapezoid(first, last, trapezoid_step(self._span, bend)))

    def _nodes(self, x: Array, log_weight: float | Array) -> Nodes:
        log_q = self.q.log_density(x)
        return Nodes(self._loss(x), log_q + log_weight, np.exp(log_q) / self._slope(x))

    def density(self, losses: Array) -> Array:
        x = np.clip(self._whole._place(losses), -1e3, 1e3)
        inside = (losses > self.bottom) & (losses < self.top)
        return np.where(inside, np.exp(self.q.log_density(x)) / self._slope(x), 0.0)

    def _masses(self, losses: Array) -> Tails:
        x = self._place(losses)
        return Tails(self.p.above(x), self.q.above(x), self.p.below(x), self.q.below(x))

    def _profile(self, epsilon: Array) -> Array:
        """∫ (p − e^ε·q)+ from where it begins, by Gauss–Legendre panels: no cancellation."""
        (bottom, top), last = self._limits, max(self.p.means)
        begin = np.clip(self._place(epsilon), min(self.q.means) - FAR_OUT, last + FAR_OUT)
        # Beyond the last mean the integrand falls at least as fast as e^{−x·(x − start)}.
        stop = np.maximum(begin, last) + FAR_OUT / np.maximum(begin - last, 1.0)
        points, weights = gauss_legendre(self.panel_points)
        total = np.zeros_like(begin)
        pieces = math.ceil(float(np.max(stop - begin, initial=0.0) * (1 + self._span) / 4)) + 8
        width = (stop - begin) / pieces
        for i in range(pieces):
            x = begin[..., None] + width[..., None] * (i + (points + 1) / 2)
            level = epsilon[..., None]
            excess = self._loss(x) - level
            near = np.exp(self.q.log_density(x) + level) * np.expm1(np.minimum(excess, 30))
            above = np.where(excess < 30, near, np.exp(self.p.log_density(x)))
            total += np.maximum(above, 0.0) @ weights * width / 2
        total = np.where(epsilon >= top, 0.0, total)
        return np.where(epsilon <= bottom, -np.expm1(np.minimum(epsilon, 0.0)), total)

    def _reverse_profile(self, epsilon: Array) -> Array:
        return self.profile(epsilon) if self.symmetric else self._turned.profile(epsilon)

    @cached_property
    def _turned(self) -> MixtureLoss:
        """(Q, P), on the line turned round."""
        return MixtureLoss(self.q.flipped, self.p.flipped)

    def _loss_exceeded(self, mass: float) -> float:
        def beyond(x: float) -> bool:
            return float(self.p.above(np.array([x]))[0]) > mass

        low, high = min(self.p.means) - FAR_OUT, max(self.p.means) + FAR_OUT
        end = last_true(beyond, low, high, HALVINGS)[1]
        return float(self._loss(np.array([end]))[0])
