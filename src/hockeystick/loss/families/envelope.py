"""The pair that dominates a given one and its reverse alike, through points of both profiles."""

from __future__ import annotations

import numpy as np

from hockeystick.loss.base import Loss
from hockeystick.loss.points import symmetric_through
from hockeystick.numerics.types import Array

POINTS = 4000
NEGLIGIBLE = 1e-30
"""Where both profiles have fallen to this the curve ends."""
FARTHEST = 300.0
ROUNDING = 1e-13


def either_way(loss: Loss) -> Loss:
    """A loss with a profile at least the larger of δ(P‖Q) and δ(Q‖P) at every ε.

    The larger of two profiles is one, convex in a = e^ε; so are the chords through points of it,
    which lie above.
    """
    last = 1.0
    while last < FARTHEST and _larger(loss, np.array([last]))[0] > NEGLIGIBLE:
        last *= 2
    last = min(last, max(loss.top, -loss.bottom))
    u = last * np.linspace(0, 1, POINTS) ** 2
    return symmetric_through(u, _larger(loss, u) * (1 + ROUNDING))


def _larger(loss: Loss, u: Array) -> Array:
    return np.asarray(np.maximum(loss.profile(u), loss.reverse().profile(u)))
