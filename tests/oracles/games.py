"""Games of fixed-size batches, solved without the code under test."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def two_laws(odds: float, rate: float, steps: int, epsilon: float) -> float:
    """δ(ε) of binary randomized response, whose adversary chooses each step from all before.

    The loss is always i·a + j·b with whole numbers i and j, so a table of V(ε − ia − jb) is exact:
    it is made from the end, the larger of both moves at each place, by sums of positive terms.
    """
    truth, lie = odds / (1 + odds), 1 / (1 + odds)
    often, seldom = (1 - rate) * truth + rate * lie, (1 - rate) * lie + rate * truth
    up, down = np.log(seldom / lie), np.log(often / truth)
    i = np.arange(-steps, steps + 1)
    value = np.maximum(-np.expm1(epsilon - i[:, None] * up - i[None, :] * down), 0.0)
    for _ in range(steps):
        padded = np.pad(value, 1)
        forward = seldom * padded[2:, 1:-1] + often * padded[1:-1, 2:]
        backward = truth * padded[1:-1, :-2] + lie * padded[:-2, 1:-1]
        value = np.maximum(forward, backward)
    return float(value[steps, steps])


def normal_pair(rate: float, points: Floats, cells: int) -> tuple[Floats, Floats]:
    """P and Q of a triple (y, x, x') of points in the plane, in the cells of a fine grid."""
    x = np.linspace(points.min() - 8, points.max() + 8, cells)
    lines = [np.exp(-0.5 * np.subtract.outer(points[:, i], x) ** 2) for i in (0, 1)]
    laws = np.einsum("ki,kj->kij", *lines)
    laws /= laws.sum(axis=(1, 2), keepdims=True)
    without, one, other = laws
    return (1 - rate) * without + rate * one, (1 - rate) * without + rate * other


def rounded_down(
    pairs: list[tuple[Floats, Floats]], steps: int, spacing: float, reach: float
) -> tuple[Floats, Floats]:
    """ε on a grid and a lower bound on the value of the game whose moves are these pairs.

    Outcomes are merged by their loss and each loss is rounded down to the grid with its P-mass
    kept: the first is post-processing, and the second makes every V(x − loss) smaller.
    """
    count = int(reach / spacing)
    x = spacing * np.arange(-count, count + 1)
    value = np.maximum(-np.expm1(x), 0.0)
    moves = []
    for p, q in itertools.chain(pairs, [(q, p) for p, q in pairs]):
        p, q = p.ravel(), q.ravel()
        k = np.floor(np.log(p / q) / spacing).astype(int)
        shifts, place = np.unique(k, return_inverse=True)
        moves.append((shifts, np.bincount(place, p)))
    for _ in range(steps):
        options = []
        for shifts, masses in moves:
            total = np.zeros(x.size)
            for shift, mass in zip(shifts.tolist(), masses.tolist(), strict=True):
                # V(x_k − shift): beyond the left end V is at least its last value there
                place = np.clip(np.arange(x.size) - shift, 0, None)
                inside = place < x.size
                total[inside] += mass * value[place[inside]]
            options.append(total)
        value = np.max(options, axis=0)
    return np.asarray(x[count:], dtype=float), np.asarray(value[count:], dtype=float)
