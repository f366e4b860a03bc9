"""The grid of a stream, and how much wider its noise is for what rounding moves."""

from __future__ import annotations

import math
from typing import NamedTuple

from hockeystick.errors import ParameterError
from hockeystick.random.reals import LARGEST
from hockeystick.release.grid import EXPONENTS, FINE, FINEST, ROUNDED_UP, WIDER
from hockeystick.release.stream.recursion import WHOLE, Recursion


class Grid(NamedTuple):
    """Steps of 2^exponent; the noise in steps, and the share by which it is wider than asked."""

    exponent: int
    scale: float
    wider: float


def grid_for(recursion: Recursion, scale: float, clip: float, secret: bool) -> Grid:
    """The coarsest grid that costs less than a share of 2^−20 in noise, else the cheapest one.

    A sum is rounded by half a step in each entry, so neighbours may be √d steps further apart
    than the clip; and their noise differs by what is linear up to twice `error` in each entry.

    Parameters
    ----------
    scale: of the noise, in the units of the clip.
    """
    _, exponent = math.frexp(scale / recursion.largest)
    if not EXPONENTS[0] <= exponent <= EXPONENTS[1]:
        raise ParameterError(
            "noise_multiplier × clip must be in [2^-901, 2^900) times the largest entry on the "
            f"diagonal of the matrix to be rounded to a grid, got {scale!r}"
        )
    grids = [_grid(recursion, scale, clip, secret, exponent - 1 - f) for f in range(FINE, FINEST)]
    # What is proven of the noise is proven of integers: beyond 2^53 their differences are rounded.
    exact = [grid for grid in grids if recursion.reach(grid.scale) <= WHOLE]
    cheapest = min(exact or grids, key=lambda grid: grid.wider)
    best = next((grid for grid in exact if grid.wider <= WIDER), cheapest)
    if best.wider > 1 or best.scale / recursion.smallest > LARGEST:
        raise ParameterError(
            "dimension, steps and the entries of the matrix must leave rounding to a grid small "
            f"beside the clip: the noise would have to be wider by the share {best.wider!r}, with "
            f"entries on the diagonal from {recursion.smallest!r} to {recursion.largest!r}"
        )
    if not exact:
        raise ParameterError(
            "matrix must have an inverse with rows that are short beside its diagonal, for noise "
            "step by step: this noise grows beyond 2^53 steps of its grid"
        )
    return best


def _grid(recursion: Recursion, scale: float, clip: float, secret: bool, exponent: int) -> Grid:
    steps = math.ldexp(scale, -exponent)
    error = 2 * recursion.error(2 * steps)  # the noise is wider by 2 at most
    moved = 1 + (error * recursion.spread(secret) if error else 0.0)
    wider = math.ldexp(math.sqrt(recursion.dimension) * moved, exponent) / clip
    wider *= ROUNDED_UP
    return Grid(exponent, steps * (1 + wider) * ROUNDED_UP, wider)
