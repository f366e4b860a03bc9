"""δ(ε) as an integral of e^{K(s)} along a vertical line, by the trapezoid rule.

    δ(ε) = 1/(2πi) ∫_{Re s = c} e^{K(s) − sε} / (s(s+1)) ds,      any c > 0 where K(c) is finite

The rule with step h = 2π/T gives exactly Σ_m e^{cmT}·δ(ε + mT) over all integers m (Poisson
summation): all terms are positive, so the sum errs upwards, and the terms m ≠ 0 are bounded by
Chernoff's inequality. What is cut off at large |Im s| is bounded by how fast e^{K} decays there.
A loss on a lattice of spacing w has a periodic e^{K}: then one period, |Im s| <= π/w, is all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.series import EPS, Array, dot
from hockeystick.numerics.types import Complex
from hockeystick.routes.contour.saddle import log_kappa

FARTHEST_END = 1e3
"""How far an end may be from its root, relative to it, before the search is given up."""
LATTICE_ROUNDING = 0.05
"""Rounding of one part of a lattice's kernel, relative to that of e^K."""
SETTLED = 1e-13
"""Newton steps below this end the search; what is left is within the ends that are then found."""
ONE = np.ones(1)


class Sum(NamedTuple):
    """δ from a line, at one or several ε."""

    log_value: Array
    too_high: Array
    """log of what the value may be above the truth."""
    too_low: Array
    rate: Array
    """−δ'/δ."""
    lost: Array
    """Nats lost to cancellation: log of Σ|terms| over their sum."""


class Grown(NamedTuple):
    """One more repetition of a part of the sum, where the rest stays as it is."""

    k: Complex
    """Its K along the line,"""
    right: float
    """and at the point further right."""
    steps: int


