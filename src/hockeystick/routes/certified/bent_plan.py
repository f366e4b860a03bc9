"""Where the bent line goes, in floats."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from flint import ctx

from hockeystick.errors import CannotCertify
from hockeystick.numerics.types import Array
from hockeystick.routes.certified.bent import BentRecipe
from hockeystick.routes.certified.bent_law import BentLaw

NATS = 19.0
"""Each error is e^−19 of δ, and as a rule far less."""
HEIGHTS, LIFT = (0.74, 0.66, 0.58, 0.5, 0.42, 0.34, 0.26, 0.18, 0.1), 3.0
"""Of the strip of the inner sum: below π/4, and in units of the shift."""
CELL, COARSE = 0.25, 0.3
"""In units of the shift, the widest cells of a bound; nats by which all steps together are bounded
from above in excess, if a cell is no wider than 2·√(COARSE/n)."""
FADED = 40.0
"""Nats below the rate where a grid begins, of a sample of fixed size."""
LEVEL = 0.443
"""Nats that may cancel, for each bit."""


@dataclass(frozen=True)
class _Law:
    """|weight(ξ + ib)|·e^{(1+c)·cos b·X} and its integral."""

    up: float
    q: float
    atom: float | None

    @property
    def base(self) -> float:
        return math.log1p(-self.q) if self.atom is None else 0.0

    def log_size(self, xi: Array, b: float, order: float) -> Array:
        x = np.exp(xi + 1j * b)
        part = -np.expm1(-x)
        part = part if self.atom is None else self.q + (1 - self.q) * part
        z = (x + np.log(part) - self.log_odds) / self.up + self.up / 2
        bell = -(z * z).real / 2 + np.log(np.abs(x / part)) - math.log(2.5066 * self.up)
        return np.asarray(bell + (1 + order) * x.real)

    @property
    def log_odds(self) -> float:
        return math.log(self.q) - self.base

    def grid(self, order: float, b: float) -> Array:
        """From where nothing is to beyond the bump of e^{(1+c)·X}, on the line Im ζ = b."""
        start = self.log_odds - self.up * (22 + self.up / 2)
        start = start if self.atom is None else self.log_odds - FADED
        bump = 4 * (1 + order) * self.up**2 / math.cos(2 * b)
        return np.linspace(start, math.log(3 + 20 * self.up + bump), 1200)

    def log_left(self, xi: float, b: float, order: float) -> float:
        """See `Bent`."""
        r = math.exp(xi)
        if self.atom is not None:
            return xi - self.log_odds + 2 if 9 * r < self.q else math.inf
        far = (self.log_odds - xi) / self.up - self.up / 2 - r
        if far < 1 or r > 0.4:
            return math.inf
        return (b + r) ** 2 / (2 * self.up**2) + (1 + order) * r - far * far / 2

    def log_right(self, xi: float, b: float, order: float) -> float:
        """See `Bent`."""
        r, u = math.exp(xi), self.up
        a, s = r * math.cos(b) + u * u / 2 - self.log_odds - 0.46, r * math.sin(b) + 0.46
        slope = (1 + order) * math.cos(b)
        if a <= 0 or (a * math.cos(b) - s * math.sin(b)) / (u * u) - slope < 1 / r:
            return math.inf
        return (s * s - a * a) / (2 * u * u) + slope * r - math.log(u)

    def log_integral(self, xi: Array, b: float, order: float) -> float:
        size = self.log_size(xi, b, order)
        peak = float(size.max())
        return peak + math.log(float(np.exp(size - peak).sum()) * (xi[1] - xi[0]))

    def log_bound(self, b: float, order: float) -> float:
        """Of |M|; of a sample of fixed size losses below 0, and 0, are as at the order −1."""
        xi = self.grid(order, b)
        most = self.base + self.log_integral(xi, b, order)
        if self.atom is None:
            return most
        others = math.exp(self.log_integral(xi, b, -1.0)) + self.atom
        return float(np.logaddexp(most, math.log(others)))


def planned_bent(law: BentLaw, epsilon: float, log_delta: float) -> BentRecipe:
    """The cheapest recipe whose errors are each e^−NATS of δ."""
    floats = _Law(float(law.up), float(law.q), None if law.atom is None else float(law.atom))
    best: BentRecipe | None = None
    why: Exception = CannotCertify("no bent line was found")
    for high in [b for b in HEIGHTS if b <= LIFT * float(law.up)] or HEIGHTS[-1:]:
        try:
            recipe = _with_height(floats, law.n, epsilon, log_delta, high)
        except (ArithmeticError, ValueError, CannotCertify) as error:
            why = error
            continue
        if best is None or recipe.work < best.work:
            best = recipe
    if best is None:
        raise CannotCertify(str(why)) from why
    return best


def _with_height(law: _Law, n: int, epsilon: float, log_delta: float, high: float) -> BentRecipe:
    x, angle = epsilon - n * law.base, high / 3.3
    strip, low = 0.65 * angle, 1.66 * angle
    larger = math.sin(angle + strip) / math.sin(angle)
    orders = np.exp(np.linspace(math.log(min(0.05, 0.1 / x)), math.log(60.0 / x), 40))
    with np.errstate(all="ignore"):
        heights = n * np.array([law.log_bound(low, larger * c) for c in orders]) + COARSE
        levels = heights - orders * x - log_delta - np.log(np.minimum(orders, 1.0))
    best = int(np.where(np.isfinite(levels), levels, math.inf).argmin())
    level, order = float(levels[best]), float(orders[best])
    if not level < LEVEL * ctx.prec:
        raise CannotCertify(f"{level:.0f} nats cancel on a bent line")
    scale = float(np.float32(order / math.sin(angle)))
    step, points = _outer(scale, angle, strip, x, float(heights[best]) - log_delta)
    inner = _inner(law, (low, high), larger * order, -max(level, 0.0) - NATS - math.log(n) - 4)
    cell = min(CELL, 2 * math.sqrt(COARSE / n)) * min(law.up, 1.0)
    path = scale, angle, strip, step, points, low, high
    return BentRecipe(*path, *inner, float(np.float32(cell)))


def _outer(scale: float, angle: float, strip: float, x: float, height: float) -> tuple[float, int]:
    """The step of w, and so many that e^{−y·cosh w} is small enough."""
    least, y = math.sin(angle - strip), x * scale * math.sin(angle)
    need = height - math.log(least) - x * scale * least - math.log(min(x * scale * least, 1.0))
    step = float(np.float32(2 * math.pi * strip / (need + NATS + 3)))
    last = math.acosh(max((height + NATS + 5 - math.log(math.sin(angle))) / y, 1.5))
    return step, math.ceil(last / step) + 2


def _inner(
    law: _Law, strip: tuple[float, float], order: float, goal: float
) -> tuple[float, int, int, float]:
    """The step of ζ, the ends of the sum and the end of the cells."""
    low, high = strip
    xi = law.grid(order, high)
    both = [law.log_integral(xi, b, order) for b in strip]
    step = math.pi * (high - low) / (float(np.logaddexp(both[0], both[1])) - goal + 1)
    step = float(np.float32(step))
    sizes = [law.log_size(xi, b, order) for b in (low, (low + high) / 2, high)]
    matters = np.flatnonzero(np.max(sizes, axis=0) > goal - 4)
    far = float(xi[min(matters[-1] + 1, xi.size - 1)])
    last = math.ceil(far / step)
    far = max(far, math.log(1.01 / math.cos(high)))
    while law.log_right(far, high, order) > goal - 3:
        far += 0.1
    first = math.floor(float(xi[matters[0]]) / step)
    while law.log_left(first * step, high, order) > goal - 2:
        first -= 5
    return step, first, last, far
