"""Where the bent line should run: real sums, which need not be right for the answer to be."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.types import Array
from hockeystick.routes.contour.few_steps.law import SampledSteps
from hockeystick.routes.contour.few_steps.marks import Marks
from hockeystick.routes.contour.few_steps.soft_step import ROOT2, turn
from hockeystick.routes.contour.few_steps.terms import Kind, log_bounds
from hockeystick.routes.contour.saddle import log_kappa

MOST_ROTATION = 0.36
"""Radians by which X is turned at the most: further, the marks grow faster than the line bends."""
GROWTH = 2.2
"""Nats by which a weight may grow on the turned path, where it matters."""
ROTATIONS = MOST_ROTATION * 0.85 ** np.arange(16.0)
EDGE = 2.0
"""Nats by which the integrand may rise from its saddle to the edges of the strip."""
ORDERS = np.geomspace(0.02, 3e4, 60)
"""Orders c at which the level is looked at, in units of 1/x."""
FINE_ORDERS = np.linspace(0.0, 1.0, 1441)
PATH_END = 48.0
"""Nats that the integrand must have fallen by at the end of the path."""
TRIMMED_MARGIN = 8.0
KEPT = 52.0
"""Nats below the largest at which a node of the path is left out."""
LEAST_OUTCOME = {True: -9.3, False: -17.0}
"""Where the path begins, under P: below it is 1e-20. Under Q, with a negative order, 4e-65."""
PARTITIONS = np.array([0.4, 0.8, 1.3, 2.0, 2.8, 3.6])
"""Jumps are X above x·e^{−this}, softly: those to choose from."""
CANCELLED = 9.0
"""Nats of cancellation, and of the logarithm of the steps, from which on jumps are counted."""
MOST_GRID = 3000
LEAST_BELOW, MORE_BELOW = 14.0, 8.0
"""Nats below log x at which e^{sX} is taken for 1 in a plan: at the least, and more than log n."""
LEAST_BEND, UNKNOWN_BEND = 0.2, 10.0
"""Curvature of a level in log c where it is flat, and where it is known on one side alone."""


class Group(NamedTuple):
    """Terms of F^n with one number of jumps."""

    kind: Kind
    level: float
    """About the log of the sum of their absolute values."""
    edges: tuple[float, float]
    """Where the strip around the saddle ends, on the real line."""
    log_bound: float
    """Chernoff's bound on their sum."""