@dataclass(frozen=True)
class Line:
    """K along one vertical line, ready to give δ(ε) for every ε near the one it was planned for."""

    loss: ComposedLoss
    epsilon: float
    """The ε it was planned for."""
    centre: float
    step: float
    t: Array
    k: Complex
    right: tuple[float, float]
    """A point further right and K there: bounds the aliases from beyond ε + T."""
    log_tail: float
    """log of the sum cut off, in units of e^{K(c) − cε}."""
    slop: float = 0.0
    """Error of e^K on the line, relative to e^{K(c)}, beyond rounding."""
    known_left: bool = False
    """Whether ε − T is below every loss, where δ is 1 − e^ε: then the left aliases are known."""
    spacing: float | None = None
    """Spacing of the lattice that holds every loss, if there is one."""
    origin: float = 0.0
    """A point of that lattice."""
    grown: Grown | None = None
    """What is added to K when it is taken more than once; None: K itself."""

    @cached_property
    def _kernels(self) -> tuple[Complex, Complex]:
        """What e^{K−sε} is multiplied by to give δ and −δ'; half of it at s = c, which stands once.

        On a lattice: its spacing times the sum of e^{−s(y−ε)} over points y >= ε, for s and s+1.
        """
        s = self.centre + 1j * self.t
        half = np.where(self.t == 0, 0.5, 1.0)
        if self.spacing is None:
            return half / (s * (s + 1)), half / (s + 1)
        w = self.spacing
        return half * w / -np.expm1(-s * w), half * w / -np.expm1(-(s + 1) * w)

    @cached_property
    def _weight(self) -> Array:
        return np.asarray(1 / np.abs((self.centre + 1j * self.t) * (self.centre + 1 + 1j * self.t)))

    def _sums(self, epsilon: Array, scale: Array) -> tuple[Array, Array, Array]:
        """log e^{K(c)−cε}, then δ and −δ' in units of it; K taken `scale` times."""
        base = self._peak(scale) - self.centre * epsilon
        first, second = self._kernels
        exponent = self._below_peak(scale) - 1j * (epsilon[:, None] * self.t)
        w = self.spacing
        if w is None:
            value = np.exp(exponent)
            tail = dot(value, second)
        else:
            gap = self._gap(epsilon, scale, w)
            value = np.exp(exponent - gap[:, None] * (self.centre + 1j * self.t))
            tail = np.exp(-gap) * dot(value, second)
        total = dot(value, first) - (0 if w is None else tail)
        scaled = self.step / math.pi
        total, slope = scaled * total.real, scaled * tail.real
        if self.known_left:
            # Σ_{m>0} e^{−cmT}·(1 − e^{ε−mT}), and the same for −δ' = e^ε.
            near = 2 * math.pi / self.step * self.centre
            far = near + 2 * math.pi / self.step
            rest = np.exp(np.minimum(epsilon - far - base, 700)) / math.expm1(-far)
            total += np.exp(np.minimum(-near - base, 700)) / math.expm1(-near) - rest
            slope += rest
        return base, total, slope

    def _peak(self, scale: Array) -> Array:
        """K at s = c."""
        more = self.k if self.grown is None else self.grown.k
        return np.asarray(self.k[0].real + (scale - 1) * more[0].real)

    def _below_peak(self, scale: Array) -> Complex:
        """K less that, along the line."""
        own = self.k - self.k[0].real
        if self.grown is None:
            return np.asarray(scale[:, None] * own)
        more = self.grown.k - self.grown.k[0].real
        return np.asarray(own + (scale - 1)[:, None] * more)

    def _gap(self, epsilon: Array, scale: Array, spacing: float) -> Array:
        """How far above ε the next point of the lattice is."""
        origin = scale * self.origin
        return np.asarray(spacing * np.ceil((epsilon - origin) / spacing) + origin - epsilon)

    def _absolute(self, epsilon: Array, scale: Array) -> Array:
        """The sum of the absolute values, in the units of `_sums`.

        On a lattice the two parts of the kernel are also rounded each by itself.
        """
        size = np.exp(self._below_peak(scale).real)
        if self.spacing is None:
            return np.asarray(dot(size, self._weight)) * self.step / math.pi
        first, second = self._kernels
        gap = self._gap(epsilon, scale, self.spacing)[:, None]
        weight = np.abs(first - np.exp(-gap) * second) + LATTICE_ROUNDING * (
            np.abs(first) + np.abs(second)
        )
        total = np.einsum("ij,ij->i", size, weight * np.exp(-self.centre * gap))
        return np.asarray(2 * total * self.step / math.pi)

    def _turns(self, scale: Array) -> Array:
        """At least about the error of K taken `scale` times, in units of 4·EPS."""
        if self.grown is None:
            return 8 * math.sqrt(self.loss.steps) + scale * self._rounding(self.k, self.right[1])
        steps = self.loss.steps + (scale - 1) * self.grown.steps
        rest = self._rounding(self.k, self.right[1])
        more = self._rounding(self.grown.k, self.grown.right)
        return np.asarray(8 * np.sqrt(steps) + rest + (scale - 1) * more)

    def _rounding(self, k: Complex, right: float) -> float:
        """A term p·e^{sL} is rounded by some units of p·e^{cL}·(1 + cL), for cL and log p come from
        larger numbers: together K(c) and c·K'(c), which a secant bounds as K is convex. log p is
        that of Q and L, which cancel: of a share L of K, by L units, and that is K″/K' by secants.
        A reversed loss takes K at −1−s, where terms cancel that are 1/c times as large, and as
        large as its mean loss under P."""
        slope = (right - k[0].real) / (self.right[0] - self.centre)
        slope = max(slope, 0.0) if math.isfinite(slope) else abs(self.epsilon)
        large = max(slope - k[0].real / self.centre, 0.0) / max(slope, 1e-300) / self.right[0]
        turn = np.abs(k.imag) @ self._weight / self._weight.sum()  # mean |Im K| of the line
        size = (2 + large) * abs(k[0].real) + 2 * float(turn) + self.centre * slope
        mean = self.loss.mean_reversed
        return float(size * (1 if mean is None else 1 + 1 / self.centre)) + (mean or 0.0)

    def delta(self, epsilon: Array, scale: Array = ONE) -> Sum:
        """δ at each ε, K taken `scale` times."""
        base, value, slope = self._sums(epsilon, scale)
        period = 2 * math.pi / self.step
        s, k = self.right[0], np.asarray(self.right[1])
        gap = (s - self.centre) * period
        k = k + (scale - 1) * (k if self.grown is None else self.grown.right)
        high = k - s * epsilon + log_kappa(s) - gap - math.log(-math.expm1(-gap))
        left = -self.centre * period
        left -= math.log(-math.expm1(left))
        if self.known_left:
            left += math.log(16 * EPS)
        # K of one step is rounded too, and the error adds up over the steps.
        turns = 64 + np.abs(self.centre * epsilon) + self._turns(scale)
        turns += scale * abs(self.origin) * (2 + self.centre)  # where the lattice lies
        absolute = np.maximum(self._absolute(epsilon, scale), 1e-300)
        loose = base + np.log(4 * EPS * turns + scale * self.slop) + np.log(absolute)
        low = np.logaddexp(base + np.minimum(scale, 1) * self.log_tail, loose)
        sound = value > 0
        safe = np.where(sound, value, 1.0)
        return Sum(
            np.where(sound, base + np.log(safe), -math.inf),
            np.logaddexp(np.logaddexp(left, high), low),
            low,
            np.where(sound, slope / safe, 0.0),
            np.where(sound, np.log(absolute / safe), math.inf),
        )


