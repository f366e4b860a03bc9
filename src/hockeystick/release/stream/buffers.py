"""Noise of buffered Toeplitz matrices, from one vector for each buffer."""

from __future__ import annotations

import math

import numpy as np

from hockeystick.matrix.buffered import Buffered
from hockeystick.numerics.types import Array
from hockeystick.release.stream.recursion import DEVIATIONS, ULP, Recursion, check_reach


class Buffers(Recursion):
    """W_i = K_i − [Σ_j scale_j·S_j], then S_j ← decay_j·S_j + W_i, in floats.

    S_j is Σ_k decay_j^k·W_{i−1−k}, so that this is Σ_k c_k·W_{i−k} (McMahan, Xu and Zhang 2024).
    """

    def __init__(self, strategy: Buffered, dimension: int) -> None:
        self.dimension, self._steps = dimension, strategy.steps
        self._decay = np.array(strategy.decay)[:, None]
        self._scale = np.array(strategy.scale)
        self._state = np.zeros((self._scale.size, dimension))
        noise, states = strategy.responses()
        self._noise_norm = float(np.linalg.norm(noise))
        self._state_norms = np.linalg.norm(states, axis=0)
        self._coefficients = np.array(strategy.toeplitz)

    def fresh(self, step: int) -> tuple[int, float]:
        return 1, 1.0

    def next(self, step: int, drawn: Array) -> Array:
        noise: Array = drawn[0] - np.rint(self._scale @ self._state)
        self._state *= self._decay
        self._state += noise
        check_reach(noise, self._most)
        for state, most in zip(self._state, self._most_of_states, strict=True):
            check_reach(state, most)
        return noise

    def reach(self, scale: float) -> float:
        return DEVIATIONS * (1 + scale * self._noise_norm)

    def limit(self, scale: float) -> None:
        self._most = self.reach(scale)
        self._most_of_states = self._largest(scale)

    def _largest(self, scale: float) -> Array:
        return np.asarray(DEVIATIONS * (self._steps + scale * self._state_norms))

    def error(self, scale: float) -> float:
        """Half a step; two roundings of S in each step, which decay with it; and the sum's."""
        largest = self._largest(scale)
        lasting = np.minimum(self._steps, 1 / (1 - self._decay[:, 0]))
        of_states = 2.01 * ULP * largest * lasting
        of_sum = 1.01 * (self._scale.size + 1) * ULP * (self._scale @ largest)
        return float(0.5 + self._scale @ of_states + of_sum)

    def spread(self, secret: bool) -> float:
        if not secret:
            return math.sqrt(self._steps) / float(np.linalg.norm(self._coefficients))
        later = self._coefficients[1:]
        return 1 / float(later[later > 0].min(initial=math.inf))
