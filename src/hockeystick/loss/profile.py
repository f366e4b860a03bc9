"""The loss behind a privacy profile: a guarantee known only as a curve δ(ε) becomes K(s).

By Theorem 6 of Balle, Barthe and Gaboardi (2018), for a curve that holds in both directions,

    e^{K(s)} = 1 − δ(inf) + s(s+1)·∫_0^inf (e^{su} + e^{−(s+1)u})·(δ(u) − δ(inf)) du

and the curve need not come from a mechanism that anybody has written down.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from copy import copy

import numpy as np
from numpy.polynomial import legendre

from hockeystick.errors import NumericalError, ParameterError
from hockeystick.loss.base import CHUNK, EMPTY, AtomlessLoss, Complex, Loss, Mixed, Nodes, Tails
from hockeystick.loss.given import LAST, Given
from hockeystick.loss.panels import (
    NATS,
    POINTS,
    TURN,
    Panels,
    Weighted,
    gauss,
    panels_of,
    weighted_points,
    weighted_points_near,
)
from hockeystick.numerics.series import LEAST, Array, log1p, log_mixed

ACCURACIES = (1e-12, 1e-9)
"""Relative errors to which panels are tried to follow a curve that may carry noise."""
LARGE = 2000.0
"""For larger s only the points near the peak are taken, for each s anew."""
FEW = 8
"""So many values of a curve may be asked for themselves: it can be slow."""
MOST_TERMS = 1 << 28
"""Most points of the curve × points of the plane of one question, a few seconds' work."""


