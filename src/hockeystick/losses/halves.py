"""The loss behind a bound on the profile that is stated for ε >= 0, one curve per direction.

A guarantee H_a(P‖Q) <= h(a), H_a(Q‖P) <= h'(a) for a >= 1 is the profile of a pair (Zhu, Dong and
Wang 2022): by Theorem 6 of Balle, Barthe and Gaboardi (2018), in its two-sided form,

    e^{K(s)} = 1 + s(s+1)·∫_0^∞ (e^{su}·δ(u) + e^{−(s+1)u}·δ'(u)) du − (s+1)·δ(∞) + s·δ'(∞)

with the limits taken off under the integral. What the curves leave over is an atom at loss 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.polynomial import legendre

from hockeystick.errors import NumericalError, ParameterError
from hockeystick.loss import CHUNK, EMPTY, Atoms, Complex, Loss, Nodes, Tails
from hockeystick.losses.atoms import AtomicLoss
from hockeystick.losses.hull import lower_hull
from hockeystick.series import LEAST, Array, log1p

POINTS = 16
GENERATIONS = 45
MOST_PANELS = 20_000
ACCURACY = 2e-13
"""Relative error of a panel's interpolation, at each of its points."""
TURN = 6.0
"""Largest |s| × width of a panel."""
NATS = 46.0
"""Points are left out that bring less than e^−46 = 1e-20 of the largest."""
THIN = 4
"""One in so many points is enough to plan with."""
DOTS = 3000
MANY_ATOMS = 40
"""With more places at which a curve is not smooth, points of it are as good as panels."""
FLOOR = 1e-290
"""What of a curve is below this is dropped."""


class Term(NamedTuple):
    """(constant + falling/A)·h(A), with h the profile of a loss."""

    constant: float
    falling: float
    loss: Loss


