"""The stretch of the line on which one loss must be known, when sums are tilted by e^{cL}."""

from __future__ import annotations

import math

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss import Loss


def support(loss: Loss, mass: float, tilt: float) -> tuple[float, float]:
    """The losses that matter: not less than P-mass `mass` below, with or without the tilt."""
    low, high = loss.bottom, loss.top
    if not math.isfinite(high):
        raise NumericalError(f"the loss {loss!r} is unbounded even after truncation")
    least = high + math.log(mass) / tilt
    if low > least:
        return low, high
    if math.isfinite(low) or _below(loss, least) > mass:
        return least, high
    a, b = least, high
    for _ in range(40):
        middle = (a + b) / 2
        a, b = (a, middle) if _below(loss, middle) > mass else (middle, b)
    return a, high


def _below(loss: Loss, level: float) -> float:
    atoms = loss.atoms
    rest = atoms.p[atoms.losses < level].sum()
    return float(loss.tails(np.array([level])).p_below[0] + rest)
