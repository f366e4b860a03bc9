"""About which x has a given δ."""

from __future__ import annotations

import math
from collections.abc import Callable

from hockeystick.errors import NumericalError
from hockeystick.routes.contour.few_steps.law import SampledSteps
from hockeystick.routes.contour.few_steps.plan import GROWTH, MOST_ROTATION, ORDERS, Plan

NEAR = 0.35
"""A start is near enough when log δ is off by this much."""
FEW_ORDERS = ORDERS[::2]
FARTHEST = 700.0
"""Nats between the x looked for and that of ε = 0, at the most."""


def start(steps: SampledSteps, log_delta: float, sharper: float) -> float:
    """An x at which δ is about as asked, by a search in log x; not below ε = 0 for `remove`."""
    rotation = min(MOST_ROTATION * sharper, math.sqrt(2 * GROWTH) * steps.least_shift)

    def excess(log_x: float) -> float:
        """log δ less what it should be, of the plan; it falls as ε grows."""
        rough = Plan(steps, math.exp(log_x), rotation, log_delta, FEW_ORDERS).rough
        return math.log(max(rough, 1e-320)) - log_delta

    direction = 1.0 if steps.remove else -1.0
    near = math.log(steps.origin)
    height = excess(near)
    if height < 0:
        return steps.origin
    step, far, depth = 0.5, near, height
    while depth >= 0:
        near, height = far, depth
        far, step = far + direction * step, 1.6 * step
        if abs(far - math.log(steps.origin)) > FARTHEST:
            raise NumericalError("few steps: no epsilon has this delta")
        depth = excess(far)
    return math.exp(_between(excess, (near, height), (far, depth)))


def _between(
    excess: Callable[[float], float], near: tuple[float, float], far: tuple[float, float]
) -> float:
    """A point between two at which the excess is small: by chords, kept off the ends."""
    (a, up), (b, down) = near, far
    middle = a
    for _ in range(30):
        middle = a + (b - a) * min(max(up / (up - down), 0.06), 0.94)
        value = excess(middle)
        if abs(value) < NEAR or abs(b - a) < 1e-3:
            break
        if value > 0:
            a, up = middle, value
        else:
            b, down = middle, value
    return middle