def solve(line: Line, log_target: float, scale: Array = ONE) -> Array:
    """Newton's method on log δ for each scale, from the ε that the line was planned for."""
    root = np.full(scale.shape, float(line.epsilon))
    below, above = np.full(scale.shape, -math.inf), np.full(scale.shape, math.inf)
    for _ in range(30):
        with np.errstate(over="ignore", invalid="ignore"):  # far from the root, where it may be led
            base, value, slope = line._sums(root, scale)
        sound = (value > 0) & (slope > 0)
        value, slope = np.where(sound, value, 1.0), np.where(sound, slope, 1.0)
        excess = base + np.log(value) - log_target
        under = excess > 0
        below, above = np.where(under, root, below), np.where(under, above, root)
        new = np.where(sound, root + excess * value / slope, root - 1 / line.centre)
        if not ((new >= below) & (new <= above)).all():
            middle = (np.maximum(below, -1e300) + np.minimum(above, 1e300)) / 2
            new = np.where((new >= below) & (new <= above), new, middle)
        close = np.abs(new - root) <= SETTLED * (min(1.0, 10 / line.centre) + np.abs(root))
        root = np.where(close, root, new)
        if close.all():
            return root
    if (np.abs(excess) < 1e-6).all():  # rounding keeps it from settling; `ends` allows for that
        return root
    raise NumericalError(f"no epsilon was found for log delta = {log_target!r} on the contour")


def ends(
    line: Line, root: Array, sums: Sum, log_target: float, log_upper: float, scale: Array = ONE
) -> tuple[Array, Array]:
    """Move off the roots until the error of the sum no longer reaches the target, either way."""
    if not np.isfinite(sums.log_value).all():
        raise NumericalError("the contour lost all digits")
    sign = np.repeat([-1.0, 1.0], root.size)
    goal = np.repeat([log_target, log_upper], root.size)
    start, value, rate = (np.tile(x, 2) for x in (root, sums.log_value, sums.rate))
    both = ONE if scale is ONE else np.tile(scale, 2)
    error = np.append(sums.too_high, sums.too_low)
    gap = np.abs(np.expm1(np.minimum(goal - value, 700))) + np.exp(np.minimum(error - value, 700))
    move = 2 * gap / rate + 8 * EPS * (min(1.0, 1 / line.centre) + np.abs(start))
    for _ in range(60):
        if not (move < FARTHEST_END * (1 + np.abs(start))).all():
            break
        value, too_high, too_low, _, _ = line.delta(start + sign * move, both)
        with np.errstate(divide="ignore", invalid="ignore"):
            least = value + np.log(-np.expm1(np.minimum(too_high - value, 0)))
        done = np.where(sign > 0, np.logaddexp(value, too_low) <= goal, least >= goal)
        if done.all():
            lower, upper = np.split(start + sign * move, 2)
            return lower, upper
        move = np.where(done, move, 2 * move)
    raise NumericalError("the error of the contour could not be bounded")
