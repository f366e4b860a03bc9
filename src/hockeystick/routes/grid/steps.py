"""ε after each of many numbers of steps, from losses rounded down and up to one grid."""

from __future__ import annotations

import math

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.types import Array
from hockeystick.routes.contour.line import Line, ends, solve
from hockeystick.routes.grid.line import rounded_line
from hockeystick.routes.growth import Growth

POINTS = 1 << 15
MOST = 1e6
"""A larger ε is a search gone astray."""


def rounded_ends(growth: Growth, delta: float, counts: Array) -> tuple[Array, Array]:
    """Both ends at each of the growing counts; of what begins with nothing."""
    if growth.before.parts:
        raise NumericalError("a grid serves repetitions of one thing alone")
    whole, log_delta = growth.at(int(counts[-1])), math.log(delta)
    scale = counts / counts[-1]
    least = float(scale[0])
    rough = rounded_line(whole, None, log_delta, POINTS // 8, least, True)
    epsilon = float(_sensible(solve(rough, log_delta))[0])
    epsilons = []
    for up in (False, True):
        line = rounded_line(whole, epsilon, log_delta, POINTS, least, up)
        target = math.log(math.exp(log_delta) - (line.loss.infinite if up else 0.0))
        epsilons.append(np.maximum(_ends(line, target, scale)[up], 0.0))
    return epsilons[0], epsilons[1]


def _ends(line: Line, log_target: float, scale: Array) -> tuple[Array, Array]:
    roots = _sensible(solve(line, log_target, scale))
    return ends(line, roots, line.delta(roots, scale), log_target, log_target, scale)


def _sensible(epsilons: Array) -> Array:
    if not (np.abs(epsilons) < MOST).all():
        raise NumericalError(f"a search for epsilon went astray, to {epsilons!r}")
    return epsilons
