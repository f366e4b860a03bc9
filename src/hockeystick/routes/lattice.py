"""δ(ε) from losses rounded to a grid, up for the upper end and down for the lower (`rounding`).

Both differ from the truth by O(width²) where the loss has a density.

The rounded losses are tilted by e^{cL}, which centres their sum on ε, and composed by FFT on a
window around it; so a δ of 1e-30 keeps its relative accuracy. What wraps around the window is
bounded like the aliases of the contour. Every end is an ε, or a δ, at which the value of the sum
with all that it may be off by has been compared with what was asked.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from hockeystick.bound import Interval
from hockeystick.errors import NumericalError
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.rounding import added
from hockeystick.numerics.series import EPS, Array
from hockeystick.routes.contour import LOST, NATS, Line
from hockeystick.routes.rounding import grid_width, transform
from hockeystick.routes.saddle import BEYOND, find_saddle
from hockeystick.routes.support import mass_below

FEW = 64
"""Up to so many steps the largest single one is a fair guess of what all give away."""
FIRST_POINTS = 1 << 14
MOST_POINTS = 1 << 18
MOST_WORK = 1 << 26
"""Points of the grid over all parts of a composition: some seconds."""
TRUNCATED = 1e-10
"""Part of δ that may be moved to infinity."""
LINE_NATS = 24.0
"""Aliases and truncation of a line are kept below e^−24 = 4e-11 of δ."""
NEGLIGIBLE = 1e-9
"""Part of δ that the rounding may hide from the lower end."""
ENOUGH = 1e-10
"""Relative gap between the ends at which refining stops."""
BLOCK = 16
"""Single steps whose transforms are multiplied before a logarithm is taken, which costs more."""
STEEPEST = 300.0
"""Most nats by which weights in the window may differ from that at ε."""


@dataclass(frozen=True)
class Window:
    """The stretch of the line on which the law of the tilted sum is computed."""

    epsilon: float
    log_delta: float
    tilt: float
    first: float
    period: float
    right: float
    """Order of Chernoff's bound on what is right of the window."""
    bottom: float
    """No sum is below; −inf if what is left of the window was bounded by its tilt alone."""


def _window(loss: ComposedLoss, epsilon: float | None, log_delta: float | None) -> Window:
    saddle = find_saddle(loss, epsilon, log_delta, BEYOND)
    if saddle.epsilon < 0:
        saddle = replace(saddle, epsilon=0.0)
    epsilon, log_delta, low = saddle.epsilon, saddle.log_delta, loss.bottom
    i, j, period = saddle.line(NATS, LOST, low)
    tilt, right = float(saddle.x[i]), float(saddle.x[j])
    below = 1.01 * (epsilon - low)
    if below < period and below * (tilt + 1) < STEEPEST:
        # Nothing lies left of the bottom: a window from there on has no aliases from the left.
        return Window(epsilon, log_delta, tilt, epsilon - below, period + below, right, low)
    i, j, period = saddle.line(NATS, LOST)
    tilt, right = float(saddle.x[i]), float(saddle.x[j])
    # Little of what is below ε is needed, and e^{−(c+1)y} must not overflow there.
    margin = min(period / 8, STEEPEST / (tilt + 1))
    return Window(epsilon, log_delta, tilt, epsilon - margin, period + margin, right, -math.inf)


