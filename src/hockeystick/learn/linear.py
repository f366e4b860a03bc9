"""Linear models: every record's gradient is x·rᵀ, so it is clipped without being formed.

The entries of x·rᵀ are products, hence ‖x·rᵀ‖ = ‖x‖·‖r‖ in L1 as in L2, and the clipped sum is
Xᵀ(c∘R) with one factor c for each record: the cost of a plain gradient and little more.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hockeystick.checks import Whole, checked, declared
from hockeystick.errors import ParameterError
from hockeystick.learn.clipping import check_shape, clipped, highest, lengths, reach, silent
from hockeystick.learn.objective import Objective
from hockeystick.learn.records import Records
from hockeystick.numerics.types import Array
from hockeystick.sensitivity import Norm


class Linear(Objective):
    """A loss of Xθ and the target; `residuals` are its derivatives by Xθ."""

    outputs: int = 1
    far_target: ClassVar[float] = 0.0
    """A target that records of one long feature never reach: their gradients do not turn round."""

    def shape(self, features: int) -> tuple[int, int]:
        return features, self.outputs

    @abstractmethod
    def residuals(self, parameters: Array, records: Records) -> Array:
        """∂f/∂(xθ) of each record: a matrix (records × outputs)."""

    def gradients(self, parameters: Array, records: Records) -> Array:
        with silent():
            residuals = self.residuals(parameters, records)
            return np.asarray(records.features[:, :, None] * residuals[:, None, :])

    def clipped_sum(self, parameters: Array, records: Records, clip: float, norm: Norm) -> Array:
        x, weights = self._factors(parameters, records, clip, norm)
        return np.asarray(x.T @ weights)

    def clipped_rows(self, parameters: Array, records: Records, clip: float, norm: Norm) -> Array:
        if records.persons:
            return super().clipped_rows(parameters, records, clip, norm)
        x, weights = self._factors(parameters, records, clip, norm)
        return np.asarray(x[:, :, None] * weights[:, None, :]).reshape(len(x), -1)

    def _factors(
        self, parameters: Array, records: Records, clip: float, norm: Norm
    ) -> tuple[Array, Array]:
        """x and r of each record, whose clipped gradient is x·rᵀ."""
        # Products that overflow give norms that are not finite, which `clipped` takes out, as it
        # must where one factor is so long that the other one has too few digits left.
        with silent():
            residuals = self.residuals(parameters, records)
            check_shape("residuals", residuals, (len(records.targets), parameters.shape[1]))
            residuals = records.weighted(residuals)
            x = records.features
            long, own = lengths(x, norm), lengths(residuals, norm)
            norms, most = long * own, reach(clip)
            if not (highest(long) <= most and highest(own) <= most):
                far = ~(np.maximum(long, own) <= most)  # 0 times infinity is no contribution either
                norms[far], x = np.inf, np.where(far[:, None], 0.0, x)
            weights = clipped(residuals, norms, clip)
        return x, weights


@dataclass(frozen=True)
class Logistic(Linear):
    """Logistic regression with two classes, y in {0, 1}: f = log(1 + e^{xθ}) − y·xθ.

    >>> Logistic().losses(np.zeros((1, 1)), Records(np.ones((1, 1)), np.ones(1))).round(6).tolist()
    [0.693147]
    """

    far_target = 1.0

    def check(self, records: Records) -> None:
        if not np.isin(records.targets, (0, 1)).all():
            raise ParameterError("targets must be 0 or 1 for logistic regression")

    def losses(self, parameters: Array, records: Records) -> Array:
        z = (records.times(parameters))[:, 0]
        return np.asarray(np.logaddexp(0.0, z) - records.targets * z)

    def residuals(self, parameters: Array, records: Records) -> Array:
        from scipy.special import expit

        return np.asarray(expit(records.times(parameters)) - records.targets[:, None])


@declared
class Softmax(Linear):
    """Multinomial logistic regression, y in {0, …, K−1}: f = log Σ_k e^{xθ_k} − xθ_y.

    Parameters
    ----------
    outputs: the number of classes K, an integer >= 2.
    """

    outputs: int = checked(Whole(2))

    def check(self, records: Records) -> None:
        if not np.isin(records.targets, np.arange(self.outputs)).all():
            raise ParameterError(f"targets must be integers from 0 to {self.outputs - 1}")

    def losses(self, parameters: Array, records: Records) -> Array:
        from scipy.special import logsumexp  # good to its last digits where one term is nearly all

        z = records.times(parameters)
        return np.asarray(logsumexp(z, axis=1) - z[self._own(records)])

    def residuals(self, parameters: Array, records: Records) -> Array:
        from scipy.special import softmax

        p = softmax(records.times(parameters), axis=1)
        p[self._own(records)] -= 1.0
        return np.asarray(p)

    @staticmethod
    def _own(records: Records) -> tuple[Array, Array]:
        return np.arange(len(records.targets)), records.targets.astype(np.intp)


@dataclass(frozen=True)
class Squares(Linear):
    """Linear regression: f = (xθ − y)²/2."""

    far_target = 1e12

    def losses(self, parameters: Array, records: Records) -> Array:
        return np.asarray(self.residuals(parameters, records)[:, 0] ** 2 / 2)

    def residuals(self, parameters: Array, records: Records) -> Array:
        return np.asarray(records.times(parameters) - records.targets[:, None])
