"""What the largest loss of every step, all of them together, says of ε."""

from __future__ import annotations

import math

import numpy as np

from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.series import EPS


def least_epsilon(loss: ComposedLoss, delta: float) -> float:
    """ε >= top + log(1 − δ/p), p = P[top], because δ(ε) >= p·(1 − e^{ε−top}); 0 if δ is near p."""
    log_mass = size = 0.0
    for part, count in loss.parts:
        losses, log_q = part.atoms
        best = int(np.argmax(losses))
        log_mass += count * float(log_q[best] + losses[best])
        size += count * float(abs(log_q[best]) + abs(losses[best]))
    ratio = math.log(delta) - log_mass + 4 * EPS * (size - math.log(delta))
    if ratio > -1e-3:
        return 0.0
    rest = math.log1p(-math.exp(ratio)) * (1 + 64 * EPS)
    return max(loss.highest[0] * (1 - 4 * EPS) + rest, 0.0)
