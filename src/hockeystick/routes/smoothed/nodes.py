"""φ(t), the characteristic function of a tilted sum of atoms, where it is not negligible.

Of many steps |φ| is tiny almost everywhere, and that can be known without computing it: with φ of
one step, ψ = √(1 − |φ|²) is subadditive (the sine of an angle between two vectors of a Hilbert
space, and these obey the triangle inequality), and 1 − |φ(r)|² = Σ w_i·w_j·(1 − cos r(x_i − x_j))
<= r²σ². So ψ changes by at most rσ over a distance r, and a block of nodes is ruled out by its
centre; those that are not are split.
"""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.types import Array, Complex
from hockeystick.routes.smoothed.atoms import Steps

MOST_WORK = 40_000_000
"""Nodes × atoms: about a tenth of a second."""
EXPONENTIAL = 10
"""Products that an exponential of its own takes as long as."""
WIDEST = 0.3
"""Half the width of the first blocks, times the largest deviation of a step."""
LEAST_STEPS = 60
"""With fewer steps hardly any node can be ruled out."""
LEAST_WORK = 300_000
"""Nodes × atoms below which it is faster to compute them all."""
BLOCK = 4
"""Nodes of a block that is not split any more."""


class Nodes(NamedTuple):
    """Some of the nodes t = 0, h, 2h, …, with φ of all steps there."""

    places: Array
    """Which of them."""
    values: Complex
    skipped: float
    """How many nodes were left out, and Σ 1/place² over them, or a little more."""
    skipped_squares: float


def nodes_of(steps: list[Steps], step: float, count: int, nats: float) -> Nodes:
    """φ at the first `count` nodes, but for those where it is certainly below e^−nats."""
    work = count * sum(each.losses.size for each in steps)
    total = sum(each.count for each in steps)
    if work < LEAST_WORK or total < LEAST_STEPS:
        return _all(steps, step, count, nats)
    turn = step * max(each.deviation for each in steps)
    widest = int(min(2 * WIDEST / max(turn, 1e-300), count))
    if widest >= 2 * BLOCK:
        with suppress(NumericalError):
            return _some(steps, step, count, nats, widest)
    return _all(steps, step, count, nats)


def _all(steps: list[Steps], step: float, count: int, nats: float) -> Nodes:
    if count * sum(each.losses.size for each in steps) > MOST_WORK:
        raise NumericalError(f"{count} nodes of the contour have to be computed")
    size = max(8, int(np.sqrt(count)))
    starts = np.arange(0, count, size)
    values = _values(steps, step, starts, size)[:count]
    live = values.real**2 + values.imag**2 >= np.exp(-2 * nats)
    gone = np.flatnonzero(~live).astype(float)
    return Nodes(np.flatnonzero(live), values[live], gone.size, float((1 / gone**2).sum()))


def _values(steps: list[Steps], step: float, starts: Array, size: int) -> Complex:
    values: Complex = np.ones(starts.size * size, dtype=complex)
    for each in steps:
        values *= _power(each.on(starts * step, step, size).ravel(), each.count)
    return values


def _power(base: Complex, exponent: int) -> Complex:
    """By squaring; numpy's own power of a complex array takes logarithms."""
    result: Complex | None = None
    while exponent:
        if exponent & 1:
            result = base if result is None else result * base
        exponent >>= 1
        if exponent:
            base = base * base
    assert result is not None
    return result


def _some(steps: list[Steps], step: float, count: int, nats: float, widest: int) -> Nodes:
    levels = max(int(np.log(widest / BLOCK) / np.log(4)), 0)
    size = BLOCK * 4**levels
    atoms = sum(each.losses.size for each in steps)
    starts = np.arange(0, count, size)
    if starts.size * atoms > MOST_WORK:
        raise NumericalError(f"{starts.size} blocks of the contour have to be looked at")
    skipped = squares = 0.0
    first = True
    while True:
        decay = np.zeros(starts.size)
        for each in steps:
            at = _regular(each, starts, step, size) if first else _at(each, starts, step, size)
            sine = np.sqrt(np.maximum(1 - np.abs(at) ** 2, 0)) - size * step * each.deviation / 2
            sine = np.clip(sine, 0, 1 - 1e-12)
            decay -= each.count / 2 * np.log1p(-(sine**2))
        live = (decay < nats) | (starts == 0)
        gone = np.maximum(starts[~live], 1.0)
        skipped += size * gone.size
        squares += float((size / gone**2).sum())
        starts, first = starts[live], False
        if starts.size * EXPONENTIAL > count and count * atoms <= MOST_WORK:
            raise NumericalError("so many blocks are left that all nodes are computed sooner")
        if starts.size * size * atoms > MOST_WORK and size <= 4 * BLOCK:
            raise NumericalError(f"{starts.size * size} nodes of the contour have to be computed")
        if size == BLOCK:
            break
        size //= 4
        starts = np.add.outer(starts, size * np.arange(4)).ravel()
        starts = starts[starts < count]
        if starts.size * atoms > MOST_WORK / EXPONENTIAL:
            raise NumericalError(f"{starts.size} blocks of the contour have to be looked at")
    index = np.add.outer(starts, np.arange(BLOCK)).ravel()
    values = _values(steps, step, starts, BLOCK)
    return Nodes(index[index < count], values[index < count], skipped, squares)


def _regular(each: Steps, starts: Array, step: float, size: int) -> Complex:
    """φ at the centres of blocks that follow one another."""
    row = max(8, int(np.sqrt(starts.size)))
    centres = (starts[::row] + (size - 1) / 2) * step
    return each.on(centres, size * step, row).ravel()[: starts.size]


def _at(each: Steps, starts: Array, step: float, size: int) -> Complex:
    """φ at the centres of any blocks, some at a time."""
    centres = (starts + (size - 1) / 2) * step
    pieces = max(1, centres.size * each.losses.size // 200_000)
    return np.concatenate([each.at(piece) for piece in np.array_split(centres, pieces)])
