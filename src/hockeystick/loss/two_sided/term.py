"""One term of the curve that an amplification theorem gives."""

from __future__ import annotations

import math
from typing import NamedTuple

from hockeystick.loss.base import Loss
from hockeystick.loss.strip import StripLoss


class Term(NamedTuple):
    """(constant + falling/A)·h(A), with h the profile of a loss."""

    constant: float
    falling: float
    loss: Loss

    @property
    def high(self) -> float:
        """From which s on E[e^{su}] of it is infinite: there its losses fall no faster."""
        high = self.loss.high if isinstance(self.loss, StripLoss) else math.inf
        return high if self.constant else high + 1
