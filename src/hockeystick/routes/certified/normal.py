"""Normal laws on a sample: (1−q)·N(0, 1) + q·N(up, 1) against (1−q)·N(0, 1) + q·N(−down, 1).

down = 0 is a record removed, up = 0 one added, up = down one replaced. With z ~ N(0, 1),
v(z) = 1 − q + q·e^{up·z − up²/2} and w(z) = 1 − q + q·e^{−down·z − down²/2},

    L = log v − log w,    M(s) = E[v^{s+1}·w^{−s}].
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from flint import acb, arb

from hockeystick.loss.exact import Exact
from hockeystick.numerics.series import log_mixed
from hockeystick.numerics.types import Array
from hockeystick.routes.certified.balls import SAFE, above, ball, below, only_if
from hockeystick.routes.certified.discs import TINY, UP, Discs, U, size
from hockeystick.routes.certified.law import Law, Rule, Tilted
from hockeystick.routes.certified.normal_step import one_step
from hockeystick.routes.certified.sampled_normal import CELLS, SampledNormal

STEEPEST = 1.53
"""The lifted line must stay below π/2 in units of the loss."""
HEIGHTS = np.linspace(0.05, STEEPEST, 75)
HIGHEST, HIGHEST_STRIP = 2.0, 7.0
"""Of the line, where what cancels grows with e^{height²/2}; and of half the strip of M(c)."""
FADED = 14.0
"""Nats below its peak where cells no longer count."""
LEAST_NORMAL = 2.0**-1000
"""Doubles above it are within u of what they stand for."""


Seen = tuple[Array, float, float, Array, Array, Array]


class NormalLaw(Law):
    """One step of Gaussian noise, on a sample or not."""

    def __init__(self, exact: Exact) -> None:
        up, down = exact.numbers[::-1] if exact.turned else exact.numbers
        self.up, self.down, self.q = ball(up), ball(down), ball(exact.rate)
        self.sampled = exact.rate != 1
        self.shift = self.up + self.down
        self._floats = float(up), float(down), float(exact.rate)
        self.infinite = self.lost = arb(0)
        self.width = self._floats[0] + self._floats[1]
        self._known: tuple[float, Seen] | None = None

    @cached_property
    def rounded(self) -> tuple[float, ...]:
        """q, up and down as doubles, and at least how far each is from that."""
        balls = self.q, self.up, self.down
        return *map(float, balls), *(above(abs(x - float(x))) for x in balls)

    @property
    def alike(self) -> object:
        """Shifts and rates that are within a per cent."""
        return self.sampled, *(math.ceil(100 * math.log(x)) if x else None for x in self._floats)

    @property
    def top(self) -> arb | None:
        return -(-self.q).log1p() if self.up == 0 and self.sampled else None

    def profile(self, epsilon: arb) -> arb | None:
        return one_step(self.up, self.down, self.q if self.sampled else arb(1), epsilon)

    def rule(self, order: float, reach: float, log_tolerance: float) -> Rule:
        """The height of the line above the real axis, the step and the ends of the sum, chosen to
        take few points; then cells that hold most of the tilted law."""
        if not self.sampled:
            return {}
        height, step = self._height(order, log_tolerance, HIGHEST)
        lift = height * height / 2 - order * _log_cos(self._floats[1] * height / 2)
        ends = self._ends(order, step, log_tolerance - float(lift) - 2)
        first, width = self._cells(order)
        path = {"height": height, "step": step, **ends, "cell": first, "width": width}
        return path | self.rule_at(order, log_tolerance)

    def rule_at(self, order: float, log_tolerance: float, log_m: float = 0.0) -> Rule:
        """On the real axis: the strip in which the integrand is bounded is twice as high."""
        if not self.sampled:
            return {}
        height, step = self._height(order, log_tolerance, HIGHEST_STRIP)
        step = float(np.float32(2 * step))
        ends = self._ends(order, step, log_tolerance - 2)
        return {"mass": {"strip": 2 * height, "step": step, **ends}}

    def _height(self, order: float, log_tolerance: float, most: float) -> tuple[float, float]:
        up, down, _ = self._floats
        a = np.minimum(HEIGHTS / max(up, down), most)
        log_size = np.logaddexp(0.0, 2 * a * a - order * _log_cos(down * a))
        steps = 2 * math.pi * a / (log_size - log_tolerance + 1)
        i = int(steps.argmax())
        return float(a[i]), float(np.float32(steps[i]))

    def _log_density(self, z: Array, order: float) -> Array:
        up, down, q = self._floats
        total = -0.5 * z * z
        if up:
            total = total + (order + 1) * log_mixed(q, up * z - up * up / 2)
        if down:
            total = total - order * log_mixed(q, -down * z - down * down / 2)
        return np.asarray(total)

    def _pull(self, z: Array, order: float) -> Array:
        """How far w draws the bump to the right: order·down·q·e^ℓ/w."""
        _, down, q = self._floats
        if not down:
            return np.zeros_like(z)
        growth = np.exp(np.minimum(down * z + down * down / 2, 700.0))
        return np.asarray(order * down * q / (q + (1 - q) * growth))

    def _ends(self, order: float, step: float, most: float) -> dict[str, int]:
        """How far the sum goes to the left and to the right of 0, in steps."""
        grid, far, peak, left, right, rate = self._seen(order)
        after = _fades(right, rate, step) < peak + most
        before = _fades(left, grid, step) < peak + most
        if not after.any() or not before.any():
            raise ArithmeticError("no end of the quadrature")
        ends = -grid[before.argmax()], far + grid[after.argmax()]
        return {"first": math.floor(ends[0] / step), "last": math.ceil(ends[1] / step)}

    def _seen(self, order: float) -> Seen:
        """The log density left of 0 and right of the bump, on a grid, its peak and how it falls;
        of the last order that was asked."""
        if self._known and self._known[0] == order:
            return self._known[1]
        far = (order + 1) * self._floats[0]
        span = 60.0 + float(self._pull(np.zeros(1), order)[0])
        grid = np.linspace(0.5, span, min(4000, int(2 * span)))
        z = np.concatenate([-grid[::-1], np.linspace(0, far, 60), far + grid])
        density = self._log_density(z, order)
        left, right = density[: grid.size][::-1], density[-grid.size :]
        rate = grid - self._pull(far + grid, order)
        seen = grid, far, float(density.max()), left, right, rate
        self._known = order, seen
        return seen

    def _cells(self, order: float) -> tuple[float, float]:
        far = (order + 1) * self._floats[0] + float(self._pull(np.zeros(1), order)[0])
        z = np.linspace(-9.0, far + 9.0, 500)
        density = self._log_density(z, order)
        kept = z[density > density.max() - FADED]
        return float(kept[0]), float(np.float32((kept[-1] - kept[0]) / CELLS))

    def tilted(self, order: float, rule: Rule) -> Tilted:
        return SampledNormal(self, order, rule) if self.sampled else PlainNormal(self, order)


def _fades(log_density: Array, rate: Array, step: float) -> Array:
    """About the logarithm of what is beyond, where the density falls at this rate."""
    growth = np.log(np.expm1(np.minimum(step * np.maximum(rate, 1e-3), 50.0)))
    return np.where(rate > 0.2, log_density - growth + math.log(step), math.inf)


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

    def relative(self, step: float, count: int, n: int) -> Discs:
        """e^{n·half·(−t² + i·t·(2c+1))}. With n·half within `off` of a double, and t and 2c + 1
        rounded once, each part of the exponent is off by at most `off` and 6u, of itself."""
        half = n * self._half
        near, t = float(half), step * np.arange(float(count))
        off = above(abs(half / near - 1)) if near > LEAST_NORMAL else math.inf
        only_if(off < SAFE, "more bits")
        exponent = near * t * (-t + 1j * (2 * float(self._order) + 1))
        return Discs.of(exponent, (off + 8 * U) * size(exponent) * UP + TINY).exp()

    def decay(self, t: Array) -> Array:
        return -below(self._half) * t * t * (1 - SAFE)
