"""Strategy: the matrix C of a matrix mechanism, which releases C·G + Z."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import ClassVar, Literal

import numpy as np

from hockeystick.checks import call_text, whole
from hockeystick.errors import ParameterError
from hockeystick.numerics.types import Array

Measure = Literal["max", "mean"]
"""Of the errors of all prefix sums: the largest, or their root mean square."""
MOST_ENTRIES = 2**28
"""A matrix that is written out has at most so many entries: 2 GiB of floats."""


class Strategy(ABC):
    """C, a matrix of `rows` rows and one column for each step, fixed before the first step.

    Row g_i of G is the sum of clipped gradients of step i. Released is C·G + Z, Z independent
    normal noise; a row is emitted once every step is chosen whose column has an entry in it. What
    is made of it, above all G + C⁻¹·Z and its prefix sums, is post-processing (Denisov, McMahan,
    Rush, Smith and Thakurta 2022).
    """

    name: ClassVar[str]
    """Of the function that makes it, in `hockeystick.matrix`; `repr` calls it, `parse` reads it."""

    steps: int
    """Columns: how many sums are released."""

    @property
    def rows(self) -> int:
        """Rows of C: as many as steps, but for trees."""
        return self.steps

    @property
    def bands(self) -> int | None:
        """Columns this far apart, or farther, share no row; None where none are that far."""
        return None

    @property
    def toeplitz(self) -> tuple[float, ...] | None:
        """c with C_ij = c_{i−j}, zeros at its end left out; None where C is not of this kind."""
        return None

    @property
    def perfect_trees(self) -> tuple[int, ...] | None:
        """Of a tree: how many steps each of its full binary trees has; None of all others."""
        return None

    @property
    @abstractmethod
    def nonnegative(self) -> bool:
        """Whether no entry of C is below 0."""

    @abstractmethod
    def column(self, step: int) -> Array:
        """The column of one step, an entry for each row."""

    def dense(self) -> Array:
        """C, written out."""
        self._check_size(self.rows)
        return np.stack([self.column(step) for step in range(self.steps)], axis=1)

    def gram(self) -> Array:
        """X = CᵀC, which alone decides what an unsampled release costs."""
        matrix = self.dense()
        product: Array = matrix.T @ matrix
        return product

    @abstractmethod
    def prefix_variances(self) -> Array:
        """The variance of the noise on each prefix sum of G, for noise Z of variance 1.

        That of row i is ‖B_i‖², where B·C is the matrix of prefix sums and row i of B takes only
        what is released by step i.
        """

    def error(self, measure: Measure = "max") -> float:
        """The standard deviation of the noise on prefix sums, for noise Z of variance 1.

        "max": of the noisiest prefix sum, max_i ‖B_i‖; "mean": the root of the mean of ‖B_i‖². Both
        are in units of the noise. Times the sensitivity of C, they compare strategies.

        >>> from hockeystick.matrix import identity
        >>> identity(4).error("max"), identity(4).error("mean")
        (2.0, 1.58113883...)
        """
        if measure not in ("max", "mean"):
            raise ParameterError(f"measure must be 'max' or 'mean', got {measure!r}")
        variances = self.prefix_variances()
        return math.sqrt(variances.max() if measure == "max" else variances.mean())

    def _text(self, **options: object) -> str:
        """The call that makes it."""
        return call_text(f"matrix.{self.name}", self.steps, **options)

    def __repr__(self) -> str:
        return self._text()

    def _step(self, step: int) -> int:
        if whole("step", step, 0) >= self.steps:
            raise ParameterError(f"step must be an integer in [0, {self.steps}), got {step!r}")
        return int(step)

    def _check_size(self, rows: int) -> None:
        if rows * self.steps > MOST_ENTRIES:
            raise ParameterError(
                f"steps must leave a matrix of at most 2^28 entries to write it out, got "
                f"{rows} x {self.steps}"
            )
