"""The lattice of the macro-steps: many moves of the game by one convolution."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.triples.pair import VirtualPair
from hockeystick.numerics.types import Array, Complex
from hockeystick.routes.game.symbol import Symbol

FFT_NOISE = 4e-14
"""Error of a transform there and back, relative to the norm: log2(n)·7·2^−53 each way, n to 2^18
(Higham 2002, Theorem 24.2), rounded up."""
EXPONENTS = 2e-12
"""Relative error of a weight: of its logarithm, the tilt and both exponentials, none above 1500."""
FAR_BELOW = 150.0
"""Weights so far below the largest are raised to e^−150 of it, which all noise is above: products
of smaller numbers would be denormal, and slow."""
LARGEST_EXPONENT = 700.0
"""Factors above e^700 have noise as large. Weights below e^−700 may be lost: their mass is given
away."""
MOST_NODES = 60_000
LARGEST_LOSS = 1200.0
"""Beyond it e^{x/2} is soon no float."""


class Lattice:
    """x_k = kΔ for k = 0, …, N, and the powers of a pair on it at two tilts.

    At −1/2, where the weights h are, the middle is exact, and at c > 0, where δ is decided, the
    tail; each node takes the one whose noise is less there, and that noise is added.
    """

    def __init__(self, pair: VirtualPair, spacing: float, reach: float, tilt: float) -> None:
        self.spacing, self.count = spacing, math.ceil(reach / spacing) + 2
        if self.count > MOST_NODES or self.count * spacing > LARGEST_LOSS:
            raise NumericalError("the steps are too uneven for the lattice of the game")
        self.size = 1 << math.ceil(math.log2(2 * self.count + 64))
        self.symbols = [Symbol(pair, spacing, self.size, each) for each in (-0.5, tilt)]
        self._x = spacing * np.arange(-self.count, self.count + 1)

    def start(self, variance: float) -> tuple[Array, float]:
        """Weights at k >= 1 of two normal laws; and the mass beyond the lattice."""
        one = np.zeros(self.count + 1)
        one[0] = 1.0

        def laws(symbol: Symbol) -> tuple[Complex, float, float]:
            value = symbol.start(variance)
            log_scale = math.log(float(value[0].real))
            return value * math.exp(-log_scale), FFT_NOISE, log_scale

        return self._convolved(one, laws)

    def steps(self, weights: Array, count: int) -> tuple[Array, float]:
        """The same of a profile with these weights after `count` moves of the pair."""

        def laws(symbol: Symbol) -> tuple[Complex, float, float]:
            return *symbol.steps(count), count * symbol.power

        return self._convolved(weights, laws)

    def _convolved(
        self, weights: Array, laws: Callable[[Symbol], tuple[Complex, float, float]]
    ) -> tuple[Array, float]:
        with np.errstate(divide="ignore"):
            log_weights = np.log(weights)
        found, noise = np.zeros(self.count), np.full(self.count, np.inf)
        for symbol in self.symbols:
            value, error, log_scale = laws(symbol)
            lean = symbol.tilt + 0.5
            log_tilted = np.concatenate([log_weights[:0:-1], log_weights]) + lean * self._x
            peak = float(log_tilted.max())
            tilted = np.exp(np.maximum(log_tilted - peak, -FAR_BELOW))
            rolled = np.zeros(self.size)
            rolled[: self.count + 1] = tilted[self.count :]
            rolled[-self.count :] = tilted[: self.count]
            new = np.fft.irfft(np.fft.rfft(rolled) * np.conj(value), self.size)[1 : self.count + 1]
            norm = math.sqrt(float(np.square(tilted).sum()))  # a long dot product wakes threads
            log_back = log_scale + peak - lean * self._x[self.count + 1 :]
            back = np.exp(np.minimum(log_back, LARGEST_EXPONENT))
            off = (FFT_NOISE * float(np.abs(value).max()) + error) * norm * back
            better = off < noise
            found, noise = np.where(better, new * back, found), np.minimum(off, noise)
        # by Chernoff's bound at the second tilt
        log_mass = math.log(float(tilted.sum()) * float(value[0].real) * (1 + 1e-9))
        beyond = math.exp(min(log_mass + log_scale + peak - symbol.tilt * float(self._x[-1]), 0.0))
        beyond += self.count * math.exp(float(self._x[-1]) / 2 - LARGEST_EXPONENT)
        return np.maximum(found, 0.0) * (1 + EXPONENTS) + noise, beyond
