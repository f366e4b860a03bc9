"""ε after each of many numbers of steps: one line of the contour serves a whole range of counts."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hockeystick.bound import Bound
from hockeystick.errors import NumericalError
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.types import Array
from hockeystick.routes.contour.line import Line, ends, solve
from hockeystick.routes.contour.route import is_bent, plan
from hockeystick.routes.contour.saddle import find_saddle, log_kappa
from hockeystick.routes.grid.line import rounded_line

RANGE = 1.3
"""Largest over smallest count that one line serves."""
FEW = 96
"""Up to so many steps the losses are rounded to a grid, and a line serves a wider range."""
WIDE = 2.0
POINTS = 1 << 15
MOST = 1e6
"""A larger ε is a search gone astray."""
ROWS = 512
SINGLY = 12
"""So few counts of one line are asked one by one where a bent line serves each of them: that takes
no longer, and the ends are nearer."""


def epsilons_at(
    sides: Sequence[ComposedLoss], delta: float, counts: Sequence[int]
) -> dict[int, Bound]:
    """ε at those counts that the contour reaches; the others are left to be asked one by one."""
    at: dict[int, Bound] = {}
    if any(side.infinite for side in sides):
        return at
    steps = sides[0].steps
    start = 0
    while start < len(counts):
        stop = start + 1
        reach = (WIDE if steps * WIDE * counts[start] < FEW else RANGE) * counts[start]
        while stop < min(len(counts), start + ROWS) and counts[stop] <= reach:
            stop += 1
        block = np.array(counts[start:stop])
        if len(block) <= SINGLY and is_bent(_times(sides[0], int(block[-1]))):
            start = stop
            continue
        directions: list[tuple[Array, Array]] = []
        try:
            for side in sides:
                if not (directions and _is_milder(side, delta, block, directions[0][0])):
                    directions.append(_block(side, delta, block))
        except NumericalError:
            directions = []
        if directions:
            lower = np.max([low for low, _ in directions], axis=0)
            upper = np.max([high for _, high in directions], axis=0)
            for count, low, high in zip(block, lower, upper, strict=True):
                at[int(count)] = Bound(float(high), lower=float(low), method="contour")
        start = stop
    return at


def _is_milder(side: ComposedLoss, delta: float, counts: Array, epsilons: Array) -> bool:
    """Whether this direction needs no larger ε at any count, by Chernoff's bound at one point."""
    if (counts * side.top <= epsilons).all():
        return True
    whole = _times(side, int(counts[-1]))
    if len(whole.parts) > 1:
        return False
    saddle = find_saddle(whole, float(epsilons[-1]), None)
    log_bounds = (
        (counts / counts[-1])[:, None] * saddle.k
        - epsilons[:, None] * saddle.x
        + log_kappa(saddle.x)
    )
    return bool((log_bounds.min(axis=1) <= math.log(delta)).all())


def _block(side: ComposedLoss, delta: float, counts: Array) -> tuple[Array, Array]:
    log_delta = math.log(delta)
    if counts[-1] * side.steps < FEW:
        return _grid_block(side, log_delta, counts)
    middle = int(counts[len(counts) // 2])
    line = plan(_times(side, middle), None, log_delta)
    scale = counts / middle
    roots = solve(line, log_delta, scale)
    return _clipped(*_ends(line, roots, log_delta, scale))


def _grid_block(side: ComposedLoss, log_delta: float, counts: Array) -> tuple[Array, Array]:
    """Both ends from the losses rounded down and up."""
    whole = _times(side, int(counts[-1]))
    scale = counts / counts[-1]
    least = float(scale[0])
    rough = rounded_line(whole, None, log_delta, POINTS // 8, least, True)
    epsilon = float(_sensible(solve(rough, log_delta))[0])
    epsilons = []
    for up in (False, True):
        line = rounded_line(whole, epsilon, log_delta, POINTS, least, up)
        target = math.log(math.exp(log_delta) - (line.loss.infinite if up else 0.0))
        roots = _sensible(solve(line, target, scale))
        epsilons.append(_ends(line, roots, target, scale)[up])
    return _clipped(epsilons[0], epsilons[1])


def _sensible(epsilons: Array) -> Array:
    if not (np.abs(epsilons) < MOST).all():
        raise NumericalError(f"a search for epsilon went astray, to {epsilons!r}")
    return epsilons


def _ends(line: Line, roots: Array, log_target: float, scale: Array) -> tuple[Array, Array]:
    return ends(line, roots, line.delta(roots, scale), log_target, log_target, scale)


def _times(side: ComposedLoss, count: int) -> ComposedLoss:
    return ComposedLoss((loss, each * count) for loss, each in side.parts)


def _clipped(lower: Array, upper: Array) -> tuple[Array, Array]:
    return np.maximum(lower, 0.0), np.maximum(upper, 0.0)
