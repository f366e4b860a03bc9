"""Marks: steps whose X alone is beyond x are taken out of the sum, and counted in closed form.

A step with ζ = log X is marked with the probability w(ζ) of a soft step, which is next to nothing
up to x and next to 1 somewhat above. The steps that are not marked have F(s) = E[(1−w)·e^{sX}],
entire in s.

**remove.** Let A be the event that any step is marked, and count it as E_P[(1 − e^{x−Y}); A], which
is P(A) − e^ε·Q(A). The positive part is left out, so the truth is above, by no more than
E_P[(e^{x−Y} − 1)+; A] <= Σ n·E_P[w·(e^{x−X} − 1)+], because Y >= X.
Where no X reaches x anyway the marks are `capped`: A is counted as nothing, and P(A) is charged.

**add.** Beyond x nothing is given away: A is counted as nothing, and what is left out is at most
Σ n·E_Q[w·(1 − e^{X−x})+] and, by Chernoff's bound with an order p,
Σ n·κ(p)·e^{px}·E_Q[w·e^{−pX}; X < x]·E_Q[e^{−pX}]^{n−1}.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.types import Array
from hockeystick.routes.contour.few_steps.law import SampledSteps
from hockeystick.routes.contour.few_steps.soft_step import ROOT2, inverse, turn
from hockeystick.routes.contour.saddle import log_kappa

SHARPNESS = 3.2
"""Rotation over τ: on the turned path |w| is up to e^{3.2²/2} larger, and no more."""
CLEAR = 6.5
"""Deviations that x is below the mark: w(log x) is 4e-11, times what may be lost there."""
BEYOND = 1.9
"""Where the path ends, above the mark: there 1 − w is below e^−200."""
FARTHEST_OUTCOME = 37.0
"""Of P there is e^−690 beyond."""
LEAST_CHARGE = 29.0
"""A P-mass of e^−29·δ in all may be left out and charged."""
LAST_OUTCOME = 39.0
"""Where tables of masses end: a float holds nothing of what is beyond."""
MOST_ROWS = 100_000
FINE, FINE_REACH = 32.0, 0.5
"""Points over the width of a mark, and how far, in log x, above the x it is for, where a sum has a
kink or an end at x."""
FINE_DEVIATIONS = 25.0
"""How far below the mark such a sum begins: e^{x−X} grows there, and w falls faster in the end."""
FINE_MARGIN = 1.2
"""Such a sum may be off by a tenth of itself: w grows by e over five points."""
HUGE_LOSS = 300.0
"""From here on Q-masses that are worth anything are too small for a float."""


class Table(NamedTuple):
    """Masses of the marked steps, over real ζ; a row for each different step."""

    x: Array
    q: Array
    p: Array
    q_mass: Array
    gain: Array
    """P-mass less Q-mass."""


class Worth(NamedTuple):
    """What the marked steps add to δ, at each x."""

    value: Array
    rate: Array
    """−d/dε of it."""
    above: Array
    """How far the truth may be above."""


class Marks:
    """Where steps are marked, for one x, and what the marked ones are worth."""

    def __init__(
        self, steps: SampledSteps, x: float, rotation: float, log_delta: float | None
    ) -> None:
        from scipy.special import ndtri

        self.steps = steps
        self.width = rotation / SHARPNESS
        reach = FARTHEST_OUTCOME
        if log_delta is not None:
            each = max(log_delta - LEAST_CHARGE - math.log(steps.total), -690.0)
            reach = -float(ndtri(math.exp(each)))
        cap = float(steps.zeta(reach, float(steps.remove)).max())
        log_x = self._log_x = math.log(x)
        clear = above = float(inverse(CLEAR * self.width))
        if steps.remove and log_x > -3:
            # w must beat e^{x−X} as well, which matters for x > 1
            below = np.linspace(0.0, 2.0, 41)
            enough = np.sqrt(CLEAR**2 - 2 * x * np.expm1(-below))
            above = float((inverse(enough * self.width) - below).max())
        self.capped = steps.remove and cap + clear < log_x + above
        self.reached = min(cap, log_x)
        """log of the largest X that is not to be marked."""
        self.centre = min(cap + clear, log_x + above)
        self.end = self.centre + BEYOND

    @cached_property
    def table(self) -> Table:
        """On a grid so fine that its sums are right to rounding."""
        steps = self.steps
        last = float(steps.zeta(LAST_OUTCOME, float(steps.remove)).max())
        last = max(self.centre + 2 * self.width, last)
        return self._rows(last, min(self.width / 2.2, 0.28 * steps.least_shift), 10.5)

    @cached_property
    def fine(self) -> Table:
        """Up to somewhat above x, on a grid for sums that have a kink there: w grows by e^6.5 over
        the width of the mark."""
        return self._rows(self._log_x + FINE_REACH, self.width / FINE, FINE_DEVIATIONS)

    def _rows(self, last: float, h: float, deviations: float) -> Table:
        from scipy.special import ndtr

        steps = self.steps
        first = self.centre - float(inverse(deviations * self.width))
        if (last - first) / h > MOST_ROWS:
            raise NumericalError("the marked steps would need a table that is too long")
        zeta = first + h * np.arange(max(0, int((last - first) / h)) + 2)
        log_q, x = steps.log_weight(zeta, False)
        loss = x + steps.floor
        w = ndtr(ROOT2 * turn(zeta, self.centre, self.width)) * h
        q, p = np.exp(log_q) * w, np.exp(np.minimum(log_q + loss, 700.0)) * w
        gain = np.where(loss < 1, q * np.expm1(np.minimum(loss, 1.0)), p - q)
        return Table(x, q, p, q.sum(axis=1), gain.sum(axis=1))

    @property
    def own_mass(self) -> Array:
        """Probability of a mark at one step, under the law that the line integrates."""
        table = self.table
        return np.asarray(table.q_mass + table.gain if self.steps.remove else table.q_mass)

    def worth(self, x: Array, count: Array) -> Worth:
        """What they add at each x; a row of counts for each of them."""
        steps, table, none = self.steps, self.table, np.zeros(x.shape)
        if not steps.remove:
            return Worth(
                none, none, self._below(x, count, lambda gap: -np.expm1(-gap), self.fine.q)
            )
        mass = np.minimum(table.q_mass + table.gain, 1.0)
        log_none = count @ np.log1p(-mass)
        if self.capped:
            return Worth(none, none, -np.expm1(log_none))
        above = self._below(x, count, np.expm1, self.fine.p)
        epsilon = steps.epsilon(x, count)
        q_none = np.expm1(count @ np.log1p(-table.q_mass))
        ratio = count @ np.log1p(table.gain / (1 - mass))
        value = np.exp(log_none) * np.expm1(ratio) + np.expm1(epsilon) * q_none
        rate = -np.exp(epsilon) * q_none
        huge = epsilon > HUGE_LOSS
        if huge.any():  # e^ε·Q(A) = Σ n·E_P[w·e^{ε−L}], but for Q(A)² < e^−600
            loss = table.x + steps.floor
            excess = [np.exp(np.minimum(each - loss, 700.0)) for each in epsilon]
            spent = np.array([(table.p * each).sum(axis=1) for each in excess])
            spent = (count * spent).sum(axis=1)
            value = np.where(huge, -np.expm1(log_none) - spent, value)
            rate = np.where(huge, spent, rate)
        return Worth(value, rate, above)

    def _below(self, x: Array, count: Array, lost: Callable[[Array], Array], mass: Array) -> Array:
        """Σ n·E[w·lost(x − X); X < x], at each x."""
        self._check_reach(x)
        near = self.fine.x < x.max()
        gap = np.maximum(x[:, None] - self.fine.x[near], 0.0)
        each = np.einsum("mj,kj->mk", lost(gap), mass[:, near])
        return np.asarray(FINE_MARGIN * (count * each).sum(axis=1))

    def _check_reach(self, x: Array) -> None:
        if not x.max() <= self.fine.x[-1]:
            raise NumericalError("few steps: x is too far from where steps are marked")

    def by_chernoff(self, x: Array, count: Array, order: float, log_f: Array) -> Array:
        """The other bound on what is left out under "add"; log_f bounds log E_Q[e^{−pX}]."""
        self._check_reach(x)
        table = self.fine
        low = table.x < x[:, None]
        lead = FINE_MARGIN * np.einsum("mj,kj->mk", low * np.exp(-order * table.x), table.q)
        rest = (count @ log_f + order * x)[:, None] - log_f + float(log_kappa(order))
        return np.asarray((count * lead * np.exp(np.minimum(rest, 600.0))).sum(axis=1))
