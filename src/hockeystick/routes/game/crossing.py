"""How much a change of direction near 0 can gain: the bound Λ on the slope of the difference."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.triples.pair import VirtualPair
from hockeystick.numerics.types import Array
from hockeystick.numerics.waves import fast_size

SERIES_BELOW = 0.03
"""Where 8·sinh(r/2) − 4r cancels, and its series has all digits."""
MOST_CELLS = 120_000
BLOCK = 1024
"""Half cells that are looked at together."""
SAFE = 1 + 1e-9
LARGEST_EXPONENT = 700.0
FFT_NOISE = 4e-14
"""Relative to the norms of what is convolved; `lattice.FFT_NOISE` has the reason."""

FAR_BELOW = 40.0
"""Weights so far below the largest, as logarithms, are left out: less than what is rounded."""

BEND_ROUNDING = 2.0**-49
"""Of a second difference, relative to the largest weight, on both sides of a node."""

OMEGA_ROUNDING = 2.0**-45
"""Of two sums over the losses, of which there are 240 at most, relative to their terms."""


@dataclass(frozen=True)
class Crossing:
    """ω(u) = ∫_|u|^∞ o with o(u) = (k(u) − k(−u))/2 >= 0, k(u) = e^{−u/2}·(δ(u) − (1 − e^u)_+).

    For U with even weights h, that fall with |x|, the direction of M matters by at most
    Λ·(1 − e^x)_+ where Λ = sup |2ω∗h''|. The second derivative is constant on cells of the lattice,
    so it takes the largest and the least integral of ω over a cell that moves by half a cell.
    """

    spacing: float
    largest: Array
    least: Array
    kept: dict[int, tuple[Array, Array]] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, pair: VirtualPair, spacing: float) -> Crossing:
        """For cells at distances 0, 1, … up to the largest loss."""
        order = np.argsort(np.abs(pair.losses))
        losses, masses = pair.losses[order], pair.masses[order]
        heights, z = masses * np.exp(-losses / 2) * np.sign(losses), np.abs(losses)
        count = int(np.ceil(2 * float(z[-1]) / spacing)) + 2
        if count > MOST_CELLS:
            raise NumericalError("single losses are too large for the lattice of the game")
        y = spacing / 2 * np.arange(count + 5)
        below, whole = np.empty(y.size), _bowl(z)
        for i in range(0, y.size, BLOCK):
            far = slice(int(np.searchsorted(z, y[i])), None)  # the others lie before all of these y
            rest = np.maximum(z[far, None] - y[i : i + BLOCK], 0.0)
            bowls = whole[far, None] - _bowl(rest)
            below[i : i + BLOCK] = np.einsum("i,ij->j", heights[far], bowls) / 2
            below[i : i + BLOCK] += float(heights[: far.start] @ whole[: far.start]) / 2
        below = np.maximum.accumulate(below)  # ∫_0^y ω, at half cells
        cells = np.arange(1, count // 2 + 1)
        middle = 2 * below[1]
        nearer = np.append(middle, below[2 * cells] - below[2 * cells - 2])
        farther = np.append(below[2] - below[0], below[2 * cells + 2] - below[2 * cells])
        parts = np.where(z < SERIES_BELOW, _bowl(z), 8 * np.sinh(z / 2) + 4 * z)
        unsure = OMEGA_ROUNDING * float(np.abs(heights) @ parts)
        least = np.maximum(np.minimum(farther, nearer) - unsure, 0.0)
        return cls(spacing, np.maximum(nearer, 0.0) + unsure, least)

    def _transforms(self, size: int) -> tuple[Array, Array]:
        """Of the largest and the least integrals, which stay the same along a run."""
        if size not in self.kept:
            self.kept[size] = _even(self.largest, size), _even(self.least, size)
        return self.kept[size]

    def slope(self, log_weights: Array) -> float:
        """Λ, for the spline of weights h_0, h_1, … that are even; not below e^−700."""
        near = int(np.searchsorted(-log_weights, FAR_BELOW - log_weights[0])) + 1
        weights = np.exp(log_weights[: max(near, 2)] - log_weights[0])
        scale = math.exp(min(max(float(log_weights[0]), -LARGEST_EXPONENT), LARGEST_EXPONENT))
        bend = np.zeros(weights.size + 1)
        bend[:-1] = -2 * weights
        bend[1:] += weights
        bend[:-2] += weights[1:]
        bend[0] += weights[1]
        size = fast_size(2 * (bend.size + self.largest.size) + 2)
        wide, narrow = self._transforms(size)
        up, down = _even(np.maximum(bend, 0.0), size), _even(np.maximum(-bend, 0.0), size)
        rise = np.fft.irfft(up * wide - down * narrow, size).max()
        fall = np.fft.irfft(down * wide - up * narrow, size).max()
        squares = float(np.square(bend).sum()) * float(np.square(self.largest).sum())
        noise = FFT_NOISE * 8 * math.sqrt(squares)
        noise += BEND_ROUNDING * weights[0] * self.largest.sum()
        noise += 4 * weights[-1] * self.largest.sum()  # what is left out, or beyond the lattice
        return float(2 * (max(rise, fall, 0.0) + noise) / self.spacing**3 * scale * SAFE)


def _bowl(r: Array) -> Array:
    """8·sinh(r/2) − 4r."""
    series = r**3 / 6 * (1 + r * r / 80 * (1 + r * r / 168))
    if r.size == 0 or float(r.max()) < SERIES_BELOW:
        return series
    grown = np.exp(r / 2)
    return np.asarray(np.where(r < SERIES_BELOW, series, 4 * (grown - 1 / grown) - 4 * r))


def _even(values: Array, size: int) -> Array:
    """The transform of an even sequence, told by its half: real."""
    whole = np.zeros(size)
    whole[: values.size] = values
    whole[size - values.size + 1 :] = values[:0:-1]
    return np.ascontiguousarray(np.fft.rfft(whole).real)
