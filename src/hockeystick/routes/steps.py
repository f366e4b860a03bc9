"""ε after each of many numbers of steps: one line of the contour serves a whole range of counts.

ε is a smooth function of the logarithm of the count: within a range it is interpolated, then both
ends are taken at every count by itself. What ran before may stay as it is; only K of it is added.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics import chebyshev
from hockeystick.numerics.blocks import CHUNK
from hockeystick.numerics.series import EPS
from hockeystick.numerics.types import Array
from hockeystick.routes.contour.few_steps import many
from hockeystick.routes.contour.few_steps.answer import steps_of
from hockeystick.routes.contour.line import Grown, Line, ends, solve
from hockeystick.routes.contour.route import is_bent
from hockeystick.routes.contour.saddle import log_kappa
from hockeystick.routes.contour.straight import plan
from hockeystick.routes.contour.tangent import lower_end
from hockeystick.routes.grid.steps import roughly_rounded_ends, rounded_ends
from hockeystick.routes.growth import CHERNOFF_POINTS, Growth

RANGE = 1.6
"""By how much K may grow, at the saddle, along the counts that one line serves;"""
NEARER_RANGE = 1.3
"""or, where the ends are then farther apart than `NEAR`, relatively, by so much."""
NEAR = 1e-10
NARROWEST = 1.01
"""A range is not narrower than this because lines of wider ones did not serve what is added."""
FEW = 96
"""Up to so many steps the losses are rounded to a grid, where no bent line serves them,"""
WIDE = 2.0
"""and a line serves a wider range,"""
WIDEST = 6.0
"""all the more where what dominates is compared with what is attained, which is far below."""
NODES = 12
"""Counts of a range at which ε is searched for."""
INTERPOLATED = 1e-12
"""About how far ε is off where it is interpolated between them: the first end that is tried."""

Ends = tuple[Array, Array]
"""Lower and upper ends of ε, NaN where there is no answer."""
Way = Callable[[Growth, float, Array], Ends]
"""Both ends in one direction."""


def epsilons_at(
    sides: Sequence[Growth], delta: float, counts: Array, rounded: bool = False
) -> Ends:
    """Both ends of ε at each of the growing counts; NaN where no line reaches, which is left to be
    asked one by one.

    rounded: whether losses may be rounded to a coarse grid where nothing else will do.
    """
    lower, upper = np.full((2, counts.size), math.nan)
    if any(loss.infinite for side in sides for loss in side.losses) or not counts.size:
        return lower, upper
    nothing = sides[0].never_told_apart(counts, delta)
    lower[nothing], upper[nothing] = 0.0, 0.0
    start = int(nothing.sum())
    bent = start + _first_bent(sides[0], counts[start:])
    with suppress(NumericalError):
        some = counts[start:bent]
        lower[start:bent], upper[start:bent] = _worst(sides, delta, some, _on_bent_lines)
    start, width, widest, wide = bent, RANGE, RANGE, WIDEST if rounded else WIDE
    while start < counts.size:
        reach = _reach(sides[0], counts[start], delta, width, wide)
        stop = max(start + 1, int(np.searchsorted(counts, reach, "right")))
        some = counts[start:stop]
        for way in _ways(sides[0], some, rounded):
            with suppress(NumericalError):
                lower[start:stop], upper[start:stop] = _worst(sides, delta, some, way)
                break
        few = 1 if sides[0].before.parts else NODES  # so many are asked one by one instead
        narrower = some.size > few and width > NARROWEST and not _is_few(sides[0], some[-1])
        gaps = upper[start:stop] - lower[start:stop]
        if narrower and width > NEARER_RANGE and not (gaps <= NEAR * upper[start:stop]).all():
            width = widest = NEARER_RANGE
        elif narrower and np.isnan(upper[stop - 1]):
            width = math.sqrt(width)
        else:
            start, width = stop, min(width**1.5, widest)
    return lower, upper


def _first_bent(growth: Growth, counts: Array) -> int:
    """How many of the counts, which grow, are served by bent lines: the first, if any, and all that
    are few."""

    def is_served(count: float) -> bool:
        loss = growth.at(int(count))
        return is_bent(loss) or (_is_few(growth, count) and steps_of(loss) is not None)

    return bisect_left(counts, True, key=lambda count: not is_served(count))


def _on_bent_lines(growth: Growth, delta: float, counts: Array) -> Ends:
    samples = growth.samples
    if samples is None or not counts.size:
        raise NumericalError("no bent line serves these counts")
    return many.epsilons(samples, growth.rows(counts), delta)


def _reach(growth: Growth, first: int, delta: float, width: float, wide: float) -> float:
    """Up to where one line will do."""
    if _is_few(growth, WIDE * first):
        return min(wide * first, (FEW - 1) / growth.each.steps)
    before, each = growth.chernoff
    k, x = before + first * each, CHERNOFF_POINTS
    score = (k + log_kappa(x) - math.log(delta)) / x
    i = int(np.argmin(np.where(np.isfinite(score) & np.isfinite(each), score, math.inf)))
    if not math.isfinite(score[i]):
        return first
    return first + (width - 1) * (k[i] / each[i] if each[i] > 0 else math.inf)


def _is_few(growth: Growth, count: float) -> bool:
    return not growth.before.parts and growth.each.steps * count < FEW


def _ways(growth: Growth, counts: Array, rounded: bool) -> list[Way]:
    """How a range is answered: the first that does."""
    on_grid = roughly_rounded_ends if rounded else rounded_ends
    if not _is_few(growth, counts[-1]):
        return [_on_line, on_grid] if rounded else [_on_line]
    has_formula = growth.at(int(counts[-1])).one is not None
    return [] if has_formula else [on_grid]


def _worst(sides: Sequence[Growth], delta: float, counts: Array, way: Way) -> Ends:
    """The ends of the direction that costs most."""
    lower, upper = way(sides[0], delta, counts)
    for other in sides[1:]:
        if not _is_milder(other, delta, counts, lower):
            low, high = way(other, delta, counts)
            lower, upper = np.maximum(lower, low), np.maximum(upper, high)
    if (lower > upper).any():
        raise NumericalError("one line says more than another allows")
    return lower, upper


def _is_milder(growth: Growth, delta: float, counts: Array, epsilons: Array) -> bool:
    """Whether it needs no larger ε at any count, by Chernoff's bound."""
    top = (growth.before.top if growth.before.parts else 0.0) + counts * growth.each.top
    before, each = growth.chernoff
    x, rows = CHERNOFF_POINTS, max(1, CHUNK // CHERNOFF_POINTS.size)
    left = np.flatnonzero(~(top * (1 + 8 * EPS) <= epsilons) & ~np.isnan(epsilons))
    for i in range(0, left.size, rows):
        some = left[i : i + rows]
        k = before + counts[some, None] * each
        far = epsilons[some, None] * x
        log_bounds = k - far + log_kappa(x) + 16 * EPS * (np.abs(k) + far)
        if not (log_bounds.min(axis=1) <= math.log(delta)).all():
            return False
    return True


# on one straight line -----------------------------------------------------------------------------


def _on_line(growth: Growth, delta: float, counts: Array) -> Ends:
    log_delta = math.log(delta)
    line = _line(growth, int(counts[0]), log_delta)
    scale = counts - counts[0] + 1.0
    if line.spacing is not None:
        root = solve(line, log_delta, scale)
        return _clipped(*ends(line, root, line.delta(root, scale), log_delta, log_delta, scale))
    exact = scale.size <= NODES
    nodes = scale if exact else _nodes(line, scale)
    found = solve(line, log_delta, nodes)
    sums = line.delta(found, nodes)
    off = float((np.exp(sums.too_low - sums.log_value) / sums.rate).max())
    if exact:
        return _ends(line, found, off, log_delta, scale)
    at = _size(line, scale)
    guess = chebyshev.through(found, at[0], at[-1], at)
    rows = max(1, CHUNK // line.t.size)
    blocks = [
        _ends(line, guess[i : i + rows], off, log_delta, scale[i : i + rows])
        for i in range(0, scale.size, rows)
    ]
    lower, upper = np.concatenate(blocks, axis=1)
    return lower, upper


def _line(growth: Growth, count: int, log_delta: float) -> Line:
    """A line for so many times and for somewhat more: e^K falls no slower then."""
    line = plan(growth.at(count), None, log_delta)
    right, far = line.right
    if not growth.before.parts:
        return replace(line, grown=Grown(line.k / count, far / count, growth.each.steps))
    k = growth.each.cgf(line.centre + 1j * line.t)
    more = float(growth.each.cgf(np.array([right])).real[0])
    return replace(line, grown=Grown(k, more, growth.each.steps))


def _size(line: Line, scale: Array) -> Array:
    """log K at the saddle, of which ε is a smooth function."""
    assert line.grown is not None
    return np.asarray(np.log(line.k[0].real + (scale - 1) * line.grown.k[0].real))


def _nodes(line: Line, scale: Array) -> Array:
    """Scales at Chebyshev's points of the logarithm of the size."""
    assert line.grown is not None
    low, high = _size(line, scale[[0, -1]])
    size = np.exp(chebyshev.points(low, high, NODES))
    return np.asarray(1 + (size - line.k[0].real) / line.grown.k[0].real)


def _ends(line: Line, guess: Array, off: float, log_delta: float, scale: Array) -> Ends:
    """Somewhat beyond the root, until the error no longer reaches δ; and from there down."""
    least = 8 * EPS * (min(1.0, 1 / line.centre) + np.abs(guess)) + INTERPOLATED
    move = 1.1 * off + least
    for _ in range(12):
        upper = guess + move
        sums = line.delta(upper, scale)
        if not np.isfinite(sums.log_value).all():
            raise NumericalError("the contour lost all digits")
        excess = np.logaddexp(sums.log_value, sums.too_low) - log_delta
        if (excess <= 0).all():
            value = np.exp(sums.log_value)
            known = (value - np.exp(np.minimum(sums.too_high, 700.0))) * (1 - 4 * EPS)
            lower = lower_end(upper, known, value * sums.rate, math.exp(log_delta))
            return _clipped(lower, upper)
        move = np.where(excess > 0, move + 1.2 * excess / sums.rate + 0.2 * move, move)
    raise NumericalError("the error of the contour could not be bounded")


def _clipped(lower: Array, upper: Array) -> Ends:
    return np.maximum(lower, 0.0), np.maximum(upper, 0.0)
