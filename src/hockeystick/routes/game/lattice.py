"""The lattice of the macro-steps: many moves of the game by one convolution."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from copy import copy

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.triples.pair import VirtualPair
from hockeystick.numerics.types import Array, Complex
from hockeystick.numerics.waves import fast_size
from hockeystick.routes.game.symbol import Symbol, Turns

FFT_NOISE = 4e-14
"""Error of a transform there and back, relative to the norm: log2(n)·7·2^−53 each way, n to 2^18
(Higham 2002, Theorem 24.2), rounded up."""
EXPONENTS = 1.3e-15
"""Relative error of a weight, for each unit of the largest logarithm on its way: of itself, the
tilt and both exponentials."""
FAR_BELOW = 150.0
"""Weights so far below the largest are raised to e^−150 of it, which all noise is above: products
of smaller numbers would be denormal, and slow."""
ROOM = 2.6
"""The length of a transform over half that of the lattice, of both signs: what wraps around adds,
where single losses are large and rare, 1e-5 of ε at 2.4, and 2e-4 at 2."""
FARTHEST = 13.0
"""Standard deviations of the final loss from where one tilt is exact to where the next is."""
MOST_NODES = 60_000
LARGEST_LOSS = 30_000.0
"""Beyond it logarithms have too few digits, and tilts are too many."""


class Lattice:
    """x_k = kΔ for k = 0, …, N, and the powers of a pair on it at two tilts or more.

    At −1/2, where the weights h are, the middle is exact, and at c > 0, where δ is decided, the
    tail; for large losses there are others between. Each node takes the one whose noise is less
    there, and that noise is added. Weights are told by their logarithms: at 0 they may be e^−1000.
    """

    def __init__(
        self, pair: VirtualPair, spacing: float, reach: float, tilts: Sequence[float]
    ) -> None:
        self.spacing, self.count = spacing, math.ceil(reach / spacing) + 2
        if self.count > MOST_NODES or self.count * spacing > LARGEST_LOSS:
            raise NumericalError("the steps are too uneven for the lattice of the game")
        self.size = fast_size(math.ceil(ROOM * self.count) + 64)
        turns = Turns(pair, spacing, self.size)
        self.symbols = [Symbol(turns, each) for each in tilts]
        self._x = spacing * np.arange(-self.count, self.count + 1)

    def of(self, pair: VirtualPair) -> Lattice:
        """The same nodes and tilts for another pair."""
        other = copy(self)
        turns = Turns(pair, self.spacing, self.size)
        other.symbols = [Symbol(turns, each.tilt) for each in self.symbols]
        return other

    def start(self, variance: float) -> tuple[Array, float]:
        """Log weights at k >= 1 of two normal laws; and the mass beyond the lattice."""
        one = np.full(self.count + 1, -math.inf)
        one[0] = 0.0

        def laws(symbol: Symbol) -> tuple[Complex, float, float]:
            value = symbol.start(variance)
            log_scale = math.log(float(value[0].real))
            return value * math.exp(-log_scale), FFT_NOISE, log_scale

        return self._convolved(one, laws)

    def steps(self, log_weights: Array, count: int) -> tuple[Array, float]:
        """The same of a profile with these weights after `count` moves of the pair."""

        def laws(symbol: Symbol) -> tuple[Complex, float, float]:
            return *symbol.steps(count), count * symbol.power

        return self._convolved(log_weights, laws)

    def _convolved(
        self, log_weights: Array, laws: Callable[[Symbol], tuple[Complex, float, float]]
    ) -> tuple[Array, float]:
        found, noise = np.zeros(self.count), np.full(self.count, np.inf)
        log_beyond = 0.0
        whole = np.concatenate([log_weights[:0:-1], log_weights])
        for symbol in self.symbols:
            value, error, log_scale = laws(symbol)
            lean = symbol.tilt + 0.5
            log_tilted = whole + lean * self._x
            peak = float(log_tilted.max())
            tilted = np.exp(np.maximum(log_tilted - peak, -FAR_BELOW))
            rolled = np.zeros(self.size)
            rolled[: self.count + 1] = tilted[self.count :]
            rolled[-self.count :] = tilted[: self.count]
            new = np.fft.irfft(np.fft.rfft(rolled) * np.conj(value), self.size)[1 : self.count + 1]
            norm = math.sqrt(float(np.square(tilted).sum()))  # a long dot product wakes threads
            log_back = log_scale + peak - lean * self._x[self.count + 1 :]
            off = (FFT_NOISE * float(np.abs(value).max()) + error) * norm
            largest = abs(log_scale) + abs(peak) + 2 * lean * float(self._x[-1])
            new = np.maximum(new, 0.0) * (1 + EXPONENTS * (1500 + largest)) + off
            log_off = math.log(off) + log_back
            found = np.where(log_off < noise, np.log(new) + log_back, found)
            noise = np.minimum(log_off, noise)
            if symbol.tilt > 0:  # Chernoff's bound
                mass = float(tilted.sum()) * float(value[0].real) * (1 + 1e-9)
                log_mass = math.log(mass) + log_scale + peak
                log_beyond = min(log_beyond, log_mass - symbol.tilt * float(self._x[-1]))
        return found, math.exp(log_beyond)


def tilts_to(tilt: float, deviation: float) -> list[float]:
    """From −1/2 to the tilt at which an answer is decided, for losses of that deviation."""
    between = np.linspace(-0.5, tilt, 1 + math.ceil((tilt + 0.5) * deviation / FARTHEST))
    return [float(each) for each in between]
