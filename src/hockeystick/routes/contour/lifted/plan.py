"""Where the line should run, and where outcomes are cut off: real sums.

Outcomes so rare that they do not matter to δ decide E[e^{sL}] at the orders s that do. They are
cut off softly: an outcome x is left out with probability Φ((x − m)/τ), an entire function of x.
Let A be the event that any step's outcome is left out.

- Either P(A) is negligible, and δ is too small by at most as much,
- or A has losses so far above ε that the sum is above ε too, whatever the other steps do, and A
  adds P(A) − e^ε·Q(A) to δ. That is too small by E_P[(e^{ε−ΣL} − 1)+; A], at most
  n·e^{rε}·E_P[w·e^{−rL}]·E_P[e^{−rL}]^{n−1} for every r >= 1, w the probability to be left out.

Where losses have an upper end, and the line leaves to the left, it is the outcomes of very negative
losses that are cut off, and the first that holds.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.log_sum import log_sum_exp
from hockeystick.numerics.special import log_ndtr, ndtr
from hockeystick.numerics.types import Array, Complex
from hockeystick.routes.contour.lifted.law import Law, Strand
from hockeystick.routes.contour.saddle import log_kappa

ORDERS = np.geomspace(1e-3, 3e3, 90)
"""Orders c at which the level is looked at."""
FINE = np.linspace(0.0, 1.0, 2000)
EDGE = 2.0
"""Nats by which the integrand may rise from its saddle to the edges of the strip."""
CUT_NATS = 26.0
"""What is cut off has e^−26 of δ as its P-mass at the most."""
SOFTNESS = 1.5
"""The height of a path over the width τ of its cut: Φ grows by e^1.1 there."""
ENDED = 40.0
"""Nats by which the integrand must have fallen at the end of the grid."""
MOST_GRID = 60_000
REACH = 18.0
"""Standard deviations beyond the means of P at which outcomes begin and end."""
LEAST_PART, LEAST_SPARSE_PART = 1e-3, 1e-6
"""Of Chernoff's ε, what a guess is at least: far less where few sparse steps see the record."""
LEAST_LOG = 1e-18
"""Stands for the logarithm of a mean of e^{cL} that is 1 but for rounding."""
TOLD_APART_MARGIN = 1.05
"""A total variation is a sum over a kink, and may be a hundredth more."""
CHERNOFF_MARGIN = 1e-3
"""Nats by which real sums may be off: they are right to 1e-9, times the steps."""
POWERS = np.geomspace(1.0, 60.0, 20)
"""The r of the bound of what marked steps are worth."""
HALVINGS = 12
RARE = 0.3
"""Total variation of all steps together up to which they may count as sparse."""
SPARSE = 1.0
"""log F^n at the saddle up to which the 1 in F^n is most of the sum along a line."""


class Cut:
    """One strand with its soft cut at the place m of width τ; sign −1 if it is at the low end."""

    def __init__(self, strand: Strand, sign: float) -> None:
        self.strand, self.sign = strand, sign
        self.height = strand.height
        if not self.height:
            raise NumericalError("lifted paths: a density has zeros next to the line")
        self.width = self.height / SOFTNESS
        self.place = math.inf
        low, high = min(strand.p.means), max(strand.p.means)
        step = min(0.15, 0.3 / max(strand.gap, 1e-9))
        count = math.ceil((high - low + 2 * REACH) / step)
        if count > MOST_GRID:
            raise NumericalError("lifted paths: the plan would need too many points")
        self.x = low - REACH + step * np.arange(count + 1)
        losses, log_p, _ = strand.at(self.x, 0.0)
        self.losses, self.log_p = losses.real, log_p.real + math.log(step)

    def put(self, loss: float) -> float:
        """The cut at the place of this loss; the P-mass that it leaves out."""
        values = np.maximum.accumulate(self.losses)
        self.place = float(np.interp(loss, values, self.x))
        return float(np.exp(self.log_p) @ ndtr(self._scaled(self.x)))

    def log_left_out(self) -> Array:
        """log of the P-masses along the grid that are left out."""
        return np.asarray(self.log_p + log_ndtr(self._scaled(self.x)))

    def _scaled(self, x: Array | Complex) -> Array | Complex:
        return self.sign * (x - self.place) / self.width

    def log_kept(self, z: Array | Complex) -> Array | Complex:
        """log of the probability to be kept."""
        return np.asarray(log_ndtr(-self._scaled(z)))

    def log_weights(self) -> Array:
        """log of the P-masses along the grid that are kept."""
        return np.asarray(self.log_p + self.log_kept(self.x))


