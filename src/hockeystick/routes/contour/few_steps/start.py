"""About which x has a given δ."""

from __future__ import annotations

import math

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.routes.contour.few_steps.law import SampledSteps
from hockeystick.routes.contour.few_steps.plan import Plan, first_plan

NEAR = 0.04
"""A start is near enough when log x seems to be off by this much,"""
NARROW = 0.1
"""or lies this near to a place on the other side of the root, for about δ jumps somewhat,"""
NEAR_NATS = 1.0
"""and log δ is off by no more than this."""
NARROWEST = 1e-3
OFF_THE_ENDS = 0.06
"""Part of what is known to hold the root by which a chord is kept off its ends."""
LONGEST = 1.6
"""Step of log x at the most."""
FARTHEST = 700.0
"""Nats between the x looked for and that of ε = 0, at the most."""
MOST_PLANS = 40
LARGE_SQUARE = 3.0
"""Squared shift from which on losses are not nearly normal: the largest are never seen."""
FARTHEST_GUESS = 0.9
"""Part of the largest loss of "add" that a first guess is, at the most."""


def start(steps: SampledSteps, log_delta: float, sharper: float) -> Plan:
    """A plan for an x at which δ is about as asked; not below ε = 0 for `remove`.

    Newton's method in log x on about log δ, and a chord where both sides of the root are known.
    """
    direction = 1.0 if steps.remove else -1.0
    near, far = (0.0, math.inf), (math.inf, -math.inf)
    """Places on both sides of the root, how far log x is there from ε = 0, and the excess there."""
    away = _guess(steps, log_delta)
    for _ in range(MOST_PLANS):
        x = steps.origin * math.exp(direction * away)
        planned = first_plan(steps, x, log_delta, sharper)
        excess = math.log(max(planned.rough, 1e-320)) - log_delta
        near, far = ((away, excess), far) if excess > 0 else (near, (away, excess))
        move = min(max(excess / max(planned.fall, 1e-3), -LONGEST), LONGEST)
        width = far[0] - near[0]
        if not math.isfinite(near[1]) and away + move <= 0:  # is it 0?
            width, move = math.inf, -away
        is_near = abs(excess) <= NEAR_NATS and (abs(move) <= NEAR or width <= NARROW)
        if is_near or width <= NARROWEST or (away == 0 and excess <= 0):
            return planned
        away = away + move
        if math.isfinite(width) and math.isfinite(near[1]):
            part = near[1] / (near[1] - far[1])
            away = near[0] + width * min(max(part, OFF_THE_ENDS), 1 - OFF_THE_ENDS)
        if away > FARTHEST:
            break
    raise NumericalError("few steps: no epsilon has this delta")


def _guess(steps: SampledSteps, log_delta: float) -> float:
    """About how far log x is from that of ε = 0: by one jump, or by very many small X."""
    from scipy.special import ndtri

    square = np.expm1(np.minimum(steps.shift**2, LARGE_SQUARE)) * steps.rate**2
    epsilon = math.sqrt(-2 * log_delta * float(steps.count @ square[:, 0]))
    if not steps.remove:
        return -math.log1p(-min(epsilon / steps.origin, FARTHEST_GUESS))
    share = log_delta - math.log(float(steps.count @ steps.rate[:, 0]))
    if share < 0:
        jump = steps.zeta(-float(ndtri(math.exp(max(share, -700.0)))), 1.0)
        epsilon = max(epsilon, math.exp(float(jump.max())))
    return math.log1p(epsilon / steps.origin)
