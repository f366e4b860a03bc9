"""Toeplitz strategies: a step weighs the same in the rows after it, whichever step it is."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any

import numpy as np

from hockeystick.checks import Whole, checked, declared, shown
from hockeystick.errors import ParameterError
from hockeystick.matrix.strategy import Strategy
from hockeystick.numerics.types import Array


def numbers(name: str, values: Any) -> tuple[float, ...]:
    """Finite numbers, at least one."""
    try:
        listed = tuple(float(value) for value in values)
    except (TypeError, ValueError, OverflowError):
        listed = ()
    if not listed or not all(map(math.isfinite, listed)):
        raise ParameterError(f"{name} must be finite numbers, at least one, got {shown(values)}")
    return listed


class LowerToeplitz(Strategy):
    """C_ij = c_{i−j} for i >= j, else 0."""

    @property
    @abstractmethod
    def toeplitz(self) -> tuple[float, ...]:
        """c_0, c_1, …, without trailing zeros."""

    @property
    def bands(self) -> int | None:
        count = len(self.toeplitz)
        return count if count < self.steps else None

    @property
    def nonnegative(self) -> bool:
        return min(self.toeplitz) >= 0

    def column(self, step: int) -> Array:
        first = self._step(step)
        column = np.zeros(self.steps)
        entries = np.array(self.toeplitz[: self.steps - first])
        column[first : first + entries.size] = entries
        return column

    def prefix_noise(self) -> Array:
        """β, the series of 1/((1 − z)·c(z)): prefix sum i has the noise Σ_j β_j·z_{i−j}."""
        first, *rest = self.toeplitz
        weights, noise = np.array(rest[::-1]), np.empty(self.steps)
        for step in range(self.steps):
            seen = min(step, weights.size)
            taken = weights[weights.size - seen :] @ noise[step - seen : step]
            noise[step] = (1 - taken) / first
        return noise

    def prefix_variances(self) -> Array:
        return np.cumsum(self.prefix_noise() ** 2)


@declared
class Toeplitz(LowerToeplitz):
    """C_ij = c_{i−j}: banded where there are fewer coefficients than steps.

    Parameters
    ----------
    steps: an integer >= 1.
    coefficients: c_0, c_1, …, finite, c_0 > 0, at most as many as steps; zeros at the end are left
        out.

    >>> Toeplitz(3, coefficients=(1.0, 0.5)).dense().tolist()
    [[1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [0.0, 0.5, 1.0]]
    """

    name = "toeplitz"

    steps: int = checked(Whole(1))
    coefficients: tuple[float, ...] = checked(numbers)

    def check_together(self) -> None:
        kept = self.coefficients
        while len(kept) > 1 and kept[-1] == 0:
            kept = kept[:-1]
        if not kept[0] > 0 or len(kept) > self.steps:
            raise ParameterError(
                f"coefficients must be at most {self.steps} numbers, one for each step, of which "
                f"the first is above 0, got {shown(self.coefficients)}"
            )
        vars(self)["coefficients"] = kept

    @property
    def toeplitz(self) -> tuple[float, ...]:
        return self.coefficients

    def __repr__(self) -> str:
        return self._text(coefficients=self.coefficients)
