"""Powers of the virtual pair on a lattice, by their Fourier transform on a vertical line."""

from __future__ import annotations

import math

import numpy as np

from hockeystick.loss.triples.pair import VirtualPair
from hockeystick.numerics.series import log1p
from hockeystick.numerics.types import Array, Complex
from hockeystick.numerics.waves import tiled_product

EPS = 2.0**-52
ALIASES = (-1, 0, 1)
"""Periods of the lattice's spectrum that are added up; the others are below e^{−44}."""
BEYOND_ALIASES = 1e-18
"""What the other aliases can add, relatively."""
FAR = 45.0
"""Logarithms this far below the largest are left out: less than the other aliases."""
BLOCK = 256
"""Frequencies from one coarse multiple to the next."""


class Symbol:
    """Σ_k w_k·e^{s·x_k} of the pair M^m∘GDP(Δ)∘spline, connected on the lattice, at Re s = tilt.

    Here w are P-masses at x_k = kΔ, and *connected* means the profile at the lattice with chords in
    e^x between, which is above the profile. By Poisson's summation that is

        X(s)/Δ · Σ_z φ(s_z)/(s_z·(s_z + 1)),   s_z = s + 2πiz/Δ,
        X(s) = (cosh((s + ½)Δ) − cosh(Δ/2))/sinh(Δ/2)

    with φ the moment generating function of what is connected. The factor GDP(Δ), two normal laws Δ
    standard deviations apart, makes three aliases enough; the spline, three boxes of width Δ in
    e^{−x/2}·w, makes the second derivative of what it smooths bounded.
    """

    def __init__(self, turns: Turns, tilt: float) -> None:
        self.tilt, spacing, size = tilt, turns.spacing, turns.size
        t = turns.unit * np.arange(size // 2 + 1)
        self._shape = (len(ALIASES), t.size)
        frequencies = np.add.outer(2 * math.pi / spacing * np.array(ALIASES), t).ravel()
        self.power = float(np.log1p(turns.pair.excess(tilt)))
        """log E_P[e^{cL}] of one step, c the tilt."""
        self._last: tuple[int, Complex, float] | None = None
        log, self._error = turns.log_transform(tilt)
        self._log_size, self._angle = log.real - self.power, log.imag
        s = tilt + 1j * frequencies
        half = (tilt + 1j * t) * (spacing / 2)
        # cosh((s + ½)Δ) − cosh(Δ/2) as a product: the difference has no digits where sΔ is small
        chords = 2 * np.sinh(half) * np.sinh(half + spacing / 2)
        chords /= math.sinh(spacing / 2) * spacing
        self._square = s * (s + 1)
        self._connect = np.tile(chords, len(ALIASES)) / self._square
        smooth = self._connect * _box(s, spacing) ** 3
        self._smooth_size, self._smooth_angle = np.abs(smooth), np.angle(smooth)
        gauss = spacing * spacing * self._square / 2
        self._gauss_size, self._gauss_angle = gauss.real.copy(), gauss.imag.copy()

    def start(self, variance: float) -> Complex:
        """Of GDP(√variance) alone."""
        return self._folded(self._connect * np.exp(variance * self._square / 2))

    def steps(self, count: int) -> tuple[Complex, float]:
        """Of M^count and all that comes with it, over e^{count·power}; and how far it is off. The
        last is kept: a run begins with several short macro-steps of one length."""
        if self._last is None or self._last[0] != count:
            self._last = count, *self._steps(count)
        return self._last[1:]

    def _steps(self, count: int) -> tuple[Complex, float]:
        log_size = count * self._log_size + self._gauss_size
        near = np.flatnonzero(log_size > float(log_size.max()) - FAR)
        log_size = log_size[near]
        angle = count * self._angle[near] + self._gauss_angle[near]
        size = np.exp(log_size) * self._smooth_size[near]
        off = EPS * (64 + 8 * (np.abs(log_size) + np.abs(angle))) + count * self._error[near]
        error = len(ALIASES) * float((size * off).max()) + BEYOND_ALIASES * float(size.max())
        angle += self._smooth_angle[near]
        value = np.zeros(self._error.shape, dtype=complex)
        value.real[near], value.imag[near] = size * np.cos(angle), size * np.sin(angle)
        return self._folded(value), error

    def _folded(self, value: Complex) -> Complex:
        return np.asarray(value.reshape(self._shape).sum(axis=0))


def _box(s: Complex, width: float) -> Complex:
    """A box of that width in e^{−x/2}·w, as a law."""
    half = (s + 0.5) * (width / 2)
    half = np.where(np.abs(half) < 1e-9, 1e-9, half)
    return np.asarray(np.sinh(half) / half * (width / 4) / math.sinh(width / 4))


class Turns:
    """e^{i·frequency·loss} − 1 of a pair, at frequencies for a lattice of that size: for any tilt.

    Frequencies are multiples j = m·BLOCK + n of one, so the sums over losses are the product of two
    small matrices: with E_j = e^{i·j·angle} − 1, E_j = E_{m·BLOCK}·E_n + E_{m·BLOCK} + E_n.
    """

    def __init__(self, pair: VirtualPair, spacing: float, size: int) -> None:
        self.pair, self.spacing, self.size = pair, spacing, size
        self.unit, self._count = 2 * math.pi / (size * spacing), 3 * size // 2 + 1
        blocks = np.arange(-(-self._count // BLOCK))
        self._coarse = _turned(self.unit * BLOCK * blocks, pair.losses)
        self._fine = _turned(self.unit * np.arange(BLOCK), pair.losses)
        self._columns = np.ascontiguousarray(self._fine.T)

    def log_transform(self, tilt: float) -> tuple[Complex, Array]:
        """K at tilt + i·frequency, accurate relative to its size; and how far it may be off."""
        pair, count, size, fine = self.pair, self._count, self.size, self._fine
        weights = pair.masses * np.exp(tilt * pair.losses)
        coarse = self._coarse * weights
        moved = tiled_product(coarse, self._columns)
        moved += coarse.sum(axis=1)[:, None] + (fine * weights).sum(axis=1)
        turns = np.abs(coarse).sum(axis=1)[:, None] + 3 * (np.abs(fine) * weights).sum(axis=1)
        value, turns = moved.ravel()[:count], turns.ravel()[:count]
        frequencies = self.unit * np.arange(count)
        real, drift = pair.excess(tilt), float(pair.masses @ np.expm1(-pair.losses))
        value = real + value + 1j * frequencies * drift
        # what the sums round, and what the angles do, whose relative error is less than EPS
        terms = 16 * (abs(real) + turns) + frequencies * float(weights @ np.abs(pair.losses))
        log, off = log1p(value.real, value.imag), EPS * terms / np.abs(1 + value)
        places, back = np.arange(size // 2 + 1), size - np.arange(size // 2 + 1)
        return (
            np.concatenate([np.conj(log[back]), log[places], log[size + places]]),
            np.concatenate([off[back], off[places], off[size + places]]),
        )


def _turned(frequencies: Array, losses: Array) -> Complex:
    """e^{i·frequency·loss} − 1, accurate relative to its size."""
    half = np.multiply.outer(frequencies, losses / 2)
    return np.asarray(2j * np.sin(half) * np.exp(1j * half))
