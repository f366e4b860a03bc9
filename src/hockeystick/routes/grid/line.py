"""A contour line of rounded losses: for ε at many numbers of steps."""

from __future__ import annotations

import math

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.series import EPS
from hockeystick.routes.contour.line import Line
from hockeystick.routes.contour.saddle import BEYOND, LOST, find_saddle
from hockeystick.routes.grid.composing import TRUNCATED
from hockeystick.routes.grid.rounding import grid_width, transform

LINE_NATS = 24.0
"""Aliases and truncation of a line are kept below e^−24 = 4e-11 of δ."""


def rounded_line(
    loss: ComposedLoss,
    epsilon: float | None,
    log_delta: float,
    points: int,
    least: float,
    up: bool,
) -> Line:
    """A contour line of the rounded loss, for this δ and for `least` to 1 times its steps."""
    cut = loss.truncated(TRUNCATED * math.exp(log_delta))
    saddle = find_saddle(cut, epsilon, log_delta, BEYOND)
    i, j, period = saddle.line(LINE_NATS, LOST)
    tilt, x = float(saddle.x[i]), float(saddle.x[j])
    points |= 1  # an even number has a point at the edge of the period, which belongs to both sides
    width = grid_width(cut, period / points)
    step = 2 * math.pi / (points * width)
    t = step * np.arange(points // 2 + 1)
    k = np.zeros(len(t), dtype=complex)
    origin = 0.0
    mass = TRUNCATED * math.exp(log_delta) / cut.steps
    for part, count in cut.parts:
        law = transform(part, tilt, width, points, mass, up)
        with np.errstate(divide="ignore"):
            k += count * (np.log(law.phi[: len(t)].conj()) + law.log_mass + 1j * t * law.centre)
        origin += count * law.centre
    level = (k - k[0]).real
    needed = float(saddle.k[i]) - tilt * saddle.epsilon - log_delta + LINE_NATS
    significant = np.flatnonzero(least * level > -needed)
    if not significant.size:
        raise NumericalError("the rounded loss has no line on which it can be evaluated")
    last = int(significant[-1]) + 1
    rest = np.exp(least * level[last:]) @ (1 / (tilt**2 + t[last:] ** 2)) if last < len(t) else 0.0
    log_tail = math.log(2.5 * step / math.pi * rest + 1e-300)
    right = (x, float(saddle.k[j]) + cut.steps * (x * width) ** 2 / 8)
    slop = 4 * EPS * math.log2(points) * cut.steps
    return Line(
        cut, saddle.epsilon, tilt, step, t[:last], k[:last], right, log_tail, slop,
        spacing=width, origin=origin,
    )  # fmt: skip
