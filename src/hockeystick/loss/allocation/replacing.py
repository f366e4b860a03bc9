"""From removing and adding a record to replacing it, by way of the data without either."""

from __future__ import annotations

import numpy as np

from hockeystick.loss.base import Loss
from hockeystick.loss.points import symmetric_through
from hockeystick.numerics.types import Array

POINTS = 1500
"""Points of each of the two profiles."""
ROWS = 50
"""Points asked for at once, of a loss with many atoms."""
NEGLIGIBLE = 1e-18
"""Where both profiles have fallen to this the curve ends."""
FARTHEST = 200.0
"""It ends beyond this loss in any case."""


def replaced(loss: Loss) -> Loss:
    """A pair that dominates replacing a record, given the pair of removing one.

    With Q the data without the record, H_{ab}(P‖R) <= H_a(P‖Q) + a·H_b(Q‖R), so

        δ(ε) <= min over ε₁ + ε₂ = ε of δ_remove(ε₁) + e^{ε₁}·δ_add(ε₂)

    in both directions alike; the lower convex envelope through points of it is a profile again.
    """
    last = 1.0
    most = min(loss.top + 1, FARTHEST)
    while last < most and _both(loss, np.array([last])).sum() > NEGLIGIBLE:
        last *= 2
    u = np.linspace(0.0, last, POINTS)
    remove, add = _both(loss, u)
    sums = np.full(2 * POINTS - 1, 1.0)
    for j in range(POINTS):  # ε₁ at the j-th point
        part = sums[j : j + POINTS]
        np.minimum(part, remove[j] + np.exp(u[j]) * add, out=part)
    places = np.linspace(0.0, 2 * last, 2 * POINTS - 1)
    return symmetric_through(places, sums)


def _both(loss: Loss, u: Array) -> Array:
    """The profiles of removing and of adding, a few points at a time to spare memory."""
    rows = [u[i : i + ROWS] for i in range(0, u.size, ROWS)]
    remove = np.concatenate([loss.profile(row) for row in rows])
    back = loss.reverse()
    return np.stack([remove, np.concatenate([back.profile(row) for row in rows])])
