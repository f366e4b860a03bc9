"""What the columns of a strategy are, without writing out a matrix where that can be helped."""

from __future__ import annotations

import numpy as np

from hockeystick.matrix.strategy import Strategy
from hockeystick.numerics.types import Array


def squared_norms(strategy: Strategy) -> Array:
    """‖c_j‖² of every column."""
    if strategy.toeplitz is not None:
        squares = np.zeros(strategy.steps)
        squares[: len(strategy.toeplitz)] = np.square(strategy.toeplitz)
        return np.cumsum(squares)[::-1]
    if strategy.perfect_trees is not None:
        levels = [(leaves.bit_length(), leaves) for leaves in strategy.perfect_trees]
        return np.concatenate([np.full(leaves, float(level)) for level, leaves in levels])
    return np.asarray(np.square(strategy.dense()).sum(axis=0))


def falls(coefficients: tuple[float, ...]) -> bool:
    """Whether they are non-negative and never grow."""
    c = np.array(coefficients)
    return bool((c >= 0).all() and (np.diff(c) <= 0).all())


def majorant(coefficients: tuple[float, ...]) -> tuple[float, ...]:
    """The least numbers above all |c_i| that never grow."""
    c = np.abs(coefficients)
    return tuple(np.maximum.accumulate(c[::-1])[::-1].tolist())


def shifted_sum(coefficients: tuple[float, ...], steps: int, every: int, times: int) -> Array:
    """Σ_{j<times} of the columns j·every of a Toeplitz matrix."""
    c = np.zeros(steps)
    c[: len(coefficients)] = coefficients
    if times * every >= steps:  # every column that there is: one running sum
        rows = -(-steps // every)
        padded = np.zeros(rows * every)
        padded[:steps] = c
        return np.asarray(np.cumsum(padded.reshape(rows, every), axis=0).ravel()[:steps])
    total = c.copy()
    length = len(coefficients)
    for j in range(1, times):
        end = min(steps, j * every + length)
        total[j * every : end] += c[: end - j * every]
    return total


def shifted_gram(coefficients: tuple[float, ...], steps: int, every: int, times: int) -> Array:
    """⟨c_i, c_j⟩ of the columns 0, every, 2·every, … of a Toeplitz matrix."""
    c = np.zeros(steps)
    c[: len(coefficients)] = coefficients
    gram = np.zeros((times, times))
    for apart in range(times):
        gap = apart * every
        products = np.append(0.0, np.cumsum(c[gap:] * c[: steps - gap]))
        # Column i ends with the run: of its products, those before that are left.
        lengths = steps - gap - every * np.arange(times - apart)
        gram[np.arange(times - apart), np.arange(apart, times)] = products[lengths]
    return np.asarray(gram + np.triu(gram, 1).T)
