"""What mechanisms that add integer noise share."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass

from hockeystick.domain import non_negative, whole
from hockeystick.errors import ParameterError
from hockeystick.loss import Loss
from hockeystick.losses.atoms import EVERYTHING, NOTHING
from hockeystick.mechanism import Mechanism, call_text
from hockeystick.mechanisms.additive import LEAST_NOISE
from hockeystick.relation import REPLACE_ONE, Relation


@dataclass(frozen=True, repr=False)
class DiscreteNoise(Mechanism):
    """Integer noise for a query with integer answers.

    Parameters
    ----------
    noise_multiplier: noise scale over sensitivity, in [0, inf].
    sensitivity: how far adding or removing one record can move the query, an integer >= 1; the
        noise scale on the integers is noise_multiplier × sensitivity.
    replace_sensitivity: the same for replacing one record; 2 × sensitivity unless given.
    """

    noise_multiplier: float
    sensitivity: int = 1
    replace_sensitivity: int | None = None

    def __post_init__(self) -> None:
        set_field = object.__setattr__
        set_field(self, "noise_multiplier", non_negative("noise_multiplier", self.noise_multiplier))
        set_field(self, "sensitivity", whole("sensitivity", self.sensitivity, 1))
        if self.replace_sensitivity is not None:
            replace = whole("replace_sensitivity", self.replace_sensitivity, 1)
            set_field(self, "replace_sensitivity", replace)

    @property
    def scale(self) -> float:
        """Scale of the noise on the integers."""
        return self.noise_multiplier * self.sensitivity

    def loss(self, relation: Relation) -> Loss:
        steps = self.sensitivity
        if relation is REPLACE_ONE:
            steps = self.replace_sensitivity or 2 * steps
        if self.scale < LEAST_NOISE:
            return EVERYTHING
        if math.isinf(self.scale):
            return NOTHING
        if max(steps, self.scale) > 1e5:
            raise ParameterError(
                f"noise_multiplier × sensitivity must be at most 100000, got {self.scale!r} for "
                f"{self!r}; on so fine a grid use the continuous mechanism of the same multiplier"
            )
        return self._loss(steps)

    def group(self, size: int) -> Mechanism:
        """The same noise on the integers; the query moves by `size` times as much."""
        size = whole("size", size, 1)
        replace = self.replace_sensitivity and self.replace_sensitivity * size
        return type(self)(self.noise_multiplier / size, self.sensitivity * size, replace)

    @abstractmethod
    def _loss(self, steps: int) -> Loss:
        """The loss when the query moves by `steps` integers."""

    def __repr__(self) -> str:
        sensitivity = None if self.sensitivity == 1 else self.sensitivity
        return call_text(
            type(self).__name__,
            self.noise_multiplier,
            sensitivity=sensitivity,
            replace_sensitivity=self.replace_sensitivity,
        )