@dataclass(frozen=True)
class Half:
    """δ(u) = Σ (constant + falling/A)·h(A) with A = 1 + (e^u − 1)/rate, for u >= 0.

    The form of every amplification theorem for sampling: the record is drawn with probability
    `rate`, and 1 − β = 1 − e^u/A weighs what stands in its place (advanced joint convexity).
    """

    terms: tuple[Term, ...]
    rate: float
    extra: float = 0.0
    """Added to the curve, at every u."""

    def _stretch(self, u: Array) -> Array:
        """log A."""
        with np.errstate(over="ignore", divide="ignore"):
            small = np.log1p(np.expm1(np.minimum(u, 30)) / self.rate)
            large = u - math.log(self.rate) + np.log1p(-(1 - self.rate) * np.exp(-u))
        return np.where(u < 30, small, large)

    def shrink(self, losses: Array) -> Array:
        """The u at which A is e^loss."""
        far = np.maximum(losses, 30)
        large = far + math.log(self.rate) + np.log1p((1 - self.rate) / self.rate * np.exp(-far))
        return np.where(losses < 30, np.log1p(self.rate * np.expm1(np.minimum(losses, 30))), large)

    def delta(self, u: Array) -> Array:
        """The curve."""
        x = self._stretch(u)
        total = np.full_like(x, self.extra)
        for constant, falling, loss in self.terms:
            total += (constant + falling * np.exp(-x)) * loss.profile(x)
        return total

    @property
    def infinite(self) -> float:
        """The limit of the curve."""
        return self.extra + sum(term.constant * term.loss.infinite for term in self.terms)

    def truncated(self, mass: float) -> tuple[Half, float]:
        """The curve when outcomes of P-mass about `mass` become infinite losses, and their Q-mass.

        Terms that weigh less than that are taken for their bound 1.
        """
        order = sorted(self.terms, key=lambda term: term.constant + term.falling)
        extra = void = 0.0
        while len(order) > 1 and not order[0].falling and extra + order[0].constant <= mass / 2:
            weight, _, loss = order.pop(0)
            extra += weight
            void += weight * (1 - float(loss.profile(np.zeros(1))[0]))
        each = min(mass / 2 / sum(term.constant for term in order), 0.25)
        terms = tuple(term._replace(loss=term.loss.truncated(each)) for term in order)
        void += sum((term.constant + term.falling) * term.loss.void for term in terms)
        return Half(terms, self.rate, self.extra + extra), void

    def log_rest(self, power: float, last: float) -> float:
        """A bound on log E_P[e^{power·L}; L > last], by Chernoff on the losses before sampling."""
        x = float(self._stretch(np.array([last]))[0])
        tilts = 2.0 ** np.arange(-2.0, 9.0)
        worst = -math.inf
        for constant, _, loss in self.terms:
            if math.isinf(loss.top) and constant > 0:
                bounds = loss.cgf(power + tilts).real - tilts * x
                log_weight = math.log(constant / self.rate) + (power + 1) * (last - x)
                worst = max(worst, log_weight + float(bounds.min()))
        return worst

    @cached_property
    def top(self) -> float:
        """Where the curve reaches its limit."""
        return max(float(self.shrink(np.array([term.loss.top]))[0]) for term in self.terms)

    @cached_property
    def breaks(self) -> Array:
        """Places where the curve is not smooth."""
        places = []
        for _, _, loss in self.terms:
            losses = np.append(loss.atoms.losses, loss.top)
            places.append(losses[(losses > 0) & np.isfinite(losses)])
        return np.unique(self.shrink(np.concatenate(places)))

    @cached_property
    def atoms(self) -> Atoms:
        """Jumps of the slope: losses u > 0 and their mass under Q."""
        losses, logs = [EMPTY], [EMPTY]
        for constant, falling, loss in self.terms:
            above = loss.atoms.losses > 0
            x, log_q = loss.atoms.losses[above], loss.atoms.log_q[above]
            losses.append(self.shrink(x))
            with np.errstate(divide="ignore"):
                logs.append(np.log((constant + falling * np.exp(-x)) / self.rate) + log_q)
        u, place = np.unique(np.concatenate(losses), return_inverse=True)
        log_masses = np.concatenate(logs)
        peak = np.full(u.size, -math.inf)
        np.maximum.at(peak, place, log_masses)
        kept = peak > -math.inf
        peak = np.where(kept, peak, 0.0)
        total = np.bincount(place, np.exp(log_masses - peak[place]), u.size)
        return Atoms(u[kept], (peak + np.log(np.maximum(total, 1e-300)))[kept])

    def above(self, u: Array) -> tuple[Array, Array]:
        """P- and Q-mass of the continuous part beyond each u >= 0."""
        x, a = self._stretch(u), np.exp(np.minimum(u, 700))
        p, q = np.zeros_like(x), np.zeros_like(x)
        for constant, falling, loss in self.terms:
            p_above, q_above, _, _ = loss.tails(x)
            if not falling:
                q += constant / self.rate * q_above
                p += constant / self.rate * ((1 - self.rate) * q_above + self.rate * p_above)
                continue
            weight = (constant + falling * np.exp(-x)) / self.rate
            losses, log_q = loss.atoms
            beyond = losses > x[..., None]
            atoms_q = np.where(beyond, np.exp(log_q), 0.0)
            atoms_weight = (constant + falling * np.exp(-losses)) / self.rate
            mapped = np.exp(self.shrink(np.maximum(losses, 0)))
            h = loss.profile(x)
            slope = falling / self.rate * np.exp(-2 * x) * h
            slope = slope + weight * (q_above + atoms_q.sum(axis=-1))
            q += slope - atoms_q @ atoms_weight
            part = (constant + falling * np.exp(-x)) * h - constant * loss.infinite
            p += part + a * slope - atoms_q @ (atoms_weight * mapped)
        return np.maximum(p, 0.0), np.maximum(q, 0.0)


@dataclass(frozen=True)
class ConvexHalf(Half):
    """The lower convex envelope, in a = e^u, of a curve that bends the wrong way at first.

    From a = 1 to the place where it touches, it is the steepest chord. The largest profile of a
    mechanism is convex, so what bounds it is bounded by the envelope too.
    """

    touch: float = 0.0
    slope: float = 0.0
    """−dδ/da on the chord."""

    def delta(self, u: Array) -> Array:
        chord = super().delta(np.zeros_like(u)) - self.slope * np.expm1(np.minimum(u, self.touch))
        return np.where(u < self.touch, chord, super().delta(np.maximum(u, self.touch)))

    @cached_property
    def breaks(self) -> Array:
        places = Half(self.terms, self.rate, self.extra).breaks
        return np.append(self.touch, places[places > self.touch])

    @cached_property
    def atoms(self) -> Atoms:
        losses, log_q = Half(self.terms, self.rate, self.extra).atoms
        beyond = losses > self.touch * (1 + 1e-12)
        losses, log_q = losses[beyond], log_q[beyond]
        mass = self.slope - float(super().above(np.array([self.touch]))[1][0]) - np.exp(log_q).sum()
        if mass <= 1e-12 * self.slope:
            return Atoms(losses, log_q)
        return Atoms(np.append(self.touch, losses), np.append(math.log(mass), log_q))

    def above(self, u: Array) -> tuple[Array, Array]:
        return super().above(np.maximum(u, self.touch))

    def truncated(self, mass: float) -> tuple[Half, float]:
        half, void = super().truncated(mass)
        return convex(half), void


