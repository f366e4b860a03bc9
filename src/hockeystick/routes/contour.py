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

import numpy as np

from hockeystick.bound import Interval
from hockeystick.composed import ComposedLoss
from hockeystick.errors import NumericalError
from hockeystick.loss import Complex
from hockeystick.series import Array

NATS = 32.0
"""Aliases and truncation are each kept below e^−32 = 1e-14 of δ."""
GROWTH = 1.25
"""Ratio of the frequencies at which the decay of e^K is sampled."""
LOST = 3.0
"""Nats of cancellation from which on a line through the truncated loss is tried."""
TRUNCATED = 1e-14
"""Part of δ that may be moved to infinity."""
ACCURATE = math.log(1e-12)
"""A line is planned anew while its error is more than this part of δ."""
MOST_POINTS = 20_000
MOST_PLANNING_PARTS = 32
EPS = 2.0**-52


def log_kappa(x: Array) -> Array:
    """log of x^x/(1+x)^{1+x}, the constant of Chernoff's bound δ(ε) <= κ(x)·e^{K(x) − xε}."""
    return np.asarray(x * np.log(x) - (1 + x) * np.log1p(x))


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
    origin: float
    spacing: float | None

    def _sum(self, epsilon: float) -> tuple[float, float, float]:
        """log e^{K(c)−cε}, then δ and −δ' in units of it."""
        s = self.centre + 1j * self.t
        base = float(self.k[0].real) - self.centre * epsilon
        wave = np.exp(self.k - self.k[0].real - 1j * self.t * epsilon)
        wave[0] *= 0.5
        if self.spacing is None:
            tail = wave / (s + 1)
            value = tail / s
        else:
            w = self.spacing
            gap = w * math.ceil((epsilon - self.origin) / w) + self.origin - epsilon
            wave = wave * (w * np.exp(-s * gap))
            tail = wave * np.exp(-gap) / -np.expm1(-(s + 1) * w)
            value = wave / -np.expm1(-s * w) - tail
        scale = self.step / math.pi
        return base, scale * float(value.real.sum()), scale * float(tail.real.sum())

    def lost(self, epsilon: float) -> float:
        """Nats lost to cancellation: log of Σ|terms| over their sum."""
        _, value, _ = self._sum(epsilon)
        if value <= 0:
            return math.inf
        return math.log(self._magnitude / value)

    @cached_property
    def _magnitude(self) -> float:
        """The sum of the absolute values, in the units of `_sum`."""
        terms = np.exp((self.k - self.k[0]).real) @ self._weight
        return float(terms) * self.step / math.pi

    @cached_property
    def _weight(self) -> Array:
        s = self.centre + 1j * self.t
        return np.asarray(np.abs(1 / (s * (s + 1))))

    def delta(self, epsilon: float) -> tuple[float, float, float, float]:
        """log of the sum, of what it may be too high by, of what it may be too low by, and −δ'/δ."""
        base, value, slope = self._sum(epsilon)
        if value <= 0:
            return -math.inf, math.inf, math.inf, 0.0
        period = 2 * math.pi / self.step
        s, k = self.right
        high = k - s * epsilon + float(log_kappa(np.array(s))) - (s - self.centre) * period
        left = -self.centre * period
        aliases = np.logaddexp(
            left - math.log(-math.expm1(left)),
            high - math.log(-math.expm1(-(s - self.centre) * period)),
        )
        turns = 1 + abs(self.k[0].real) + abs(self.centre * epsilon)
        turns += float(np.abs(self.k.imag) @ self._weight / self._weight.sum())
        rounding = base + math.log(4 * EPS * turns * self._magnitude)
        low = np.logaddexp(base + self.log_tail, rounding)
        return base + math.log(value), float(np.logaddexp(aliases, low)), float(low), slope / value


def _saddle(
    loss: ComposedLoss, epsilon: float | None, log_delta: float | None
) -> tuple[Array, Array]:
    """A grid of real points around the best Chernoff point, and K there."""

    def goal(x: Array, k: Array) -> Array:
        if epsilon is None:
            return (k + log_kappa(x) - (log_delta or 0.0)) / x
        return k - x * epsilon + log_kappa(x)

    exponents = np.arange(-3.0, 8.0)
    for _ in range(8):
        x = 2.0**exponents
        k = loss.real_cgf(x)
        value = goal(x, k)
        value[~np.isfinite(value)] = math.inf
        best = int(np.argmin(value))
        if 0 < best < len(x) - 1 or not np.isfinite(value[best]):
            break
        exponents = exponents + (9 if best else -9)
        if abs(exponents).max() > 60:
            break
    fine = x[best] * 2.0 ** np.arange(-0.75, 0.8, 0.25)
    k_fine = loss.real_cgf(fine)
    points, values = np.concatenate([x, fine]), np.concatenate([k, k_fine])
    order = np.argsort(points)
    keep = order[np.isfinite(values[order])]
    points, first = np.unique(points[keep], return_index=True)
    return points, values[keep][first]


