"""How fast |φ(t)| = |M(c+it)|/M(c) falls: bounds that hold between the points of a grid too."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from flint import arb

from hockeystick.numerics.types import Array
from hockeystick.routes.certified.balls import SAFE

ROOT_6 = math.sqrt(6.0)


@dataclass(frozen=True)
class Cells:
    """Disjoint cells of outcomes: at least their share of M(c), and between which losses."""

    mass: Array
    left: Array
    right: Array


@lru_cache(maxsize=64)
def _different(count: int) -> tuple[Array, Array]:
    return np.triu_indices(count, 1)


class Pairs:
    """Theorem 6. With two independent tilted losses, 1 − |φ(u)|² = E[1 − cos u(L−L')], and
    1 − cos y >= y²/2 − y⁴/24, which grows up to y = √6: pairs of cells that are at least d and at
    most D apart count with y = t·d for every u in [t, t'] with t'·D <= √6. Cells are along the last
    axis; several laws are rows.
    """

    def __init__(self, cells: Cells) -> None:
        mass, left, right = (np.atleast_2d(x) for x in (cells.mass, cells.left, cells.right))
        self._rows = cells.mass.shape[:-1]
        i, j = _different(mass.shape[-1])
        near = np.maximum(left[:, i], left[:, j]) - np.minimum(right[:, i], right[:, j])
        far = np.maximum(right[:, i], right[:, j]) - np.minimum(left[:, i], left[:, j])
        square = (np.maximum(near, 0.0) * (1 - SAFE)) ** 2
        self._far = far * (1 + SAFE)
        self._second = 2 * mass[:, i] * mass[:, j] * square
        self._fourth = self._second * square

    def __call__(self, t: Array) -> Array:
        """At least log|φ| from each t to the next."""
        limits = ROOT_6 / np.append(t[1:], math.inf) * (1 - SAFE)
        counted = t.size - np.searchsorted(limits[::-1], self._far, side="right")
        counted += np.arange(len(self._far))[:, None] * (t.size + 1)

        def total(weights: Array) -> Array:
            size = len(self._far) * (t.size + 1)
            each = np.bincount(counted.ravel(), weights.ravel(), size).reshape(-1, t.size + 1)
            return np.cumsum(each[:, :0:-1], axis=1)[:, ::-1]

        fourth = t * t * total(self._fourth) * (1 + SAFE) / 24 * (1 + SAFE)
        gain = t * t * (total(self._second) * (1 - SAFE) / 2 - fourth)
        return (-np.maximum(gain * (1 - SAFE), 0.0) / 2).reshape(*self._rows, t.size)


def by_nodes(sizes: Array, fall: Array, error: float | Array, t: Array) -> Array:
    """Theorem 8. |M(c+it)| <= Σ |weight|·e^{−t·Im loss} + error, all relative to M(c): it falls
    with t. The exponential is bounded by e^{−x} <= (1 + x/1024)^{−1024}, products only. Nodes are
    along the last axis, where frequencies come in their place.
    """
    y = 1 / (1 + t[:, None] * fall[..., None, :] * (1 - SAFE) / 1024)
    for _ in range(10):
        y *= y
    return logarithms(((y @ sizes[..., None])[..., 0] + error) * (1 + SAFE))


def logarithms(bounds: Array) -> Array:
    """At least log of each bound, and at most 0: with x the root of order 64 and g = 1 − x, by
    log x <= −g − g²/2 − g³/3."""
    x = np.maximum(np.minimum(np.nan_to_num(bounds, nan=1.0), 1.0), 1e-300)
    for _ in range(6):
        x = np.sqrt(x) * (1 + 2.0**-52)
    g = np.maximum((1 - x) * (1 - 1e-12) - 2.0**-50, 0.0)
    return np.asarray(-64 * (1 - 1e-12) * g * (1 + g * (0.5 + g * 0.333)))


def beyond(t: Array, log_bounds: Array, step: float) -> list[arb]:
    """Theorem 5. What the points of the line from each t on add at most, in units of
    e^{K(c) − cε}: |s(s+1)| >= t², so (1/π)·Σ B_j·(1/(t_j − step) − 1/t_{j+1}).
    """
    out, rest = [], arb(0)
    for j in range(t.size - 1, -1, -1):
        width = 1 / (arb(float(t[j])) - arb(step))
        if j + 1 < t.size:
            width -= 1 / arb(float(t[j + 1]))
        rest += arb(float(max(log_bounds[j], -1e6))).exp() * width / arb.pi()
        out.append(arb(rest.upper()))
    return out[::-1]
