"""Scaling by declared bounds, which learns nothing from the data."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from hockeystick.errors import ParameterError
from hockeystick.learn.discretion import without_values
from hockeystick.numerics.types import Array


class BoundedScaler(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Clips each feature to [lower, upper] and maps that to [−1, 1].

    The bounds are public knowledge, a person's age or a sensor's range, and never the smallest and
    largest value of the data: those are private, and StandardScaler's mean and variance are too.

    Parameters
    ----------
    lower, upper: a number for all features, or one for each; lower < upper.

    >>> BoundedScaler(lower=[0, 10], upper=[100, 20]).fit_transform([[25.0, 99.0]]).tolist()
    [[-0.5, 1.0]]
    """

    def __init__(self, lower: ArrayLike = -1.0, upper: ArrayLike = 1.0) -> None:
        self.lower = lower
        self.upper = upper

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check that there are as many bounds as features; X is not looked into any further."""
        with without_values():
            x = validate_data(self, X, dtype=np.float64)
        try:
            lower, upper = (np.asarray(each, dtype=float) for each in (self.lower, self.upper))
        except (TypeError, ValueError, OverflowError):
            raise ParameterError(
                f"lower and upper must be numbers, got {self.lower!r} and {self.upper!r}"
            ) from None
        shape = (x.shape[1],)
        if any(each.shape not in ((), shape) for each in (lower, upper)):
            raise ParameterError(
                f"lower and upper must be numbers, or one for each of {x.shape[1]} features, got "
                f"the shapes {lower.shape} and {upper.shape}"
            )
        middle, half = lower / 2 + upper / 2, upper / 2 - lower / 2  # their sum may overflow
        if not (np.isfinite(lower).all() and np.isfinite(upper).all() and (half > 0).all()):
            raise ParameterError("lower and upper must be finite, each lower below its upper")
        self.middle_ = np.broadcast_to(middle, shape).copy()
        self.half_ = np.broadcast_to(half, shape).copy()
        return self

    def transform(self, X: Any) -> Array:
        """Clipped and scaled to [−1, 1]."""
        check_is_fitted(self)
        with without_values():
            x = validate_data(self, X, dtype=np.float64, reset=False)
        with np.errstate(over="ignore"):
            return np.asarray(np.clip((x - self.middle_) / self.half_, -1.0, 1.0))
