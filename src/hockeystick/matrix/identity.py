"""The identity: noise of its own for every step, as in DP-SGD."""

from __future__ import annotations

from hockeystick.checks import Whole, checked, declared
from hockeystick.matrix.toeplitz import LowerToeplitz


@declared
class Identity(LowerToeplitz):
    """C = 1: every step has noise of its own.

    >>> Identity(2).dense().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    name = "identity"

    steps: int = checked(Whole(1))

    @property
    def toeplitz(self) -> tuple[float, ...]:
        return (1.0,)

    @property
    def bands(self) -> int:
        return 1
