"""How fast |φ(t)| = |M(c+it)|/M(c) falls: bounds that hold between the points of a grid too."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from flint import arb

from hockeystick.numerics.types import Array
from hockeystick.routes.certified.balls import SAFE, above

ROOT_6 = math.sqrt(6.0)


@dataclass(frozen=True)
class Cells:
    """Disjoint cells of outcomes: at least their share of M(c), and between which losses."""

    mass: Array
    left: Array
    right: Array


def by_pairs(cells: Cells, t: Array) -> Array:
    """Theorem 6. With two independent tilted losses, 1 − |φ(u)|² = E[1 − cos u(L−L')], and
    1 − cos y >= y²/2 − y⁴/24, which grows up to y = √6: pairs of cells that are at least d and at
    most D apart count with y = t·d for every u in [t, t'] with t'·D <= √6.
    """
    mass, left, right = cells.mass, cells.left, cells.right
    i, j = np.triu_indices(mass.size, 1)
    near = np.maximum(left[i], left[j]) - np.minimum(right[i], right[j])
    near = np.maximum(near, 0.0) * (1 - SAFE)
    far = (np.maximum(right[i], right[j]) - np.minimum(left[i], left[j])) * (1 + SAFE)
    order = np.argsort(far)
    far, weight, square = far[order], (2 * mass[i] * mass[j])[order], near[order] * near[order]
    second = np.append(0.0, np.cumsum(weight * square)) * (1 - SAFE)
    fourth = np.append(0.0, np.cumsum(weight * square * square)) * (1 + SAFE)
    counted = np.searchsorted(far, ROOT_6 / np.append(t[1:], math.inf) * (1 - SAFE))
    gain = t * t * (second[counted] / 2 - t * t * fourth[counted] / 24 * (1 + SAFE))
    return -np.maximum(gain * (1 - SAFE), 0.0) / 2


def by_variation(branches: list[tuple[Array, Array]], t: Array) -> Array:
    """Theorem 7. On a branch where the loss grows with the outcome, with P-density f and G = f/L',
    what lies beyond a cut adds at most 4·max G/t to |φ|, and its mass leaves it: |φ(u)| is at most
    1 − Σ max over cuts of (mass beyond − 4·max G/t), for all u >= t.
    """
    gain = np.zeros_like(t)
    for mass, bound in branches:
        best = mass * (1 - SAFE) - bound * (1 + SAFE) / t[:, None]
        gain = gain + np.maximum(best.max(axis=1), 0.0)
    return logarithms(1 - gain * (1 - SAFE))


def by_nodes(sizes: Array, fall: Array, error: float, t: Array) -> Array:
    """Theorem 8. |M(c+it)| <= Σ |weight|·e^{−t·Im loss} + error, all relative to M(c): it falls
    with t. The exponential is bounded by e^{−x} <= (1 + x/1024)^{−1024}, products only.
    """
    y = 1 / (1 + t[:, None] * fall * (1 - SAFE) / 1024)
    for _ in range(10):
        y = y * y
    return logarithms((y @ sizes + error) * (1 + SAFE))


def logarithms(bounds: Array) -> Array:
    """At least log of each bound, and at most 0."""
    floor = np.maximum(np.minimum(bounds, 1.0), 1e-300)
    return np.array([min(above(arb(float(x)).log()), 0.0) for x in floor])


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
