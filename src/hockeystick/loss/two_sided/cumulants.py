"""K(s) of a pair by Theorem 6 of Balle, Barthe and Gaboardi (2018), from values of its curves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.two_sided.panels import NEGLIGIBLE_NATS, PanelCurve, Weighted, level_of
from hockeystick.numerics.blocks import CHUNK
from hockeystick.numerics.series import LEAST, Array, log1p, log_mixed
from hockeystick.numerics.types import Complex

LARGE_POWER = 2000.0
"""For larger real s only the points near the peak are taken, for each s anew."""
MOST_TERMS = 1 << 28
"""Most points of the curves × points of the plane of one question, a few seconds' work."""

Terms = tuple[Array, Array]
"""Losses x and log-weights, so that the integral of Theorem 6 is Σ e^{s·x + log_weight}."""


@dataclass(frozen=True, eq=False)
class Cumulants:
    """K(s) of the pair with these curves, mixed at a rate q.

    In ((1−q)·Q + q·P, Q) a loss u > 0 becomes log(1 − q + q·e^u), where the profile is q·δ(u), and
    a loss v > 0 of the reverse becomes w = −log(1 − q + q·e^{−v}), where it is q·e^{w−v}·δ'(v). The
    Q-mass δ'(∞) that P lacks is then at the loss log(1 − q).
    """

    forward: PanelCurve
    backward: PanelCurve
    rate: float = 1.0

    def __post_init__(self) -> None:
        _ = self.forward.panels, self.backward.panels  # an error now if a curve is too rough

    def at(self, s: Complex) -> Complex:
        """K at each s."""
        largest = float(np.abs(s).max())
        if largest <= LARGE_POWER or s.imag.any():
            return self._with(s, self._terms(level_of(largest + 1)))
        return np.concatenate(
            [self._with(one, self._terms_near(one.real[0])) for one in s[:, None]]
        )

    def mean(self) -> float:
        """K'(0), where no loss is +inf."""
        _, log_weights = self._terms(0)
        at_void = self.rate + (1 - self.rate) * self._log_rest if self.rate < 1 else 1.0
        return float(np.exp(log_weights).sum()) + self.backward.infinite * at_void

    def reverse_mean(self) -> float:
        """−K'(−1), where no loss is −inf."""
        x, log_weights = self._terms(0)
        at_void = self.rate + self._log_rest if self.rate < 1 else 1.0
        total = float(np.exp(log_weights - x).sum())
        return total + self.rate * self.forward.infinite - self.backward.infinite * at_void

    @cached_property
    def _log_rest(self) -> float:
        """log(1 − q)."""
        return math.log1p(-self.rate) if self.rate < 1 else -math.inf

    @cached_property
    def _by_level(self) -> dict[int, Terms]:
        return {}

    def _terms(self, level: int) -> Terms:
        """Terms good for |s| up to 2^level."""
        if level not in self._by_level:
            curves = self.forward.weighted(level), self.backward.weighted(level)
            self._by_level[level] = self._mixed(*curves)
        return self._by_level[level]

    def _terms_near(self, tilt: float) -> Terms:
        """Terms that matter to one real s, however large."""
        return self._mixed(self.forward.weighted_near(tilt), self.backward.weighted_near(tilt))

    def _mixed(self, ahead: Weighted, behind: Weighted) -> Terms:
        (u, du), (v, dv) = ahead, behind
        if self.rate == 1:
            log_weights = np.log(np.concatenate([du, dv])) + np.append(np.zeros(u.size), -v)
            return np.concatenate([u, -v]), log_weights
        x, w = log_mixed(self.rate, u), -log_mixed(self.rate, -v)
        log_up = np.log(du * self.rate * self.rate * np.exp(u - x))
        log_down = np.log(dv * (self.rate * np.exp(w - v)) ** 2) - w
        return np.concatenate([x, -w]), np.concatenate([log_up, log_down])

    def _with(self, s: Complex, terms: Terms) -> Complex:
        """K by those of the terms that matter to one of the s, some s at a time to spare memory."""
        x, log_weights = terms
        tilts, place = np.unique(s.real, return_inverse=True)
        least = np.empty(tilts.size)
        kept = np.zeros(x.size, dtype=bool)
        for i, tilt in enumerate(tilts):
            size = tilt * x + log_weights
            least[i] = size.max(initial=-math.inf) - NEGLIGIBLE_NATS
            kept |= size > least[i]
        beyond = np.array([self._log_beyond(*pair) for pair in zip(tilts, least, strict=True)])
        matters = beyond > least
        if (matters[place] & (s.imag != 0)).any():
            raise NumericalError("K(s) depends on losses rarer than 1e-270 off the real line")
        beyond = np.where(matters, beyond, -math.inf)[place]
        x, log_weights = x[kept], log_weights[kept]
        if x.size * s.size > MOST_TERMS:
            raise NumericalError(f"K of a profile would take {x.size * s.size} terms")
        rows = max(1, CHUNK // max(1, x.size))
        blocks = [
            self._block(s[i : i + rows], x, log_weights, beyond[i : i + rows])
            for i in range(0, s.size, rows)
        ]
        return np.concatenate(blocks)

    def _log_beyond(self, tilt: float, least: float) -> float:
        """log of what losses add to the integral that are too rare for the panels, if it counts.

        Far out the mixed loss is u + log q; the losses of the reverse end at −log(1 − q) then.
        """
        ahead = behind = -math.inf
        if tilt > 0:
            by = (tilt + 1) * math.log(self.rate)
            ahead = self.forward.log_beyond(float(tilt), float(least) - by) + by
        if tilt < -1 and self.rate == 1:
            behind = self.backward.log_beyond(float(-1 - tilt), float(least))
        return float(np.logaddexp(ahead, behind))

    def _block(self, s: Complex, x: Array, log_weights: Array, beyond: Array) -> Complex:
        q, infinite, void = self.rate, self.forward.infinite, self.backward.infinite
        lost = q * infinite + (1 - q) * void + s * (q * (infinite - void))
        exponent = s.real[:, None] * x + log_weights
        peak = np.maximum(exponent.max(axis=1, initial=0.0), np.maximum(beyond, 0.0))
        stay = np.zeros_like(s)
        if void and q < 1:
            log_stay = math.log(void) + (s + 1) * self._log_rest
            peak = np.maximum(peak, log_stay.real)
            stay = np.exp(log_stay - peak)
        size = np.exp(exponent - peak[:, None])
        angle = s.imag[:, None] * x
        integral = (size * np.cos(angle)).sum(axis=1) + 1j * (size * np.sin(angle)).sum(axis=1)
        total = s * (s + 1) * (integral + np.exp(beyond - peak)) + stay
        small = log1p((total - lost).real, (total - lost).imag)
        modulus = total + (1 - lost) * np.exp(-peak)
        with np.errstate(divide="ignore"):
            large = peak + np.maximum(np.log(np.abs(modulus)), LEAST) + 1j * np.angle(modulus)
        return np.where(peak == 0, small, large)
