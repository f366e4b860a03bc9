"""No sampling: every record takes part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hockeystick.checks import declared, whole
from hockeystick.evidence import Evidence, known
from hockeystick.mechanism import Mechanism
from hockeystick.numerics.types import Array
from hockeystick.samplers.sampler import Sampler

if TYPE_CHECKING:
    from hockeystick.random.generators import Randomness
    from hockeystick.relation import Relation


@declared
class EveryRecord(Sampler):
    """All records, at every step: a choice that is known hides nobody, so nothing is amplified.

    >>> from hockeystick import Gaussian
    >>> Gaussian(2.0).on(EveryRecord())
    Gaussian(2.0)
    """

    natural_relation = None

    def evidence(self, mechanism: Mechanism, relation: Relation, steps: int) -> Evidence:
        return known(mechanism, relation, steps)

    def apply(self, mechanism: Mechanism) -> Mechanism:
        return mechanism

    def draw(self, population: int, rng: Randomness = None) -> Array:
        return np.arange(whole("population", population, 0))