class Plan:
    """Marks, saddle and groups for one x and one rotation."""

    def __init__(
        self, steps: SampledSteps, x: float, rotation: float, log_delta: float | None
    ) -> None:
        from scipy.special import log_ndtr

        self.steps, self.x, self.rotation, self.log_delta = steps, x, rotation, log_delta
        self.orders = ORDERS / x
        self.marks = marks = Marks(steps, x, rotation, log_delta)
        self.first = float(steps.zeta(LEAST_OUTCOME[steps.remove]).min())
        below = max(LEAST_BELOW, math.log(steps.total) + MORE_BELOW)
        low = max(self.first, min(math.log(x), marks.centre) - below)
        h = min(0.07, 0.27 * steps.least_shift, marks.width / 1.3)
        if not 0 < (marks.end - low) / h <= MOST_GRID:  # nor where it is not a number
            raise NumericalError("few steps: the plan would need too many points, or has none")
        self.grid = low + h * np.arange(int((marks.end - low) / h) + 2)
        log_weight, self.values = steps.log_weight(self.grid, steps.remove)
        unmarked = log_ndtr(-ROOT2 * turn(self.grid, marks.centre, marks.width))
        log_weight = log_weight + unmarked + math.log(h)
        self._log_h = math.log(h)
        self._sum(log_weight, self.log_below(low - 0.5 * h))
        self._measure()

    def log_below(self, zeta: float) -> Array:
        """log of the mass of each step below ζ."""
        from scipy.special import ndtr

        steps = self.steps
        z = steps.outcome(np.array([zeta]))
        mass = ndtr(z)
        if steps.remove:
            mass = (1 - steps.rate) * mass + steps.rate * ndtr(z - steps.shift)
        return np.asarray(np.log(np.maximum(mass, 1e-300)))

    def _sum(self, log_weight: Array, log_below: Array) -> None:
        """log F at each order, for each step."""
        self.signed = self.orders if self.steps.remove else -self.orders
        exponent = log_weight[:, None, :] + np.multiply.outer(self.signed, self.values)
        peak = np.maximum(exponent.max(axis=2), log_below)
        self._scaled, self._peak = np.exp(exponent - peak[:, :, None]), peak
        self._below = np.exp(log_below - peak)
        self.log_f = np.log(self._scaled.sum(axis=2) + self._below) + peak
        self._exponent, self._log_below = exponent, log_below
        level = self.steps.count @ self.log_f + self._kernel()
        ended = (exponent[:, :, -1] < exponent.max(axis=2) - PATH_END).all(axis=0)
        if not ended.any():
            raise NumericalError("few steps: no order at which the path ends soon enough")
        self.usable = ended
        self.level = np.where(ended, level, math.inf)

    def _kernel(self) -> Array:
        c = self.orders
        return np.asarray(-self.signed * self.x - np.log(c) - np.log1p(c))

    def _measure(self) -> None:
        """The saddle, and about what δ is."""
        c, level = self.orders, self.level
        self.saddle = i = min(max(int(np.argmin(level)), 1), c.size - 2)
        self.size = float(level[i] + math.log(c[i])) - 0.5
        own = self.marks.worth(np.array([self.x]), self.steps.count[None, :])
        worth = max(float(own.value[0]), 0.0)
        self.groups: tuple[Group, ...] = ()
        self.partition = 0.0
        levels = self._split(worth) if self.steps.remove else level[None, :]
        sizes, orders = np.array([_through_saddle(np.log(c), each) for each in levels]).T
        parts = np.exp(np.minimum(sizes, 0.0))
        self.rough = float(parts.sum()) + worth
        """About δ,"""
        fall = float(parts @ orders) + max(float(own.rate[0]), 0.0)
        self.fall = self.x * fall / max(self.rough, 1e-300)
        """and about how fast its logarithm changes with log x, in absolute value."""

    def _split(self, worth: float) -> Array:
        """Count jumps apart where one line cancels; at the partition that cancels least. Levels of
        terms that tell what δ is."""
        from scipy.special import log_ndtr, ndtr

        at = self.marks.reached - PARTITIONS
        apart = ROOT2 * turn(self.grid, at[:, None], self.marks.width)
        peak = self._peak[:, :, None]
        with np.errstate(divide="ignore", invalid="ignore"):  # what is too small for a float
            jumps = np.einsum("kcj,pj->kcp", self._scaled, ndtr(apart))
            log_f0, ended = self._small(log_ndtr(-apart))
            levels = self._levels(log_f0, np.log(jumps) + peak, ended)
        least = (levels + np.log(self.orders)[:, None]).min(axis=1) - 0.5  # group × partition
        k = int(np.argmin(least.max(axis=0)))
        worst = float(least[:, k].max())
        gained = self.size - max(worst, math.log(max(worth, 1e-300)))
        if gained > max(2.0, CANCELLED - math.log(self.steps.total)):
            self.partition = float(at[k])
            kinds: tuple[Kind, ...] = (0, 1, 2)
            self.groups = tuple(self._group(kind, levels[j, :, k]) for j, kind in enumerate(kinds))
        return levels[:, :, k] if worst < self.size + 0.1 else self.level[None, :]

    def _small(self, log_small: Array) -> tuple[Array, Array]:
        """log f₀ for each step, order and partition, and where its path ends soon enough; the
        first partition is the farthest."""
        exponent = self._exponent + log_small[0]
        peak = np.maximum(exponent.max(axis=2), self._log_below)
        scaled = np.exp(exponent - peak[:, :, None])
        total = np.einsum("kcj,pj->kcp", scaled, np.exp(log_small - log_small[0]))
        log_f0 = np.log(total + np.exp(self._log_below - peak)[:, :, None]) + peak[:, :, None]
        last = self._exponent[:, :, -1, None] + log_small[:, -1]
        ended = last < log_f0 - PATH_END - math.log(self.grid.size)
        return log_f0, ended.all(axis=0)

    def _levels(self, log_f0: Array, log_t: Array, ended: Array) -> Array:
        """log of the integrand with no jump, one, and at least two: bounds of these."""
        levels = log_bounds(log_f0, log_t, self.steps.count)
        levels = levels + self._kernel()[:, None]
        all_ended = self.usable[:, None] & ended
        usable = np.stack([ended, all_ended, all_ended])
        return np.where(np.isfinite(levels) & usable, levels, math.inf)

    def _group(self, kind: Kind, level: Array) -> Group:
        c = self.orders
        bound = level + np.log(c) + np.log1p(c) + log_kappa(c)
        k = int(np.argmin(level))
        size = float(level[k] + math.log(c[k])) - 0.5
        return Group(kind, size, self._edges(level), float(bound.min()))

    def whole(self) -> Group:
        """All terms as one group."""
        low, high = self._edges(self.level)
        edges = (low, high) if self.steps.remove else (-high, -low)
        return Group("all", self.size, edges, 0.0)

    def _edges(self, level: Array) -> tuple[float, float]:
        """Where the level is `EDGE` above its least, on both sides."""
        log_c = np.log(self.orders)
        fine = log_c[0] + (log_c[-1] - log_c[0]) * FINE_ORDERS
        shape = np.interp(fine, log_c, np.minimum(level, 1e9))
        j = int(np.argmin(shape))
        over = np.flatnonzero(shape > shape[j] + EDGE)
        left, right = over[over < j], over[over > j]
        return (
            math.exp(fine[left[-1]] if left.size else fine[0]),
            math.exp(fine[right[0]] if right.size else fine[-1]),
        )

    def allowed_rotation(self) -> float:
        """The largest rotation on which no tilted weight that matters grows by much.

        What matters is counted in units of 1/n: a jump of tilted mass 1e-4 must not grow to 0.05
        where there are 2000 steps.
        """
        steps, i = self.steps, self.saddle
        relative = self._exponent[:, i, :] - self._peak[:, i, None]
        log_n = np.log(steps.count)[:, None]
        here = np.flatnonzero((relative > -14 - log_n).any(axis=0))
        if not here.size:
            return self.rotation
        options = np.append(self.rotation, ROTATIONS[self.rotation > ROTATIONS])
        zeta, x = self.grid[here], self.values[here]
        turned = steps.outcome((zeta + 1j * options[:, None]).ravel())
        turned = turned.reshape(len(log_n), options.size, here.size)
        square = steps.outcome(zeta)[:, None, :] ** 2
        order = self.signed[i] + steps.remove
        rise = 0.5 * (square - (turned * turned).real)
        rise += order * np.multiply.outer(np.cos(options) - 1, x)
        rise += np.minimum(0.0, relative[:, here] - self._log_h + log_n)[:, None, :]
        fits = rise.max(axis=(0, 2)) <= GROWTH
        return float(options[np.argmax(fits)]) if fits.any() else float(options[-1])

    def log_whole(self) -> Array:
        """For "add": a bound of log E_Q[e^{−cX}] of each step, marked or not, at the saddle."""
        table = self.marks.table
        marked = np.einsum("kj,j->k", table.q, np.exp(-self.orders[self.saddle] * table.x))
        unmarked = self.log_f[:, self.saddle]
        return np.asarray(np.logaddexp(unmarked, np.log(np.maximum(marked, 1e-300))) + 1e-6)

    def log_chernoff(self) -> float:
        """For "add": Chernoff's bound of log δ, at the saddle."""
        order = float(self.orders[self.saddle])
        bound = float(self.steps.count @ self.log_whole()) + order * self.x
        return bound + float(log_kappa(order))

    def log_trimmed(self) -> Array:
        """log of a bound of what `path` leaves out of F of each step, with a margin for other
        orders of the same strip."""
        count = math.log(self.grid.size)
        return np.asarray(self._peak[:, self.saddle] - (KEPT - TRIMMED_MARGIN) + count)

    def path(self) -> tuple[float, float]:
        """Where the nodes begin and end."""
        exponent = self._exponent[:, self.saddle, :]
        kept = exponent > self._peak[:, self.saddle, None] - KEPT
        kept = np.flatnonzero(kept.any(axis=0))
        if not kept.size:
            return self.first, self.marks.end
        # what lies below the grid may be most of a step, with a gap between
        is_all = kept[0] > 0 and (self._below[:, self.saddle] < math.exp(-KEPT)).all()
        first = float(self.grid[kept[0]]) if is_all else self.first
        # jumps are 1e-20 of all steps, and must not be cut off
        last = self.marks.end if self.groups else float(self.grid[kept[-1]])
        return max(self.first, first), last + math.exp(self._log_h)


