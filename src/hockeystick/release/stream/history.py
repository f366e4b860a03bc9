"""Noise of triangular matrices, from the noise of the last steps: banded ones and dense ones."""

from __future__ import annotations

import math

import numpy as np

from hockeystick.checks import shown
from hockeystick.errors import ParameterError
from hockeystick.matrix.strategy import Strategy
from hockeystick.matrix.toeplitz import LowerToeplitz
from hockeystick.numerics.types import Array
from hockeystick.release.stream.recursion import DEVIATIONS, ULP, Recursion, check_reach


class History(Recursion):
    """W_i = K_i − [Σ_{j<i} (C_ij/C_ii)·W_j], the sum in floats and rounded to an integer.

    Kept are as many vectors as there are bands below the diagonal; of a matrix without bands, all.
    """

    def __init__(self, strategy: Strategy, dimension: int) -> None:
        self.dimension = dimension
        self._rows = _Toeplitz(strategy) if isinstance(strategy, LowerToeplitz) else _Rows(strategy)
        self.largest, self.smallest = self._rows.largest, self._rows.smallest
        self._kept = self._rows.kept
        self._past = np.zeros((self._kept, dimension))

    def fresh(self, step: int) -> tuple[int, float]:
        return 1, self._rows.diagonal(step)

    def next(self, step: int, drawn: Array) -> Array:
        noise: Array = drawn[0].astype(float)
        seen = min(step, self._kept)
        if seen:
            weights = np.zeros(self._kept if step >= self._kept else step)
            steps = np.arange(step - seen, step)
            weights[steps % self._kept] = self._rows.ratios(step, seen)
            noise -= np.rint(weights @ self._past[: weights.size])
        check_reach(noise, self._most)
        if self._kept:
            self._past[step % self._kept] = noise
        return noise

    def reach(self, scale: float) -> float:
        return DEVIATIONS * (1 + scale * self._rows.inverse_norm)

    def limit(self, scale: float) -> None:
        self._most = self.reach(scale)

    def error(self, scale: float) -> float:
        """Half a step, and the sum's: (n + 2)·u·Σ|C_ij/C_ii|·|W_j| (Higham 2002, Section 3.1)."""
        if not self._kept:
            return 0.0
        terms = 1.01 * (self._kept + 2) * ULP
        return 0.5 + terms * self._rows.ratio_sum * self.reach(scale)

    def spread(self, secret: bool) -> float:
        if not self._kept:
            return 0.0
        return self._rows.largest_inverse_ratio if secret else self._rows.relative_trace


class _Toeplitz:
    """Rows that are all alike: C_ij = c_{i−j}."""

    def __init__(self, strategy: LowerToeplitz) -> None:
        first, *rest = strategy.toeplitz
        self.largest = self.smallest = first
        self.kept = len(rest)
        self._ratios = np.array(rest[::-1]) / first
        sizes = np.abs(self._ratios)
        self.ratio_sum = float(sizes.sum())
        self.largest_inverse_ratio = 1 / float(sizes[sizes > 0].min(initial=math.inf))
        self.relative_trace = math.sqrt(strategy.steps / (1 + float(sizes @ sizes)))
        noise = np.diff(strategy.prefix_noise(), prepend=0.0)
        self.inverse_norm = float(np.linalg.norm(noise))

    def diagonal(self, step: int) -> float:
        return self.largest

    def ratios(self, step: int, seen: int) -> Array:
        return self._ratios[self.kept - seen :]


class _Rows:
    """Any rows, of a lower triangular matrix that is written out."""

    def __init__(self, strategy: Strategy) -> None:
        matrix = strategy.dense()
        triangular = matrix.shape[0] == matrix.shape[1] and not np.triu(matrix, 1).any()
        if not triangular or not np.diag(matrix).all():
            raise ParameterError(
                "matrix must be square, lower triangular and without a 0 on its diagonal for noise "
                f"step by step, got {shown(strategy)}"
            )
        diagonal = np.abs(np.diag(matrix))
        self._diagonal = diagonal.tolist()
        self.largest, self.smallest = float(diagonal.max()), float(diagonal.min())
        self.kept = strategy.steps - 1
        self._ratios = np.tril(matrix, -1) / np.diag(matrix)[:, None]
        sizes = np.abs(self._ratios)
        self.ratio_sum = float(sizes.sum(axis=1).max())
        self.largest_inverse_ratio = 1 / float(sizes[sizes > 0].min(initial=math.inf))
        columns = np.linalg.norm(matrix, axis=0)
        # A record may not come to the longest: Cyclic(period, times=1) ends before it.
        self.relative_trace = float(np.linalg.norm(diagonal) / columns.min())
        self.inverse_norm = float(np.linalg.norm(np.linalg.inv(matrix), axis=1).max())

    def diagonal(self, step: int) -> float:
        return float(self._diagonal[step])

    def ratios(self, step: int, seen: int) -> Array:
        row: Array = self._ratios[step, step - seen : step]
        return row
