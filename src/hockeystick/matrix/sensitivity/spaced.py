"""The largest sum over steps that lie some distance apart."""

from __future__ import annotations

import numpy as np

from hockeystick.numerics.types import Array


def largest_sum(values: Array, every: int, at_most: int) -> Array:
    """max Σ_{i∈π} values[..., i] over sets π of at most `at_most` steps, `every` or more apart.

    By f_k(i) = max(f_k(i+1), v_i + f_{k−1}(i+every)) (Choquette-Choo et al. 2023, Algorithm 3), for
    each row of values at once; they must not be negative.

    >>> float(largest_sum(np.array([3.0, 5.0, 3.0]), every=2, at_most=2))
    6.0
    """
    *rows, steps = values.shape
    at_most = min(at_most, -(-steps // every))
    # The last `every` columns of f, as a ring; one more participation is one place further.
    ring = np.zeros((every, *rows, at_most + 1))
    now = np.zeros((*rows, at_most + 1))
    for i in range(steps - 1, -1, -1):
        taken = values[..., i, None] + ring[i % every, ..., :-1]
        ring[i % every] = now
        ring[i % every, ..., 1:] = np.maximum(now[..., 1:], taken)
        now = ring[i % every]
    return np.asarray(now[..., -1])
