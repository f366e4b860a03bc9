"""ε after each of many numbers of steps: one line of the contour serves a whole range of counts.

ε is a smooth function of the logarithm of the count: within a range it is interpolated, then one
step of Newton's method and both ends are taken at every count by itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.blocks import CHUNK
from hockeystick.numerics.series import EPS
from hockeystick.numerics.types import Array
from hockeystick.routes.contour.line import Line, ends, solve
from hockeystick.routes.contour.route import is_bent, plan
from hockeystick.routes.contour.saddle import finite_cgf, log_kappa
from hockeystick.routes.grid.line import rounded_line

RANGE = 1.3
"""Largest over smallest count that one line serves."""
FEW = 96
"""Up to so many steps the losses are rounded to a grid, and a line serves a wider range."""
WIDE = 2.0
POINTS = 1 << 15
MOST = 1e6
"""A larger ε is a search gone astray."""
NODES = 8
"""Counts of a range at which ε is searched for: more are interpolated, to about 1e-9, of which a
step of Newton's method leaves nothing."""
CHERNOFF_POINTS = 2.0 ** np.arange(-4.0, 12.0, 0.25)
"""Where it is asked whether the other direction is milder."""
SINGLY = 12
"""So few counts of one line are asked one by one where a bent line serves each of them: that takes
no longer, and the ends are nearer."""


def epsilons_at(sides: Sequence[ComposedLoss], delta: float, counts: Array) -> tuple[Array, Array]:
    """Both ends of ε at each of the growing counts; NaN where the contour does not reach, which is
    left to be asked one by one."""
    lower, upper = np.full((2, counts.size), math.nan)
    if any(side.infinite for side in sides):
        return lower, upper
    directions = [Direction(side) for side in sides]
    start = 0
    while start < counts.size:
        few = sides[0].steps * WIDE * counts[start] < FEW
        reach = (WIDE if few else RANGE) * counts[start]
        stop = max(start + 1, int(np.searchsorted(counts, reach, "right")))
        last = _times(sides[0], int(counts[stop - 1]))
        if (few and last.one is not None) or (stop - start <= SINGLY and is_bent(last)):
            start = stop  # each has a formula, or a line of its own
            continue
        try:
            block = _worst(directions, delta, counts[start:stop])
            lower[start:stop], upper[start:stop] = block
        except NumericalError:
            pass
        start = stop
    return lower, upper


class Direction:
    """The loss of one repetition in one direction, and its K on the real line."""

    def __init__(self, loss: ComposedLoss) -> None:
        self.loss = loss

    @cached_property
    def _cgf(self) -> Array:
        return finite_cgf(self.loss, CHERNOFF_POINTS)

    def is_milder(self, delta: float, counts: Array, epsilons: Array) -> bool:
        """Whether it needs no larger ε at any count, by Chernoff's bound."""
        if (counts * self.loss.top <= epsilons).all():
            return True
        x = CHERNOFF_POINTS
        rows = max(1, CHUNK // x.size)
        for i in range(0, counts.size, rows):
            k = counts[i : i + rows, None] * self._cgf
            far = epsilons[i : i + rows, None] * x
            log_bounds = k - far + log_kappa(x) + 16 * EPS * (np.abs(k) + far)
            if not (log_bounds.min(axis=1) <= math.log(delta)).all():
                return False
        return True


def _worst(directions: Sequence[Direction], delta: float, counts: Array) -> tuple[Array, Array]:
    """The ends of the direction that costs most."""
    lower, upper = _block(directions[0].loss, delta, counts)
    for other in directions[1:]:
        if not other.is_milder(delta, counts, lower):
            low, high = _block(other.loss, delta, counts)
            lower, upper = np.maximum(lower, low), np.maximum(upper, high)
    if not (lower <= upper).all():
        raise NumericalError("one line says more than another allows")
    return lower, upper


def _block(side: ComposedLoss, delta: float, counts: Array) -> tuple[Array, Array]:
    log_delta = math.log(delta)
    if counts[-1] * side.steps < FEW:
        return _grid_block(side, log_delta, counts)
    middle = int(counts[len(counts) // 2])
    line = plan(_times(side, middle), None, log_delta)
    scale = counts / middle
    if scale.size <= 2 * NODES:
        return _clipped(*_ends(line, solve(line, log_delta, scale), log_delta, scale))
    guess = _interpolated(line, log_delta, scale)
    rows = max(1, CHUNK // line.t.size)
    blocks = [
        _ends_near(line, guess[i : i + rows], log_delta, scale[i : i + rows])
        for i in range(0, scale.size, rows)
    ]
    lower, upper = np.concatenate(blocks, axis=1)
    return _clipped(lower, upper)


def _interpolated(line: Line, log_delta: float, scale: Array) -> Array:
    """ε at each scale from its roots at a few of them, a polynomial in log scale."""
    angles = (np.arange(NODES) + 0.5) * math.pi / NODES
    low, high = math.log(scale[0]), math.log(scale[-1])
    nodes = (low + high) / 2 + (high - low) / 2 * np.cos(angles)
    roots = solve(line, log_delta, np.exp(nodes))
    return np.polynomial.Chebyshev.fit(nodes, roots, NODES - 1, (low, high))(np.log(scale))


def _ends_near(line: Line, guess: Array, log_delta: float, scale: Array) -> tuple[Array, Array]:
    """Both ends, from an ε that is nearly the root: a step of Newton's method leads to it."""
    sums = line.delta(guess, scale)
    root = guess + (sums.log_value - log_delta) / sums.rate
    at_root = sums._replace(log_value=np.full(root.shape, log_delta))
    return ends(line, root, at_root, log_delta, log_delta, scale)


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
