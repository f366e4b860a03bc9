"""What mechanisms that add noise to a query share: the noise multiplier and the relations."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass

from hockeystick.domain import finite_positive, non_negative, whole
from hockeystick.loss import Loss
from hockeystick.losses.atoms import EVERYTHING, NOTHING
from hockeystick.mechanism import Mechanism, call_text
from hockeystick.relation import REPLACE_ONE, Relation

LEAST_NOISE = 1e-100
"""Below this the loss of a single release overflows; no noise at all is the safe description."""


@dataclass(frozen=True, repr=False)
class AdditiveNoise(Mechanism):
    """Noise of scale `noise_multiplier` × (how far one record can move the query).

    Parameters
    ----------
    noise_multiplier: in [0, inf]; 0 reveals everything, inf nothing.
    replace_sensitivity: how far replacing one record can move the query, in units of how far
        adding or removing one can; in (0, inf), 2 unless the query says otherwise.
    """

    noise_multiplier: float
    replace_sensitivity: float = 2.0

    def __post_init__(self) -> None:
        set_field = object.__setattr__
        set_field(self, "noise_multiplier", non_negative("noise_multiplier", self.noise_multiplier))
        set_field(
            self,
            "replace_sensitivity",
            finite_positive("replace_sensitivity", self.replace_sensitivity),
        )

    def loss(self, relation: Relation) -> Loss:
        sensitivity = self.replace_sensitivity if relation is REPLACE_ONE else 1.0
        noise = self.noise_multiplier / sensitivity
        if noise < LEAST_NOISE:
            return EVERYTHING
        shift = 1 / noise
        return NOTHING if shift == 0 or math.isinf(noise) else self._loss(shift)

    def group(self, size: int) -> Mechanism:
        """All `size` records move the query by `size` times as much."""
        noise = self.noise_multiplier / whole("size", size, 1)
        return type(self)(noise, self.replace_sensitivity)

    @abstractmethod
    def _loss(self, shift: float) -> Loss:
        """The loss when the query moves by `shift` noise scales."""

    def __repr__(self) -> str:
        replace = None if self.replace_sensitivity == 2 else self.replace_sensitivity
        return call_text(type(self).__name__, self.noise_multiplier, replace_sensitivity=replace)
