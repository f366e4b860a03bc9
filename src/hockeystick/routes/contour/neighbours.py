"""About δ of losses that differ a little: the line of one of them serves the others.

Where its nodes lie matters to the error of a sum alone, not to its value. No error is known here:
this is to find a parameter with, whose own answer then has both ends.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.sum import ComposedLoss
from hockeystick.routes.contour.few_steps import answer as few_steps
from hockeystick.routes.contour.few_steps.answer import steps_of
from hockeystick.routes.contour.few_steps.law import SampledSteps
from hockeystick.routes.contour.line import Line
from hockeystick.routes.contour.saddle import find_saddle
from hockeystick.routes.contour.straight import short_line

RARE = 1e-3
"""Part of δ in losses so rare that a saddle point is better without them."""


class Neighbours:
    """How far ε(δ) of one loss after another is above a target, by logarithms."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.log_delta = epsilon, math.log(delta)
        self.line: Line | None = None
        """The line of the first loss that is asked for along one."""

    def by_saddle(self, loss: ComposedLoss) -> float:
        """To a few per cent; of a bent line without its rarest losses, and less well."""
        if _bent(loss):
            loss = loss.truncated(RARE * math.exp(self.log_delta))
        epsilon = find_saddle(loss, None, self.log_delta).epsilon
        return math.log(epsilon) - math.log(self.epsilon) if epsilon > 0 else -math.inf

    def by_line(self, loss: ComposedLoss) -> float:
        """Near the target: one step of Newton's method there. On a bent line of its own where such
        are the first to be tried, else on the line of the first loss."""
        if steps := _bent(loss):
            log_delta, rate = few_steps.about(steps, self.epsilon, self.log_delta)
        else:
            log_delta, rate = self._along(loss)
        if not (math.isfinite(log_delta) and rate > 0):
            raise NumericalError("the contour lost all digits")
        return (log_delta - self.log_delta) / (rate * self.epsilon)

    def _along(self, loss: ComposedLoss) -> tuple[float, float]:
        """log δ at the target's ε, and how fast it falls there."""
        if self.line is None:
            self.line = short_line(loss, self.epsilon, self.log_delta)
        line = self.line
        if loss is not line.loss:
            values, _ = loss.cgf_within(line.centre + 1j * line.t)
            line = replace(line, loss=loss, k=values)
        sums = line.delta(np.array([self.epsilon]))
        return float(sums.log_value[0]), float(sums.rate[0])


def _bent(loss: ComposedLoss) -> SampledSteps | None:
    """The steps, where a bent line is the first to be tried."""
    steps = steps_of(loss)
    return steps if steps is not None and few_steps.is_first(steps) else None
