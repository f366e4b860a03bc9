"""The inner integral F(s) = E[(1−w)·e^{sX}], by the trapezoid rule on Im ζ = β.

With h the step, the rule errs by at most (I(b₁) + I(b₂))/(e^{2πd/h} − 1), where I(b) is the
integral of the absolute value on Im ζ = b, and b₁, b₂ = β ∓ d (Trefethen and Weideman 2014,
Theorem 5.1).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.types import Array, Complex
from hockeystick.routes.contour.few_steps.plan import Plan
from hockeystick.routes.contour.few_steps.soft_step import log_below, turn
from hockeystick.routes.contour.few_steps.terms import Kind

INNER_NATS = 40.0
"""2πd/h at the least: the inner rule errs by e^−40, times what the absolute values grow by."""
SIDE_NATS = 3.5
"""Beside the line it errs by e^{−(1−STRIP)·2πd/h}, once for each step: by e^−3.5 in all."""
STRIP = 0.7
"""Part of θ by which the outer integral is moved to either side in the bound of its rule."""
MOST_NODES = 12_000
KNOWN_BELOW = 60.0
"""Nats below log x at which the path is cut if it reaches further: there e^{sX} is 1, and the mass
is what is missing of the whole."""
CUT_BELOW = 52.0
SUM_MARGIN = 1.1
"""An integral of absolute values is a sum on a grid; it may be this much more."""

Size = Literal["any", "small", "jump"]


class Column(NamedTuple):
    """Nodes of one part of F: X, the log of the largest weight of all steps at each node, and the
    weights in units of it, a column for each different step."""

    x: Complex
    offset: Array
    weight: Complex

    def sums(self, s: Complex) -> Complex:
        """Σ weight·e^{sX} at each s, without BLAS, whose threads cost more than they bring."""
        terms = np.exp(np.multiply.outer(s, self.x) + self.offset)
        return np.asarray(np.einsum("ij,jk->ik", terms, self.weight))

    def mass(self) -> Complex:
        """Σ weight."""
        return np.asarray(np.einsum("j,jk->k", np.exp(self.offset), self.weight))

    def at(self, places: Array) -> Column:
        """Some of the nodes."""
        return Column(self.x[places], self.offset[places], self.weight[places])


def together(columns: Sequence[Column]) -> Column:
    """Columns of the same nodes as one, in which e^{sX} is evaluated once."""
    if len(columns) == 1:
        return columns[0]
    offset = np.max([column.offset for column in columns], axis=0)
    scaled = [np.exp(each.offset - offset)[:, None] * each.weight for each in columns]
    return Column(columns[0].x, offset, np.hstack(scaled))


class Absolute(NamedTuple):
    """Weights in absolute value on another line, as logs: a row for each different step."""

    x: Complex
    log_weight: Array

    def log_sums(self, s: Complex) -> Array:
        """log of the sum of |weight·e^{sX}| at each s, for each step."""
        growth = np.multiply.outer(s.real, self.x.real) - np.multiply.outer(s.imag, self.x.imag)
        exponent = self.log_weight[:, None, :] + growth
        peak = exponent.max(axis=2)
        return np.asarray(np.log(np.exp(exponent - peak[:, :, None]).sum(axis=2)) + peak)


class Nodes:
    """X and weights on the turned path: of all steps or, where jumps are counted apart, one column
    for small X and one for jumps."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.theta = plan.rotation / 2
        self.reach = plan.rotation - self.theta
        self.nats = max(INNER_NATS, (SIDE_NATS + math.log(plan.steps.total)) / (1 - STRIP))
        self.step = 2 * math.pi * self.reach / self.nats
        self.sizes: tuple[Size, ...] = ("small", "jump") if plan.groups else ("any",)
        self.low, self.high = plan.path()
        self.base: Array | None = None
        log_x = math.log(plan.x)
        if self.low < log_x - KNOWN_BELOW:
            self.low, self.high = log_x - CUT_BELOW, plan.marks.end
            self.base = 1 - plan.marks.own_mass
        self.columns = self._columns(self.low, self.high, self.step)
        self.near = self._absolute(self.theta)
        self.far = self._absolute(plan.rotation + self.reach)

    def used(self, kind: Kind) -> int:
        """How many columns a group needs."""
        return 1 if kind in ("all", 0) else 2

    def _log_weight(self, zeta: Complex) -> tuple[Complex, Complex]:
        """log of the density of steps that are not marked, and X."""
        plan = self.plan
        log_weight, x = plan.steps.log_weight(zeta, plan.steps.remove)
        return log_weight + log_below(turn(zeta, plan.marks.centre, plan.marks.width)), x

    def _log_share(self, zeta: Complex, size: Size) -> Complex:
        """log of the part of X that counts as small, or as a jump: they add up to 1."""
        if size == "any":
            return np.zeros(1)
        turned = turn(zeta, self.plan.partition, self.plan.marks.width)
        return log_below(turned if size == "small" else -turned)

    def _columns(self, low: float, high: float, h: float) -> list[Column]:
        count = int((high - low) / h) + 2
        if count > MOST_NODES * self.step / h:
            raise NumericalError(f"few steps: the inner rule would need {count} nodes")
        zeta = low + h * np.arange(count) + 1j * self.plan.rotation
        log_weight, x = self._log_weight(zeta)
        columns = []
        for size in self.sizes:
            log = log_weight + (self._log_share(zeta, size) + math.log(h))
            offset = log.real.max(axis=0)
            columns.append(Column(x, offset, np.exp(log - offset).T))
        return columns

    def _absolute(self, height: float) -> list[Absolute]:
        """On Im ζ = height, on a coarse grid."""
        plan, low, high = self.plan, self.low, self.high
        h = min(0.07, 0.25 * plan.steps.least_shift, plan.marks.width / 1.5)
        grid = np.linspace(low, high, int(min(max((high - low) / h, 60), 1500)))
        zeta = grid + 1j * height
        log_weight, x = self._log_weight(zeta)
        log_h = math.log(grid[1] - grid[0])
        return [
            Absolute(x, (log_weight + self._log_share(zeta, size)).real + log_h)
            for size in self.sizes
        ]

    def missing(self, crossing: float) -> Array:
        """What F of each step lacks because the path begins where it does, at the most."""
        if self.base is not None:
            return np.zeros(self.base.size)
        first = self.plan.first
        below = self.plan.log_below(first)[:, 0] + max(crossing, 0.0) * math.exp(first)
        trimmed = self.plan.log_trimmed() if self.low > first else -math.inf
        return np.asarray(np.exp(np.minimum(np.logaddexp(below, trimmed), 600.0)))

    @cached_property
    def _finer_columns(self) -> list[Column]:
        more = 4 * self.plan.marks.width + 0.5 * self.plan.steps.most_shift
        low = self.low - (more if self.base is None else 0.0)
        return self._columns(low, self.high + more, self.step / 2)

    def finer(self, s: Complex, kind: Kind) -> Complex:
        """F at a few s once more, with half the step on a longer path: a guard against both."""
        columns = self._finer_columns
        sums = together(columns[: self.used(kind)]).sums(s)
        if self.base is not None:
            missing = self.base - np.sum([each.mass() for each in columns], axis=0)
            sums[:, : missing.size] += missing
        return sums

    def inner_error(self, crossing: float, kind: Kind) -> tuple[Array, Array]:
        """Of each column of F, at every s of a line through `crossing`; and I(b₁) itself.

        For s = a + λ·sin(θ + iu) and arg X = b >= θ, Re sX falls as u grows from 0: its derivative
        is λ|X|·(sin θ·sinh u·cos b − cos θ·cosh u·sin b) <= 0. So u = 0 bounds all of them.
        """
        at = np.array([complex(crossing)])
        near, far = (
            SUM_MARGIN * np.exp(np.minimum(self._log_sums(side, at, kind)[:, 0], 600.0))
            for side in (self.near, self.far)
        )
        return (near + far) / math.expm1(self.nats), near

    def _log_sums(self, side: list[Absolute], s: Complex, kind: Kind) -> Array:
        return np.concatenate([each.log_sums(s) for each in side[: self.used(kind)]])

    def log_bound(self, s: Complex, kind: Kind) -> Array:
        """log of a bound of each column of F at s, and at all s further out on its line; where the
        path is cut, with the mass below, for which e^{sX} is 1."""
        sums = self._log_sums(self.near, s, kind)
        if self.base is not None:
            different = self.base.size
            below = self.plan.log_below(self.low)
            sums[:different] = np.logaddexp(sums[:different], below)
        return sums