def _saddle_correction(x: Array, k: Array, i: int) -> float:
    """log of the saddle-point integral over e^{K − xε}."""
    return -math.log(x[i] * (x[i] + 1)) - 0.5 * math.log(2 * math.pi * _second_difference(x, k, i))


def _guess_epsilon(x: Array, k: Array, log_delta: float) -> float:
    chernoff = (k + log_kappa(x) - log_delta) / x
    i = min(max(int(np.argmin(chernoff)), 1), len(x) - 2)
    return float(min((k[i] + _saddle_correction(x, k, i) - log_delta) / x[i], chernoff[i]))


def _guess_log_delta(x: Array, k: Array, epsilon: float) -> float:
    chernoff = k - x * epsilon + log_kappa(x)
    i = min(max(int(np.argmin(chernoff)), 1), len(x) - 2)
    return float(min(k[i] - x[i] * epsilon + _saddle_correction(x, k, i), chernoff[i]))


def _second_difference(x: Array, k: Array, i: int) -> float:
    left = (k[i] - k[i - 1]) / (x[i] - x[i - 1])
    right = (k[i + 1] - k[i]) / (x[i + 1] - x[i])
    return max(2 * (right - left) / (x[i + 1] - x[i - 1]), 1e-300)


def plan(loss: ComposedLoss, epsilon: float | None, log_delta: float | None) -> Line:
    """Choose the line, the step and the cut for a given ε or δ (or both), and evaluate K on it."""
    sketch = loss.sketch(MOST_PLANNING_PARTS)
    x, k = _saddle(sketch, epsilon, log_delta)
    if epsilon is None:
        assert log_delta is not None
        epsilon = _guess_epsilon(x, k, log_delta)
    if log_delta is None:
        log_delta = _guess_log_delta(x, k, epsilon)
    i, j, period = _choose(x, k, epsilon, log_delta)
    centre = float(x[i])
    variance = _second_difference(x, k, min(max(i, 1), len(x) - 2))
    cut, log_tail = _cut(sketch, centre, variance, k[i] - centre * epsilon - log_delta)
    step = 2 * math.pi / period
    spacing = loss.spacing
    if spacing is not None and cut > math.pi / spacing:
        # One whole period: an odd number of points, none of them at the edge.
        half = math.ceil(math.pi / spacing / step)
        step = 2 * math.pi / spacing / (2 * half + 1)
        cut, log_tail = half * step, -math.inf
    if not cut / step <= MOST_POINTS:
        raise NumericalError(
            f"the contour would need more than {MOST_POINTS} points; use the lattice"
        )
    t = step * np.arange(math.ceil(cut / step) + 1)
    values = loss.cgf(centre + 1j * t)
    further = float(x[j])
    right = (further, float(loss.real_cgf(np.array([further]))[0]) if sketch is not loss else k[j])
    origin = loss.origin if spacing else 0.0
    return Line(loss, epsilon, centre, step, t, values, right, log_tail, origin, spacing)


def _choose(x: Array, k: Array, epsilon: float, log_delta: float) -> tuple[int, int, float]:
    """The line, the Chernoff point right of it, and the least period that keeps aliases small."""
    best = (math.inf, 0, 0)
    level = k - x * epsilon - np.log(x * (x + 1)) - log_delta
    for i in np.flatnonzero(level < level.min() + LOST):
        left = (NATS - log_delta) / x[i]
        for j in range(i + 1, len(x)):
            chernoff = k[j] - x[j] * epsilon + float(log_kappa(x[j])) - log_delta
            period = max(left, (chernoff + NATS) / (x[j] - x[i]))
            cost = period * (1 + 0.2 * (level[i] - level.min()))
            if cost < best[0]:
                best = (cost, int(i), j)
    cost, i, j = best
    if not math.isfinite(cost):
        raise NumericalError("no vertical line keeps the aliases of the contour small")
    left = (NATS - log_delta) / x[i]
    chernoff = k[j] - x[j] * epsilon + float(log_kappa(x[j])) - log_delta
    return i, j, max(left, (chernoff + NATS) / (x[j] - x[i]))


