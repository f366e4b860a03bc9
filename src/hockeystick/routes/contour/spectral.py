"""K along a vertical line by FFT: for few steps of a smooth loss, which need very many points.

The density of the loss, tilted by e^{cL}, is sampled at a fine grid; its Fourier transform is
e^{K(c+it)} at all frequencies at once, up to what the grid cannot resolve, which is seen at the
highest frequencies and enters the error.
"""

from __future__ import annotations

import math

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.base import Loss
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.types import Complex
from hockeystick.routes.contour.line import Line
from hockeystick.routes.contour.saddle import BEYOND, LOST, MOST_PLANNING_PARTS, find_saddle
from hockeystick.routes.grid.support import support

NATS = 26.0
TRUNCATED = 1e-12
"""Part of δ that may be moved to infinity."""
SIZES = (1 << 15, 1 << 17, 1 << 19)
RESOLVED = 1e-10
"""Error of e^K, relative to δ, at which no finer grid is tried."""
TOLERATED = 1e-6
"""Error of e^K, relative to δ, from which on this way is given up for the grid."""


def plan(
    loss: ComposedLoss,
    epsilon: float | None,
    log_delta: float | None,
    tolerated: float = TOLERATED,
    sizes: tuple[int, ...] = SIZES,
) -> Line:
    """The line for a given ε or δ, of the loss truncated where it does not matter."""
    if math.isinf(loss.top):
        rough = find_saddle(loss.sketch(MOST_PLANNING_PARTS), epsilon, log_delta)
        loss = loss.truncated(max(TRUNCATED * math.exp(rough.log_delta), 1e-300))
    saddle = find_saddle(loss.sketch(MOST_PLANNING_PARTS), epsilon, log_delta, BEYOND)
    bottom = loss.bottom
    i, j, period = saddle.line(NATS, LOST, bottom)
    centre = float(saddle.x[i])
    k, slop = _cumulants(loss, centre, period, saddle.log_delta, sizes)
    height = float(k[0].real) - centre * saddle.epsilon - saddle.log_delta
    if not slop * math.exp(min(height, 700)) <= tolerated * (centre + 1):
        raise NumericalError("the losses are too unequal in size for a grid; use the lattice")
    level = (k - k[0]).real
    needed = float(saddle.k[i]) - centre * saddle.epsilon - saddle.log_delta + NATS
    significant = np.flatnonzero(level > -needed)
    if not significant.size:
        raise NumericalError("the density of the loss cannot be sampled on a grid; use the lattice")
    last = min(int(significant[-1]) + 1, len(k) - 1)
    log_tail = float(level[max(last - 8, 0) : last + 1].max()) - math.log(math.pi)
    step = 2 * math.pi / period
    t = step * np.arange(last + 1)
    right = (float(saddle.x[j]), float(loss.cgf(saddle.x[j : j + 1]).real[0]))
    known = saddle.epsilon - period < bottom
    return Line(loss, saddle.epsilon, centre, step, t, k[: last + 1], right, log_tail, slop, known)


def _cumulants(
    loss: ComposedLoss, centre: float, period: float, log_delta: float, sizes: tuple[int, ...]
) -> tuple[Complex, float]:
    """K on the line up to half the highest frequency of the grid, and the relative error of e^K."""
    mass = TRUNCATED * math.exp(log_delta) / loss.steps
    for points in sizes:
        k = np.zeros(points // 4 + 1, dtype=complex)
        slop = 0.0
        for part, count in loss.parts:
            log_phi, alias = _transform(part, centre, period, points, mass)
            k += count * log_phi[: len(k)]
            slop += count * alias
        if slop < RESOLVED * math.exp(log_delta):
            break
    return k, slop


def _transform(
    loss: Loss, tilt: float, period: float, points: int, mass: float
) -> tuple[Complex, float]:
    """log E_P[e^{sL}] at s = tilt + 2πim/period, and the error of e^K relative to that at m = 0."""
    import scipy.fft

    width = period / points
    low, high = support(loss, mass, tilt)
    first = math.floor(low / width)
    count = math.ceil(high / width) - first
    if count > 1 << 22:
        raise NumericalError(f"the grid would need {count} points for one loss")
    losses = width * (first + np.arange(count + 1))
    with np.errstate(divide="ignore"):
        masses = np.log(loss.density(losses)) + (tilt + 1) * losses + math.log(width)
    peak = float(masses.max())
    masses = np.where(np.isfinite(masses), masses, -1e300)
    folded = np.bincount((first + np.arange(count + 1)) % points, np.exp(masses - peak), points)
    phi = scipy.fft.rfft(folded).conj()
    exact = float(loss.cgf(np.array([tilt]))[0].real)
    log_phi = np.log(np.where(phi == 0, 1e-300, phi)) + peak
    highest = np.abs(phi[-len(phi) // 20 :]).max() / np.abs(phi[0])
    # Relative to what was found: where the density is no float any more, that is far too little.
    drift = math.expm1(min(abs(float(log_phi[0].real) - exact), 700.0))
    return log_phi, float(max(highest, drift))
