"""δ of one direction, near one x: the bent lines of all groups, and the worth of the marks."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.routes.contour.few_steps.line import ULP, Line
from hockeystick.routes.contour.few_steps.nodes import Nodes
from hockeystick.routes.contour.few_steps.plan import Plan

NEGLIGIBLE = 32.0
"""A group that is below e^−32 of δ by Chernoff's bound is left out, and charged."""
PLANNED_MARGIN = 1.5
"""Margin of bounds that are summed on the grid of the plan."""
ROUNDING_MARGIN = 3.0
"""Rounding is estimated, and taken so many times."""


class Value(NamedTuple):
    """δ at one x."""

    value: float
    rate: float
    """−dδ/dε."""


class Slack(NamedTuple):
    """How far the truth may be from it."""

    below: float
    above: float
    given: float
    """The part of either that comes of the digits of ε, noise and rate: no other line spares it."""


class Lines:
    """Everything that is evaluated once for all x near the planned one."""

    def __init__(self, plan: Plan, log_delta: float) -> None:
        self.plan, self.steps = plan, plan.steps
        nodes = Nodes(plan)
        self.left_out = 0.0
        self.lines = []
        for group in plan.groups or (plan.whole(),):
            if plan.groups and group.log_bound < log_delta - NEGLIGIBLE:
                self.left_out += PLANNED_MARGIN * math.exp(group.log_bound)
            else:
                self.lines.append(Line(nodes, group, log_delta))

    def at(self, x: float) -> Value:
        """δ and its rate at x."""
        marked = self.plan.marks.worth(x)
        parts = [line.at(x) for line in self.lines]
        value = marked.value + sum(part.value for part in parts)
        rate = marked.rate + sum(part.rate for part in parts)
        if not (math.isfinite(value) and math.isfinite(rate)):
            raise NumericalError("few steps: the sum along the line is not a number")
        return Value(value, rate)

    def slack(self, x: float) -> Slack:
        """How far δ may be off at x.

        x and the law itself are rounded too: a relative change of the odds moves all X by as much.
        """
        steps, marked = self.steps, self.plan.marks.worth(x)
        errors = [line.errors(x) for line in self.lines]
        rounding = sum(error.rounding for error in errors)
        rounding += 40 * ULP * (abs(marked.value) + abs(marked.rate))
        digits = 8 + 2 * float(np.abs(steps.log_odds).max()) + steps.most_shift**2
        moved = 4 * (steps.origin + abs(steps.epsilon(x))) + x * digits
        given = ROUNDING_MARGIN * abs(self.at(x).rate) * ULP * moved
        below = given + ROUNDING_MARGIN * rounding + sum(error.method for error in errors)
        above = below + self.left_out + self._left_by_marks(x, marked.above)
        if not math.isfinite(above):
            raise NumericalError("few steps: the error of the line is not a number")
        return Slack(below, above, given)

    def _left_by_marks(self, x: float, above: float) -> float:
        """How far the truth may be above because of marks."""
        if self.steps.remove or not above:
            return above
        plan = self.plan
        order = float(plan.orders[plan.saddle])
        return min(above, PLANNED_MARGIN * plan.marks.by_chernoff(x, order, plan.log_whole()))
