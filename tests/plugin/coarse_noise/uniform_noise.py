"""The uniform mechanism."""

from __future__ import annotations

import math

import numpy as np

from hockeystick.loss.atoms import EVERYTHING, AtomicLoss
from hockeystick.loss.base import Loss
from hockeystick.mechanisms.bases.additive_noise import AdditiveNoise
from hockeystick.random.generators import Source
from hockeystick.random.noise import Floats


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

    def _noise(self, count: int, words: Source) -> Floats:
        return np.asarray(words(count) * 2.0**-64 - 0.5, dtype=np.float64)