@dataclass(frozen=True)
class Sums:
    """What the finite losses give away at every point of the window, and how far off it may be."""

    points: Array
    above: Array
    """P-mass from each point up, in units of e^{log_unit}."""
    values: Array
    """δ at each point, in the same units."""
    errors: Array
    """What δ may be off by at each point and above."""
    log_unit: float
    width: float
    tilt: float
    steps: int
    lifted: float
    """P-mass of the event that some loss was below the grid and has been lifted onto it."""
    wobble: float
    """How far rounding may have moved the sum."""

    def slack(self, log_delta: float) -> tuple[float, float]:
        """How far the sum rounded up can be above the true one, but for an event of small mass.

        Each loss moves to one of its neighbours at random, by at most `width` and by at most
        width²/8 in the mean (Hoeffding 1963, Theorem 2).
        """
        rare = NEGLIGIBLE * math.exp(log_delta)
        drift = self.steps * self.width**2 / 8 * math.exp(self.width)
        return drift + self.width * math.sqrt(self.steps / 2 * -math.log(rare)), self.lifted + rare

    def least_values(self, log_delta: float) -> Array:
        """A lower end of δ of the losses themselves at each point, from the sum rounded up.

        Rounding adds M to the sum S, with E[e^−M | S] = 1, 0 <= E[M | S] <= n·width²·e^width/8 =: d
        and tails e^{−t²/2v}, v = n·width²/4, about its mean (Hoeffding 1963, Theorem 2). For the
        kernel k(x) = (1 − e^−x)₊ at x = S − ε this gives

            E[k(x + M)] − k(x) <= h = √(2πv)·e^{v/2}·Φ(√v) + d,

        because for x >= 0 the left is E[(e^{−x−M} − 1)₊], for x < 0 at most E[(x + M)₊]; and where
        |x| > r = d + √(2v·log(1/ρ)) it is ρ·h. So δ is below by at most h·(P[|S − ε| <= r] + ρ),
        and that probability at most P[|S + M − ε| <= 2r] + 2ρ.
        """
        v, d = self.steps * self.width**2 / 4, self.steps * self.width**2 / 8 * math.exp(self.width)
        if v > 1:
            return np.zeros_like(self.values)
        h = math.sqrt(2 * math.pi * v) * math.exp(v / 2) * 0.5 * math.erfc(-math.sqrt(v / 2)) + d
        log_rare = log_delta + math.log(NEGLIGIBLE)
        far = math.ceil(2 * (d + math.sqrt(-2 * v * log_rare) + self.wobble) / self.width) + 1
        place = np.arange(len(self.points))
        start = np.maximum(place - far, 0)
        above = np.append(self.above, 0.0)
        near = above[start] - above[np.minimum(place + far + 1, len(self.points))]
        with np.errstate(over="ignore"):
            near += (self.tilt + 2) * self.errors[start]
            lost = h * (near + 3 * math.exp(min(log_rare - self.log_unit, 700.0)))
        lost[place < far] = math.inf
        return np.asarray(
            self.values - self.errors - lost - self.lifted * math.exp(min(-self.log_unit, 700.0))
        )

    def least_delta(self, epsilon: float) -> float:
        """The lower end of δ(ε) that `least_values` gives, at the next point."""
        j = int(np.searchsorted(self.points, epsilon + self.wobble))
        if j >= len(self.points) or self.values[j] <= 0:
            return 0.0
        log_delta = min(math.log(self.values[j]) + self.log_unit, 0.0)
        return max(float(self.least_values(log_delta)[j]), 0.0) * math.exp(self.log_unit)

    def least_epsilon(self, delta: float) -> float:
        """The lower end of ε(δ) that `least_values` gives, at a point; −inf if there is none."""
        log_delta = math.log(delta)
        enough = self.least_values(log_delta) >= math.exp(min(log_delta - self.log_unit, 700.0))
        last = len(enough) - 1 - int(np.argmax(enough[::-1]))
        return float(self.points[last]) - self.wobble if enough.any() else -math.inf

    def delta(self, epsilon: float, sign: int) -> float:
        """The upper (sign 1) or lower (sign −1) end of δ(ε) of the finite losses."""
        epsilon -= sign * self.wobble
        j = int(np.searchsorted(self.points, epsilon))
        if j == 0 and epsilon < self.points[0]:
            raise NumericalError("epsilon is below the window of the lattice")
        if j == len(self.points):
            value = 0.0
        else:
            gap = epsilon - float(self.points[j])
            value = -math.expm1(gap) * float(self.above[j]) + math.exp(gap) * float(self.values[j])
        value += sign * float(self.errors[max(j - 1, 0)])
        return math.exp(min(self.log_unit + math.log(value), 700.0)) if value > 0 else 0.0

    def epsilon(self, delta: float, sign: int) -> float:
        """The least ε at which δ is surely at most this (sign 1), or the largest at which it surely
        is at least this (sign −1); −inf if there is none in the window, or it may be left of it."""
        target = math.exp(min(math.log(delta) - self.log_unit, 700.0))
        if sign > 0:
            j = int(np.argmax(np.append(self.values + self.errors <= target, True)))
            if j == len(self.points):
                return math.inf
        else:
            j = len(self.points) - int(np.argmax((self.values - self.errors >= target)[::-1]))
            if not (self.values - self.errors >= target).any():
                return -math.inf
        if j == 0:
            return -math.inf
        if j == len(self.points):
            return float(self.points[-1]) - self.wobble
        # Between the points: δ = above − e^{ε − point}·(above − value).
        wanted = float(self.above[j]) - target + sign * float(self.errors[j - 1])
        rest = float(self.above[j] - self.values[j])
        rise = math.log(wanted / rest) if wanted > 0 and rest > 0 else -math.inf
        return float(self.points[j]) + min(max(rise, -self.width), 0.0) + sign * self.wobble


