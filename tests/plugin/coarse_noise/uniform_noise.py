"""The uniform mechanism."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from hockeystick.loss.atoms import EVERYTHING, AtomicLoss
from hockeystick.loss.base import Loss
from hockeystick.mechanisms.bases.additive_noise import AdditiveNoise
from hockeystick.random.digits import Digits
from hockeystick.random.generators import Source
from hockeystick.random.reals import Integers


class UniformNoise(AdditiveNoise):
    """Noise that is uniform on an interval of width w = `noise_multiplier` × L1 sensitivity.

    Dominating pair: two intervals of width 1, one moved by θ = 1/w. Where only one of them is, the
    loss is infinite, and else it is 0: δ(ε) = θ at every ε. A vector that moves by v moves a cube,
    of which 1 − Π(1 − |vᵢ|/w) <= Σ|vᵢ|/w is left uncovered.

    >>> round(UniformNoise(1000.0).delta(epsilon=0.0), 12)
    0.001
    """

    norm = "L1"

    def _loss(self, shift: float, sensitivity: float) -> Loss:
        if shift >= 1:
            return EVERYTHING
        both = math.log1p(-shift)
        return AtomicLoss([0.0], [both], infinite=shift, void=shift, spacing=0.0, symmetric=True)

    def _noise(self, scale: float, count: int, words: Source) -> Integers:
        factor, offset = Fraction(scale), (1 - Fraction(scale)) / 2
        drawn = (Digits(int(word), 64, words).floor(factor, offset) for word in words(count))
        return np.fromiter(drawn, dtype=np.int64, count=count)
