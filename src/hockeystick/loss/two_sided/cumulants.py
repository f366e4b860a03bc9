"""K of a pair that is known by two curves on panels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.strip import within
from hockeystick.loss.two_sided.panels import (
    MOST_PANELS,
    NEGLIGIBLE_NATS,
    TURN,
    WEIGHTS,
    PanelCurve,
    Panels,
)
from hockeystick.numerics.blocks import in_blocks
from hockeystick.numerics.series import LEAST, log1p, log_mixed
from hockeystick.numerics.types import Array, Complex
from hockeystick.numerics.waves import wave_sums

MOST_TERMS = 1 << 28
"""Most points of the curves × points of the plane of one question, a few seconds' work."""


class Terms(NamedTuple):
    """Losses x and log-weights, so that the integral of Theorem 6 is Σ e^{s·x + log_weight}."""

    x: Array
    log_weights: Array

    def highest(self, tilts: Array) -> Array:
        """The logarithm of the largest term at each real s."""
        return in_blocks(self._highest, tilts, self.x.size)

    def _highest(self, tilts: Array) -> Array:
        sizes = np.multiply.outer(tilts, self.x) + self.log_weights
        return np.asarray(sizes.max(axis=1, initial=-math.inf))

    def sums(self, tilts: Array, peaks: Array) -> Array:
        """Σ e^{s·x + log_weight − peak} at each real s."""
        return in_blocks(
            lambda i: np.exp(
                np.multiply.outer(tilts[i], self.x) + (self.log_weights - peaks[i, None])
            ).sum(axis=1),
            np.arange(tilts.size),
            self.x.size,
        )

    def along(self, s: Complex, peak: float) -> Complex:
        """The same on a vertical line."""
        size = np.exp(float(s.real[0]) * self.x + self.log_weights - peak)
        return wave_sums(s.imag, self.x, size)


