"""Correlated noise for batches in turns: a matrix by its name, and the least noise for (ε, δ)."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from hockeystick.calibration import calibrate
from hockeystick.errors import ParameterError
from hockeystick.matrix import identity, optimal_banded, optimal_buffered, square_root, tree
from hockeystick.matrix.participation.cyclic import Cyclic
from hockeystick.matrix.strategy import Strategy
from hockeystick.mechanisms.correlated import Correlated
from hockeystick.relation import Relation

MOST_BANDS = 64
"""Noise keeps as many vectors; more bands gain little, and take long to optimise."""
BUFFERS = 3

STRATEGIES: dict[str, Callable[[int, Cyclic], Strategy]] = {
    "banded": lambda steps, cyclic: optimal_banded(
        steps, min(cyclic.period, MOST_BANDS), cyclic, "mean"
    ),
    "buffered": lambda steps, cyclic: optimal_buffered(steps, BUFFERS, cyclic, "mean"),
    "square-root": lambda steps, cyclic: square_root(steps),
    "independent": lambda steps, cyclic: identity(steps),
    "tree": lambda steps, cyclic: tree(steps),
}
"""What `noise` may be where batches take turns."""


@lru_cache(maxsize=64)  # a search fits the same plan many times
def noise_in_turns(
    kind: str, period: int, times: int, *, epsilon: float, delta: float, relation: Relation
) -> Correlated:
    """The least noise with which `times` turns of `period` batches meet (ε, δ).

    >>> from hockeystick import ZERO_OUT
    >>> noise_in_turns("tree", 4, 2, epsilon=1, delta=1e-5, relation=ZERO_OUT).matrix
    matrix.tree(8)
    """
    if kind not in STRATEGIES:
        raise ParameterError(
            f"noise must be one of {', '.join(STRATEGIES)} where batches take turns, got {kind!r}"
        )
    participation = Cyclic(period, times)
    strategy = STRATEGIES[kind](period * times, participation)
    return calibrate(
        lambda multiplier: Correlated(
            strategy, noise_multiplier=multiplier, participation=participation
        ),
        epsilon=epsilon, delta=delta, relation=relation,
    )  # fmt: skip
