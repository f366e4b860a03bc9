"""Matrix mechanisms as events of dp_accounting, and its trees as matrix mechanisms."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
from dp_accounting import dp_event

from hockeystick.checks import whole
from hockeystick.matrix import tree
from hockeystick.matrix.participation.cyclic import Cyclic
from hockeystick.matrix.participation.cyclic_poisson import CyclicPoisson
from hockeystick.matrix.participation.once import Once
from hockeystick.matrix.tree import Tree
from hockeystick.mechanism import Composition, Mechanism
from hockeystick.mechanisms.correlated import Correlated


def from_tree(event: Any) -> Mechanism:
    """The highest of its trees: each record is in one leaf of one of them.

    >>> from_tree(dp_event.SingleEpochTreeAggregationDpEvent(8.83, [3, 1600]))
    Correlated(matrix.tree(1600), noise_multiplier=8.83, participation=Once())
    """
    counts = np.atleast_1d(event.step_counts).tolist()
    most = max((whole("step_counts", count, 0) for count in counts), default=0)
    return Correlated(tree(most), event.noise_multiplier, Once()) if most else Composition()


def correlated_event(run: Correlated) -> Any:
    """The event of a run: a tree, a Gaussian release, or one on a sample for each step.

    Batches in turns are a tree of one leaf, which is a Gaussian release that the library answers
    for records zeroed out alone: one record more would change the batches of others.

    None where the library has none: secret steps that are known between two ends alone.
    """
    if run.replace_sensitivity != 2:
        return None
    matrix, pattern, noise = run.matrix, run.pattern, run.noise_multiplier
    if isinstance(matrix, Tree) and isinstance(pattern, Once):
        return dp_event.SingleEpochTreeAggregationDpEvent(noise, _leaves(matrix))
    if not pattern.secret:
        relative = math.nextafter(noise / run.sensitivity.upper, 0.0)
        if isinstance(pattern, Cyclic):
            return dp_event.SingleEpochTreeAggregationDpEvent(relative, 1)
        return dp_event.GaussianDpEvent(relative)
    shared = matrix.bands is None or matrix.bands > getattr(pattern, "period", 0)
    if not isinstance(pattern, CyclicPoisson) or shared:
        return None
    return dp_event.ComposedDpEvent(
        [
            dp_event.SelfComposedDpEvent(
                dp_event.PoissonSampledDpEvent(
                    pattern.rate, dp_event.GaussianDpEvent(math.nextafter(noise / norm, 0.0))
                ),
                count,
            )
            for norm, count in Counter(pattern.norms(matrix).tolist()).items()
        ]
    )


def _leaves(matrix: Tree) -> int | list[int]:
    """Of each tree; a number where there is one."""
    whole_trees, rest = divmod(matrix.steps, matrix.period)
    sizes = [matrix.period] * whole_trees + [rest] * (rest > 0)
    return sizes[0] if len(sizes) == 1 else sizes
