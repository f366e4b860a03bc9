"""Targets as the objectives take them: what a part makes of its own, without showing any."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hockeystick.errors import ParameterError
from hockeystick.numerics.types import Array


@dataclass(frozen=True, eq=False)
class Codes:
    """The place of each label among the classes, which are sorted.

    >>> Codes(np.array(["no", "yes"]))(np.array(["yes", "no"])).tolist()
    [1, 0]
    """

    classes: Array

    def __call__(self, labels: Array) -> Array:
        if not np.isin(labels, self.classes).all():
            raise ParameterError("y must hold declared classes only; one label (not shown) is not")
        return np.searchsorted(self.classes, labels)


@dataclass(frozen=True)
class Scaled:
    """(y − middle)/half, clipped to [−1, 1] where bounds were declared.

    >>> Scaled(5.0, 5.0, True)(np.array([0, 5, 99])).tolist()
    [-1.0, 0.0, 1.0]
    """

    middle: float
    half: float
    bounded: bool

    def __call__(self, targets: Array) -> Array:
        if targets.dtype.kind not in "biuf":
            raise ParameterError("y must be finite numbers for LinearRegression (it is not shown)")
        scaled = (targets - self.middle) / self.half
        return np.clip(scaled, -1.0, 1.0) if self.bounded else scaled
