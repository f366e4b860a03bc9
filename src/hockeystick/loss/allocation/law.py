"""The law of a mean of independent likelihood ratios: how two such laws are added.

It is kept on a fine grid where most of it is and on a coarse one elsewhere: one large ratio among
many can reach far beyond the spread of their mean, but there the detail does not matter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.allocation.grid import CUT, Cells, Part, contract, spread, strip
from hockeystick.numerics.types import Array

COARSE = 4
"""Cells of the core's grid in one of the tail's."""


@dataclass(frozen=True)
class Law:
    """A mean of likelihood ratios under Q; Q-mass at 0 and P-mass at infinity."""

    core: Part
    tail: Part
    void: float
    infinite: float


@dataclass(frozen=True)
class Level:
    """How the laws of one size are kept."""

    width: float
    """Logarithmic width of the fine cells."""
    reach: float
    """How far from ratio 1, in the logarithm, the fine grid goes."""
    weight: float
    """How many such laws will be added up: so often counts what is cut off."""
    upper: bool
    """Whether to round up."""


def settle(core: Cells, tail: Cells, void: float, infinite: float, level: Level) -> Law:
    """Bring all cells to one grid, fine up to the reach and coarse beyond, and round."""
    upper = level.upper
    edge = COARSE * math.ceil(level.reach / core.width / COARSE)
    fine, coarse = _regrid(core, tail, edge, upper)
    skip = slice(-edge // COARSE - coarse.first, edge // COARSE - coarse.first)
    mass, up = (
        np.concatenate([outer[: skip.start], inner, outer[skip.stop :]])
        for outer, inner in ((coarse.mass, fine.mass), (coarse.up, fine.up))
    )
    points = np.arange(coarse.first, coarse.first + len(coarse.mass) + 1) * COARSE
    points = np.concatenate([points[: skip.start], np.arange(-edge, edge), points[skip.stop :]])
    ratios = np.exp(core.width * points)
    q = spread(mass, up) if upper else contract(ratios, mass, up)
    if upper:
        both = (level.weight + ratios) * q
        small = (np.cumsum(both) < CUT) | (np.cumsum(both[::-1])[::-1] < CUT)
        void, infinite = void + float(q[small].sum()), infinite + float((q * ratios)[small].sum())
        q = np.where(small, 0.0, q)
    inner = slice(skip.start, skip.start + 2 * edge + 1)
    outer = np.zeros(len(coarse.mass) + 1)
    outer[: skip.start], outer[skip.stop + 1 :] = q[: inner.start], q[inner.stop :]
    return Law(
        strip(Part(fine.width, -edge, q[inner])),
        strip(Part(coarse.width, coarse.first, outer)),
        void,
        infinite,
    )


def _regrid(core: Cells, tail: Cells, edge: int, upper: bool) -> tuple[Cells, Cells]:
    """Fine cells within the edge and coarse ones beyond, from fine and coarse ones anywhere."""
    fine = Cells(core.width, -edge, edge)
    low, high = max(core.first, -edge), min(core.first + len(core.mass), edge)
    for mine, old in ((fine.mass, core.mass), (fine.up, core.up)):
        mine[low + edge : high + edge] = old[low - core.first : high - core.first]
        old[low - core.first : high - core.first] = 0.0
    losses, q = map(np.concatenate, zip(core.atoms(upper), tail.atoms(upper), strict=True))
    reach = edge * core.width
    if not np.isfinite(losses).all():
        raise NumericalError("a mean of ratios leaves what floats hold")
    first = math.floor(min(losses.min(initial=0.0), -reach) / tail.width) - 1
    last = math.ceil(max(losses.max(initial=0.0), reach) / tail.width) + 2
    coarse = Cells(tail.width, first, last)
    inside = (losses >= -reach) & (losses < reach)
    fine.add(losses[inside], q[inside])
    coarse.add(losses[~inside], q[~inside])
    return fine, coarse


def _pairs(cells: Cells, x: Part, y: Part, f: int, c: int) -> None:
    """Add the law of (f·X + c·Y)/(f + c) to the cells, for independent X and Y on one grid.

    With Y = X·e^{wd} it is X·(f + c·e^{wd})/(f + c): all pairs at one distance d shift alike.
    """
    if not len(x.q) or not len(y.q):
        return
    w = x.width
    stride = round(w / cells.width)
    same = x is y and f == c
    distances = np.arange(0 if same else y.first - x.last + 1, y.last - x.first)
    shifts, parts = cells.split(_shift(w * distances, f, c))
    low, high = np.maximum(x.first, y.first - distances), np.minimum(x.last, y.last - distances)
    start = stride * low + shifts - cells.first
    columns = (distances, parts, low - x.first, low + distances - y.first, high - low, start)
    for d, part, i, j, size, k in zip(*(column.tolist() for column in columns), strict=True):
        masses = x.q[i : i + size] * y.q[j : j + size]
        if same and d:
            masses *= 2
        cells.place(k, masses, part, stride)


def _shift(x: Array, f: int, c: int) -> Array:
    """log((f + c·e^x)/(f + c))."""
    small = np.exp(-np.abs(x))
    return np.maximum(x, 0) + np.log(np.where(x > 0, c + f * small, f + c * small) / (f + c))


def _coarse(parts: list[Part], upper: bool) -> Part:
    """All parts on the grid of the tail."""
    width = COARSE * parts[0].width
    ends = [math.floor(part.width * k / width) for part in parts for k in (part.first, part.last)]
    cells = Cells(width, min(ends) - 1, max(ends) + 2)
    for part in parts:
        cells.add_part(part)
    return cells.rounded(upper)


def combine(x: Law, y: Law, f: int, c: int, level: Level) -> Law:
    """The law of (f·X + c·Y)/(f + c), for X and Y the means of f and c independent ratios."""
    n, upper = f + c, level.upper
    zero = max(x.void, y.void)
    rare = upper and zero * level.weight <= 100 * CUT
    least = min(f, c) / n if zero and not rare else 1.0
    core, tail = _room(x, y, least, level)
    x_all, y_all = (_coarse([law.core, law.tail], upper) for law in (x, y))
    _pairs(core, x.core, y.core, f, c)
    _pairs(tail, x_all, y.tail, f, c)
    if len(x.tail.q):
        _pairs(tail, x.tail, _coarse([y.core], upper), f, c)
    void, infinite = x.void * y.void, (f * x.infinite + c * y.infinite) / n
    if rare:
        # One of the two is 0: so rarely that the other one may as well go to 0 and infinity.
        void, infinite = x.void + y.void, infinite + (f * y.void + c * x.void) / n
    elif zero:
        stride = round(x_all.width / tail.width)
        shift, part = tail.split(np.log([c / n, f / n]))
        first = stride * np.array([y_all.first, x_all.first]) + shift - tail.first
        tail.place(int(first[0]), x.void * y_all.q, float(part[0]), stride)
        tail.place(int(first[1]), y.void * x_all.q, float(part[1]), stride)
    return settle(core, tail, void, infinite, level)


def _room(x: Law, y: Law, least: float, level: Level) -> tuple[Cells, Cells]:
    """Fine cells for the sum of the cores, coarse ones for all others, down to `least` times X."""
    stride = round(x.core.width / level.width)
    low, high = min(x.core.first, y.core.first), max(x.core.last, y.core.last)
    core = Cells(level.width, stride * low - 1, stride * high + 2)
    low, high = low // COARSE, high // COARSE + 1
    for tail in (x.tail, y.tail):
        if len(tail.q):
            low, high = min(low, tail.first), max(high, tail.last)
    below = math.ceil(-math.log(least) / (COARSE * level.width))
    return core, Cells(COARSE * level.width, stride * (low - 2) - below, stride * (high + 2))
