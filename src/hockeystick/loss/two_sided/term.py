"""One term of the curve that an amplification theorem gives."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hockeystick.loss.base import Loss
from hockeystick.loss.copies import Copies
from hockeystick.loss.strip import StripLoss


class Term(NamedTuple):
    """(constant + falling/A)·h(A), with h the profile of a loss."""

    constant: float
    falling: float
    loss: Loss

    def copies(self, rate: float) -> Copies | None:
        """Those of a Gaussian release on a batch of fixed size, if this is all its curve."""
        shift = self.loss.gaussian_shift
        if not shift or self.falling or not self.constant == rate < 1:
            return None
        return Copies(np.array([1 - rate, rate]), shift)

    @property
    def high(self) -> float:
        """From which s on E[e^{su}] of it is infinite: there its losses fall no faster."""
        high = self.loss.high if isinstance(self.loss, StripLoss) else math.inf
        return high if self.constant else high + 1
