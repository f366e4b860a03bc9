"""Records: the private data, as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from hockeystick.errors import ParameterError
from hockeystick.series import Array


@dataclass(frozen=True)
class Records:
    """Some records: features, targets and, where the objective has a use for them, lengths."""

    features: Array
    targets: Array
    lengths: Array | None = None

    def take(self, batch: Array) -> Records:
        """The records at these indices; an index that comes twice counts twice."""
        known = None if self.lengths is None else self.lengths.take(batch)
        return Records(self.features.take(batch, axis=0), self.targets.take(batch), known)

    @classmethod
    def checked(cls, name: str, features: Any, targets: Any) -> Self:
        """Finite numbers, a row for each target; what is wrong is said without showing any.

        >>> Records.checked("features", [[1.0, 2.0]], [1]).targets
        array([1.])
        """
        try:
            x, y = np.asarray(features, dtype=float), np.asarray(targets, dtype=float)
        except (TypeError, ValueError):
            raise ParameterError(f"{name} and their targets must be numbers") from None
        if x.ndim != 2 or y.shape != x.shape[:1]:
            raise ParameterError(
                f"{name} must be a matrix with a row for each target, got the shapes {x.shape} "
                f"and {y.shape}"
            )
        if not (np.isfinite(x).all() and np.isfinite(y).all()):
            raise ParameterError(
                f"{name} and their targets must be finite: there is NaN or infinity"
            )
        return cls(x, y)
