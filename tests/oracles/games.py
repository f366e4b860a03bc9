"""Games of fixed-size batches, solved without the code under test."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

Floats = NDArray[np.float64]


def two_laws(odds: float, rate: float, steps: int, epsilon: float) -> float:
    """δ(ε) of binary randomized response, whose adversary chooses each step from all before.

    The loss is always i·a + j·b with whole numbers i and j, so a table of V(ε − ia − jb) is exact:
    it is made from the end, the larger of both moves at each place, by sums of positive terms.
    """
    truth, lie = odds / (1 + odds), 1 / (1 + odds)
    often, seldom = (1 - rate) * truth + rate * lie, (1 - rate) * lie + rate * truth
    up, down = np.log1p(rate * (odds - 1)), np.log1p(rate * (1 / odds - 1))
    i = np.arange(-steps, steps + 1)
    value = -np.expm1(np.minimum(epsilon - i[:, None] * up - i[None, :] * down, 0.0))
    for _ in range(steps):
        padded = np.pad(value, 1)
        forward = seldom * padded[2:, 1:-1] + often * padded[1:-1, 2:]
        backward = truth * padded[1:-1, :-2] + lie * padded[:-2, 1:-1]
        value = np.maximum(forward, backward)
    return float(value[steps, steps])


def normal_pair(rate: float, points: Floats, cells: int) -> tuple[Floats, Floats]:
    """P and Q of a triple (y, x, x') of points in the plane, as masses of the cells of a grid.

    Which cell an answer is in says less than the answer: what follows is a lower bound, and it
    nears the truth with the square of the cells.
    """
    edges = np.linspace(points.min() - 9, points.max() + 9, cells - 1)
    lines = [np.apply_along_axis(_masses, 1, edges - points[:, i, None]) for i in (0, 1)]
    without, one, other = np.einsum("ki,kj->kij", *lines)
    return (1 - rate) * without + rate * one, (1 - rate) * without + rate * other


def _masses(edges: Floats) -> Floats:
    """Of a standard normal law between the edges and beyond them; from the nearer tail each."""
    low, high = np.append(-np.inf, edges), np.append(edges, np.inf)
    return np.asarray(np.where(low > 0, ndtr(-low) - ndtr(-high), ndtr(high) - ndtr(low)))


def laplace_pair(rate: float, points: Floats, cells: int) -> tuple[Floats, Floats]:
    """The same of points (y, x, x') of a line, with Laplace noise of scale 1."""
    edges = np.unique(np.append(np.linspace(points.min(), points.max(), cells), points))
    without, one, other = (_laplace_masses(edges - point) for point in points)
    return (1 - rate) * without + rate * one, (1 - rate) * without + rate * other


def _laplace_masses(edges: Floats) -> Floats:
    """From the nearer tail each."""
    low, high = np.append(-np.inf, edges), np.append(edges, np.inf)
    left, right = (np.exp(-np.abs(each)) / 2 for each in (low, high))
    return np.asarray(np.where(low >= 0, left - right, right - left))


FFT_NOISE = 1e-14
"""Of a value in [0, 1], for each step: it is taken off."""


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
    size = 1 << int(np.ceil(np.log2(4 * count + 4)))
    moves = []
    for p, q in itertools.chain(pairs, [(q, p) for p, q in pairs]):
        seen = (p > 0) & (q > 0)
        k = np.minimum(np.floor(np.log(p[seen] / q[seen]) / spacing), count).astype(int)
        kept = k >= -count  # below that V(x − loss) counts as 0, as it does where q is 0
        moves.append(np.fft.rfft(np.bincount(k[kept] % size, p[seen][kept], size)))
    for _ in range(steps):
        # at x_k beyond the left end V is at least its last value there, beyond the right end 0
        beyond = [np.zeros(size - value.size - count), value[:1].repeat(count)]
        whole = np.fft.rfft(np.concatenate([value, *beyond]))
        options = [np.fft.irfft(whole * move, size)[: value.size] for move in moves]
        value = np.maximum(np.max(options, axis=0) - FFT_NOISE, 0.0)
    return np.asarray(x[count:], dtype=float), np.asarray(value[count:], dtype=float)
