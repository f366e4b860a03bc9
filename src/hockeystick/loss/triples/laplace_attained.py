"""Pairs of single triples with Laplace noise, for lower ends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hockeystick.loss.atoms import AtomicLoss
from hockeystick.loss.base import Loss
from hockeystick.loss.triples.attained import Point, seen
from hockeystick.numerics.types import Array

ALONG, ACROSS = 400, 200
"""Cells between the outermost points, of the line of x and x' and across it."""
ON_A_LINE = 4000
"""Cells where all three are on one line."""

FARTHEST = 60.0
"""Distance of points beyond which no triple is looked at: noise that small hides nothing, and
losses so far apart take a second."""


def laplace_triples(rate: float, triples: Sequence[tuple[Point, Point, Point]]) -> tuple[Loss, ...]:
    """The losses of these triples (y, x, x')."""
    return tuple(
        laplace_triple(rate, *each) for each in triples if np.abs(each).max() <= FARTHEST / 2
    )


def laplace_triple(rate: float, y: Point, x: Point, other: Point) -> AtomicLoss:
    """(1−γ)·μ_y + γ·μ_x against (1−γ)·μ_y + γ·μ_other with noise of scale 1, seen in cells.

    Beyond the outermost points nothing depends on how far beyond, so nothing is lost there.
    """
    first, second = (np.array([y[i], x[i], other[i]]) for i in (0, 1))
    flat = not np.ptp(second) > 0
    along, cross = (ON_A_LINE, 1) if flat else (ALONG, ACROSS)
    return seen(rate, _cells(first, along), _cells(second, cross))


def _cells(means: Array, count: int) -> list[Array]:
    """Masses of Laplace laws in the cells of one line, the outermost without end; all where the
    means are."""
    if count == 1:
        return [np.ones(1)] * means.size
    edges = np.unique(np.append(np.linspace(means.min(), means.max(), count), means))
    return [_masses(edges - mean) for mean in means]


def _masses(edges: Array) -> Array:
    """Of a Laplace law of scale 1 between the edges and beyond them; 0 is one of the edges, so that
    no cell is on both sides of it."""
    far = np.abs(edges)
    between = -np.exp(-np.minimum(far[:-1], far[1:])) * np.expm1(-np.diff(edges)) / 2
    return np.concatenate([np.exp(-far[:1]) / 2, between, np.exp(-far[-1:]) / 2])