def _through_saddle(log_c: Array, level: Array) -> tuple[float, float]:
    """About the log of the integral of e^level, and the order c where level is least, by a
    parabola in log c, which falls no deeper beside a kink than its flatter side does."""
    i, h = min(max(int(np.argmin(level)), 2), log_c.size - 3), float(log_c[1] - log_c[0])
    bends = np.diff(level[i - 2 : i + 3], 2) / h**2
    bend, off, deeper = UNKNOWN_BEND, 0.0, 0.0
    if math.isfinite(bends[1]):
        bend = max(float(bends[1]), LEAST_BEND)
        off = min(max(float(level[i - 1] - level[i + 1]) / (2 * h * bend), -h), h)
        deeper = 0.5 * max(float(np.nanmin(bends)), LEAST_BEND) * off * off
    place = float(log_c[i]) + off
    return float(level[i]) - deeper + place - 0.5 * math.log(2 * math.pi * bend), math.exp(place)


def first_plan(steps: SampledSteps, x: float, log_delta: float | None, sharper: float) -> Plan:
    """The plan for x with the most rotation, `sharper` times less: good enough to find x by."""
    rotation = min(MOST_ROTATION * sharper, math.sqrt(2 * GROWTH) * steps.least_shift)
    return Plan(steps, x, rotation, log_delta)


def turned(planned: Plan) -> Plan:
    """The same with as much rotation as the weights allow, and no more."""
    for _ in range(4):
        rotation = planned.allowed_rotation()
        if rotation >= planned.rotation:
            break
        planned = Plan(planned.steps, planned.x, rotation, planned.log_delta)
    return planned


def plan(steps: SampledSteps, x: float, log_delta: float | None, sharper: float) -> Plan:
    """The plan for x, with as much rotation as the weights allow, `sharper` times less at most."""
    return turned(first_plan(steps, x, log_delta, sharper))
