"""The stretch of the line on which the law of a sum is computed."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from hockeystick.loss.sum import ComposedLoss
from hockeystick.routes.contour.saddle import BEYOND, LOST, NATS, find_saddle

STEEPEST = 300.0
"""Most nats by which weights in the window may differ from that at ε."""


@dataclass(frozen=True)
class Window:
    """The stretch of the line on which the law of the tilted sum is computed."""

    epsilon: float
    log_delta: float
    tilt: float
    first: float
    period: float
    right: float
    """Order of Chernoff's bound on what is right of the window."""
    bottom: float
    """No sum is below; −inf if what is left of the window was bounded by its tilt alone."""


def window_of(loss: ComposedLoss, epsilon: float | None, log_delta: float | None) -> Window:
    saddle = find_saddle(loss, epsilon, log_delta, BEYOND)
    if saddle.epsilon < 0:
        saddle = replace(saddle, epsilon=0.0)
    epsilon, log_delta, low = saddle.epsilon, saddle.log_delta, loss.bottom
    i, j, period = saddle.line(NATS, LOST, low)
    tilt, right = float(saddle.x[i]), float(saddle.x[j])
    below = 1.01 * (epsilon - low)
    if below < period and below * (tilt + 1) < STEEPEST:
        # Nothing lies left of the bottom: a window from there on has no aliases from the left.
        return Window(epsilon, log_delta, tilt, epsilon - below, period + below, right, low)
    i, j, period = saddle.line(NATS, LOST)
    tilt, right = float(saddle.x[i]), float(saddle.x[j])
    # Little of what is below ε is needed, and e^{−(c+1)y} must not overflow there.
    margin = min(period / 8, STEEPEST / (tilt + 1))
    return Window(epsilon, log_delta, tilt, epsilon - margin, period + margin, right, -math.inf)
