"""Binary trees: sums over dyadic blocks of steps, each with noise of its own."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from hockeystick.checks import Whole, checked, declared
from hockeystick.matrix.strategy import Strategy
from hockeystick.numerics.types import Array


@declared
class Tree(Strategy):
    """A row for each block of 2^l steps that begins at a multiple of 2^l and ends within the run.

    A block is released when its last step is done; of all rows that were, a prefix sum is made of
    at most log2(n) + 1. Honaker's estimate of a block weighs its own row and those below it by
    their variances (Honaker 2015; Kairouz et al. 2021, Appendix D).

    Parameters
    ----------
    steps: an integer >= 1.
    restart_every: a new tree begins after so many steps, an integer >= 1; one tree if not given.

    >>> Tree(4).dense().astype(int).tolist()
    [[1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 1, 1], [1, 1, 1, 1]]
    >>> Tree(4, restart_every=2).rows
    6
    """  # noqa: E501

    name = "tree"

    steps: int = checked(Whole(1))
    restart_every: int | None = checked(Whole(1), default=None)

    def check_together(self) -> None:
        if self.restart_every is not None and self.restart_every >= self.steps:
            vars(self)["restart_every"] = None

    @property
    def period(self) -> int:
        """Steps of each tree; the last one may have fewer."""
        return self.restart_every or self.steps

    @property
    def rows(self) -> int:
        whole, rest = divmod(self.steps, self.period)
        return whole * _nodes(self.period) + _nodes(rest)

    @property
    def bands(self) -> int | None:
        return self.restart_every

    @property
    def perfect_trees(self) -> tuple[int, ...]:
        """The blocks of each tree that no other block contains, from left to right.

        >>> Tree(9).perfect_trees, Tree(5, restart_every=3).perfect_trees
        ((8, 1), (2, 1, 2))
        """
        whole, rest = divmod(self.steps, self.period)
        return whole * _digits(self.period) + _digits(rest)

    @property
    def nonnegative(self) -> bool:
        return True

    def blocks(self) -> Iterator[tuple[int, int]]:
        """First step and length of each block, in the order in which the rows are emitted."""
        for step in range(self.steps):
            inside = step % self.period + 1
            level = 0
            while inside % 2**level == 0:
                yield step + 1 - 2**level, 2**level
                level += 1

    def column(self, step: int) -> Array:
        first = self._step(step)
        starts, lengths = np.array(list(self.blocks())).T
        inside: Array = (starts <= first) & (first < starts + lengths)
        return inside.astype(float)

    def dense(self) -> Array:
        self._check_size(self.rows)
        starts, lengths = np.array(list(self.blocks())).T[:, :, None]
        steps = np.arange(self.steps)
        inside: Array = (starts <= steps) & (steps < starts + lengths)
        return inside.astype(float)

    def __repr__(self) -> str:
        return self._text(
            **{} if self.restart_every is None else {"restart_every": self.restart_every}
        )

    def prefix_variances(self) -> Array:
        """Of the blocks that make up a prefix, Honaker's estimates from the rows below each."""
        period, variances = self.period, np.empty(self.steps)
        for step in range(self.steps):
            trees, inside = divmod(step + 1, period)
            variances[step] = trees * _variance(period) + _variance(inside)
        return variances


def block_variance(level: int) -> float:
    """Of Honaker's estimate of a block of 2^l steps: v_0 = 1 and 1/v_l = 1 + 1/(2·v_{l−1}).

    Its own row and the sum of both halves' estimates, weighed by their variances:
    v_l = 2^l/(2^(l+1) − 1).

    >>> block_variance(0), block_variance(1) * 3
    (1.0, 2.0)
    """
    return float(2**level / (2 ** (level + 1) - 1))


def _digits(steps: int) -> tuple[int, ...]:
    """The powers of two that add up to so many steps, the largest first."""
    powers = (2**level for level in reversed(range(steps.bit_length())))
    return tuple(power for power in powers if steps & power)


def _variance(steps: int) -> float:
    """Of a prefix of one tree: its blocks are those of the binary digits."""
    return math.fsum(block_variance(size.bit_length() - 1) for size in _digits(steps))


def _nodes(leaves: int) -> int:
    """Blocks within so many steps: Σ_l ⌊leaves/2^l⌋."""
    return 2 * leaves - leaves.bit_count()
