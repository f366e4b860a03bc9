"""The loss behind a bound on the profile that is stated for ε >= 0, one curve per direction.

A guarantee H_a(P‖Q) <= h(a), H_a(Q‖P) <= h'(a) for a >= 1 is the profile of a pair (Zhu, Dong and
Wang 2022): by Theorem 6 of Balle, Barthe and Gaboardi (2018), in its two-sided form,

    e^{K(s)} = 1 + s(s+1)·∫_0^∞ (e^{su}·δ(u) + e^{−(s+1)u}·δ'(u)) du − (s+1)·δ(∞) + s·δ'(∞)

with the limits taken off under the integral. What the curves leave over is an atom at loss 0.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property

import numpy as np

from hockeystick.errors import NumericalError, ParameterError
from hockeystick.loss.atoms import AtomicLoss
from hockeystick.loss.base import CHUNK, Atoms, Complex, Loss, Nodes, Tails
from hockeystick.loss.half import Half
from hockeystick.loss.hull import lower_hull
from hockeystick.loss.mirrored import mirrored
from hockeystick.loss.panels import (
    NATS,
    TURN,
    Weighted,
    panels_of,
    weighted_points,
    weighted_points_near,
)
from hockeystick.numerics.series import LEAST, Array, log1p

LARGE = 2000.0
"""For larger s only the points near the peak are taken, for each s anew."""
THIN = 4
"""One in so many points is enough to plan with."""
DOTS = 3000
MANY_ATOMS = 40
"""With more places at which a curve is not smooth, points of it are as good as panels."""


class HalvesLoss(Loss):
    """The pair with profile `forward` for ε >= 0 and `backward` for ε >= 0 of its reverse."""

    continuous = True

    def __init__(self, forward: Half, backward: Half | None = None) -> None:
        self.forward, self.backward = forward, backward or forward
        self.symmetric = backward is None
        self.top, self.bottom = forward.top, -self.backward.top
        self.infinite, self.void = forward.infinite, self.backward.infinite
        self._panels = [panels_of(forward)]
        if backward is not None:
            self._panels.append(panels_of(backward))
        self._finer: dict[int, list[Weighted]] = {}

    def _quadrature(self, power: float) -> list[Weighted]:
        """Points u and weights δ(u)du of each half, good for |s| up to `power`."""
        level = max(0, math.ceil(math.log2(max(power, 1.0))))
        if level not in self._finer:
            widest = TURN / 2.0**level
            self._finer[level] = [
                weighted_points(half, panels, widest)
                for half, panels in zip((self.forward, self.backward), self._panels, strict=False)
            ]
        found = self._finer[level]
        return [found[0], found[-1]]

    def cgf(self, s: Complex | Array) -> Complex:
        s = np.atleast_1d(np.asarray(s, dtype=complex))
        if np.abs(s).max() <= LARGE or s.imag.any():
            return self._cgf_with(s, *self._quadrature(float(np.abs(s).max()) + 1))
        return np.concatenate([self._cgf_with(one, *self._near(one.real[0])) for one in s[:, None]])

    def _near(self, tilt: float) -> list[Weighted]:
        """Points and weights of each half that matter to one real s, however large."""
        ahead = weighted_points_near(self.forward, self._panels[0], tilt)
        return [ahead, weighted_points_near(self.backward, self._panels[-1], -1 - tilt)]

    def _cgf_with(self, s: Complex, forward: Weighted, backward: Weighted) -> Complex:
        """K(s) by the points and weights of each half."""
        (u, ahead), (v, behind) = forward, backward
        x = np.concatenate([u, -v])
        log_weights = np.log(np.concatenate([ahead, behind])) + np.append(np.zeros(u.size), -v)
        tilts, place = np.unique(s.real, return_inverse=True)
        peaks = np.empty(tilts.size)
        kept = np.zeros(x.size, dtype=bool)
        for i, tilt in enumerate(tilts):
            size = tilt * x + log_weights
            peaks[i] = size.max(initial=-math.inf)
            kept |= size > peaks[i] - NATS
        beyond = np.array(
            [self._log_beyond(*pair) for pair in zip(tilts.tolist(), peaks - NATS, strict=True)]
        )
        matters = beyond > peaks - NATS
        if (matters[place] & (s.imag != 0)).any():
            raise NumericalError("K(s) depends on losses rarer than 1e-270 off the real line")
        beyond = np.where(matters, beyond, -math.inf)[place]
        x, log_weights = x[kept], log_weights[kept]
        rows = max(1, CHUNK // max(1, x.size))
        blocks = [
            self._cgf(s[i : i + rows], x, log_weights, beyond[i : i + rows])
            for i in range(0, s.size, rows)
        ]
        return np.concatenate(blocks)

    def _log_beyond(self, tilt: float, least: float) -> float:
        """log of what losses add to the integral that are too rare for the panels, if it counts."""
        ahead = self.forward.log_beyond(tilt, least) if tilt > 0 else -math.inf
        behind = self.backward.log_beyond(-1 - tilt, least) if tilt < -1 else -math.inf
        return float(np.logaddexp(ahead, behind))

    def _cgf(self, s: Complex, x: Array, log_weights: Array, beyond: Array) -> Complex:
        lost = (s + 1) * self.infinite - s * self.void
        exponent = s.real[:, None] * x + log_weights
        peak = np.maximum(exponent.max(axis=1, initial=0.0), np.maximum(beyond, 0.0))
        size = np.exp(exponent - peak[:, None])
        angle = s.imag[:, None] * x
        integral = (size * np.cos(angle)).sum(axis=1) + 1j * (size * np.sin(angle)).sum(axis=1)
        total = s * (s + 1) * (integral + np.exp(beyond - peak))
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


def loss_of(forward: Half, backward: Half | None = None) -> Loss:
    """The loss with these profiles; a list of atoms where that is all there is."""
    exact = mirrored(forward) if backward is None else None
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