def _sums(loss: ComposedLoss, window: Window, points: int, up: bool) -> Sums:
    import scipy.fft

    width = grid_width(loss, window.period / points)
    points = scipy.fft.next_fast_len(math.ceil(window.period / width) + 2, real=True)
    tilt, steps = window.tilt, loss.steps
    mass = TRUNCATED * math.exp(window.log_delta) / steps
    log_phi = np.zeros(points // 2 + 1, dtype=complex)
    block = np.ones(points // 2 + 1, dtype=complex)
    origin = log_total = lifted = wobble = rounding = 0.0
    for i, (part, count) in enumerate(loss.parts):
        law = transform(part, tilt, width, points, mass, up)
        if count == 1:
            block *= law.phi
        with np.errstate(divide="ignore", invalid="ignore"):
            if count > 1:
                log_phi += count * np.log(law.phi)
            if i % BLOCK == BLOCK - 1 or i == len(loss) - 1:
                log_phi += np.log(block)
                block[:] = 1
        log_total += count * law.log_mass
        origin += count * law.centre
        lifted += count * mass_below(part, law.first)
        # Atoms within 1e-9 of a cell count as on the grid.
        wobble += count * (4 * EPS * law.largest + 1e-9 * width)
        rounding += count * law.rounding
    phi = np.exp(log_phi)
    law_of_sum = np.maximum(scipy.fft.irfft(phi, points), 0)
    start = math.floor((window.first - origin) / width)
    law_of_sum = np.roll(law_of_sum, -start % points)
    first = origin + start * width
    y = first + width * np.arange(points)
    weights = np.exp(tilt * (window.epsilon - y))
    above = np.cumsum((law_of_sum * weights)[::-1])[::-1]
    values = _at_points(above, width)
    # Rounding of the transform is spread evenly over the law; that of the sums is relative.
    size = float(np.sqrt(np.mean(np.abs(phi) ** 2)))
    noise = 8 * EPS * (steps + math.log2(points)) * size / math.sqrt(points)
    kernel = 1 / -math.expm1(-tilt * width) - math.exp(-width) / -math.expm1(-(tilt + 1) * width)
    relative = EPS * (rounding + STEEPEST + 1 / -math.expm1(-tilt * width))
    log_unit = log_total - tilt * window.epsilon
    errors = noise * kernel * weights + relative * above
    with np.errstate(over="ignore"):
        errors += np.exp(_log_alias(window, width, steps, y, up) - log_unit)
    if not (np.isfinite(values).all() and np.isfinite(errors).all()):
        raise NumericalError("the law on the lattice is not a number")
    return Sums(y, above, values, errors, log_unit, width, tilt, steps, lifted, wobble)


def _at_points(above: Array, width: float) -> Array:
    """δ at each point: δ_j = (1 − e^−width)·above_{j+1} + e^−width·δ_{j+1}, all terms positive.

    The recurrence is solved for all j at once, by doubling the distance it spans.
    """
    values = np.append(-math.expm1(-width) * above[1:], 0.0)
    factor, span = math.exp(-width), 1
    while span < len(values) and factor > 0:
        values[:-span] += factor * values[span:]
        factor, span = factor * factor, 2 * span
    return values


def _log_alias(window: Window, width: float, steps: int, y: Array, up: bool) -> Array:
    """log of what may wrap around into the window, or be missing right of it, at each ε."""
    s = window.right
    # Rounding moves each loss by at most a cell, in the mean by width²/8 (Hoeffding's lemma).
    moved = steps * ((s * width) ** 2 / 8 + s * width**2 / 8 * math.exp(width)) if up else 0.0
    right = window.log_delta - NATS + moved + s * np.maximum(window.epsilon - y, 0.0)
    left = window.log_delta - NATS
    if not up and window.bottom > -math.inf and window.bottom - 2 * steps * width < window.first:
        left = -window.tilt * window.period  # the sum rounded down may be below the window
    return np.minimum(np.logaddexp(left, right), 700.0)


def line(
    loss: ComposedLoss,
    epsilon: float | None,
    log_delta: float,
    points: int,
    least: float,
    up: bool,
) -> Line:
    """A contour line of the rounded loss, for this δ and for `least` to 1 times its steps."""
    cut = loss.truncated(TRUNCATED * math.exp(log_delta))
    saddle = find_saddle(cut, epsilon, log_delta, BEYOND)
    i, j, period = saddle.line(LINE_NATS, LOST)
    tilt, x = float(saddle.x[i]), float(saddle.x[j])
    points |= 1  # an even number has a point at the edge of the period, which belongs to both sides
    width = grid_width(cut, period / points)
    step = 2 * math.pi / (points * width)
    t = step * np.arange(points // 2 + 1)
    k = np.zeros(len(t), dtype=complex)
    origin = 0.0
    mass = TRUNCATED * math.exp(log_delta) / cut.steps
    for part, count in cut.parts:
        law = transform(part, tilt, width, points, mass, up)
        with np.errstate(divide="ignore"):
            k += count * (np.log(law.phi[: len(t)].conj()) + law.log_mass + 1j * t * law.centre)
        origin += count * law.centre
    level = (k - k[0]).real
    needed = float(saddle.k[i]) - tilt * saddle.epsilon - log_delta + LINE_NATS
    significant = np.flatnonzero(least * level > -needed)
    if not significant.size:
        raise NumericalError("the rounded loss has no line on which it can be evaluated")
    last = int(significant[-1]) + 1
    rest = np.exp(least * level[last:]) @ (1 / (tilt**2 + t[last:] ** 2)) if last < len(t) else 0.0
    log_tail = math.log(2.5 * step / math.pi * rest + 1e-300)
    right = (x, float(saddle.k[j]) + cut.steps * (x * width) ** 2 / 8)
    slop = 4 * EPS * math.log2(points) * cut.steps
    return Line(
        cut, saddle.epsilon, tilt, step, t[:last], k[:last], right, log_tail, slop,
        spacing=width, origin=origin,
    )  # fmt: skip


def delta(loss: ComposedLoss, epsilon: float) -> Interval:
    """Both ends of δ(ε)."""
    cut = loss.truncated(max(TRUNCATED * _at_least(loss, epsilon), 1e-300))
    window = _window(cut, epsilon, None)

    def ends(points: int) -> tuple[float, float]:
        high, low = (_sums(cut, window, points, up) for up in (True, False))
        value, lower = high.delta(epsilon, 1), low.delta(epsilon, -1)
        if value > 0:
            slack, rare = high.slack(min(math.log(value), 0.0))
            lower = max(lower, high.delta(epsilon + slack, -1) - rare, high.least_delta(epsilon))
        return added(max(0.0, lower), value, (loss.least_infinite, cut.infinite))

    return _converge(ends, len(cut))


def _at_least(loss: ComposedLoss, epsilon: float) -> float:
    """A lower bound or, where that is 0, a rough guess of δ(ε): what one step alone gives away."""
    point = np.array([epsilon])
    single = max(float(part.profile(point)[0]) - part.infinite for part, _ in loss.parts)
    if single > 0 and loss.steps <= FEW:
        return single
    rough = _window(loss.truncated(1e-9), epsilon, None)
    return max(single, math.exp(rough.log_delta))


def epsilon(loss: ComposedLoss, delta: float) -> Interval:
    """Both ends of the ε with δ(ε) = delta."""
    target = delta - loss.least_infinite
    cut = loss.truncated(TRUNCATED * target)
    if cut.infinite >= delta:
        raise NumericalError("delta is too close to the mass at infinity for the lattice")
    window = _window(cut, None, math.log(target))

    def ends(points: int) -> tuple[float, float]:
        nonlocal window
        for _ in range(20):
            high, low = (_sums(cut, window, points, up) for up in (True, False))
            upper = high.epsilon(delta - cut.infinite, 1)
            if upper > -math.inf or window.epsilon <= 0:
                break
            window = _window(cut, max(0.0, float(high.points[0]) - high.width), math.log(target))
        if upper == -math.inf and window.epsilon > 0:
            raise NumericalError("no window of the lattice was found that holds epsilon")
        shift, rare = high.slack(math.log(target))
        coupled = high.epsilon(target + rare, -1) - shift
        lower = max(low.epsilon(target, -1), coupled, high.least_epsilon(target))
        if math.isfinite(upper):
            window = _window(cut, max(upper, 0.0), math.log(target))
        return max(0.0, lower), max(0.0, upper)

    return _converge(ends, len(cut))


def _converge(ends: Callable[[int], tuple[float, float]], parts: int) -> Interval:
    """Refine once, to the number of points that the first gap asks for."""
    most = min(MOST_POINTS, MOST_WORK // parts)
    found = [ends(min(FIRST_POINTS, most))]
    lower, upper = found[0]
    gap = (upper - lower) / max(upper, 1e-300) if math.isfinite(upper) else 1.0
    if gap > ENOUGH and most > FIRST_POINTS:
        # The gap shrinks with the width squared.
        wanted = max(2 * FIRST_POINTS, FIRST_POINTS * math.sqrt(gap / ENOUGH))
        found.append(ends(int(min(most, wanted))))
    lower, upper = max(a for a, _ in found), min(b for _, b in found)
    if lower > upper * (1 + 1e-9):
        raise NumericalError(f"the lattice contradicts itself: {lower!r} > {upper!r}")
    return Interval(min(lower, upper), upper, "lattice")
