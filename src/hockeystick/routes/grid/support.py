"""The stretch of the line on which one loss must be known, when sums are tilted by e^{cL}."""

from __future__ import annotations

import math

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.base import Loss


def support(loss: Loss, mass: float, tilt: float) -> tuple[float, float]:
    """The losses that matter: below are at most `mass` of P or of the law tilted by e^{tilt·L}."""
    low, high = loss.bottom, loss.top
    if not math.isfinite(high):
        raise NumericalError(f"the loss {loss!r} is unbounded even after truncation")
    # E[e^{cL}; L < x] <= e^{cx}, which is to be at most `mass` of the whole e^{K(c)}.
    least = (float(loss.cgf(np.array([tilt]))[0].real) + math.log(max(mass, 1e-300))) / tilt
    if low > least:
        return low, high
    if math.isfinite(low) or mass_below(loss, least) > mass:
        return least, high
    a, b = least, high
    for _ in range(40):
        middle = (a + b) / 2
        a, b = (a, middle) if mass_below(loss, middle) > mass else (middle, b)
    return a, high


def mass_below(loss: Loss, level: float) -> float:
    """P-mass of the losses below a level."""
    atoms = loss.atoms
    rest = atoms.p[atoms.losses < level].sum()
    return float(loss.tails(np.array([level])).p_below[0] + rest)
