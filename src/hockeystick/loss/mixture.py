"""The loss of one mixture of Gaussians on the line against another."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from scipy.special import ndtr

from hockeystick.errors import NumericalError
from hockeystick.loss.base import AtomlessLoss, Loss
from hockeystick.loss.gaussian import ANGLE, NATS, REACH, legendre
from hockeystick.loss.measure import Nodes, Tails
from hockeystick.numerics.blocks import in_blocks
from hockeystick.numerics.series import Array

MOST_STEPS = 20
MOST_NODES = 30_000


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
        peak = exponent.max(axis=-1)
        large = peak + np.log(np.exp(exponent - peak[..., None]).sum(axis=-1))
        return np.asarray(np.where(near, small, large))

    def log_density(self, x: Array) -> Array:
        """log of the density."""
        return np.asarray(self.log_ratio(x) - 0.5 * x * x - 0.5 * math.log(2 * math.pi))

    def above(self, x: Array) -> Array:
        """Mass beyond x."""
        return GaussianMixture(self.weights, tuple(-mean for mean in self.means)).below(-x)

    def below(self, x: Array) -> Array:
        """Mass up to x."""
        means, weights = np.array(self.means), np.array(self.weights)
        return in_blocks(lambda part: ndtr(part[..., None] - means) @ weights, x, means.size)

    def slope(self, x: Array) -> Array:
        """d/dx of `log_ratio`: the mean of the means, weighted by how likely each is."""
        means, log_weights = np.array(self.means), np.log(np.array(self.weights))

        def some(part: Array) -> Array:
            terms = log_weights - 0.5 * (part[..., None] - means) ** 2
            terms = np.exp(terms - terms.max(axis=-1, keepdims=True))
            return np.asarray(terms @ means / terms.sum(axis=-1))

        return in_blocks(some, x, means.size)


@dataclass(frozen=True)
class MixtureLoss(AtomlessLoss):
    """P and Q mixtures of unit Gaussians with P/Q increasing in x.

    So it is when every mean of P is at least every mean of Q. Outcomes above `ceiling` count as
    giving the record away.
    """

    p: GaussianMixture
    q: GaussianMixture
    mirrored: bool = False
    """Whether Q is P mirrored, so that both directions are alike."""
    ceiling: float = math.inf
    span: float = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        cut = self.ceiling < math.inf
        x = np.array([self.ceiling])
        fields = {
            "span": max(self.p.means) - min(self.q.means),
            "top": float(self._loss(x)[0]) if cut else self._limit(1.0),
            "bottom": self._limit(-1.0),
            "infinite": float(self.p.above(x)[0]) if cut else 0.0,
            "void": float(self.q.above(x)[0]) if cut else 0.0,
            "symmetric": self.mirrored and not cut,
            # The density takes a search for each point, so a grid of it pays for few means only.
            "smooth": len(self.p.means) + len(self.q.means) <= 4,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

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

    @cached_property
    def _table(self) -> tuple[Array, Array]:
        """Places and their losses, to begin the search from."""
        low, high = min(self.q.means) - 45.0 - self.span, max(self.p.means) + 45.0 + self.span
        x = np.linspace(low, high, 4001)
        return x, np.maximum.accumulate(self._loss(x))

    def _place(self, losses: Array) -> Array:
        """The x at which the loss has each value, by Newton's method; ±∞ beyond the limits."""
        wanted = np.asarray(losses, dtype=float)
        goal = wanted.ravel()
        places, values = self._table
        j = np.clip(np.searchsorted(values, goal), 1, len(places) - 1)
        low, high = places[j - 1], places[j]
        part = (goal - values[j - 1]) / np.maximum(values[j] - values[j - 1], 1e-300)
        x = low + (high - low) * np.clip(part, 0.0, 1.0)
        open_ = np.flatnonzero((goal > self.bottom) & (goal < self.top))
        for _ in range(MOST_STEPS):
            here = x[open_]
            excess = self._loss(here) - goal[open_]
            low[open_] = np.where(excess < 0, here, low[open_])
            high[open_] = np.where(excess < 0, high[open_], here)
            slope = np.maximum(self.p.slope(here) - self.q.slope(here), 1e-300)
            new = here - excess / slope
            inside = (new >= low[open_]) & (new <= high[open_])
            x[open_] = np.where(inside, new, (low[open_] + high[open_]) / 2)
            open_ = open_[np.abs(x[open_] - here) > 1e-13 * (1 + np.abs(here))]
            if not open_.size:
                break
        x = x.reshape(wanted.shape)
        x = np.where(wanted <= self.bottom, -math.inf, x)
        return np.where(wanted >= self.top, self.ceiling, np.minimum(x, self.ceiling))

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        """The trapezoid rule, as for one Gaussian; panels where the line is cut."""
        first = min(self.q.means) + min(low + 1, 0.0) * self.span - REACH
        last = max(self.p.means) + max(high + 1, 0.0) * self.span + REACH
        if self.ceiling < math.inf:
            power = max(abs(low), abs(high)) + 1 + turn
            return self._panels(first, min(4.0, 2 * ANGLE / self.span, 50 / (power * self.span)))
        a = min(9.0, ANGLE / self.span)
        bend = turn + 0.5 * max(0.0, -1 - low)  # a negative power narrows the strip
        step = 2 * math.pi * a / (NATS + a * a / 2 + bend * self.span * a)
        count = (last - first) / step
        if not count <= MOST_NODES:
            raise NumericalError(f"the quadrature of {self!r} would need {count:g} nodes")
        x = first + step * np.arange(math.ceil(count) + 1)
        return self._nodes(x, math.log(step))

    def _panels(self, first: float, width: float) -> Nodes:
        panels = (self.ceiling - first) / width
        points, weights = legendre()
        if not panels * points.size <= MOST_NODES:
            raise NumericalError(f"the quadrature of {self!r} would need {panels:g} panels")
        count = math.ceil(panels)
        edges = np.linspace(first, self.ceiling, count + 1)
        half = (edges[1] - edges[0]) / 2
        x = (edges[:-1, None] + half * (points + 1)).ravel()
        return self._nodes(x, np.tile(np.log(half * weights), count))

    def _nodes(self, x: Array, log_weight: float | Array) -> Nodes:
        log_q = self.q.log_density(x)
        losses = self._loss(x)
        density = np.exp(log_q) / np.maximum(self.p.slope(x) - self.q.slope(x), 1e-300)
        return Nodes(losses, log_q + log_weight, density)

    def density(self, losses: Array) -> Array:
        x = np.clip(self._place(losses), -1e3, 1e3)
        slope = np.maximum(self.p.slope(x) - self.q.slope(x), 1e-300)
        inside = (losses > self.bottom) & (losses < self.top)
        return np.where(inside, np.exp(self.q.log_density(x)) / slope, 0.0)

    def tails(self, losses: Array) -> Tails:
        x = self._place(losses)
        return Tails(
            np.maximum(self.p.above(x) - self.infinite, 0.0),
            np.maximum(self.q.above(x) - self.void, 0.0),
            self.p.below(x),
            self.q.below(x),
        )

    def profile(self, epsilon: Array) -> Array:
        """∫ (p − e^ε·q)+ from where it begins, by Gauss–Legendre panels: no cancellation."""
        epsilon = np.asarray(epsilon, dtype=float)
        start = self._place(epsilon)
        begin = np.clip(start, min(self.q.means) - 40.0, max(self.p.means) + 40.0)
        # Beyond the last mean the integrand falls at least as fast as e^{−x·(x − start)}.
        scale = 1 / np.maximum(begin - max(self.p.means), 1.0)
        stop = np.maximum(begin, max(self.p.means)) + 40 * scale
        stop = np.minimum(stop, self.ceiling)
        points, weights = legendre()
        total = np.zeros_like(begin)
        pieces = math.ceil(float(np.max(stop - begin, initial=0.0) * (1 + self.span) / 4)) + 8
        width = (stop - begin) / pieces
        for i in range(pieces):
            x = begin[..., None] + width[..., None] * (i + (points + 1) / 2)
            level = epsilon[..., None]
            excess = self._loss(x) - level
            near = np.exp(self.q.log_density(x) + level) * np.expm1(np.minimum(excess, 30))
            above = np.where(excess < 30, near, np.exp(self.p.log_density(x)))
            total += np.maximum(above, 0.0) @ weights * width / 2
        total = np.where(epsilon >= self.top, 0.0, total) + self.infinite
        return np.where(epsilon <= self.bottom, -np.expm1(np.minimum(epsilon, 0.0)), total)

    def reverse_profile(self, epsilon: Array) -> Array:
        if self.symmetric:
            return self.profile(epsilon)
        return MixtureLoss(self._flipped(self.q), self._flipped(self.p)).profile(epsilon)

    @staticmethod
    def _flipped(mixture: GaussianMixture) -> GaussianMixture:
        return GaussianMixture(mixture.weights, tuple(-mean for mean in mixture.means))

    def truncated(self, mass: float) -> Loss:
        if math.isfinite(self.top):
            return self
        low, high = min(self.p.means) - 40.0, max(self.p.means) + 40.0
        for _ in range(100):
            middle = (low + high) / 2
            beyond = float(self.p.above(np.array([middle]))[0])
            low, high = (middle, high) if beyond > mass else (low, middle)
        return replace(self, ceiling=high)
