"""The inner integral F(s) = E[(1−w)·e^{sX}], by the trapezoid rule on Im ζ = β.

With h the step, the rule errs by at most (I(b₁) + I(b₂))/(e^{2πd/h} − 1), where I(b) is the integral
of the absolute value on Im ζ = b, and b₁, b₂ = β ∓ d (Trefethen and Weideman 2014, Theorem 5.1).
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import erfc

from hockeystick.errors import NumericalError
from hockeystick.numerics.types import Array, Complex
from hockeystick.routes.contour.few_steps.marks import ROOT2
from hockeystick.routes.contour.few_steps.plan import Plan

INNER_NATS = 44.0
"""2πd/h: the inner rule errs by e^−44, times what the absolute values grow by."""
MORE_NATS = 8.0
"""As many more where jumps are counted apart, which are a small part of F."""
MOST_NODES = 12_000
KNOWN_BELOW = 60.0
"""Nats below log x at which the path is cut if it reaches further: there e^{sX} is 1, and the mass
is what is missing of the whole."""
CUT_BELOW = 52.0
SUM_MARGIN = 1.1
"""An integral of absolute values is a sum on a grid; it may be this much more."""
LEAST_FREE = 1e-280


def sums(exponent: Complex, weight: Complex) -> Complex:
    """Σ_j e^{exponent_ij}·weight_jk, without BLAS, whose threads cost more than they bring."""
    return np.asarray(np.einsum("ij,jk->ik", np.exp(exponent), weight))


class Absolute:
    """Weights in absolute value on Im ζ = b, on a coarse grid: logs, a row for each column of F."""

    def __init__(self, nodes: Nodes, height: float) -> None:
        plan, marks = nodes.plan, nodes.plan.marks
        low, high = nodes.low, nodes.high
        h = min(0.07, 0.25 * plan.steps.least_shift, marks.width / 1.5)
        grid = np.linspace(low, high, int(min(max((high - low) / h, 60), 1500)))
        zeta = grid + 1j * height
        log_weight, self.x = plan.steps.log_weight(zeta, plan.steps.remove)
        log_free = np.log(np.maximum(np.abs(marks.free(zeta)), 1e-290))
        log_weight = log_weight.real + log_free + math.log(grid[1] - grid[0])
        self.log_weight = np.concatenate(
            [log_weight + np.log(np.maximum(np.abs(p), 1e-290)) for p in nodes.partition(zeta)]
        )

    def log_sums(self, s: Complex) -> Array:
        """log of the sum of |weight·e^{sX}| at each s, for each column of F."""
        growth = np.multiply.outer(s.real, self.x.real) - np.multiply.outer(s.imag, self.x.imag)
        exponent = self.log_weight[:, None, :] + growth
        peak = exponent.max(axis=2)
        return np.asarray(np.log(np.exp(exponent - peak[:, :, None]).sum(axis=2)) + peak)


class Nodes:
    """X and weights on the turned path. A column for each different step or, where jumps are
    counted apart, one for its small X and one for its jumps."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.theta = plan.rotation / 2
        self.reach = plan.rotation - self.theta
        self.nats = INNER_NATS + (MORE_NATS if plan.groups else 0.0)
        self.step = 2 * math.pi * self.reach / self.nats
        self.low, self.high = plan.path()
        self.base: Array | None = None
        log_x = math.log(plan.x)
        if self.low < log_x - KNOWN_BELOW:
            self.low, self.high = log_x - CUT_BELOW, plan.marks.end
            self.base = 1 - plan.marks.own_mass
        self.x, self.offset, self.weight = self._weights(self.low, self.high, self.step)
        self.near, self.far = (Absolute(self, b) for b in (self.theta, plan.rotation + self.reach))

    def missing(self, crossing: float) -> Array:
        """What F of each step lacks because the path begins where it does, at the most."""
        if self.base is not None:
            return np.zeros(self.base.size)
        growth = max(crossing, 0.0) * math.exp(self.low)
        return np.asarray(np.exp(self.plan.log_below(self.low)[:, 0] + growth))

    def partition(self, zeta: Complex) -> list[Complex | Array]:
        """Into small X and jumps, softly: the two add up to 1 whatever the partition is."""
        if not self.plan.groups:
            return [np.ones(1)]
        turn = (zeta - self.plan.partition) / (self.plan.marks.width * ROOT2)
        return [0.5 * erfc(turn), 0.5 * erfc(-turn)]

    def _weights(self, low: float, high: float, h: float) -> tuple[Complex, Array, Complex]:
        """X, the log of the largest weight of each node, and the weights in units of it."""
        count = int((high - low) / h) + 2
        if count > MOST_NODES * self.step / h:
            raise NumericalError(f"few steps: the inner rule would need {count} nodes")
        plan = self.plan
        zeta = low + h * np.arange(count) + 1j * plan.rotation
        free = plan.marks.free(zeta)
        zeta, free = zeta[np.abs(free) > LEAST_FREE], free[np.abs(free) > LEAST_FREE]
        log_weight, x = plan.steps.log_weight(zeta, plan.steps.remove)
        log_weight = log_weight + np.log(free) + math.log(h)
        offset = log_weight.real.max(axis=0)
        weight = np.exp(log_weight - offset)
        columns = np.concatenate([weight * part for part in self.partition(zeta)])
        return x, offset, columns.T

    def finer(self, s: Complex) -> Complex:
        """F at a few s once more, with half the step on a longer path: a guard against both."""
        more = 4 * self.plan.marks.width + 0.5 * self.plan.steps.most_shift
        low = self.low - (more if self.base is None else 0.0)
        x, offset, weight = self._weights(low, self.high + more, self.step / 2)
        exponent = np.multiply.outer(s, x)
        if self.base is None:
            return sums(exponent + offset, weight)
        parts = len(self.base)
        change = np.einsum("ij,jk->ik", np.expm1(exponent) * np.exp(offset), weight)
        if weight.shape[1] == parts:
            return np.asarray(self.base + change)
        jumps = np.exp(offset) @ weight[:, parts:]
        change[:, :parts] += self.base - jumps
        change[:, parts:] += jumps
        return np.asarray(change)

    def inner_error(self, crossing: float) -> tuple[Array, Array]:
        """Of each column of F, at every s of a line through `crossing`; and I(b₁) itself.

        For s = a + λ·sin(θ + iu) and arg X = b >= θ, Re sX falls as u grows from 0: its derivative
        is λ|X|·(sin θ·sinh u·cos b − cos θ·cosh u·sin b) <= 0. So u = 0 bounds all of them.
        """
        at = np.array([complex(crossing)])
        near, far = (each.log_sums(at)[:, 0] for each in (self.near, self.far))
        near, far = (SUM_MARGIN * np.exp(np.minimum(each, 600)) for each in (near, far))
        return (near + far) / math.expm1(self.nats), near
