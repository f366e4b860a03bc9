"""δ of one direction, near one x: the bent lines of all groups, and the worth of the marks."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.types import Array
from hockeystick.routes.contour.few_steps.counted import CountedLine
from hockeystick.routes.contour.few_steps.line import ULP, Line
from hockeystick.routes.contour.few_steps.marks import Worth
from hockeystick.routes.contour.few_steps.nodes import Nodes
from hockeystick.routes.contour.few_steps.plan import Plan

NEGLIGIBLE = 32.0
"""A group that is below e^−32 of δ by Chernoff's bound is left out, and charged."""
PLANNED_MARGIN = 1.5
"""Margin of bounds that are summed on the grid of the plan."""
ROUNDING_MARGIN = 3.0
"""Rounding is estimated, and taken so many times."""


class Values(NamedTuple):
    """δ at each x."""

    value: Array
    rate: Array
    """−dδ/dε."""


class Slacks(NamedTuple):
    """How far the truth may be from it."""

    below: Array
    above: Array
    given: Array
    """The part of either that comes of the digits of ε, noise and rate: no other line spares it."""


class Value(NamedTuple):
    """δ at one x."""

    value: float
    rate: float


class Slack(NamedTuple):
    """How far the truth may be from it at one x."""

    below: float
    above: float
    given: float


class Lines:
    """Everything that is evaluated once for all x near the planned one.

    For other counts than the planned ones no group may be left out: `share`.
    """

    def __init__(self, plan: Plan, log_delta: float, share: bool = False) -> None:
        self.plan, self.steps = plan, plan.steps
        nodes = Nodes(plan)
        self.left_out = 0.0
        self.lines = []
        for group in plan.groups or (plan.whole(),):
            if plan.groups and group.log_bound < log_delta - NEGLIGIBLE and not share:
                self.left_out += PLANNED_MARGIN * math.exp(group.log_bound)
            else:
                self.lines.append(Line(nodes, group, log_delta, share))
        self._own = CountedLines(self, plan.steps.count[None, :])

    def at(self, x: float) -> Value:
        """δ and its rate at x."""
        value, rate = self._own.at(np.array([x]))
        return Value(float(value[0]), float(rate[0]))

    def slack(self, x: float) -> Slack:
        """How far δ may be off at x."""
        below, above, given = self.with_slack(np.array([x]))[1]
        return Slack(float(below[0]), float(above[0]), float(given[0]))

    def with_slack(self, x: Array) -> tuple[Values, Slacks]:
        """δ at each x, and how far it may be off."""
        return self._own.with_slack(x)


class CountedLines:
    """The same lines for each row of counts, with an x for each of them."""

    def __init__(self, lines: Lines, counts: Array) -> None:
        self.plan, self.steps, self.counts = lines.plan, lines.steps, counts
        self.left_out = lines.left_out
        self.parts = [CountedLine(line, counts) for line in lines.lines]

    def at(self, x: Array) -> Values:
        """δ and its rate at each x."""
        return self._with(self.plan.marks.worth(x, self.counts), x)

    def _with(self, marked: Worth, x: Array) -> Values:
        parts = [part.at(x) for part in self.parts]
        value = marked.value + sum(part.value for part in parts)
        rate = marked.rate + sum(part.rate for part in parts)
        if not (np.isfinite(value).all() and np.isfinite(rate).all()):
            raise NumericalError("few steps: the sum along the line is not a number")
        return Values(value, rate)

    def with_slack(self, x: Array) -> tuple[Values, Slacks]:
        """δ at each x, and how far it may be off.

        x and the law itself are rounded too: a relative change of the odds moves all X by as much.
        """
        steps, marked = self.steps, self.plan.marks.worth(x, self.counts)
        values = self._with(marked, x)
        errors = [part.errors(x) for part in self.parts]
        rounding = sum(error.rounding for error in errors)
        rounding = rounding + 40 * ULP * (np.abs(marked.value) + np.abs(marked.rate))
        digits = 8 + 2 * float(np.abs(steps.log_odds).max()) + steps.most_shift**2
        far = steps.origins(self.counts) + np.abs(steps.epsilon(x, self.counts))
        given = ROUNDING_MARGIN * np.abs(values.rate) * ULP * (4 * far + x * digits)
        below = given + ROUNDING_MARGIN * rounding + sum(error.method for error in errors)
        above = below + self.left_out + self._left_by_marks(x, marked.above)
        if not np.isfinite(above).all():
            raise NumericalError("few steps: the error of the line is not a number")
        return values, Slacks(below, above, given)

    def _left_by_marks(self, x: Array, above: Array) -> Array:
        """How far the truth may be above because of marks."""
        if self.steps.remove or not above.any():
            return above
        plan = self.plan
        order = float(plan.orders[plan.saddle])
        bound = plan.marks.by_chernoff(x, self.counts, order, plan.log_whole())
        return np.minimum(above, PLANNED_MARGIN * bound)
