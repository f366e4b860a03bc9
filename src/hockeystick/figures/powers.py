"""The law of a sum of many equal ones on a lattice, in a window, by its transform.

Of a wide one few frequencies are left, which are added up one by one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.figures.what_is_left import crossing
from hockeystick.numerics.types import Array, Complex

OUTSIDE = 45.0
"""What is below e^−45 of the whole counts as nothing."""
SAMPLED = 60.0
"""Of samples of a transform the same, so that it is below e^−45 between them, too."""
MOST = 1000
"""Frequencies."""


@dataclass(frozen=True)
class Waves:
    """The law of a sum at places of a window of that size, from its low frequencies."""

    size: int
    values: Complex
    """The transform at 0 and, twice, at 1, 2, … times 2π/size; over the size."""

    def beyond(self, first: int, last: int, decay: float) -> float:
        """Σ e^{−decay·(k − first)}·mass_k over the places k from `first` to `last`."""
        waves, count = np.arange(self.values.size), last + 1 - first
        steps, all_of_them = (-decay * n + 1j * self._angles(n * waves) for n in (1, count))
        sums = np.expm1(all_of_them) / np.expm1(steps)
        return float((self.values * np.exp(1j * self._angles(first * waves)) * sums).real.sum())

    def where_left(
        self, places: range, tilt: float, x: float, wanted: float, spacing: float
    ) -> float:
        """The ε >= 0 at which Σ e^{−tilt·(y − x)}·mass_k·(1 − e^{ε − y})_+ is as wanted, y from x
        on at the places k."""

        def above(i: int) -> float:
            rest = places[i], places[-1]
            near, far = (self.beyond(*rest, c * spacing) for c in (tilt, tilt + 1))
            return math.exp(-tilt * i * spacing) * (near - far)

        return crossing(above, x, len(places), wanted, spacing)

    def _angles(self, turns: Array) -> Array:
        return 2 * math.pi / self.size * (turns % self.size)


def waves(places: Array, masses: Array, steps: int, size: int) -> Waves:
    """Of the sum of so many, each with these masses at these places."""
    count = int(_last_angle(places, masses, steps) * size / (2 * math.pi)) + 1
    if count > min(MOST, size // 2):
        raise NumericalError("too many frequencies are left")
    turns = np.multiply.outer(np.arange(count), places) % size
    one = np.exp(-2j * math.pi / size * turns) @ masses
    weights = np.where(np.arange(count) > 0, 2.0, 1.0) / size
    return Waves(size, weights * _power(one, steps))


def _last_angle(places: Array, masses: Array, steps: int) -> float:
    """Beyond it |φ|^steps < e^−45, up to π.

    |φ(t)|² = E cos(t·(X − X')) has a second derivative of at most 2σ², so that between samples
    at a distance h it is at most σ²h²/4 above the larger one.
    """
    deviation = math.sqrt(float(masses @ (places - float(masses @ places)) ** 2))
    apart = 2 * math.sqrt(math.exp(-2 * OUTSIDE / steps) - math.exp(-2 * SAMPLED / steps))
    wanted = max(2 * math.pi * deviation / apart, float(np.ptp(places) + 1))
    size = 1 << math.ceil(math.log2(wanted))
    sampled = np.abs(np.fft.rfft(np.bincount(places - places.min(), masses, size)))
    last = int(np.flatnonzero(sampled > math.exp(-SAMPLED / steps))[-1])
    return 2 * math.pi * (last + 1) / size


def composed(places: Array, masses: Array, steps: int, span: int) -> Array:
    """The masses of the sum of so many at all places of a window at least so wide, modulo it."""
    size = 1 << max(span.bit_length(), 4)
    law = np.fft.rfft(np.bincount(places % size, masses, size))
    return np.maximum(np.fft.irfft(_power(law, steps), size), 0.0)


def _power(values: Complex, exponent: int) -> Complex:
    """The powers of values up to 1, but for those far below rounding."""
    size = np.abs(values)
    near = np.flatnonzero(size > math.exp(-OUTSIDE / exponent))
    found = np.zeros(values.shape, dtype=complex)
    found[near] = np.exp(exponent * np.log(values[near]))
    return found
