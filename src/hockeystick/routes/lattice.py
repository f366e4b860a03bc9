"""δ(ε) from losses rounded to a grid, up for the upper end and down for the lower.

Up: the mass between two grid points goes to both, keeping its P-mass and its Q-mass; that is the
smallest pair on the grid which dominates (Doroshenko et al. 2022). Down: the mass around a grid
point is first merged at its mean likelihood ratio, a post-processing, and then lowered to the grid.
Both differ from the truth by O(width²) where the loss has a density.

The rounded losses are tilted by e^{cL}, which centres their sum on ε, and composed by FFT on a
window around it; so a δ of 1e-30 keeps its relative accuracy. What wraps around the window is
bounded like the aliases of the contour.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from hockeystick.bound import Interval
from hockeystick.composed import ComposedLoss
from hockeystick.errors import NumericalError
from hockeystick.loss import Complex, Loss
from hockeystick.routes.contour import LOST, NATS, Line
from hockeystick.routes.saddle import BEYOND, find_saddle
from hockeystick.routes.support import mass_below, support
from hockeystick.series import EPS, Array

FEW = 64
"""Up to so many steps the largest single one is a fair guess of what all give away."""
FIRST_POINTS = 1 << 14
MOST_POINTS = 1 << 18
MOST_SUPPORT = 1 << 22
TRUNCATED = 1e-10
"""Part of δ that may be moved to infinity."""
LINE_NATS = 24.0
"""Aliases and truncation of a line are kept below e^−24 = 4e-11 of δ."""
NEGLIGIBLE = 1e-9
"""Part of δ that the rounding may hide from the lower end."""
ENOUGH = 1e-10
"""Relative gap between the ends at which refining stops."""


@dataclass(frozen=True)
class Window:
    """The stretch of the line on which the law of the tilted sum is computed."""

    epsilon: float
    log_delta: float
    tilt: float
    first: float
    period: float
    log_alias: float
    """log of what may wrap around into the window, or be missing right of it."""


def _window(loss: ComposedLoss, epsilon: float | None, log_delta: float | None) -> Window:
    saddle = find_saddle(loss, epsilon, log_delta, BEYOND)
    if saddle.epsilon < 0:
        saddle = replace(saddle, epsilon=0.0)
    epsilon, log_delta, low = saddle.epsilon, saddle.log_delta, loss.bottom
    i, _, period = saddle.line(NATS, LOST, low)
    tilt = float(saddle.x[i])
    log_alias = log_delta - NATS + math.log(2)
    below = 1.01 * (epsilon - low)
    if below < period and below * (tilt + 1) < 300:
        # Nothing lies left of the bottom: a window from there on has no aliases from the left.
        return Window(epsilon, log_delta, tilt, epsilon - below, period + below, log_alias)
    i, _, period = saddle.line(NATS, LOST)
    tilt = float(saddle.x[i])
    # Little of what is below ε is needed, and e^{−(c+1)y} must not overflow there.
    margin = min(period / 8, 300 / (tilt + 1))
    return Window(epsilon, log_delta, tilt, epsilon - margin, period + margin, log_alias)


@dataclass(frozen=True)
class Sums:
    """Suffix sums over the window, Σ P and Σ P·e^{first−y} from each grid point up."""

    first: float
    width: float
    p: Array
    q: Array
    log_unit: float
    noise: float
    """Rounding error of the law of the tilted sum, summed as in δ(planned ε)."""
    planned: float
    tilt: float
    steps: int
    lifted: float
    """P-mass of the event that some loss was below the grid and has been lifted onto it."""

    def slack(self, log_delta: float) -> tuple[float, float]:
        """How far the sum rounded up can be above the true one, but for an event of small mass.

        Each loss moves to one of its neighbours at random, by at most `width` and by at most
        width²/8 in the mean (Hoeffding 1963, Theorem 2).
        """
        rare = NEGLIGIBLE * math.exp(log_delta)
        drift = self.steps * self.width**2 / 8 * math.exp(self.width)
        return drift + self.width * math.sqrt(self.steps / 2 * -math.log(rare)), self.lifted + rare

    def error(self, epsilon: float) -> float:
        """What δ(ε) may be off by, relative to itself, through rounding."""
        log_noise = math.log(self.noise) + self.tilt * (self.planned - epsilon)
        return math.exp(min(log_noise + self.log_unit - self.delta(epsilon), 50.0))

    def delta(self, epsilon: float) -> float:
        """δ(ε) of the finite losses, as a logarithm."""
        j = min(max(math.ceil((epsilon - self.first) / self.width), 0), len(self.p) - 1)
        value = self.p[j] - math.exp(epsilon - self.first) * self.q[j]
        return self.log_unit + math.log(value) if value > 0 else -math.inf

    def epsilon(self, log_delta: float) -> float:
        """The ε at which the finite losses give δ; −inf if it is below the window."""
        points = self.width * np.arange(len(self.p))
        values = self.p - np.exp(np.minimum(points, 600)) * self.q
        target = math.exp(min(log_delta - self.log_unit, 700))
        if values[0] < target:
            return -math.inf
        j = int(np.searchsorted(-np.maximum.accumulate(values[::-1])[::-1], -target))
        if j >= len(values) or self.q[j] <= 0 or self.p[j] <= target:
            return self.first + self.width * min(j, len(values) - 1)
        return self.first + math.log((self.p[j] - target) / self.q[j])


def _cells(loss: Loss, edges: Array) -> tuple[Array, Array]:
    """P- and Q-mass of the continuous part between neighbouring edges."""
    p_above, q_above, p_below, q_below = loss.tails(edges)

    def between(above: Array, below: Array) -> Array:
        smaller = above[:-1] < below[1:]
        return np.maximum(np.where(smaller, above[:-1] - above[1:], below[1:] - below[:-1]), 0)

    return between(p_above, p_below), between(q_above, q_below)


def _round_up(loss: Loss, first: float, width: float, count: int) -> Array:
    """P-masses on the grid after each loss moves to both neighbours, P- and Q-mass kept."""
    x = first + width * np.arange(count)
    masses = np.zeros(count)
    if loss.continuous:
        p, q = _cells(loss, x)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            excess = np.expm1(np.log(p) - np.log(q) - x[:-1])
        part = np.clip(np.nan_to_num(excess / math.expm1(width), nan=0.5, posinf=1.0), 0, 1)
        up = p * part * math.exp(width) / (1 + part * math.expm1(width))
        masses[1:] += up
        masses[:-1] += np.maximum(p - up, 0)
        masses[0] += max(float(loss.tails(x[:1]).p_below[0]), 0.0)
    losses = loss.atoms.losses
    if losses.size:
        place = np.clip((losses - first) / width, 0, count - 1)
        j = np.minimum((place + 1e-9).astype(int), count - 2)
        part = np.clip(np.expm1((place - j) * width) / math.expm1(width), 0, 1)
        up = part * math.exp(width) / (1 + part * math.expm1(width))
        np.add.at(masses, j + 1, loss.atoms.p * up)
        np.add.at(masses, j, loss.atoms.p * (1 - up))
    return masses


def _round_down(
    loss: Loss, first: float, width: float, count: int, tilt: float
) -> tuple[Array, float]:
    """P-masses on the grid after each loss is lowered, and how far the whole grid is lowered.

    The cell around each grid point is moved until its mean ratio is at the point, or just above.
    """
    x = first + width * np.arange(count)
    places, lags, p = np.empty(0, dtype=int), np.empty(0), np.empty(0)
    if loss.continuous:
        edges = np.append(x - width / 2, x[-1] + width / 2)
        p, lags = _merge(loss, x, edges, width)
        for margin in (0.0, 0.01 * np.abs(lags)):
            wanted = lags + margin
            edges[1:-1] += 0.5 * (wanted[1:] + wanted[:-1])
            np.maximum.accumulate(edges, out=edges)
            p, lags = _merge(loss, x, edges, width)
        places = np.arange(count)
    losses = loss.atoms.losses
    if losses.size:
        nearest = np.minimum(np.round((losses - first) / width).astype(int), count - 1)
        places, p = np.append(places, nearest), np.append(p, loss.atoms.p)
        lags = np.append(lags, first + width * nearest - losses)
    # The tilt is that of the line, which may be well beyond the best one for δ.
    shift = _best_shift(lags, p * np.exp(0.5 * tilt * width * (places - count)), width)
    places = places - (lags > shift + 1e-9 * width)
    kept = places >= 0
    return np.bincount(places[kept], p[kept], count), shift


def _best_shift(lags: Array, weights: Array, width: float) -> float:
    """How far to lower the grid, so that what is lowered by a whole cell more weighs little."""
    heaviest = np.argsort(weights)[-64:]
    shifts = np.concatenate([[0.0], width * 0.25 ** np.arange(24.0), lags[heaviest]])
    order = np.argsort(lags)
    late = np.append(np.cumsum(weights[order][::-1])[::-1], 0.0)
    late = late[np.searchsorted(lags[order], shifts + 1e-9 * width, "right")]
    return float(shifts[np.argmin(shifts + width * late / max(weights.sum(), 1e-300))])


def _merge(loss: Loss, x: Array, edges: Array, width: float) -> tuple[Array, Array]:
    """P-mass of each cell, and how far its mean ratio lies below the grid point."""
    p, q = _cells(loss, edges)
    with np.errstate(divide="ignore", invalid="ignore"):
        lag = x - (np.log(p) - np.log(q))
    return p, np.clip(np.nan_to_num(lag, nan=0.0), -width, width)


def _grid_width(loss: ComposedLoss, width: float) -> float:
    """A width near the wanted one that puts the atoms on the grid as well as can be."""
    if len(loss) > 1:
        return width
    atoms = np.sort(loss.parts[0][0].atoms.losses)
    spread = atoms[-1] - atoms[0] if atoms.size > 1 else 0.0
    if spread < width:
        return width
    cells = math.ceil(spread / width) + np.arange(1 if atoms.size == 2 else 2000)
    place = (atoms[:64] - atoms[0]) / (spread / cells[:, None])
    misfit = np.mod(place + 1e-9, 1).max(axis=1)
    return float(spread / cells[np.argmin(misfit)])


def _sums(loss: ComposedLoss, window: Window, points: int, up: bool) -> Sums:
    import scipy.fft

    width = _grid_width(loss, window.period / points)
    points = scipy.fft.next_fast_len(math.ceil(window.period / width) + 2, real=True)
    tilt, steps = window.tilt, loss.steps
    mass = TRUNCATED * math.exp(window.log_delta) / steps
    log_phi = np.zeros(points // 2 + 1, dtype=complex)
    origin = log_total = lifted = 0.0
    for part, count in loss.parts:
        phi, log_mass, centre, first = _transform(part, tilt, width, points, mass, up)
        with np.errstate(divide="ignore", invalid="ignore"):
            log_phi += count * np.log(phi)
        log_total += count * log_mass
        origin += count * centre
        lifted += count * mass_below(part, first)
    law = np.maximum(scipy.fft.irfft(np.exp(log_phi), points), 0)
    start = math.floor((window.first - origin) / width)
    law = np.roll(law, -start % points)
    first = origin + start * width
    y = width * np.arange(points)
    near = window.epsilon - first
    p = np.cumsum((law * np.exp(tilt * (near - y)))[::-1])[::-1]
    q = np.cumsum((law * np.exp(tilt * (near - y) - y))[::-1])[::-1]
    noise = 8 * EPS * (steps + math.log2(points)) / (tilt * width) / math.sqrt(points)
    noise += 8 * EPS * p[min(max(math.ceil(near / width), 0), points - 1)]
    log_unit = log_total - tilt * window.epsilon
    return Sums(first, width, p, q, log_unit, float(noise), window.epsilon, tilt, steps, lifted)


def _transform(
    loss: Loss, tilt: float, width: float, points: int, mass: float, up: bool
) -> tuple[Complex, float, float, float]:
    """The rounded and tilted law of one loss: its transform about its centre, log E[e^{tilt·L}],
    the centre and where the grid begins."""
    import scipy.fft

    first, size = _grid(loss, width, *support(loss, mass, tilt))
    shift = 0.0
    if up:
        masses = _round_up(loss, first, width, size)
    else:
        masses, shift = _round_down(loss, first, width, size, tilt)
    with np.errstate(divide="ignore"):
        tilted = np.log(masses) + tilt * (width * np.arange(size))
    peak = tilted.max()
    tilted = np.exp(tilted - peak)
    total = tilted.sum()
    centre = round(float(tilted @ np.arange(size) / total))
    folded = np.bincount((np.arange(size) - centre) % points, tilted / total, points)
    start = first - shift
    log_mass = math.log(total) + float(peak) + tilt * start
    return scipy.fft.rfft(folded), log_mass, start + centre * width, first


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
    width = _grid_width(cut, period / points)
    step = 2 * math.pi / (points * width)
    t = step * np.arange(points // 2)
    k = np.zeros(len(t), dtype=complex)
    origin = 0.0
    mass = TRUNCATED * math.exp(log_delta) / cut.steps
    for part, count in cut.parts:
        phi, log_mass, centre, _ = _transform(part, tilt, width, points, mass, up)
        with np.errstate(divide="ignore"):
            k += count * (np.log(phi[: len(t)].conj()) + log_mass + 1j * t * centre)
        origin += count * centre
    level = (k - k[0]).real
    needed = float(saddle.k[i]) - tilt * saddle.epsilon - log_delta + LINE_NATS
    last = int(np.flatnonzero(least * level > -needed)[-1]) + 1
    rest = np.exp(least * level[last:]) @ (1 / (tilt**2 + t[last:] ** 2)) if last < len(t) else 0.0
    log_tail = math.log(2.5 * step / math.pi * rest + 1e-300)
    right = (x, float(saddle.k[j]) + cut.steps * (x * width) ** 2 / 8)
    slop = 4 * EPS * math.log2(points) * cut.steps
    return Line(
        cut, saddle.epsilon, tilt, step, t[:last], k[:last], right, log_tail, slop,
        spacing=width, origin=origin,
    )  # fmt: skip


def _grid(loss: Loss, width: float, low: float, high: float) -> tuple[float, int]:
    """First point and size of a grid over the support, with the lowest atom on it."""
    atoms = loss.atoms.losses
    atoms = atoms[atoms >= low]
    anchor = float(atoms.min()) if atoms.size else low
    below = math.ceil((anchor - low) / width)
    size = below + math.ceil((high - anchor) / width + 1e-6) + 2
    if size > MOST_SUPPORT:
        raise NumericalError(f"the lattice would need {size} points for one loss")
    return anchor - below * width, size


def delta(loss: ComposedLoss, epsilon: float) -> Interval:
    """Both ends of δ(ε)."""
    cut = loss.truncated(max(TRUNCATED * _at_least(loss, epsilon), 1e-300))
    window = _window(cut, epsilon, None)

    def ends(points: int) -> tuple[float, float]:
        high, low = (_sums(cut, window, points, up) for up in (True, False))
        alias = math.exp(window.log_alias)
        log_delta = high.delta(epsilon)
        if log_delta == -math.inf:
            return 0.0, math.inf
        value = math.exp(log_delta) * (1 + high.error(epsilon)) + alias
        lower = math.exp(low.delta(epsilon)) * (1 - low.error(epsilon))
        slack, rare = high.slack(min(log_delta, 0.0))
        if epsilon + slack - high.first < 700:
            coupled = math.exp(high.delta(epsilon + slack)) * (1 - high.error(epsilon)) - rare
            lower = max(lower, coupled)
        return max(0.0, loss.infinite + lower - alias), min(1.0, cut.infinite + value)

    return _converge(ends)


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
    target = delta - loss.infinite
    if target <= 0:
        return Interval(math.inf, math.inf, "closed form")
    cut = loss.truncated(TRUNCATED * target)
    window = _window(cut, None, math.log(target))

    def ends(points: int) -> tuple[float, float]:
        nonlocal window
        for _ in range(20):
            high, low = (_sums(cut, window, points, up) for up in (True, False))
            root = high.epsilon(math.log(target))
            if root > -math.inf or window.epsilon <= 0:
                break
            window = _window(cut, max(0.0, high.first - high.width), math.log(target))
        if root == -math.inf and window.epsilon > 0:
            raise NumericalError("no window of the lattice was found that holds epsilon")
        if root <= 0:
            return 0.0, 0.0
        alias = math.exp(window.log_alias)
        above = (delta - cut.infinite - alias) / (1 + high.error(root))
        below = (target + alias) / (1 - min(low.error(root), 0.5))
        upper = high.epsilon(math.log(above)) if above > 0 else math.inf
        slack = 1e-9 * high.width * cut.steps
        shift, rare = high.slack(math.log(target))
        hidden = (target + alias + rare) / (1 - min(high.error(root), 0.5))
        lower = max(low.epsilon(math.log(below)), high.epsilon(math.log(hidden)) - shift) - slack
        window = _window(cut, upper, math.log(target)) if math.isfinite(upper) else window
        return max(0.0, lower), max(0.0, upper + slack)

    return _converge(ends)


def _converge(ends: Callable[[int], tuple[float, float]]) -> Interval:
    """Refine once, to the number of points that the first gap asks for."""
    found = [ends(FIRST_POINTS)]
    lower, upper = found[0]
    gap = (upper - lower) / max(upper, 1e-300)
    if gap > ENOUGH:
        # The gap shrinks with the width squared.
        wanted = max(2 * FIRST_POINTS, FIRST_POINTS * math.sqrt(gap / ENOUGH))
        found.append(ends(int(min(MOST_POINTS, wanted))))
    lower, upper = max(a for a, _ in found), min(b for _, b in found)
    if lower > upper * (1 + 1e-9):
        raise NumericalError(f"the lattice contradicts itself: {lower!r} > {upper!r}")
    return Interval(min(lower, upper), upper, "lattice")