def convex(half: Half) -> Half:
    """The curve, or its envelope where the curve is not convex at a = 1."""
    if not any(term.falling for term in half.terms):
        return half
    start = float(half.delta(np.zeros(1))[0])

    def chord(u: Array) -> Array:
        return (start - half.delta(u)) / np.expm1(u)

    scale = half.rate * 2.0 ** np.arange(-20.0, 12.0, 0.125)
    places = np.unique(np.concatenate([np.log1p(scale), half.breaks]))
    places = places[(places > 0) & (places < 600)]
    values = chord(places)
    best = int(np.argmax(values))
    if best == 0:
        return half
    around = places[max(best - 1, 0) : best + 2]
    for _ in range(40):
        fine = np.union1d(np.linspace(around[0], around[-1], 9), places[best])
        i = int(np.argmax(chord(fine)))
        around = fine[max(i - 1, 0) : i + 2]
    touch = float(fine[i])
    slope = float(chord(np.array([touch]))[0])
    return ConvexHalf(half.terms, half.rate, half.extra, touch, slope)


class Panels(NamedTuple):
    """A stretch of a curve: its ends, and the curve less its limit at Gauss points."""

    start: Array
    width: Array
    values: Array


@lru_cache(maxsize=1)
def _rule() -> tuple[Array, Array, Array]:
    """Gauss points and weights on [−1, 1], and interpolation to the points of both halves."""
    points, weights = legendre.leggauss(POINTS)
    degrees = np.arange(POINTS)
    to_series = (legendre.legvander(points, POINTS - 1) * weights[:, None]).T
    to_series = to_series * (degrees[:, None] + 0.5)
    halves = np.concatenate([(points - 1) / 2, (points + 1) / 2])
    return points, weights, legendre.legvander(halves, POINTS - 1) @ to_series


def _sample(half: Half, start: Array, width: Array) -> Array:
    points, _, _ = _rule()
    u = start[:, None] + width[:, None] * (points + 1) / 2
    return np.maximum(half.delta(u) - half.infinite, 0.0)


def _panels(half: Half) -> Panels:
    """Halve panels until each interpolates the values at its halves' points, relative to them."""
    last = 1.0
    while last < half.top and float(half.delta(np.array([last]))[0]) - half.infinite > FLOOR:
        last *= 2
        if last > 1e6:
            raise NumericalError("a profile does not fall to its limit")
    edges = np.append(half.breaks[half.breaks < last], [0.0, min(last, half.top)])
    edges = np.unique(edges)
    start, width = edges[:-1], np.diff(edges)
    values = _sample(half, start, width)
    _, _, to_halves = _rule()
    done: list[Panels] = []
    for _ in range(GENERATIONS):
        starts = np.stack([start, start + width / 2], axis=1).ravel()
        finer = _sample(half, starts, np.repeat(width / 2, 2)).reshape(-1, 2 * POINTS)
        scale = np.maximum(finer, FLOOR)
        allowed = ACCURACY * scale * (1 - np.log(np.minimum(scale, 1.0)) / 50) + FLOOR
        # u itself is rounded, which shows where the curve falls to 0 between two points of it.
        blur = 1e-15 * (1 + start / width) * values.max(axis=1) + ACCURACY * half.infinite
        allowed = np.maximum(allowed, blur[:, None])
        good = (np.abs(values @ to_halves.T - finer) <= allowed).all(axis=1)
        done.append(Panels(start[good], width[good], values[good]))
        if good.all():
            return Panels(*(np.concatenate(column) for column in zip(*done, strict=True)))
        starts = starts.reshape(-1, 2)[~good]
        start, width = starts.ravel(), np.repeat(width[~good] / 2, 2)
        values = finer[~good].reshape(-1, POINTS)
        if start.size > MOST_PANELS:
            break
    raise NumericalError("a profile is too rough to be integrated")


