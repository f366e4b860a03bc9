"""Recursion: how the noise of a step is made of fresh noise and of the noise of earlier steps."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.types import Array

ULP = 2.0**-53
"""The relative error of one operation on floats."""
WHOLE = 2.0**53
"""Integers up to here are floats, and so are their sums and differences."""
DEVIATIONS = 64.0
"""Noise beyond so many standard deviations is an error; it has a probability below e^(−2000)."""


class Recursion(ABC):
    """The noise W of each step in steps of a grid, integers, from fresh integers K.

    What is needed of it for the guarantee is in docs/correlated-noise-learning.md: W is K less a
    function of earlier W that is linear, up to `error` in each entry.
    """

    dimension: int

    largest: float = 1.0
    """The largest |C_ii|: fresh noise of step i has the scale of the noise over |C_ii|."""
    smallest: float = 1.0
    """The smallest |C_ii|."""

    @abstractmethod
    def fresh(self, step: int) -> tuple[int, float]:
        """How many vectors of fresh noise a step takes, and |C_ii|, which their scale is over."""

    @abstractmethod
    def next(self, step: int, drawn: Array) -> Array:
        """The noise of a step from its fresh noise, integers as floats."""

    @abstractmethod
    def reach(self, scale: float) -> float:
        """What no entry of W is beyond, for noise of this scale; up to 2^53 W is exact."""

    @abstractmethod
    def limit(self, scale: float) -> None:
        """Set what is beyond all noise of this scale."""

    @abstractmethod
    def error(self, scale: float) -> float:
        """How far an entry of W is at most from what is linear, for noise of this scale."""

    @abstractmethod
    def spread(self, secret: bool) -> float:
        """What twice such an error adds to the distance of neighbours, over their distance.

        A number for steps that everybody knows a record takes part in: √(Σ C_ii²)/‖C_j‖, C_j the
        shortest column, or a longer one that is among the steps of any pattern. In a secret sample
        every entry of C must cover it alone: max |C_ii/C_ij| over entries that are not 0, i > j.
        """


def check_reach(values: Array, most: float) -> None:
    """Raise where a value is beyond what noise can be: then a rounding error might be, too."""
    if not float(np.abs(values).max(initial=0.0)) <= most:
        raise NumericalError(
            f"noise of more than {DEVIATIONS:g} standard deviations was drawn: the generator of "
            "random numbers is broken"
        )
