"""Private linear regression as a scikit-learn estimator."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from hockeystick.errors import ParameterError
from hockeystick.learn.estimator import PrivateEstimator
from hockeystick.learn.linear import Squares
from hockeystick.learn.scale.source import Source
from hockeystick.learn.scale.targets import Scaled
from hockeystick.learn.schema import Number
from hockeystick.numerics.types import Array


@dataclass(eq=False, repr=False)
class LinearRegression(RegressorMixin, PrivateEstimator):  # type: ignore[misc]
    """(ε, δ)-differentially private least squares, by noisy gradients of clipped records.

    Parameters
    ----------
    target_bounds: (lower, upper), declared: targets are clipped to them and scaled to [−1, 1] for
        training. None takes the targets as they are, which learns well only if they are of order 1.

    All others, and the attributes, as in `LogisticRegression`.

    >>> x = np.linspace(-1, 1, 1000)[:, None]
    >>> model = LinearRegression(epsilon=1.0, target_bounds=(0, 10), random_state=0)
    >>> predicted = model.fit(x, 5 + 3 * x[:, 0]).predict([[-1.0], [1.0]])
    >>> bool(abs(predicted - [2, 8]).max() < 1)
    True
    """

    learning_rate: float = 0.25
    target_bounds: tuple[float, float] | None = None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Train on a row of X and a target of y for each record.

        Data larger than memory: as `private_sgd` takes them, X a `Source` for instance.
        """
        middle, half = self._target_scale()
        source = self._source(X, y)
        if source is not None:
            scaled = Scaled(middle, half, self.target_bounds is not None)
            return self._fitted(source.with_targets(scaled), None, middle, half)
        declared = self.target_bounds is not None or self.population is not None
        x, y = self._checked_data(X, y, y_numeric=True, ensure_min_samples=0 if declared else 1)
        if y.dtype.kind not in "biuf" or not np.isfinite(y).all():
            raise ParameterError("y must be finite numbers for LinearRegression (it is not shown)")
        return self._fitted(x, self._encoded(y), middle, half)

    def _encoded(self, y: Any) -> Array:
        middle, half = self._target_scale()
        if self.target_bounds is not None:
            y = np.clip(y, middle - half, middle + half)
        return np.asarray((np.asarray(y, dtype=float) - middle) / half)

    def _fitted(self, x: Array | Source, y: Array | None, middle: float, half: float) -> Self:
        parameters = self._train(Squares(), x, y) * half
        self.coef_, self.intercept_ = parameters[:-1, 0], parameters[-1, 0] + middle
        return self

    def _target_scale(self) -> tuple[float, float]:
        if self.target_bounds is None:
            return 0.0, 1.0
        bounds = self.target_bounds
        if np.shape(bounds) != (2,) or not all(isinstance(each, Real) for each in bounds):
            raise ParameterError(f"target_bounds must be two finite numbers, got {bounds!r}")
        try:
            declared = Number(*bounds)
        except ParameterError as error:
            raise ParameterError(f"target_{error}") from None
        return declared.middle, declared.half

    def predict(self, X: Any) -> Array:
        """The expected target of each row."""
        return np.asarray(self._features(X) @ self.coef_ + self.intercept_)
