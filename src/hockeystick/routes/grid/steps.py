"""ε after each of many numbers of steps, from losses rounded down and up to one grid."""

from __future__ import annotations

import math

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics import chebyshev
from hockeystick.numerics.blocks import CHUNK
from hockeystick.numerics.types import Array
from hockeystick.routes.contour.line import Line, ends, solve
from hockeystick.routes.grid.line import rounded_line
from hockeystick.routes.growth import Growth

POINTS, FEW_POINTS = 1 << 15, 1 << 13
"""Of a grid, and of a coarse one."""
ROUGH = 1e-3
"""How far apart the ends of a coarse grid may be, relatively."""
NODES = 12
"""Counts at which ε is searched for; between them it is interpolated."""
MOST = 1e6
"""A larger ε is a search gone astray."""


def rounded_ends(growth: Growth, delta: float, counts: Array) -> tuple[Array, Array]:
    """Both ends at each of the growing counts; of what begins with nothing."""
    return _rounded(growth, delta, counts, POINTS)


def roughly_rounded_ends(growth: Growth, delta: float, counts: Array) -> tuple[Array, Array]:
    """The same on a coarse grid, if that is good enough; else on the other."""
    lower, upper = _rounded(growth, delta, counts, FEW_POINTS)
    if (upper - lower <= ROUGH * upper).all():
        return lower, upper
    return rounded_ends(growth, delta, counts)


def _rounded(growth: Growth, delta: float, counts: Array, points: int) -> tuple[Array, Array]:
    if growth.before.parts:
        raise NumericalError("a grid serves repetitions of one thing alone")
    whole, log_delta = growth.at(int(counts[-1])), math.log(delta)
    scale = counts / counts[-1]
    least = float(scale[0])
    rough = rounded_line(whole, None, log_delta, POINTS // 8, least, True)
    epsilon = float(_sensible(solve(rough, log_delta))[0])
    epsilons = []
    for up in (False, True):
        line = rounded_line(whole, epsilon, log_delta, points, least, up)
        target = math.log(math.exp(log_delta) - (line.loss.infinite if up else 0.0))
        epsilons.append(np.maximum(_ends(line, target, scale)[up], 0.0))
    return epsilons[0], epsilons[1]


def _ends(line: Line, log_target: float, scale: Array) -> tuple[Array, Array]:
    roots = _roots(line, log_target, scale)
    rows = max(1, CHUNK // line.t.size)
    blocks = []
    for some in (slice(i, i + rows) for i in range(0, scale.size, rows)):
        sums = line.delta(roots[some], scale[some])
        blocks.append(ends(line, roots[some], sums, log_target, log_target, scale[some]))
    lower, upper = np.concatenate(blocks, axis=1)
    return lower, upper


def _roots(line: Line, log_target: float, scale: Array) -> Array:
    """ε at each scale, a polynomial in log scale where there are many."""
    if scale.size <= NODES:
        return _sensible(solve(line, log_target, scale))
    low, high = np.log(scale[[0, -1]])
    nodes = np.exp(chebyshev.points(low, high, NODES))
    found = _sensible(solve(line, log_target, nodes))
    return chebyshev.through(found, low, high, np.log(scale))


def _sensible(epsilons: Array) -> Array:
    if not (np.abs(epsilons) < MOST).all():
        raise NumericalError(f"a search for epsilon went astray, to {epsilons!r}")
    return epsilons
