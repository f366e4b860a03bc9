"""The law of a sum of rounded losses, by FFT on a window."""

from __future__ import annotations

import math

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.series import EPS, Array
from hockeystick.routes.contour.saddle import NATS
from hockeystick.routes.grid.rounding import grid_width, transform
from hockeystick.routes.grid.sums import Sums
from hockeystick.routes.grid.support import mass_below
from hockeystick.routes.grid.window import STEEPEST, Window

TRUNCATED = 1e-10
"""Part of δ that may be moved to infinity."""
BLOCK = 16
"""Single steps whose transforms are multiplied before a logarithm is taken, which costs more."""


def sums_of(loss: ComposedLoss, window: Window, points: int, up: bool) -> Sums:
    import scipy.fft

    width = grid_width(loss, window.period / points)
    points = scipy.fft.next_fast_len(math.ceil(window.period / width) + 2, real=True)
    tilt, steps = window.tilt, loss.steps
    mass = TRUNCATED * math.exp(window.log_delta) / steps
    log_phi = np.zeros(points // 2 + 1, dtype=complex)
    block = np.ones(points // 2 + 1, dtype=complex)
    origin = log_total = lifted = wobble = rounding = 0.0
    for i, (part, count) in enumerate(loss.parts):
        law = transform(part, tilt, width, points, mass, up)
        if count == 1:
            block *= law.phi
        with np.errstate(divide="ignore", invalid="ignore"):
            if count > 1:
                log_phi += count * np.log(law.phi)
            if i % BLOCK == BLOCK - 1 or i == len(loss.parts) - 1:
                log_phi += np.log(block)
                block[:] = 1
        log_total += count * law.log_mass
        origin += count * law.centre
        lifted += count * mass_below(part, law.first)
        # Atoms within 1e-9 of a cell count as on the grid.
        wobble += count * (4 * EPS * law.largest + 1e-9 * width)
        rounding += count * law.rounding
    phi = np.exp(log_phi)
    law_of_sum = np.maximum(scipy.fft.irfft(phi, points), 0)
    start = math.floor((window.first - origin) / width)
    law_of_sum = np.roll(law_of_sum, -start % points)
    first = origin + start * width
    y = first + width * np.arange(points)
    weights = np.exp(tilt * (window.epsilon - y))
    above = np.cumsum((law_of_sum * weights)[::-1])[::-1]
    values = _at_points(above, width)
    # Rounding of the transform is spread evenly over the law; that of the sums is relative.
    size = float(np.sqrt(np.mean(np.abs(phi) ** 2)))
    noise = 8 * EPS * (steps + math.log2(points)) * size / math.sqrt(points)
    kernel = 1 / -math.expm1(-tilt * width) - math.exp(-width) / -math.expm1(-(tilt + 1) * width)
    relative = EPS * (rounding + STEEPEST + 1 / -math.expm1(-tilt * width))
    log_unit = log_total - tilt * window.epsilon
    errors = noise * kernel * weights + relative * above
    with np.errstate(over="ignore"):
        errors += np.exp(_log_alias(window, width, steps, y, up) - log_unit)
    if not (np.isfinite(values).all() and np.isfinite(errors).all()):
        raise NumericalError("the law on the lattice is not a number")
    return Sums(y, above, values, errors, log_unit, width, tilt, steps, lifted, wobble)


def _at_points(above: Array, width: float) -> Array:
    """δ at each point: δ_j = (1 − e^−width)·above_{j+1} + e^−width·δ_{j+1}, all terms positive.

    The recurrence is solved for all j at once, by doubling the distance it spans.
    """
    values = np.append(-math.expm1(-width) * above[1:], 0.0)
    factor, span = math.exp(-width), 1
    while span < len(values) and factor > 0:
        values[:-span] += factor * values[span:]
        factor, span = factor * factor, 2 * span
    return values


def _log_alias(window: Window, width: float, steps: int, y: Array, up: bool) -> Array:
    """log of what may wrap around into the window, or be missing right of it, at each ε."""
    s = window.right
    # Rounding moves each loss by at most a cell, in the mean by width²/8 (Hoeffding's lemma).
    moved = steps * ((s * width) ** 2 / 8 + s * width**2 / 8 * math.exp(width)) if up else 0.0
    right = window.log_delta - NATS + moved + s * np.maximum(window.epsilon - y, 0.0)
    left = window.log_delta - NATS
    if not up and window.bottom > -math.inf and window.bottom - 2 * steps * width < window.first:
        left = -window.tilt * window.period  # the sum rounded down may be below the window
    return np.minimum(np.logaddexp(left, right), 700.0)
