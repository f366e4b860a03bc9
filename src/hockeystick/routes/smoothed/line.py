"""The contour of a smoothed profile, and what smoothing adds.

Let W be normal with mean τ²/2 and variance τ², so that E[e^{−W}] = 1, and D(ε) = E[δ(ε − W)]. Its
Laplace transform is that of δ times E[e^{sW}] = e^{s(s+1)τ²/2}, which falls like e^{−t²τ²/2} along
a vertical line whatever the losses are: atoms need share no lattice, and |φ| <= 1 is enough to cut.

**What it adds.** 0 <= D(ε) − δ(ε) <= τ²·J(ε), where J(ε) = E_P[e^{−x/2}·n_τ(x)] with x = L − ε and
n_τ the density of N(0, τ²). For k(x) = (1 − e^{−x})₊ the mean of k(x + W) is the price of a put
with spot e^{−x}, strike 1, volatility v = τ (Black and Scholes 1973). It is at least k by Jensen's
inequality, as k is convex in e^{−x}; and with f the standard normal density its derivative in v is
f(x/v + v/2) = e^{−x/2−v²/8}·f(x/v). So it exceeds k by at most e^{−x/2}·∫_0^τ f(x/v) dv, which is
e^{−x/2}·(τ·f(y) − |x|·(1 − F(y))) with y = |x|/τ, and that is at most e^{−x/2}·τ·f(y) =
τ²·e^{−x/2}·n_τ(x). Take the mean over L.

J is another integral over the same nodes: e^{−x/2}·n_τ(x) has the two-sided transform
e^{(s+1/2)²τ²/2}, so J(ε) = e^{τ²/8}/(2πi)·∫ e^{K(s) − sε}·e^{s(s+1)τ²/2} ds. Its aliases are
positive: the sum is an upper bound of it. Where the sum of losses is spread over more than τ, the
ends of ε are τ²·(c + 1) apart, whatever the number of steps; beside a heavy atom, of order τ.

**Aliases** of D, m̄ and q̄ being the P- and Q-mass of finite losses: those from the left are between
m̄A − q̄e^ε·B and m̄A, A = Σ_{m>0} e^{−cmT}, B = Σ_{m>0} e^{−(c+1)mT}, because
m̄ − q̄e^x <= D(x) <= m̄. Where x <= low − g, low the least sum, D(x) exceeds m̄ − q̄e^x by at most
q̄e^x·e^{−(g/τ−τ/2)²/2}. From the right: Chernoff's bound with e^{λ(λ+1)τ²/2}, and where
x >= high + g at most m̄·e^{−(g/τ−τ/2)²/2}.

**The cut** beyond t₂, with a = t₂²τ²/2 and in units of b·e^{K(c)−cε}, b = e^{c(c+1)τ²/2}: at most
e^{−a}/(2πa·t₂) of D, since |s(s+1)| >= t², and e^{τ²/8}·e^{−a}/(πτ²t₂) of J.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.series import EPS
from hockeystick.numerics.types import Array, Complex
from hockeystick.routes.contour.saddle import log_kappa
from hockeystick.routes.inverting import LogDelta
from hockeystick.routes.smoothed.atoms import AtomicSum
from hockeystick.routes.smoothed.nodes import nodes_of

CLEAR = 30.0
"""Widths τ from the ends of the range at which a smoothed profile is known, to e^−450."""
KEPT = 1e-14
"""Terms below this part of the largest, over their number, are charged and not kept."""

COARSE = 1e-8
"""The same for a first look at the root, without charge."""


@dataclass(frozen=True)
class Where:
    """Where a line runs: its order, the period of its nodes, the smoothing, and how far it goes."""

    order: float
    period: float
    width: float
    reach: float

    @property
    def nodes(self) -> int:
        return math.ceil(self.reach * self.period / (2 * math.pi)) + 1


@dataclass(frozen=True, eq=False)
class SmoothedLine:
    """D and J along one line, ready to bound δ(ε) for every ε near the one it was planned for."""

    where: Where
    level: float
    """K(c)."""
    mean: float
    """Of the tilted and smoothed sum."""
    t: Array
    terms: Complex
    """Rows: of D at mean = ε, in units of e^{K(c)−cε}, of −D' and of τ²·J."""
    error: float
    """What the sum of D may be off by, but for the rounding of its own exponent."""
    density_error: float
    masses: tuple[float, float]
    """P- and Q-mass of the finite losses, by logarithms."""
    ends: tuple[float, float]
    """The least and the largest sum."""
    right: tuple[Array, Array]
    """Orders above that of the line, with K + log κ of the smoothed sum there."""

    @cached_property
    def coarse(self) -> SmoothedLine:
        """The same line without its small terms: enough to find where the root is."""
        kept = np.abs(self.terms[0]) > COARSE * np.abs(self.terms[0, 0])
        return replace(self, t=self.t[kept], terms=self.terms[:, kept])

    @cached_property
    def _parts(self) -> tuple[Array, Array, float]:
        """Of the terms: the real parts, the others, and how large those of D are together."""
        real, imaginary = self.terms.real.copy(), self.terms.imag.copy()
        return real, imaginary, float(np.abs(self.terms[0]).sum())

    def __call__(self, epsilon: Array) -> LogDelta:
        """Both ends of log δ."""
        least, most, fall = np.array([self._at(float(each)) for each in epsilon]).T
        return LogDelta(least, most, fall)

    def _at(self, epsilon: float) -> tuple[float, float, float]:
        c = self.where.order
        base = self.level - c * epsilon
        real, imaginary, size = self._parts
        angle = self.t * (self.mean - epsilon)
        value, slope, density = (real @ np.cos(angle) - imaginary @ np.sin(angle)).tolist()
        gap = max(density, 0.0) + self.density_error
        low, high, known = self._left(epsilon, base)
        rounding = EPS * (32 + 4 * abs(self.level) + 4 * c * abs(epsilon))
        error = self.error + rounding * (size + high + 2 * known)
        most = value - low + error
        least = value - high - self._right(epsilon, base) - error - gap
        middle = max(value - (low + high) / 2 - gap / 2, 1e-300)
        fall = (slope - known) / middle
        with np.errstate(divide="ignore"):
            logs = np.log(np.maximum([least, most], 0.0))
        return base + float(logs[0]), base + float(logs[1]), fall

    def _left(self, epsilon: float, base: float) -> tuple[float, float, float]:
        """The aliases from the left from both sides, and how fast they fall with ε."""
        c, period, width = self.where.order, self.where.period, self.where.width
        log_p, log_q = self.masses
        high = _series(log_p - base, c * period)
        taken = _series(log_q + epsilon - base, (c + 1) * period)
        clear = (self.ends[0] - epsilon + period) / width
        low = max(high - taken, 0.0)
        if clear < CLEAR:
            return low, high, taken / 2
        more = taken * math.exp(-((clear - width / 2) ** 2) / 2)
        return low, low + more + 4 * EPS * high, taken

    def _right(self, epsilon: float, base: float) -> float:
        """The aliases from the right, at the most."""
        c, period, width = self.where.order, self.where.period, self.where.width
        clear = (epsilon + period - self.ends[1]) / width
        known = math.inf
        if clear >= CLEAR:
            known = self.masses[0] - base + c * period - (clear - width / 2) ** 2 / 2 + 1
        orders, cumulants = self.right
        bounds = cumulants - orders * epsilon - base - (orders - c) * period
        best = int(np.argmin(bounds))
        rest = -math.expm1(-(float(orders[best]) - c) * period)
        return math.exp(min(float(bounds[best]) - math.log(rest), known, 700.0))


