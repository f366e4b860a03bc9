"""Strategies of matrix mechanisms: how the noise of one step is taken back by later ones.

>>> import hockeystick as hs
>>> hs.matrix.toeplitz(steps=3, coefficients=(1, 0.5)).dense().tolist()
[[1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [0.0, 0.5, 1.0]]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hockeystick.checks import whole
from hockeystick.matrix.buffered import Buffered
from hockeystick.matrix.dense import Dense
from hockeystick.matrix.identity import Identity
from hockeystick.matrix.optimise.banded import optimal_banded
from hockeystick.matrix.optimise.buffered import optimal_buffered
from hockeystick.matrix.optimise.dense import optimal_dense
from hockeystick.matrix.square_root import SquareRoot, root_coefficients
from hockeystick.matrix.strategy import Strategy
from hockeystick.matrix.toeplitz import Toeplitz
from hockeystick.matrix.tree import Tree

__all__ = [
    "FACTORIES",
    "Buffered",
    "Dense",
    "Identity",
    "SquareRoot",
    "Strategy",
    "Toeplitz",
    "Tree",
    "banded",
    "buffered",
    "dense",
    "identity",
    "optimal_banded",
    "optimal_buffered",
    "optimal_dense",
    "square_root",
    "toeplitz",
    "tree",
]


def identity(steps: int) -> Identity:
    """C = 1: independent noise in every step, as in DP-SGD."""
    return Identity(steps)


def toeplitz(steps: int, coefficients: Sequence[float]) -> Toeplitz:
    """C_ij = c_{i−j}, for given coefficients c_0, c_1, …"""
    return Toeplitz(steps, coefficients=tuple(coefficients))


def banded(steps: int, bands: int) -> Toeplitz:
    """The first `bands` coefficients of the square root of the prefix sums.

    A closed form (Kalinin and Lampert 2024, "banded square root"); noise takes the memory of
    bands − 1 steps. It is good where the bands reach about as far as two participations are
    apart; `optimal_banded` has less error for the same memory, and takes seconds.

    >>> banded(steps=5, bands=3)
    matrix.toeplitz(5, coefficients=(1.0, 0.5, 0.375))
    """
    count = min(whole("bands", bands, 1), whole("steps", steps, 1))
    return Toeplitz(steps, coefficients=tuple(root_coefficients(count).tolist()))


def buffered(steps: int, decay: Sequence[float], scale: Sequence[float]) -> Buffered:
    """c_0 = 1 and c_i = Σ_j scale_j·decay_j^(i−1): a buffer for each j (BLT)."""
    return Buffered(steps, decay=tuple(decay), scale=tuple(scale))


def square_root(steps: int) -> SquareRoot:
    """The square root of the prefix sums: the best Toeplitz matrix for one participation."""
    return SquareRoot(steps)


def tree(steps: int, restart_every: int | None = None) -> Tree:
    """Sums over dyadic blocks of steps; a new tree after every `restart_every` steps, if given."""
    return Tree(steps, restart_every=restart_every)


def dense(matrix: Any) -> Dense:
    """Any matrix with a column for each step."""
    return Dense(matrix)


FACTORIES: dict[str, Callable[..., Strategy]] = {
    "banded": banded,
    "buffered": buffered,
    "identity": identity,
    "square_root": square_root,
    "toeplitz": toeplitz,
    "tree": tree,
}
"""What a text may call: strategies that numbers tell. The digest of a dense one does not."""
