"""δ at many ε: both directions from lines that neighbouring ε share."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hockeystick.bound import Bound, Interval
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.types import Array
from hockeystick.routes.auto import is_for_contour
from hockeystick.routes.contour.route import CONTOUR
from hockeystick.routes.contour.shared import SharedLines
from hockeystick.routes.question import DeltaAt


class SharedProfile:
    """δ(ε) of pairs that dominate and, for the lower end, of pairs that are attained."""

    def __init__(self, dominating: Sequence[ComposedLoss], attained: Sequence[ComposedLoss]):
        self._upper = [SharedLines(side) for side in dominating]
        self._lower = [SharedLines(side) for side in attained] or self._upper

    @property
    def is_useful(self) -> bool:
        """Whether the contour is the first to be asked, in every direction."""
        return all(is_for_contour(lines.loss) for lines in {*self._upper, *self._lower})

    def deltas(self, epsilons: Sequence[float]) -> dict[float, Bound]:
        """δ at those ε that lines answer well; the others are left to be asked one by one."""
        wanted = [x for x in set(epsilons) if not self._is_extreme(x)]
        at: dict[float, Bound] = {}
        if not wanted:
            return at
        points = np.array(wanted)
        with np.errstate(over="ignore", invalid="ignore"):  # as far as any line may be off
            lower, upper = _worst(self._upper, points)
            if self._lower is not self._upper:
                lower = _worst(self._lower, points)[0]
        for x, low, high in zip(wanted, lower.tolist(), upper.tolist(), strict=True):
            if Interval(low, high, CONTOUR).is_tight:  # no, where one is not a number
                at[x] = Bound(high, lower=DeltaAt(x).agreed(low, high), method=CONTOUR)
        return at

    def _is_extreme(self, epsilon: float) -> bool:
        """Whether no line is needed, or none can be."""
        lines = {*self._upper, *self._lower}
        return math.isinf(epsilon) or any(
            each.loss.infinite == 1 or each.loss.is_at_most(epsilon) for each in lines
        )


def _worst(sides: Sequence[SharedLines], epsilons: Array) -> tuple[Array, Array]:
    lower, upper = np.max([side.deltas(epsilons) for side in sides], axis=0)
    return lower, upper
