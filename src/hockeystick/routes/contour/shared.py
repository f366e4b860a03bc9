"""δ at many ε: a line of the contour serves all of them near the one that it was planned for.

K on a line does not depend on ε; what depends on it, the error of the sum, is known at every ε. So
a line is used as far as it is about as good as where it was planned.
"""

from __future__ import annotations

import math

import numpy as np

from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.blocks import CHUNK
from hockeystick.numerics.types import Array
from hockeystick.routes.base import CannotAnswer
from hockeystick.routes.contour.line import Line
from hockeystick.routes.contour.route import deltas_on, line_at

NEARLY_AS_GOOD = 4.0
"""How much wider, relatively, an answer may be than the one for which the line was planned."""
GOOD = 4e-12
"""Relative width of an answer for which no other line is planned."""
FARTHEST = 8.0
"""Farthest that a line is tried, over 1/c: there it loses about so many nats."""
FIRST_REACH = 2.0
"""How far, over 1/c, the next line is planned beyond the first ε that it has to serve."""
MOST_FAILURES = 3
"""After so many ε without a line the others are not tried."""

Ends = tuple[Array, Array]
"""Lower and upper ends of δ, NaN where there is no answer."""


class SharedLines:
    """δ(ε) of one loss wherever it is asked for, and the lines that were planned so far."""

    def __init__(self, loss: ComposedLoss) -> None:
        self.loss = loss
        self.lines: list[tuple[Line, float]] = []
        """Each with the width that its answers may have."""
        self._failures = 0
        self._reach = 0.0

    def deltas(self, epsilons: Array) -> Ends:
        """Both ends of δ at each ε; NaN where the contour has no answer."""
        wanted, back = np.unique(epsilons, return_inverse=True)
        ends = np.full(wanted.shape, math.nan), np.full(wanted.shape, math.nan)
        left = np.ones(wanted.size, dtype=bool)
        for line, width in self.lines:
            self._serve(line, width, wanted, left, ends)
        while left.any() and self._failures < MOST_FAILURES:
            places = np.flatnonzero(left)
            within = wanted[places] <= wanted[places[0]] + self._reach
            self._plan(int(places[within][-1]), wanted, left, ends)
        return ends[0][back], ends[1][back]

    def _plan(self, place: int, wanted: Array, left: Array, ends: Ends) -> None:
        """A line for one ε, which also answers what is left near it."""
        left[place] = False
        try:
            line = line_at(self.loss, float(wanted[place]))
            low, high = deltas_on(line, self.loss, wanted[place : place + 1])
        except CannotAnswer:
            self._failures += 1
            return
        ends[0][place], ends[1][place] = low[0], high[0]
        own = float(_width(low, high)[0])
        if math.isnan(own):
            self._failures += 1
            return
        width = max(GOOD, NEARLY_AS_GOOD * own)
        self.lines.append((line, width))
        self._reach = FIRST_REACH / line.centre
        self._serve(line, width, wanted, left, ends)

    def _serve(self, line: Line, width: float, wanted: Array, left: Array, ends: Ends) -> None:
        """Answer what is left and near enough to the line."""
        places = np.flatnonzero(left & (np.abs(wanted - line.epsilon) * line.centre <= FARTHEST))
        rows = max(1, CHUNK // line.t.size)
        for start in range(0, places.size, rows):
            some = places[start : start + rows]
            low, high = deltas_on(line, self.loss, wanted[some])
            good = _width(low, high) <= width
            ends[0][some[good]], ends[1][some[good]] = low[good], high[good]
            left[some[good]] = False


def _width(lower: Array, upper: Array) -> Array:
    """How far apart the ends are, relatively; NaN where there are none."""
    return np.asarray((upper - lower) / upper)
