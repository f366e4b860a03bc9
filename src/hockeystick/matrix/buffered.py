"""Buffered linear Toeplitz strategies: coefficients that are a sum of few geometric series."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from hockeystick.checks import Whole, checked, declared, shown
from hockeystick.errors import ParameterError
from hockeystick.matrix.toeplitz import LowerToeplitz, numbers
from hockeystick.numerics.types import Array


@declared
class Buffered(LowerToeplitz):
    """c_0 = 1 and c_i = Σ_j scale_j·decay_j^(i−1): noise in memory of one buffer for each j.

    Dvijotham, McMahan, Pillutla, Steinke and Thakurta 2024; McMahan, Xu and Zhang 2024.

    Parameters
    ----------
    steps: an integer >= 1.
    decay: in [0, 1), one for each buffer, no two alike.
    scale: in (0, inf), one for each buffer.

    >>> Buffered(4, decay=(0.5,), scale=(1.0,)).toeplitz
    (1.0, 1.0, 0.5, 0.25)
    """

    name = "buffered"

    steps: int = checked(Whole(1))
    decay: tuple[float, ...] = checked(numbers)
    scale: tuple[float, ...] = checked(numbers)

    def check_together(self) -> None:
        if not all(0 <= each < 1 for each in self.decay) or len({*self.decay}) < len(self.decay):
            raise ParameterError(
                f"decay must be different numbers in [0, 1), got {shown(self.decay)}"
            )
        if len(self.scale) != len(self.decay) or not all(each > 0 for each in self.scale):
            raise ParameterError(
                f"scale must be {len(self.decay)} numbers in (0, inf), one for each decay, got "
                f"{shown(self.scale)}"
            )

    @cached_property
    def toeplitz(self) -> tuple[float, ...]:
        powers = np.arange(self.steps - 1)
        decay, scale = np.array(self.decay), np.array(self.scale)
        return (1.0, *(decay ** powers[:, None] @ scale).tolist())

    def responses(self) -> tuple[Array, Array]:
        """What one unit of z in the first step makes of the noise and of the buffers after it.

        w = z − Σ scale_j·S_j, then S_j ← decay_j·S_j + w.
        """
        decay, scale = np.array(self.decay), np.array(self.scale)
        noise, states = np.empty(self.steps), np.empty((self.steps, decay.size))
        state = np.zeros(decay.size)
        for step in range(self.steps):
            noise[step] = float(step == 0) - scale @ state
            states[step] = state = decay * state + noise[step]
        return noise, states

    def prefix_noise(self) -> Array:
        return np.cumsum(self.responses()[0])

    def __repr__(self) -> str:
        return self._text(decay=self.decay, scale=self.scale)