def _cut(loss: ComposedLoss, centre: float, variance: float, level: float) -> tuple[float, float]:
    """Where to stop, and the log of the sum beyond, in units of e^{K(c) − cε}."""
    unit = 1 / math.sqrt(variance)
    best = (math.inf, math.inf)
    for resolved, count in ((12.0, 44), (100.0, 56), (1000.0, 64), (10000.0, 68)):
        t = unit * GROWTH ** np.arange(-2.0, count - 2.0)
        decay = loss.decay(centre, t, resolved * unit)
        # What each stretch from t[j] to t[j+1], and all beyond the last, can add.
        width = np.append(1 / t[:-1] - 1 / t[1:], 1 / t[-1])
        beyond = np.cumsum((width * np.exp(-decay))[::-1])[::-1] / math.pi
        enough = np.flatnonzero(beyond <= math.exp(-level - NATS))
        if enough.size:
            cut = enough[0]
            with np.errstate(divide="ignore"):
                best = min(best, (float(t[cut]), float(np.log(beyond[cut]))))
        if best[0] < resolved * unit:
            break
    return best


def delta(loss: ComposedLoss, epsilon: float) -> Interval:
    """δ(ε) of the finite part of the loss plus its mass at infinity."""
    line = plan(loss, epsilon, None)
    if line.lost(epsilon) > LOST and not math.isfinite(loss.top):
        part = TRUNCATED * math.exp(min(line.delta(epsilon)[0], _chernoff(line, epsilon)))
        if part > 0:
            line = min(line, plan(loss.truncated(part), epsilon, None), key=lambda x: x.lost(epsilon))
    return evaluate(line, epsilon, loss.infinite)


def evaluate(line: Line, epsilon: float, infinite: float) -> Interval:
    """δ(ε) on a line planned for about this ε; `infinite` is the mass at infinity without truncation."""
    log_value, high, low, _ = line.delta(epsilon)
    if log_value == -math.inf:
        raise NumericalError(f"the contour lost all digits at epsilon = {epsilon!r}")
    value = math.exp(log_value)
    upper = line.loss.infinite + (value + math.exp(low)) * (1 + 4 * EPS) + 5e-324
    lower = infinite + value - math.exp(high)
    return Interval(max(0.0, lower), min(1.0, upper), _name(line))


def _name(line: Line) -> str:
    return "contour" if line.spacing is None else "lattice"


def epsilon(loss: ComposedLoss, delta: float) -> Interval:
    """The ε with δ(ε) = delta: Newton's method on the nodes of one line, then both ends checked."""
    target = delta - loss.infinite
    if target <= 0:
        return Interval(math.inf, math.inf, "closed form")
    log_target = math.log(target)
    line = plan(loss, None, log_target)
    root = solve(line, log_target)
    if line.lost(root) > LOST and not math.isfinite(loss.top):
        other = plan(loss.truncated(target * TRUNCATED), None, log_target)
        other_root = solve(other, log_target)
        if other.lost(other_root) < line.lost(root) - 1:
            line, root = other, other_root
    for _ in range(3):
        log_value, high, low, _ = line.delta(root)
        if max(high, low) - log_value < ACCURATE or abs(root - line.epsilon) * line.centre < 0.05:
            break
        line = plan(line.loss, root, log_target)
        root = solve(line, log_target)
    log_upper = math.log(delta - line.loss.infinite)
    return Interval(
        max(0.0, _end(line, root, log_target, -1)),
        max(0.0, _end(line, root, log_upper, 1)),
        _name(line),
    )


def solve(line: Line, log_target: float) -> float:
    """Newton's method on log δ, from the ε that the line was planned for."""
    root = line.epsilon
    below, above = -math.inf, math.inf
    for _ in range(100):
        log_value, _, _, slope = line.delta(root)
        if log_value > log_target:
            below = root
        else:
            above = root
        new = root + (log_value - log_target) / slope if slope > 0 else root - 1 / line.centre
        if not below <= new <= above:
            new = (below + above) / 2
        if abs(new - root) <= 4 * EPS * (1 + abs(root)):
            return new
        root = new
    raise NumericalError(f"no epsilon was found for log delta = {log_target!r} on the contour")


def _end(line: Line, root: float, log_target: float, sign: int) -> float:
    """Move off the root until the error of the sum no longer reaches the target."""
    log_value, high, low, slope = line.delta(root)
    if log_value == -math.inf:
        raise NumericalError("the contour lost all digits")
    error = low if sign > 0 else high
    gap = abs(math.expm1(log_target - log_value)) + math.exp(min(error - log_value, 700))
    move = 2 * gap / slope + 8 * EPS * (1 + abs(root))
    for _ in range(60):
        end = root + sign * move
        value, too_high, too_low, _ = line.delta(end)
        reach = np.logaddexp(value, too_low) if sign > 0 else _log_minus(value, too_high)
        if sign * (log_target - reach) >= 0:
            return end
        move *= 2
    raise NumericalError("the error of the contour could not be bounded")


def _chernoff(line: Line, epsilon: float) -> float:
    x, k = line.right
    return float(k - x * epsilon + log_kappa(np.array(x)))


def _log_minus(value: float, error: float) -> float:
    return value + math.log(-math.expm1(error - value)) if error < value else -math.inf
