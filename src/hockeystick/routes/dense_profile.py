"""δ at many ε of losses of very many atoms, which are added up once for all of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from hockeystick.bound import Bound
from hockeystick.loss.sum import ComposedLoss
from hockeystick.routes import lattice
from hockeystick.routes.adding import route as adding
from hockeystick.routes.auto import AUTO, worst
from hockeystick.routes.dense import is_dense
from hockeystick.routes.question import DeltaAt

MOST_STEPS = 200
"""Of more steps a list of outcomes is too coarse."""
GOOD = 1e-3
"""Relative gap between the ends up to which no other route is asked, which would leave as much."""


class DenseProfile:
    """δ(ε) of pairs that dominate and, for the lower end, of pairs that are attained."""

    def __init__(self, dominating: Sequence[ComposedLoss], attained: Sequence[ComposedLoss]):
        self._dominating, self._attained = dominating, attained

    @property
    def is_useful(self) -> bool:
        """Whether every direction has too many atoms for other routes, and few steps."""
        return all(
            not loss.continuous
            and not loss.rough
            and 1 < loss.steps <= MOST_STEPS
            and is_dense(loss)
            for loss in self._dominating
        )

    @cached_property
    def _profiles(self) -> list[Callable[[float], tuple[float, float]]]:
        zero = np.zeros(1)
        profiles = []
        for loss in self._dominating:
            single = max(float(part.profile(zero)[0]) for part, _ in loss.parts)
            profiles.append(adding.profile(loss, single))
        return profiles

    def deltas(self, epsilons: Sequence[float]) -> dict[float, Bound]:
        """δ at those ε that the sums answer well; the others are left to be asked one by one."""
        at: dict[float, Bound] = {}
        for epsilon in filter(math.isfinite, set(epsilons)):
            ends = [profile(epsilon) for profile in self._profiles]
            lower, upper = (max(each) for each in zip(*ends, strict=True))
            if upper < 1 and upper - lower <= GOOD * upper:
                question = DeltaAt(epsilon)
                if self._attained:
                    lower = worst(self._attained, question, AUTO).lower
                at[epsilon] = Bound(
                    upper, lower=question.agreed(lower, upper), method=lattice.ROUTE.name
                )
        return at
