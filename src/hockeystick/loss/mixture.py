"""The loss of one mixture of Gaussians on the line against another."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from hockeystick.errors import ParameterError
from hockeystick.loss.base import Loss
from hockeystick.loss.copies import Copies, copies_of
from hockeystick.loss.exact import Exact
from hockeystick.loss.gaussian_mixture import BLOCK, GaussianMixture
from hockeystick.loss.line import (
    HALVINGS,
    NORMAL_REACH,
    LineLoss,
    steepest,
    trapezoid_step,
)
from hockeystick.loss.measure import Nodes, Tails
from hockeystick.numerics.gauss import gauss_legendre
from hockeystick.numerics.roots import last_true
from hockeystick.numerics.types import Array

NEWTON_STEPS = 20
"""Most steps to the place of a loss: the table begins so near that a few are enough."""
FEW_MEANS = 4
"""The density takes a search for each point, so a grid of it pays for few means only."""
FAR_OUT = 40.0
"""Standard deviations beyond which there is no mass that a float could hold."""
FEW_NODES = 400
"""Up to so many the trapezoid rule is taken, which loses no time with its plan."""
PLANNING_POINTS, MOST_PLANNING_POINTS = 2001, 100_000
"""Places at which a plan looks, no more than a standard deviation apart."""
NEGLIGIBLE_NATS = 55.0
"""Nats below its largest value at which an integrand is left out."""
WIDEST_PANEL = 2.0
STRIP_WIDTH = 2.2
"""Width of a panel times the deviation of the means: the strip is 1.28 of half the panel high, and
40 points in it err by (1.28 + 1.62)^−80."""
PANEL_TURNS = 50.0
"""Nats and radians of e^{sL} on one panel."""
UNCANCELLED = 0.2
"""Part of the P-mass above which a difference of masses has all its digits."""
LEAST_MASS = 1e-280
"""Smaller masses have lost digits, and e^ε times them need not be small."""
LEAST_SLOPE = 1e-300
"""Stands for a slope that is 0 but for rounding."""


@dataclass(frozen=True)
class MixtureLoss(LineLoss):
    """P and Q mixtures of unit Gaussians with P/Q increasing in x.

    So it is when every mean of P is at least every mean of Q; other pairs are refused.
    """

    p: GaussianMixture
    q: GaussianMixture
    mirrored: bool = False
    """Whether Q is P mirrored, so that both directions are alike."""
    origin: Exact | None = field(default=None, compare=False, repr=False)

    most_nodes = 30_000

    def __post_init__(self) -> None:
        lowest, highest = min(self.p.means), max(self.q.means)
        if not lowest >= highest:  # the likelihood ratio need not increase
            raise ParameterError(
                f"means of p must be at least those of q, got {lowest} in p and {highest} in q"
            )
        if self.mirrored and self.q != self.p.flipped:
            raise ParameterError(f"q must be p mirrored, got {self.p!r} and {self.q!r}")

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        return self.mirrored and not self.cut

    @property
    def smooth(self) -> bool:  # type: ignore[override]
        return len(self.p.means) + len(self.q.means) <= FEW_MEANS

    def exact(self) -> Exact | None:
        return None if self.cut else self.origin

    @cached_property
    def copies(self) -> Copies | None:
        """Those of P, where Q has one mean at 0 and the others below."""
        still = [w for w, mean in zip(self.q.weights, self.q.means, strict=True) if not mean]
        if self.cut or min(self.p.means) < 0 or len(still) != 1 or max(self.q.means) > 0:
            return None
        copies = copies_of(self.p.means, self.p.weights)
        gap = min((-mean for mean in self.q.means if mean), default=math.inf)
        return copies and copies._replace(floor=still[0], gap=gap)

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
        return self._loss_and_slope(x)[0]

    def _loss_and_slope(self, x: Array) -> tuple[Array, Array]:
        (p, p_slope), (q, q_slope) = self.p.log_ratio_and_slope(x), self.q.log_ratio_and_slope(x)
        return p - q, np.maximum(p_slope - q_slope, LEAST_SLOPE)

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
            loss, slope = self._loss_and_slope(here)
            excess = loss - goal[open_]
            low[open_] = np.where(excess < 0, here, low[open_])
            high[open_] = np.where(excess < 0, high[open_], here)
            new = here - excess / slope
            inside = (new >= low[open_]) & (new <= high[open_])
            x[open_] = np.where(inside, new, (low[open_] + high[open_]) / 2)
            moved = np.abs(x[open_] - here)
            # A step of Newton's method is off by at most its square times L″/L′, at most the span.
            done = inside & (self._span * moved * moved < 1e-14)
            open_ = open_[~done & (moved > 1e-13 * (1 + np.abs(here)))]
            if not open_.size:
                break
        x = np.where(wanted <= bottom, -math.inf, x.reshape(wanted.shape))
        return np.where(wanted >= top, math.inf, x)

    @cached_property
    def _end(self) -> float:
        """Where the ceiling is, if there is one."""
        if not self.cut:
            return math.inf
        return float(self._whole._place(np.array([self.ceiling]))[0])

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        """The trapezoid rule, as for one Gaussian; panels where the line is cut, or where means far
        out, that weigh next to nothing, would make the rule's steps small everywhere."""
        first = min(self.q.means) + min(low + 1, 0.0) * self._span - NORMAL_REACH
        last = max(self.p.means) + max(high + 1, 0.0) * self._span + NORMAL_REACH
        bend = turn + 0.5 * max(0.0, -1 - low)  # a negative power narrows the strip
        step = trapezoid_step(self._span, bend)
        even = math.inf if self.cut else (last - first) / step
        most = min(even, self.most_nodes)
        edges = None
        if even > FEW_NODES and last - first <= MOST_PLANNING_POINTS:
            edges = self._uneven_edges(first, min(last, self._end), low, high, turn, most)
        if edges is not None:
            return self._nodes(*self._panels(edges))
        if self.cut:
            raise self._too_many(most)
        return self._nodes(*self._trapezoid(first, last, step))

    def _uneven_edges(
        self, first: float, last: float, low: float, high: float, turn: float, most: float
    ) -> Array | None:
        """Edges of panels where the integrands e^{sL}·P with Re s in [low, high], P and Q are not
        negligible; None if that takes more than so many nodes."""
        x, panels = self._panels_along(first, last, steepest(low, high, turn))
        log_q, loss = self.q.log_density(x), self._loss(x)
        kept = np.zeros(x.size, dtype=bool)
        for s in (low, high, -1.0, 0.0):
            size = log_q + (s + 1) * loss
            kept |= size > size.max() - NEGLIGIBLE_NATS
        inside = np.flatnonzero(kept)
        begin, stop = panels[max(inside[0] - 1, 0)], panels[min(inside[-1] + 1, x.size - 1)]
        count = math.ceil(stop - begin)
        if count * self.panel_points > most:
            return None
        return np.asarray(np.interp(np.linspace(begin, stop, count + 1), panels, x))

    def _panels_along(self, first: float, last: float, power: float) -> tuple[Array, Array]:
        """Places, and how many panels there should be before each for e^{sL} with |s| <= power.

        The means, each as likely as it is at x, have a variance V. The density at x + iy is that at
        x times E[e^{i·mean·y}], and not 0 while V·y² < 2: so far up L is analytic. A mean of the
        means that grows by 2h in a neighbourhood says that V is about h, or h² for two far apart.
        """
        if not last - first <= MOST_PLANNING_POINTS:
            raise self._too_many(last - first)
        x = np.linspace(first, last, max(PLANNING_POINTS, math.ceil(last - first)))
        p, q = self.p.slope(x), self.q.slope(x)
        near = math.ceil((WIDEST_PANEL / 2) / (x[1] - x[0])) + 1
        low, high = np.maximum(np.arange(x.size) - near, 0), np.arange(x.size) + near
        high = np.minimum(high, x.size - 1)
        spread = np.maximum(p[high] - p[low], q[high] - q[low]) / 2
        spread = np.maximum(spread, np.sqrt(np.maximum(spread, 0.0)))
        slope = p[high] - q[low]  # both grow with x
        rate = np.maximum(spread / STRIP_WIDTH, power * slope / PANEL_TURNS)
        rate = np.maximum(rate, 1 / WIDEST_PANEL)
        between = (rate[1:] + rate[:-1]) / 2 * np.diff(x)
        return x, np.append(0.0, np.cumsum(between))

    def _nodes(self, x: Array, log_weight: float | Array) -> Nodes:
        log_q = self.q.log_density(x)
        loss, slope = self._loss_and_slope(x)
        return Nodes(loss, log_q + log_weight, np.exp(log_q) / slope)

    def density(self, losses: Array) -> Array:
        x = np.clip(self._whole._place(losses), -1e3, 1e3)
        inside = (losses > self.bottom) & (losses < self.top)
        return np.where(inside, np.exp(self.q.log_density(x)) / self._loss_and_slope(x)[1], 0.0)

    def _masses(self, losses: Array) -> Tails:
        x = self._place(losses)
        (p_above, p_below), (q_above, q_below) = self.p.beyond(x), self.q.beyond(x)
        return Tails(p_above, q_above, p_below, q_below)

    def _profile(self, epsilon: Array) -> Array:
        """P-mass less e^ε times the Q-mass beyond the place of ε; where these cancel, the integral
        of (p − e^ε·q)+ from there on, by Gauss–Legendre panels."""
        bottom, top = self._limits
        flat = np.ravel(epsilon)
        place = self._place(flat)
        above, q_above = self.p.above(place), self.q.above(place)
        with np.errstate(over="ignore", invalid="ignore"):
            total = above - np.exp(flat) * q_above
        inside = (flat >= bottom) & (flat < top)  # a bottom that is 0 may be −1e-30
        sure = (total > UNCANCELLED * above) & (q_above > LEAST_MASS)
        cancelled = np.flatnonzero(inside & ~sure)
        if cancelled.size:
            total[cancelled] = self._integrated(flat[cancelled], place[cancelled])
        total = np.where(flat >= top, 0.0, total)
        total = np.where(flat < bottom, -np.expm1(np.minimum(flat, 0.0)), total)
        return total.reshape(np.shape(epsilon))

    def _integrated(self, epsilon: Array, place: Array) -> Array:
        """∫ (p − e^ε·q) from the place of ε on."""
        low, last = min(self.q.means) - FAR_OUT, max(self.p.means)
        # Beyond the last mean the integrand falls at least as fast as e^{−x·(x − start)}.
        begin = np.clip(place, low, last + FAR_OUT)
        stop = np.maximum(begin, last) + FAR_OUT / np.maximum(begin - last, 1.0)
        x, panels = self._panels_along(low, float(stop.max()), 1.0)
        first, end = np.interp(begin, x, panels), np.interp(stop, x, panels)
        pieces = math.ceil(float((end - first).max()))
        points, weights = gauss_legendre(self.panel_points)
        parts = (end - first)[:, None] * (np.arange(pieces + 1) / pieces)
        edges = np.interp(first[:, None] + parts, panels, x)
        edges[:, 0] = begin
        total = np.zeros_like(begin)
        some = max(1, BLOCK // (points.size * begin.size))  # panels at a time
        for i in range(0, pieces, some):
            width = np.diff(edges[:, i : i + some + 1])[..., None]
            at = edges[:, i : i + width.shape[1], None] + width * ((points + 1) / 2)
            excess = self._loss(at) - epsilon[:, None, None]
            # By P's density: that of Q is e^{ε} times smaller, and its logarithm rounded.
            above = self.p.density(at) * -np.expm1(-np.maximum(excess, 0.0))
            total += ((above * width / 2) @ weights).sum(axis=1)
        return total

    def _reverse_profile(self, epsilon: Array) -> Array:
        return self.profile(epsilon) if self.symmetric else self._turned.profile(epsilon)

    def reverse(self) -> Loss:
        """On the line turned round, so that it can be cut where it is unbounded too."""
        return super().reverse() if self.cut or self.symmetric else self._turned

    @cached_property
    def _turned(self) -> MixtureLoss:
        """(Q, P), on the line turned round."""
        origin = self.origin and self.origin.reverse()
        return MixtureLoss(self.q.flipped, self.p.flipped, origin=origin)

    def _loss_exceeded(self, mass: float) -> float:
        def beyond(x: float) -> bool:
            return float(self.p.above(np.array([x]))[0]) > mass

        low, high = min(self.p.means) - FAR_OUT, max(self.p.means) + FAR_OUT
        end = last_true(beyond, low, high, HALVINGS)[1]
        return float(self._loss(np.array([end]))[0])
