"""Large tables, some rows at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hockeystick.numerics.types import Array

CHUNK = 1 << 18
"""Most elements of one block: about 2 MB an array, within the cache."""


def in_blocks(function: Callable[[Array], Array], x: Array, width: int) -> Array:
    """function(x) for one that makes `width` numbers of each of x, some of them at a time."""
    flat = np.ravel(x)
    rows = max(1, CHUNK // max(1, width))
    if flat.size <= rows:
        return np.asarray(function(x))
    blocks = [function(flat[i : i + rows]) for i in range(0, flat.size, rows)]
    return np.concatenate(blocks).reshape(np.shape(x))