@dataclass(frozen=True, eq=False)
class Cumulants:
    """K(s) of the pair with these curves, mixed at a rate q, by Theorem 6 of Balle, Barthe and
    Gaboardi (2018).

    In ((1−q)·Q + q·P, Q) a loss u > 0 becomes x = log(1 − q + q·e^u), where the profile is q·δ(u),
    and a loss y = −v < 0, v > 0 in the reverse, becomes x = log(1 − q + q·e^y), where that of the
    reverse is q·e^{y−x}·δ'(v). The Q-mass δ'(∞) that P lacks is then at the loss log(1 − q).
    """

    forward: PanelCurve
    backward: PanelCurve
    rate: float = 1.0

    def at(self, s: Complex) -> Complex:
        """K at each s; +inf where the losses of a curve fall too slowly for it."""
        low = -1 - self.backward.high if self.rate == 1 else -math.inf
        return within(s, low, self.forward.high, self._at)

    def _at(self, s: Complex) -> Complex:
        """K, where it is finite: on vertical lines one by one, or at real s of a size together."""
        tilts, place = np.unique(s.real, return_inverse=True)
        turns = np.bincount(place, s.imag != 0) > 0
        groups = np.arange(tilts.size)[:, None] if turns.any() else by_size(tilts)
        power = np.zeros(tilts.size)
        np.maximum.at(power, place, np.abs(s))
        terms = [self._terms(tilts[i[0]], tilts[i[-1]], power[i].max()) for i in groups]
        asked = np.bincount(place)
        count = sum(
            some.x.size * int(asked[i].sum()) for i, some in zip(groups, terms, strict=True)
        )
        if count > MOST_TERMS:
            raise NumericalError(f"K of a profile would take {count} terms")
        most = np.concatenate(
            [some.highest(tilts[i]) for i, some in zip(groups, terms, strict=True)]
        )
        beyond = self._beyond(tilts, most - NEGLIGIBLE_NATS)
        if (beyond[turns] > -math.inf).any():
            raise NumericalError("K(s) depends on losses rarer than 1e-270 off the real line")
        peaks = self._peaks(tilts, np.maximum(most, beyond))
        integral = np.exp(beyond - peaks)[place].astype(complex)
        for i, some in zip(groups, terms, strict=True):
            if turns[i[0]]:
                integral[place == i[0]] += some.along(s[place == i[0]], float(peaks[i[0]]))
            else:
                here = (place >= i[0]) & (place <= i[-1])
                integral[here] += some.sums(tilts[i], peaks[i])[place[here] - i[0]]
        return self._log(s, integral, peaks[place])

    def _beyond(self, tilts: Array, least: Array) -> Array:
        """The logarithm of what losses bring that are too rare for panels, if above `least`."""
        # Far out the mixed loss is u + log q, and those of the reverse end at −log(1 − q) then.
        by = (tilts + 1) * math.log(self.rate)
        beyond = self.forward.log_beyond(tilts, least - by) + by
        if self.rate == 1:
            beyond = np.maximum(beyond, self.backward.log_beyond(-1 - tilts, least))
        return np.where(beyond > least, beyond, -math.inf)

    def _peaks(self, tilts: Array, most: Array) -> Array:
        """By which logarithm to divide all terms on each line, that none overflows."""
        peaks = np.maximum(most, 0.0)
        if self.rate < 1 and self.backward.infinite:
            stay = math.log(self.backward.infinite) + (tilts + 1) * self._log_rest
            peaks = np.maximum(peaks, stay)
        return np.asarray(peaks)

    def _log(self, s: Complex, integral: Complex, peaks: Array) -> Complex:
        """K, of the integral of Theorem 6 over e^peak."""
        q, infinite, void = self.rate, self.forward.infinite, self.backward.infinite
        lost = q * infinite + (1 - q) * void + s * (q * (infinite - void))
        total = s * (s + 1) * integral
        if void and q < 1:
            total += np.exp(math.log(void) + (s + 1) * self._log_rest - peaks)
        rest = total - lost
        modulus = total + (1 - lost) * np.exp(-peaks)
        with np.errstate(divide="ignore"):
            log_modulus = np.maximum(np.log(np.abs(modulus)), LEAST)
        large = peaks + log_modulus + 1j * np.angle(modulus)
        return np.where(peaks == 0, log1p(rest.real, rest.imag), large)

    def mean(self) -> float:
        """K'(0), where no loss is +inf."""
        _, log_weights = self._terms(0.0, 0.0, 1.0)
        at_void = self.rate + (1 - self.rate) * self._log_rest if self.rate < 1 else 1.0
        return float(np.exp(log_weights).sum()) + self.backward.infinite * at_void

    def reverse_mean(self) -> float:
        """−K'(−1), where no loss is −inf."""
        x, log_weights = self._terms(-1.0, -1.0, 1.0)
        at_void = self.rate + self._log_rest if self.rate < 1 else 1.0
        total = float(np.exp(log_weights - x).sum())
        return total + self.rate * self.forward.infinite - self.backward.infinite * at_void

    @cached_property
    def _log_rest(self) -> float:
        """log(1 − q)."""
        return math.log1p(-self.rate) if self.rate < 1 else -math.inf

    def _terms(self, low: float, high: float, power: float) -> Terms:
        """Terms that matter where low <= Re s <= high, good for |s| up to `power`."""
        ahead = self._side(self.forward.panels, 1.0, (low, high), power)
        behind = self._side(self.backward.panels, -1.0, (low, high), power)
        x, log_weights = (np.concatenate(columns) for columns in zip(ahead, behind, strict=True))
        if low < high:
            return Terms(x, log_weights)
        size = low * x + log_weights
        kept = size > size.max(initial=-math.inf) - NEGLIGIBLE_NATS
        return Terms(x[kept], log_weights[kept])

    def _side(
        self, panels: Panels, sign: float, tilts: tuple[float, float], power: float
    ) -> tuple[Array, Array]:
        """The terms of one curve: of the losses of this sign."""
        while True:
            y = sign * panels.places
            x = y if self.rate == 1 else log_mixed(self.rate, y)
            log_factor = 2 * math.log(self.rate) + y - x + np.minimum(y, 0.0)
            near = panels.near_between(x, log_factor, *tilts)
            wide = near & (panels.width > TURN / (power + 1))
            if not wide.any():
                break
            if wide.sum() > MOST_PANELS:
                raise NumericalError("the quadrature of a profile would need too many nodes")
            panels = panels.halved(near & ~wide, wide)
        weighted = panels.values * (panels.width[:, None] / 2 * WEIGHTS)
        kept = near[:, None] & (weighted > 0)
        return x[kept], np.log(weighted[kept]) + log_factor[kept]


def by_size(tilts: Array) -> Sequence[Array]:
    """Places of sorted numbers whose distance from −1/2 is the same up to a factor of 2: one set of
    points serves them all at less than twice the cost of the least of them."""
    octave = np.sign(tilts + 0.5) * np.floor(np.log2(np.abs(tilts + 0.5) + 1) + 1)
    return np.split(np.arange(tilts.size), np.flatnonzero(np.diff(octave)) + 1)
