"""Normal laws on a sample: (1−q)·N(0, 1) + q·N(up, 1) against (1−q)·N(0, 1) + q·N(−down, 1).

down = 0 is a record removed, up = 0 one added, up = down one replaced. With z ~ N(0, 1),
v(z) = 1 − q + q·e^{up·z − up²/2} and w(z) = 1 − q + q·e^{−down·z − down²/2},

    L = log v − log w,    M(s) = E[v^{s+1}·w^{−s}].
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
from flint import acb, arb

from hockeystick.loss.exact import Exact
from hockeystick.numerics.series import log_mixed
from hockeystick.numerics.types import Array
from hockeystick.routes.certified.balls import SAFE, above, ball, below, only_if
from hockeystick.routes.certified.decay import Cells, by_nodes, by_pairs
from hockeystick.routes.certified.law import Law, Nodes, Rule, Tilted
from hockeystick.routes.certified.normal_step import one_step

CELLS = 80
MOST_NODES = 1_000_000
"""Of a certificate that is still followed."""
STEEPEST = 1.53
"""The lifted line must stay below π/2 in units of the loss."""
HIGHEST = 7.0
FADED = 14.0
"""Nats below its peak where cells no longer count."""


class NormalLaw(Law):
    """One step of Gaussian noise, on a sample or not."""

    def __init__(self, exact: Exact) -> None:
        up, down = exact.numbers[::-1] if exact.turned else exact.numbers
        self.up, self.down, self.q = ball(up), ball(down), ball(exact.rate)
        self.sampled = exact.rate != 1
        self.shift = self.up + self.down
        self._floats = float(up), float(down), float(exact.rate)
        self.infinite = self.lost = arb(0)

    @property
    def top(self) -> arb | None:
        return -(1 - self.q).log() if self.up == 0 and self.sampled else None

    def profile(self, epsilon: arb) -> arb | None:
        return one_step(self.up, self.down, self.q if self.sampled else arb(1), epsilon)

    def rule(self, order: float, reach: float, log_tolerance: float) -> Rule:
        """The height of the line above the real axis, the step and the ends of the sum, chosen to
        take few points; then cells that hold most of the tilted law."""
        if not self.sampled:
            return {}
        height, step = self._height(order, log_tolerance)
        lift = height * height / 2 - order * _log_cos(self._floats[1] * height / 2)
        most = log_tolerance - float(lift) - 2
        left, right = self._ends(order, step, most)
        first, width = self._cells(order)
        return {
            "height": height,
            "step": step,
            "first": -math.ceil(left / step),
            "last": math.ceil(right / step),
            "cell": first,
            "width": width,
        }

    def _height(self, order: float, log_tolerance: float) -> tuple[float, float]:
        up, down, _ = self._floats
        a = np.minimum(np.linspace(0.05, STEEPEST, 75) / max(up, down), HIGHEST)
        log_size = np.logaddexp(0.0, 2 * a * a - order * _log_cos(down * a))
        steps = 2 * math.pi * a / (log_size - log_tolerance + 1)
        i = int(steps.argmax())
        return float(a[i]), float(np.float32(steps[i]))

    def _log_density(self, z: Array, order: float) -> Array:
        up, down, q = self._floats
        v, w = log_mixed(q, up * z - up * up / 2), log_mixed(q, -down * z - down * down / 2)
        return np.asarray(-0.5 * z * z + (order + 1) * v - order * w)

    def _pull(self, z: Array, order: float) -> Array:
        """How far w draws the bump to the right: order·down·q·e^ℓ/w."""
        _, down, q = self._floats
        growth = np.exp(np.minimum(down * z + down * down / 2, 700.0))
        return np.asarray(order * down * q / (q + (1 - q) * growth))

    def _ends(self, order: float, step: float, most: float) -> tuple[float, float]:
        """How far the sum goes to the left and to the right of 0."""
        far = (order + 1) * self._floats[0]
        span = 60.0 + float(self._pull(np.zeros(1), order)[0])
        grid = np.linspace(0.5, span, min(4000, int(4 * span)))
        z = np.concatenate([-grid[::-1], np.linspace(0, far, 400), far + grid])
        peak = float(self._log_density(z, order).max())
        rate = grid - self._pull(far + grid, order)
        right = self._fades(far + grid, rate, order, step) < peak + most
        left = self._fades(-grid, grid, order, step) < peak + most
        if not right.any() or not left.any():
            raise ArithmeticError("no end of the quadrature")
        return float(grid[left.argmax()]), float(far + grid[right.argmax()])

    def _fades(self, z: Array, rate: Array, order: float, step: float) -> Array:
        growth = np.log(np.expm1(np.minimum(step * np.maximum(rate, 1e-3), 50.0)))
        fades = self._log_density(z, order) - growth + math.log(step)
        return np.where(rate > 0.2, fades, math.inf)

    def _cells(self, order: float) -> tuple[float, float]:
        far = (order + 1) * self._floats[0] + float(self._pull(np.zeros(1), order)[0])
        z = np.linspace(-9.0, far + 9.0, 2000)
        density = self._log_density(z, order)
        kept = z[density > density.max() - FADED]
        return float(kept[0]), float(np.float32((kept[-1] - kept[0]) / CELLS))

    def tilted(self, order: float, rule: Rule) -> Tilted:
        return SampledNormal(self, order, rule) if self.sampled else PlainNormal(self, order)


def _log_cos(x: float | Array) -> Array:
    return np.asarray(np.log(np.cos(x)))


class PlainNormal(Tilted):
    """M(s) = e^{shift²·s(s+1)/2} and |φ(t)| = e^{−shift²·t²/2}."""

    def __init__(self, law: NormalLaw, order: float) -> None:
        self._half, self._order = law.shift * law.shift / 2, arb(order)

    @property
    def mass(self) -> arb:
        return (self._half * self._order * (self._order + 1)).exp()

    def values(self, step: float, count: int) -> list[acb]:
        points = (acb(self._order, n * arb(step)) for n in range(count))
        return [(self._half * s * (s + 1)).exp() for s in points]

    def decay(self, t: Array) -> Array:
        return -below(self._half) * t * t * (1 - SAFE)


class SampledNormal(Tilted):
    """Theorem 3: the trapezoid rule on the line Im z = height, good for every t >= 0 at once."""

    def __init__(self, law: NormalLaw, order: float, rule: Rule) -> None:
        self._law, self._rule = law, rule
        self._c, self._p = arb(order), arb(order) + 1
        self._nodes = self._quadrature()

    def _quadrature(self) -> Nodes:
        """|M(c+it) − Σ| <= M(c)·(1+S)/(e^{2πa/h} − 1), S = e^{2a²}·cos(a·down)^{−c}, and tails."""
        law, c = self._law, self._c
        a, h = arb(self._rule["height"]), arb(self._rule["step"])
        only_if(a > 0 and h > 0, "a line above the real axis")
        for shift in (law.up, law.down):
            only_if(2 * a * shift < arb.pi(), "a line within the strip of the loss")
        only_if(self._rule["last"] - self._rule["first"] < MOST_NODES, "few enough points")
        norm = h / (2 * arb.pi()).sqrt()
        weights, losses = [], []
        for j in range(self._rule["first"], self._rule["last"] + 1):
            z = acb(j * h, a)
            log_v, log_w = self._logs(z)
            weights.append(norm * (self._p * log_v - c * log_w - z * z / 2).exp())
            losses.append(log_v - log_w)
        tails = norm * self._tails(a, h)
        size = (2 * a * a).exp() * (a * law.down).cos() ** (-c)
        share = (1 + size) / (2 * arb.pi() * a / h).expm1()
        only_if(share < 0.5, "a finer step of the quadrature")
        most = (sum(weights, acb(0)).real + tails) / (1 - share)
        return Nodes(weights, losses, arb((tails + most * share).upper()))

    def _logs(self, z: Any) -> tuple[Any, Any]:
        law = self._law
        v = 1 - law.q + law.q * (law.up * z - law.up * law.up / 2).exp()
        w = 1 - law.q + law.q * (-law.down * z - law.down * law.down / 2).exp()
        return v.log(), w.log()

    def _tails(self, a: arb, h: arb) -> arb:
        """Beyond its ends the sum falls at least geometrically: |f(x+ia)| is at most
        e^{a²/2}·cos(a·down/2)^{−c} times f(x), and (log f)' = −x + p·up·g + c·down·g'."""
        law, c = self._law, self._c
        right, left = self._rule["last"] * h, -self._rule["first"] * h
        pull = law.q * (-law.down * right - law.down * law.down / 2).exp()
        pull = c * law.down * pull / (1 - law.q + pull)
        fall = right - self._p * law.up - pull
        only_if(fall > 0 and left > 0, "the ends of the quadrature beyond the bump")
        ends: arb = self._at(right) / (h * fall).expm1() + self._at(-left) / (h * left).expm1()
        return (a * a / 2).exp() * (a * law.down / 2).cos() ** (-c) * ends

    def _at(self, x: arb) -> arb:
        log_v, log_w = self._logs(x)
        value: arb = (self._p * log_v - self._c * log_w - x * x / 2).exp()
        return value

    @property
    def mass(self) -> arb:
        return self._nodes.mass

    @property
    def work(self) -> int:
        return len(self._nodes.losses)

    def values(self, step: float, count: int) -> list[acb]:
        return self._nodes.values(step, count)

    def decay(self, t: Array) -> Array:
        nodes, mass = self._nodes, self.mass
        sizes = np.array([above(weight.abs_upper() / mass) for weight in nodes.weights])
        fall = np.array([max(below(loss.imag), 0.0) for loss in nodes.losses])
        few = by_nodes(sizes, fall, above(nodes.error / mass), t)
        return np.minimum(few, by_pairs(self._held(), t))

    def _held(self) -> Cells:
        """On a cell the logarithm of the tilted density is at least the less of its ends, less
        width²/8 times what it may bend upwards: (c+1)·up²/4 − 1."""
        law, c, p, width = self._law, self._c, self._p, arb(self._rule["width"])
        base = (2 * arb.pi()).log() / 2 + self.mass.log()
        places = [arb(self._rule["cell"]) + j * width for j in range(CELLS + 1)]
        logs = [self._logs(x) for x in places]
        density = [p * v - c * w - x * x / 2 - base for (v, w), x in zip(logs, places, strict=True)]
        bend = width * width / 8 * arb.max(p * law.up * law.up / 4 - 1, arb(0))
        pairs = pairwise(density)
        mass = [max(below(width * (arb.min(x, y) - bend).exp()), 0.0) for x, y in pairs]
        loss = [v - w for v, w in logs]
        left, right = [below(x) for x in loss[:-1]], [above(x) for x in loss[1:]]
        return Cells(np.array(mass), np.array(left), np.array(right))