class ProfileLoss(AtomlessLoss):
    """The symmetric loss with profile δ(ε), ε >= 0, kept as Legendre series on panels."""

    symmetric = True
    breaks = EMPTY

    def __init__(self, curve: Callable[[float], float]) -> None:
        self._given = given = Given(curve)
        self.infinite = self.void = given.infinite
        self.last = given.last
        self._panels = _followed(given)
        self._edges = np.append(self._panels.start, given.last)
        points, _, to_series, _ = gauss()
        self._series = self._panels.values @ to_series.T
        self._u = self._edges[:-1, None] + self._panels.width[:, None] * (points + 1) / 2
        self._check()
        self.smooth = not self._has_atoms()
        self._cut = not self.infinite and given.goes_on
        self.top = math.inf if self._cut else self.last
        self.bottom = -self.top
        self._finer: dict[int, Weighted] = {}

    def _check(self) -> None:
        """Only a decreasing curve, convex in e^ε, is a profile."""
        u, values = self._u.ravel(), self._panels.values.ravel()
        near = u < 30
        steps = np.diff(np.expm1(u[near]))
        slopes = np.diff(values[near]) / steps
        noise = 4e-15 / steps
        if (slopes > noise).any():
            raise ParameterError("profile must not increase with epsilon")
        if (np.diff(slopes) < -(noise[1:] + noise[:-1]) - 1e-9 * np.abs(slopes[1:])).any():
            raise ParameterError("profile must be convex in e^epsilon; give its convex envelope")

    def _has_atoms(self) -> bool:
        """Whether the slope jumps between two panels, or the masses leave something at loss 0."""
        widths = self._panels.width
        slopes = legendre.legder(self._series.T)
        left, right = (legendre.legval(x, slopes) * 2 / widths for x in (-1.0, 1.0))
        start = legendre.legval(-1.0, self._series[0]) + self.infinite
        at_zero = 1 - self.infinite - (start - 2 * left[0])
        jumps = np.abs(np.append(left[1:], 0.0) - right) * np.exp(-self._edges[1:])
        return bool(at_zero > 1e-5 or (jumps > 1e-4).any())

    def _evaluate(self, u: Array, derivative: int = 0) -> Array:
        """The curve less its limit, or a derivative."""
        panel = np.clip(np.searchsorted(self._edges, u, "right") - 1, 0, len(self._series) - 1)
        width = self._panels.width[panel]
        x = np.clip(2 * (u - self._edges[panel]) / width - 1, -1, 1)
        series = self._series.T
        for _ in range(derivative):
            series = legendre.legder(series)
        value = legendre.legval(x, series[:, panel], tensor=False) * (2 / width) ** derivative
        return np.where(u >= self.last, 0.0, value)

    def delta(self, u: Array) -> Array:
        """The curve, from its panels."""
        return self._evaluate(u) + self.infinite

    def profile(self, epsilon: Array) -> Array:
        value = self._values(np.abs(epsilon))
        return np.where(epsilon >= 0, value, -np.expm1(epsilon) + np.exp(epsilon) * value)

    def _values(self, u: Array) -> Array:
        """The curve itself at a few points, for an answer to one step; its panels at many."""
        if np.size(u) <= FEW:
            with suppress(OverflowError):  # the curve calls exp(ε)
                return np.maximum(self._given.delta(u), self.infinite)
        return self.delta(u)

    def tails(self, losses: Array) -> Tails:
        u = np.abs(losses)
        slope = np.minimum(self._evaluate(u, 1), 0)
        far_p = np.maximum(self._evaluate(u) - slope, 0)
        far_q = -np.exp(-u) * slope
        total = 1 - self.infinite
        up = losses >= 0
        return Tails(
            np.where(up, far_p, total - far_q),
            np.where(up, far_q, total - far_p),
            np.where(up, total - far_p, far_q),
            np.where(up, total - far_q, far_p),
        )

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        u = self._u.ravel()
        _, weights, _, _ = gauss()
        widths = np.repeat(self._panels.width / 2, POINTS) * np.tile(weights, len(self._series))
        density = np.exp(-u) * np.maximum(self._evaluate(u, 2) - self._evaluate(u, 1), 0)
        losses = np.concatenate([-u[::-1], u])
        both = np.concatenate([(density * np.exp(u))[::-1], density])
        with np.errstate(divide="ignore"):
            log_q = np.log(both * np.concatenate([widths[::-1], widths]))
        sizes = np.array([[0.0], [1.0], [low + 1], [high + 1]]) * losses + log_q
        kept = (sizes > sizes.max(axis=1)[:, None] - NATS).any(axis=0)
        return Nodes(losses[kept], log_q[kept], both[kept])

    def mean(self) -> float:
        if self.infinite:
            return math.inf
        u, weights = self._weighted(1.0)
        return float(weights @ (1 + np.exp(-u)))

    def cgf(self, s: Complex | Array) -> Complex:
        return self.mixed_cgf(s, 1.0)

    def _weighted(self, power: float) -> Weighted:
        """Points u and weights (δ(u) − δ(inf))du, good for |s| up to `power`."""
        level = max(0, math.ceil(math.log2(max(power, 1.0))))
        if level not in self._finer:
            self._finer[level] = weighted_points(self, self._panels, TURN / 2.0**level)
        return self._finer[level]

    def mixed_terms(
        self, rate: float, points: Weighted | None = None
    ) -> tuple[Array, Array, Array, Array]:
        """Quadrature of the mixed curves: losses and δ(u)du forwards, then the same backwards."""
        u, weights = points or self._weighted(1.0)
        forward = log_mixed(rate, u)
        backward = u if rate == 1 else -log_mixed(rate, -u)
        ahead = weights * rate * rate * np.exp(u - forward)
        behind = weights * (rate * np.exp(-u + backward)) ** 2
        return forward, ahead, backward, behind

    def mixed_cgf(self, s: Complex | Array, rate: float) -> Complex:
        """K(s) of the pair mixed at `rate`, from the mixed curves in both directions."""
        s = np.atleast_1d(np.asarray(s, dtype=complex))
        if np.abs(s).max() <= LARGE or s.imag.any():
            points = self._weighted(float(np.abs(s).max()) + 1)
            return self._cgf_with(s, rate, points)
        return np.concatenate(
            [self._cgf_with(one, rate, self._near(float(one.real[0]))) for one in s[:, None]]
        )

    def _near(self, tilt: float) -> Weighted:
        """Points that matter to one real s, however large: near the peak and near 0."""
        far = weighted_points_near(self, self._panels, tilt)
        near = weighted_points_near(self, self._panels, -1 - tilt)
        place, first = np.unique(np.concatenate([far[0], near[0]]), return_index=True)
        return place, np.concatenate([far[1], near[1]])[first]

    def _cgf_with(self, s: Complex, rate: float, points: Weighted) -> Complex:
        """K(s) by the points that matter to one of the s, some s at a time to spare memory."""
        forward, ahead, backward, behind = self.mixed_terms(rate, points)
        losses = np.concatenate([forward, -backward])
        log_weights = np.log(np.concatenate([ahead, behind]))
        log_weights[forward.size :] -= backward
        kept = np.zeros(losses.size, dtype=bool)
        for tilt in np.unique(s.real):
            size = tilt * losses + log_weights
            least = size.max(initial=-math.inf) - NATS
            if self._cut and tilt > 0 and size[int(np.argmax(forward))] > least:
                raise NumericalError("K(s) depends on values of the profile below 1e-270")
            kept |= size > least
        losses, log_weights = losses[kept], log_weights[kept]
        if losses.size * s.size > MOST_TERMS:
            raise NumericalError(
                f"K of a profile would take {losses.size * s.size} terms at {s.size} points"
            )
        rows = max(1, CHUNK // max(1, losses.size))
        blocks = [
            self._cgf_at(s[i : i + rows], rate, losses, log_weights) for i in range(0, s.size, rows)
        ]
        return np.concatenate(blocks)

    def _cgf_at(self, s: Complex, rate: float, losses: Array, log_weights: Array) -> Complex:
        exponent = s.real[:, None] * losses + log_weights
        # Where P has no mass the mixture still has 1 − rate of Q.
        log_stay = -math.inf
        if self.infinite and rate < 1:
            log_stay = math.log(self.infinite)
        stay = log_stay + (s + 1) * (math.log1p(-rate) if rate < 1 else 0.0)
        peak = np.maximum(np.max(exponent, axis=1, initial=0.0), stay.real)
        size = np.exp(exponent - peak[:, None])
        angle = s.imag[:, None] * losses
        integral = (size * np.cos(angle)).sum(axis=1) + 1j * (size * np.sin(angle)).sum(axis=1)
        total = s * (s + 1) * integral + np.exp(stay - peak)
        small = log1p((total - self.infinite).real, total.imag)
        with np.errstate(divide="ignore"):
            modulus = total + (1 - self.infinite) * np.exp(-peak)
            large = peak + np.maximum(np.log(np.abs(modulus)), LEAST) + 1j * np.angle(modulus)
        return np.where(peak == 0, small, large)

    def spread(
        self, tilt: float, frequencies: Array, resolved: float, guarded: bool = True
    ) -> Array:
        """A curve with kinks has atoms at places that are known only roughly: assume no decay."""
        known = super().spread(tilt, frequencies, resolved, guarded)
        return known if self.smooth else np.ones_like(known)

    def mix(self, rate: float) -> Loss:
        return self if rate == 1 else MixedProfile(self, rate)

    def truncated(self, mass: float) -> Loss:
        if not self._cut or mass < LAST:
            return self
        ended = copy(self)
        ended._cut, ended.top, ended.bottom = False, self.last, -self.last
        ended.infinite = ended.void = LAST
        return ended


def _followed(given: Given) -> Panels:
    """The curve on panels, in order."""
    for accuracy in ACCURACIES:
        try:
            panels = panels_of(given, accuracy)
        except NumericalError:
            continue
        order = np.argsort(panels.start)
        return Panels(panels.start[order], panels.width[order], panels.values[order])
    raise NumericalError("profile is too rough to be integrated: does it carry noise?")


class MixedProfile(Mixed):
    """A profile's loss under Poisson sampling, with K from the mixed profile."""

    base: ProfileLoss

    def cgf(self, s: Complex | Array) -> Complex:
        return self.base.mixed_cgf(s, self.rate)

    def mean(self) -> float:
        if self.infinite:
            return math.inf
        _, ahead, backward, behind = self.base.mixed_terms(self.rate)
        return float(ahead.sum() + np.exp(-backward) @ behind)  # K'(0)

    def reverse_mean(self) -> float:
        if self.base.infinite:
            return Loss.reverse_mean(self)
        forward, ahead, _, behind = self.base.mixed_terms(self.rate)
        return float(np.exp(-forward) @ ahead + behind.sum())  # −K'(−1)

    def spread(
        self, tilt: float, frequencies: Array, resolved: float, guarded: bool = True
    ) -> Array:
        known = super().spread(tilt, frequencies, resolved, guarded)
        return known if self.base.smooth else np.ones_like(known)