class HalvesLoss(Loss):
    """The pair with profile `forward` for ε >= 0 and `backward` for ε >= 0 of its reverse."""

    smooth = False

    def __init__(self, forward: Half, backward: Half | None = None) -> None:
        self.forward, self.backward = forward, backward or forward
        self.symmetric = backward is None
        self.top, self.bottom = forward.top, -self.backward.top
        self.infinite, self.void = forward.infinite, self.backward.infinite
        self._panels = [_panels(forward)]
        if backward is not None:
            self._panels.append(_panels(backward))
        self._finer: dict[int, list[tuple[Array, Array]]] = {}

    def _quadrature(self, power: float) -> list[tuple[Array, Array]]:
        """Points u and weights δ(u)du of each half, good for |s| up to `power`."""
        level = max(0, math.ceil(math.log2(max(power, 1.0))))
        if level not in self._finer:
            widest = TURN / 2.0**level
            self._finer[level] = [
                _points(half, panels, widest)
                for half, panels in zip((self.forward, self.backward), self._panels, strict=False)
            ]
        found = self._finer[level]
        return [found[0], found[-1]]

    def cgf(self, s: Complex | Array) -> Complex:
        s = np.atleast_1d(np.asarray(s, dtype=complex))
        (u, ahead), (v, behind) = self._quadrature(float(np.abs(s).max()) + 1)
        x = np.concatenate([u, -v])
        log_weights = np.log(np.concatenate([ahead, behind])) + np.append(np.zeros(u.size), -v)
        size = np.unique(s.real)[:, None] * x + log_weights
        kept = (size > size.max(axis=1, initial=-math.inf)[:, None] - NATS).any(axis=0)
        for half, panels, power, row in (
            (self.forward, self._panels[0], float(s.real.max()), size[-1]),
            (self.backward, self._panels[-1], -1 - float(s.real.min()), size[0]),
        ):
            last = float((panels.start + panels.width).max())
            if half.log_rest(max(power, 0.0), last) > row.max(initial=-math.inf) - NATS:
                raise NumericalError("K(s) depends on losses rarer than 1e-290, which are not kept")
        x, log_weights = x[kept], log_weights[kept]
        rows = max(1, CHUNK // max(1, x.size))
        blocks = [self._cgf(s[i : i + rows], x, log_weights) for i in range(0, s.size, rows)]
        return np.concatenate(blocks)

    def _cgf(self, s: Complex, x: Array, log_weights: Array) -> Complex:
        lost = (s + 1) * self.infinite - s * self.void
        exponent = s.real[:, None] * x + log_weights
        peak = np.maximum(exponent.max(axis=1, initial=0.0), 0.0)
        size = np.exp(exponent - peak[:, None])
        angle = s.imag[:, None] * x
        integral = (size * np.cos(angle)).sum(axis=1) + 1j * (size * np.sin(angle)).sum(axis=1)
        total = s * (s + 1) * integral
        small = log1p((total - lost).real, (total - lost).imag)
        modulus = total + (1 - lost) * np.exp(-peak)
        with np.errstate(divide="ignore"):
            large = peak + np.maximum(np.log(np.abs(modulus)), LEAST) + 1j * np.angle(modulus)
        return np.where(peak == 0, small, large)

    def mean(self) -> float:
        if self.infinite:
            return math.inf
        (_, ahead), (v, behind) = self._quadrature(1.0)
        return float(ahead.sum() + np.exp(-v) @ behind) + self.void

    def reverse_mean(self) -> float:
        if self.void:
            return math.inf
        (u, ahead), (_, behind) = self._quadrature(1.0)
        return float(np.exp(-u) @ ahead + behind.sum()) + self.infinite

    def reverse(self) -> Loss:
        return self if self.symmetric else HalvesLoss(self.backward, self.forward)

    def profile(self, epsilon: Array) -> Array:
        ahead = self.forward.delta(np.maximum(epsilon, 0.0))
        back = self.backward.delta(np.maximum(-epsilon, 0.0))
        behind = -np.expm1(np.minimum(epsilon, 0.0)) + np.exp(np.minimum(epsilon, 0.0)) * back
        return np.where(epsilon >= 0, ahead, behind)

    def reverse_profile(self, epsilon: Array) -> Array:
        return self.reverse().profile(epsilon)

    @cached_property
    def _sides(self) -> tuple[float, float]:
        """P-mass of the positive and of the negative finite losses, continuous part."""
        zero = np.zeros(1)
        return float(self.forward.above(zero)[0][0]), float(self.backward.above(zero)[1][0])

    @cached_property
    def atoms(self) -> Atoms:
        up, log_up = self.forward.atoms
        down, log_down = self.backward.atoms
        high, low = self._sides
        rest = 1 - self.infinite - high - low
        rest -= float(np.exp(log_up + up).sum()) + float(np.exp(log_down).sum())
        losses = np.concatenate([-down, [0.0], up])
        with np.errstate(divide="ignore"):
            log_q = np.concatenate([log_down + down, [np.log(max(rest, 0.0))], log_up])
        kept = log_q > -math.inf
        return Atoms(losses[kept], log_q[kept])

    def tails(self, losses: Array) -> Tails:
        u = np.abs(losses)
        p_up, q_up = self.forward.above(u)
        q_down, p_down = self.backward.above(u)
        high, low = self._sides
        zero = np.zeros(1)
        q_high, q_low = (
            float(self.forward.above(zero)[1][0]),
            float(self.backward.above(zero)[0][0]),
        )
        up = losses >= 0
        return Tails(
            np.where(up, p_up, high + low - p_down),
            np.where(up, q_up, q_high + q_low - q_down),
            np.where(up, high - p_up + low, p_down),
            np.where(up, q_high - q_up + q_low, q_down),
        )

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        """Cells of a few points of the quadrature, as if their mass lay in the middle: a sketch."""
        power = max(abs(low), abs(high)) + 1 + turn
        (u, _), (v, _) = self._quadrature(power)
        edges = np.concatenate([-np.sort(v)[::-THIN], [0.0], np.sort(u)[THIN - 1 :: THIN]])
        tails = self.tails(edges)
        q = np.where(edges[1:] > 0, tails.q_above[:-1] - tails.q_above[1:], np.diff(tails.q_below))
        width = np.diff(edges)
        kept = (q > 0) & (width > 0)
        q, width = q[kept], width[kept]
        losses = ((edges[1:] + edges[:-1]) / 2)[kept]
        return Nodes(
            np.append(losses, self.atoms.losses), np.append(np.log(q), self.atoms.log_q), q / width
        )

    def mix(self, rate: float) -> Loss:
        if rate == 1:
            return self
        raise ParameterError("a sample of a sample is accounted for Poisson sampling only")

    def truncated(self, mass: float) -> Loss:
        forward, void = self.forward.truncated(mass)
        if set(forward.terms) == set(self.forward.terms):
            return self
        backward = replace(self.backward, extra=self.backward.extra + void)
        return HalvesLoss(forward, backward)


def _points(half: Half, panels: Panels, widest: float) -> tuple[Array, Array]:
    """Gauss points and weights × values, panels wider than `widest` split."""
    points, weights, _ = _rule()
    start, width, values = panels
    wide = width > widest
    if wide.any():
        parts = np.ceil(width[wide] / widest).astype(int)
        if parts.sum() > MOST_PANELS:
            raise NumericalError("the quadrature of a profile would need too many nodes")
        fine = np.repeat(width[wide] / parts, parts)
        index = np.arange(parts.sum()) - np.repeat(np.cumsum(parts) - parts, parts)
        more = np.repeat(start[wide], parts) + index * fine
        start, width = np.append(start[~wide], more), np.append(width[~wide], fine)
        values = np.concatenate([values[~wide], _sample(half, more, fine)])
    u = (start[:, None] + width[:, None] * (points + 1) / 2).ravel()
    weighted = (values * (width[:, None] / 2 * weights)).ravel()
    kept = weighted > 0
    return u[kept], weighted[kept]


def symmetric_atoms(half: Half) -> Loss | None:
    """The same loss as a list of atoms, exactly, where there is no continuous part."""
    if any(term.falling or term.loss.continuous for term in half.terms):
        return None
    up, log_up = half.atoms
    rest = 1 - half.infinite - float(np.exp(log_up + up).sum() + np.exp(log_up).sum())
    spacing = float(up[0]) if up.size == 1 else None
    with np.errstate(divide="ignore"):
        log_q = np.concatenate([log_up[::-1] + up[::-1], [np.log(max(rest, 0.0))], log_up])
    return AtomicLoss(
        np.concatenate([-up[::-1], [0.0], up]),
        log_q,
        infinite=half.infinite,
        void=half.infinite,
        spacing=spacing if rest > 0 else spacing and 2 * spacing,
        symmetric=True,
    )


def loss_of(forward: Half, backward: Half | None = None) -> Loss:
    """The loss with these profiles; a list of atoms where that is all there is."""
    exact = symmetric_atoms(forward) if backward is None else None
    if exact is not None:
        return exact
    if all(term.loss.infinite == 1 for term in forward.terms):
        known = forward.infinite
        log_rest = math.log1p(-known) if known < 1 else -math.inf
        return AtomicLoss([0.0], [log_rest], infinite=known, void=known, symmetric=True)
    atoms = sum(term.loss.atoms.losses.size for term in forward.terms if term.falling)
    try:
        if atoms <= MANY_ATOMS and _is_convex(forward):
            return HalvesLoss(forward, backward)
    except NumericalError:  # too rough to be integrated
        pass
    return _dotted(forward, backward or forward)


def _grid(half: Half, count: int) -> Array:
    """Places along the curve, dense where it begins and at its breaks."""
    top = min(half.top, 60.0)
    near = np.log1p(half.rate * np.geomspace(1e-6, np.expm1(top) / half.rate, count))
    breaks = half.breaks[half.breaks < 600]
    u = np.unique(np.concatenate([[0.0], near, np.linspace(0, top, count), breaks]))
    distinct = np.append(True, np.diff(np.exp(u)) > 1e-13 * np.exp(u[1:]))
    return np.asarray(u[distinct])


def _is_convex(half: Half) -> bool:
    """Whether −dδ/da never grows again, to 1e-6 of itself."""
    if not any(term.falling for term in half.terms):
        return True
    u = _grid(half, 400)
    fall = -np.diff(half.delta(u)) / np.diff(np.exp(u))
    return bool((np.diff(fall) <= 1e-6 * np.abs(fall[:-1]) + 1e-12).all())


def _dotted(forward: Half, backward: Half) -> Loss:
    """The envelope of each curve through a few thousand of its points: a list of atoms."""
    up, log_up, high, limit = _dots(forward)
    down, log_down, low, back_limit = _dots(backward)
    rest = 1 - float(forward.delta(np.zeros(1))[0]) - high - low
    with np.errstate(divide="ignore"):
        log_q = np.concatenate([log_down + down, [np.log(max(rest, 0.0))], log_up])
    losses = np.concatenate([-down, [0.0], up])
    return AtomicLoss(losses, log_q, infinite=limit, void=back_limit)


def _dots(half: Half) -> tuple[Array, Array, float, float]:
    """Losses and log-masses of the hull of one curve, their sum, and what the curve ends at."""
    u = _grid(half, DOTS)
    a, h = lower_hull(np.exp(u), half.delta(u))
    falls = np.append(-np.diff(h) / np.diff(a), 0.0)
    masses = -np.diff(falls)
    kept = masses > 0
    return np.log(a[1:])[kept], np.log(masses[kept]), float(falls[0]), float(h[-1])


def joint(
    weights: Sequence[float],
    near: Sequence[Loss],
    far: Sequence[Loss],
    rate: float,
    extra: float = 0.0,
) -> Half:
    """Σ w·((1 − β)·h_far(A) + β·h_near(A)) + extra, with β = e^u/A = rate + (1 − rate)/A."""
    terms: list[Term] = []
    for weight, one, other in zip(weights, near, far, strict=True):
        if one == other:
            terms.append(Term(weight, 0.0, one))
        else:
            terms.append(Term(weight * rate, weight * (1 - rate), one))
            terms.append(Term(weight * (1 - rate), -weight * (1 - rate), other))
    return convex(Half(tuple(terms), rate, extra))