class Marked(NamedTuple):
    """P- and Q-mass that one step leaves out, where that is counted."""

    p: float
    q: float


class Plan:
    """The cut, the level of the integrand along the real line, and about what the answer is."""

    def __init__(
        self,
        law: Law,
        steps: int,
        epsilon: float | None,
        log_delta: float,
        cut_nats: float = CUT_NATS,
    ) -> None:
        self.law, self.steps, self.log_delta = law, steps, log_delta
        self.sign = -1.0 if law.is_bounded else 1.0
        self.origin = law.top if law.is_bounded else 0.0
        self.cuts = [Cut(strand, self.sign) for strand in law.strands]
        self.marked = Marked(0.0, 0.0)
        self._budget = math.exp(log_delta - cut_nats)
        self._lost = self._put_cuts(self._budget / steps)
        self._is_rare = self.sign > 0 and self._told_apart() < RARE
        self._find_level()
        self.epsilon = self._guess() if epsilon is None else epsilon
        self.level, self.saddle, self.rough = self._at(self.epsilon)
        self.size = 0.0

    def settled(self) -> Plan:
        """The same with its marks, for a line."""
        if not self.sign * self.x(self.epsilon) > 0:
            raise NumericalError("lifted paths: no line for this epsilon")
        if self.sign > 0 and self._mark():
            self._find_level()
        self.level, self.saddle, self.rough = self._at(self.epsilon)
        self.size = float(self.level[self.saddle] + math.log(ORDERS[self.saddle])) - 0.5
        return self

    @property
    def is_sparse(self) -> bool:
        """Whether F^n is little more than 1 at the saddle, and that 1 is better taken off."""
        return self._is_sparse(self.saddle)

    def _is_sparse(self, i: int) -> bool:
        return self._is_rare and float(self.steps * self.k[i]) < SPARSE

    def x(self, epsilon: float) -> float:
        """ε from the origin: the sum of all L − origin that has the loss ε."""
        return epsilon - self.steps * self.origin

    def _put_cuts(self, budget: float) -> float:
        """Cut every strand at one loss, so that the P-mass left out is at most `budget`."""
        losses = np.concatenate([cut.losses for cut in self.cuts])
        order = np.argsort(self.sign * losses)[::-1]
        tail = np.cumsum(np.exp(np.concatenate([cut.log_p for cut in self.cuts]))[order])
        first = min(int(np.searchsorted(tail, budget)), losses.size - 1)
        start = float(losses[order[first]])
        scale = max(abs(start - self.origin), 1e-9)
        for k in range(60):
            level = start + self.sign * scale * (1.06**k - 1)
            mass = sum(cut.put(level) for cut in self.cuts)
            if mass <= budget:
                self._cut_at = level
                return float(mass)
        raise NumericalError("lifted paths: no cut leaves out as little as it should")

    def _mark(self) -> bool:
        """Cut at the smallest loss that is far enough above ε, if that is below the cut so far."""
        with np.errstate(divide="ignore"):
            still = np.log(self.law.still)
        each = np.logaddexp(self._log_moments([cut.log_p for cut in self.cuts]), still)
        others = (self.steps - 1) * each
        high, low = self._cut_at, self.epsilon
        found = None
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            masses = [cut.put(middle) for cut in self.cuts]
            left_out = [cut.log_left_out() for cut in self.cuts]
            log_error = others + self._log_moments(left_out) + math.log(self.steps)
            if float((log_error + POWERS * self.epsilon).min()) <= math.log(self._budget):
                high, found = middle, (sum(masses), left_out, log_error)
                if high - low < 0.1 * (high - self.epsilon):
                    break
            else:
                low = middle
        for cut in self.cuts:
            cut.put(high)
        if found is None:
            return False
        p, left_out, self._log_error = found
        pairs = zip(left_out, self.cuts, strict=True)
        q = sum(float(np.exp(logs - cut.losses).sum()) for logs, cut in pairs)
        self.marked = Marked(p, q)
        return True

    def _log_moments(self, logs: list[Array]) -> Array:
        """log E_P[e^{−rL}] at each r; infinite where the grid ends too soon."""
        total = np.full(POWERS.size, -math.inf)
        for log_p, cut in zip(logs, self.cuts, strict=True):
            exponent = log_p - np.multiply.outer(POWERS, cut.losses)
            each = log_sum_exp(exponent)
            each[exponent[:, 0] > each - ENDED] = math.inf
            total = np.logaddexp(total, each)
        return total

    def worth(self, epsilon: Array) -> tuple[Array, Array]:
        """P(A) − e^ε·Q(A), and e^ε·Q(A)."""
        p, q = (-math.expm1(self.steps * math.log1p(-each)) for each in self.marked)
        beyond = np.exp(epsilon) * q
        return p - beyond, beyond

    def lost(self, epsilon: Array) -> Array:
        """How far δ may be above because of what is cut off."""
        if not self.marked.p:
            return np.full(epsilon.shape, self.steps * self._lost)
        logs = self._log_error[:, None] + np.multiply.outer(POWERS, epsilon)
        return np.asarray(np.exp(np.minimum(logs.min(axis=0), 0.0)))

    def _find_level(self) -> None:
        """K at each order; infinite at those whose grid ends too soon."""
        with np.errstate(divide="ignore"):
            self.k = np.full(ORDERS.size, np.log(self.law.still))
        last = np.full(ORDERS.size, -math.inf)
        for cut in self.cuts:
            exponent = cut.log_weights() + np.multiply.outer(ORDERS, cut.losses)
            self.k = np.logaddexp(self.k, log_sum_exp(exponent))
            last = np.maximum(last, exponent[:, -1])
        self.k[last > self.k - ENDED] = math.inf
        self._log_size = self.steps * self.k
        if self._is_rare:  # of F^n − 1
            self._log_size += np.log(-np.expm1(-np.maximum(self._log_size, LEAST_LOG)))

    def _at(self, epsilon: float) -> tuple[Array, int, float]:
        """The level at each order, its saddle, and about log δ."""
        level = self._log_size - ORDERS * epsilon - np.log(ORDERS) - np.log1p(ORDERS)
        i = min(max(int(np.argmin(level)), 1), ORDERS.size - 2)
        bend = (level[i + 1] - 2 * level[i] + level[i - 1]) / math.log(ORDERS[1] / ORDERS[0]) ** 2
        bend = max(float(bend), 0.2)
        rough = float(level[i]) + math.log(ORDERS[i]) - 0.5 * math.log(2 * math.pi * bend)
        if self._is_sparse(i):
            rough = self._log_of_one(epsilon)
        return level, i, rough

    def _log_of_one(self, epsilon: float) -> float:
        """About log δ, where it is the work of one step alone."""
        masses = [
            float(np.exp(cut.log_p) @ np.maximum(-np.expm1(epsilon - cut.losses), 0.0))
            for cut in self.cuts
        ]
        return math.log(self.steps * sum(masses) + 1e-300)

    def _guess(self) -> float:
        """About ε, by the saddle point: between Chernoff's bound and a small part of it; 0 where
        that bound says so."""
        bound = (self.steps * self.k + log_kappa(ORDERS) - self.log_delta) / ORDERS
        high = float(np.min(bound))
        if self.law.is_bounded:
            high = min(high, self.steps * self.origin * (1 - 1e-9))
        if not high > 0:
            return 0.0
        low = high * (LEAST_SPARSE_PART if self._is_rare else LEAST_PART)
        for _ in range(HALVINGS):
            middle = math.sqrt(low * high)
            low, high = (middle, high) if self._at(middle)[2] > self.log_delta else (low, middle)
        return high

    def log_chernoff(self, epsilon: float) -> float:
        """Chernoff's bound on log δ(ε), with what is cut off."""
        bound = self.steps * self.k * (1 + 1e-12) - ORDERS * epsilon + log_kappa(ORDERS)
        lost = math.log(self.steps * self._lost + 1e-300)
        return float(np.logaddexp(bound.min() + CHERNOFF_MARGIN, lost))

    def is_never_told_apart(self) -> bool:
        """Whether the total variations of all steps add up to less than δ."""
        return TOLD_APART_MARGIN * self._told_apart() <= math.exp(self.log_delta)

    def _told_apart(self) -> float:
        """The total variations of all steps, added up."""
        each = sum(
            float(np.exp(cut.log_p) @ np.maximum(-np.expm1(-cut.losses), 0.0)) for cut in self.cuts
        )
        return self.steps * each

    def edges(self) -> tuple[float, float]:
        """Where the level is `EDGE` above its least, on both sides."""
        log_c = np.log(ORDERS)
        fine = log_c[0] + (log_c[-1] - log_c[0]) * FINE
        shape = np.interp(fine, log_c, self.level)
        j = int(np.argmin(shape))
        over = np.flatnonzero(shape > shape[j] + EDGE)
        left, right = over[over < j], over[over > j]
        if not right.size or not (left.size or self.is_sparse):
            raise NumericalError("lifted paths: no saddle among the orders")
        return math.exp(fine[left[-1] if left.size else 0]), math.exp(fine[right[0]])
