"""Pairs of single triples, for lower ends: what one data set costs if every step asks the same."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hockeystick.loss.atoms import AtomicLoss
from hockeystick.numerics.series import log_mixed
from hockeystick.numerics.special import ndtr
from hockeystick.numerics.types import Array

REACH = 9.0
"""Standard deviations beyond the outermost points at which the last cell begins."""
ALONG, ACROSS = 600, 300
"""Cells of the line of x and x', and across it."""
BINS = 1500
"""Losses that are kept apart, relative to their size."""
SMALLEST = 1e-4
"""Of the mean loss: where the bins begin to grow with the loss."""

Point = tuple[float, float]


def normal_triple(rate: float, y: Point, x: Point, other: Point) -> AtomicLoss:
    """(1−γ)·N(y) + γ·N(x) against (1−γ)·N(y) + γ·N(other) in the plane, seen in cells.

    Which cell an answer falls in says less than the answer, so the δ of the cells is a lower end.
    """
    first, second = (np.array([y[i], x[i], other[i]]) for i in (0, 1))
    across = ACROSS if np.ptp(second) > 0 else 1
    along, cross = _cells(first, ALONG if across > 1 else 10 * ALONG), _cells(second, across)
    return seen(rate, along, cross)


def seen(rate: float, along: Sequence[Array], cross: Sequence[Array]) -> AtomicLoss:
    """The loss of a triple (y, x, x') from the masses that each law has in the cells of two lines,
    those of one independent of those of the other."""
    masses = [np.multiply.outer(a, b).ravel() for a, b in zip(along, cross, strict=True)]
    without, with_x, with_other = masses
    q = (1 - rate) * without + rate * with_other
    kept = q > 1e-290
    q, gain = q[kept], rate * (with_x - with_other)[kept]
    p = (1 - rate) * without[kept] + rate * with_x[kept]
    scale = SMALLEST * float(np.abs(gain).sum())
    loss = np.log1p(np.maximum(gain / q, -1 + 1e-15))
    place = np.sign(loss) * np.log1p(np.abs(loss) / scale)
    bins = np.floor((place - place.min()) * (BINS / np.ptp(place))).astype(int)
    p, q, gain = (np.asarray(np.bincount(bins, each), dtype=float) for each in (p, q, gain))
    there = p > 0
    p, q, ratio = p[there], q[there], gain[there] / q[there]
    losses = np.where(ratio > -0.5, np.log1p(np.maximum(ratio, -0.5)), np.log(p / q))
    return AtomicLoss(losses, np.log(q), log_p=np.log(p))


def _cells(means: Array, count: int) -> list[Array]:
    """Masses of normal laws in the cells of one line, the outermost without end."""
    edges = np.linspace(means.min() - REACH, means.max() + REACH, count)[
        : 0 if count == 1 else None
    ]
    edges = np.concatenate([[-math.inf], edges, [math.inf]])
    return [_between(edges - mean) for mean in means]


def _between(edges: Array) -> Array:
    low, high = edges[:-1], edges[1:]
    right = low > 0
    return np.asarray(np.where(right, ndtr(-low) - ndtr(-high), ndtr(high) - ndtr(low)))


def three_answers(rate: float, epsilon: float, categories: int) -> AtomicLoss:
    """Randomized response on three different answers: losses ±log(1 − γ + γ·e^ε), and 0.

    >>> pair = three_answers(0.5, 1.0, 3)
    >>> bool(abs(pair.atoms.p.sum() - 1) < 1e-15)
    True
    """
    loss = float(log_mixed(rate, np.array([epsilon]))[0])
    log_lie = -epsilon - math.log1p((categories - 1) * math.exp(-epsilon))
    rest = 1 - math.exp(log_lie) - math.exp(log_lie + loss)
    return AtomicLoss(
        [-loss, 0.0, loss],
        [log_lie + loss, math.log(rest), log_lie],
        spacing=loss,
        symmetric=True,
    )
