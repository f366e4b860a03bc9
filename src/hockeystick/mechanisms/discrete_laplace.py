"""The discrete Laplace (geometric) mechanism."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from hockeystick.loss.atoms import AtomicLoss
from hockeystick.loss.base import Loss
from hockeystick.loss.exact import Exact
from hockeystick.loss.opposite_integers import opposite_laplace
from hockeystick.mechanisms.bases.discrete_noise import DiscreteNoise
from hockeystick.numerics.rounding import quotient_error
from hockeystick.numerics.types import Array

if TYPE_CHECKING:
    from hockeystick.random.generators import Source
    from hockeystick.random.reals import Integers


class DiscreteLaplace(DiscreteNoise):
    """Integer noise with P[x] ∝ e^{−|x|/b}, b = noise_multiplier × sensitivity (the geometric law).

    Dominating pair: the noise moved by k = `sensitivity` against the noise; the loss is
    (|x| − |x−k|)/b, k + 1 values from −k/b to k/b (Ghosh, Roughgarden and Sundararajan 2009).

    >>> DiscreteLaplace(0.5).epsilon(delta=0)
    Bound(2.0, lower=2.0, method='closed form', delta=0.0, relation=ADD_REMOVE)
    """

    source = "Ghosh, Roughgarden and Sundararajan 2009"

    pure = True

    def _loss(self, steps: int) -> Loss:
        rate = 1 / self.scale
        x = np.arange(steps + 1)
        # x stands for itself, except that 0 gathers all x <= 0 and k all x >= k.
        log_mass = math.log(math.tanh(rate / 2)) - x * rate
        log_mass[[0, -1]] -= math.log(-math.expm1(-rate))
        slip = quotient_error(
            steps * rate, steps, Fraction(self.noise_multiplier) * self.sensitivity
        )
        return AtomicLoss(
            (2 * x - steps) * rate,
            log_mass,
            spacing=2 * rate,
            symmetric=True,
            slip=slip,
            origin=Exact("integer laplace", (self.exact_scale, Fraction(steps))),
        )

    def _opposite(self, rate: float, origin: Exact | None) -> Loss:
        return opposite_laplace(self.scale, self.sensitivity, rate, origin)

    def _log_density(self, x: Array) -> Array:
        return -np.abs(x) / self.scale

    def _noise(self, count: int, words: Source) -> Integers:
        from hockeystick.random.integers import discrete_laplace

        return discrete_laplace(self.scale, count, words)
