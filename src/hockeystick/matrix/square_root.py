"""The square root of the prefix sums: a closed form that is near the best for one participation."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from hockeystick.checks import Whole, checked, declared
from hockeystick.matrix.toeplitz import LowerToeplitz
from hockeystick.numerics.types import Array


def root_coefficients(count: int) -> Array:
    """f_i = C(2i, i)/4^i, the series of (1 − z)^(−1/2): f_i = f_{i−1}·(2i − 1)/(2i).

    >>> root_coefficients(4).tolist()
    [1.0, 0.5, 0.375, 0.3125]
    """
    i = np.arange(1, count)
    return np.concatenate([[1.0], np.cumprod((2.0 * i - 1) / (2.0 * i))])


@declared
class SquareRoot(LowerToeplitz):
    """C with C·C = the matrix of prefix sums, c_i = C(2i, i)/4^i.

    Of all lower triangular Toeplitz matrices it has the least maximal error where each record takes
    part once (Fichtenberger, Henzinger and Upadhyay 2023; Dvijotham et al. 2024).

    >>> SquareRoot(4).toeplitz
    (1.0, 0.5, 0.375, 0.3125)
    """

    name = "square_root"

    steps: int = checked(Whole(1))

    @cached_property
    def toeplitz(self) -> tuple[float, ...]:
        return tuple(root_coefficients(self.steps).tolist())

    def prefix_noise(self) -> Array:
        """The coefficients themselves: C⁻¹·A is C again."""
        return np.array(self.toeplitz)