def _series(log_first: float, rate: float) -> float:
    """e^log_first·Σ_{m>0} e^{−m·rate}."""
    if log_first - rate > 700:
        raise NumericalError("an alias of the contour is too large for a float")
    return math.exp(log_first - rate) / -math.expm1(-rate)


def line_on(where: Where, atoms: AtomicSum, level: float, nats: float) -> SmoothedLine:
    """φ on the nodes of a line with K(c) = level, but for those where it is below e^−nats."""
    c, width = where.order, where.width
    step, count = 2 * math.pi / where.period, where.nodes
    steps = atoms.tilted(c)
    nodes = nodes_of(steps, step, count, nats)
    t = nodes.places * step
    s = c + 1j * t
    # e^{s(s+1)τ²/2} but for its phase, which moves the mean.
    normal = np.exp(width**2 / 2 * (c * (c + 1) - t**2)) / where.period
    kernel = nodes.values * np.where(t == 0, normal, 2 * normal)
    first = kernel / (s * (s + 1))
    terms = np.array([first, first * s, kernel * (width**2 * math.exp(width**2 / 8))])
    # The rounding of a phase grows with t, and the n-th power multiplies it.
    rough = np.zeros(t.size)
    for each in steps:
        rough += each.count * (4 * EPS * (4 + t * each.reach) + 2 * each.left_out)
    sizes, density_sizes = np.abs(terms[0]), np.abs(terms[2])
    kept = sizes + density_sizes > KEPT * sizes[0] / t.size
    gone = math.exp(-nats) * step / math.pi
    last, boost = step * count, math.exp(width**2 * c * (c + 1) / 2)
    a = (last * width) ** 2 / 2
    cut = boost * math.exp(-a) / math.pi
    return SmoothedLine(
        where=where,
        level=level,
        mean=sum(each.count * each.mean for each in steps) + width**2 * (c + 0.5),
        t=t[kept],
        terms=terms[:, kept],
        error=float((rough * sizes).sum() + sizes[~kept].sum())
        + boost * gone * nodes.skipped_squares / step**2
        + cut / (2 * a * last),
        density_error=float((rough * density_sizes).sum() + density_sizes[~kept].sum())
        + math.exp(width**2 / 8) * (width**2 * boost * gone * nodes.skipped + cut / last),
        masses=(float(atoms.cgf(np.zeros(1))[0]), float(atoms.cgf(-np.ones(1))[0])),
        ends=(atoms.low, atoms.high),
        right=_right_orders(atoms, c, width),
    )


def _right_orders(atoms: AtomicSum, order: float, width: float) -> tuple[Array, Array]:
    orders = order * 2.0 ** np.array([0.03, 0.06, 0.12, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 9])
    smoothed = atoms.cgf(orders) + width**2 * orders * (orders + 1) / 2 + log_kappa(orders)
    return orders, smoothed + 16 * EPS * np.abs(smoothed)
