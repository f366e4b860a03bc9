"""Envelopes: steps above a density e^(−γ(x)) on [0, ∞), from which candidates are drawn at once.

The line is cut into cells of the width 1/16, up to a last one that has no end. A cell is found by
the first 14 bits of a word in a table that names it in proportion to the height of its step, so
that no probability is rounded: every one is a count of entries over 2^14.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hockeystick.random.coins import Floats

INDEX_BITS = 14
"""A table of so many bits takes 32 kB, which a processor has at hand."""
CELL_BITS = 4
"""Cells are 2^−4 wide: of 32 candidates, about one is lost to the slope of the density."""
MARGIN = 1 + 2.0**-40
"""Steps are above the density by so much at least, which is more than the errors of floats."""


@dataclass(frozen=True, eq=False)
class Envelope:
    """Steps of the heights entries[k] / unit above e^(−γ(x)), x in [k, k + 1) / 16.

    log_density: −γ, of an array of floats and of a fraction alike; a new array.
    kept: the share of the candidates that are under the density.
    """

    log_density: Callable[[Any], Any]
    table: NDArray[np.uint16]
    entries: tuple[int, ...]
    unit: int
    heights: Floats
    kept: float

    @property
    def beyond(self) -> int:
        """The number of the cell that has no end."""
        return len(self.entries) - 1

    def cost(self, x: Fraction) -> Fraction:
        """γ(x)."""
        return -Fraction(self.log_density(x))

    def height(self, cell: int, piece: int = 0) -> Fraction:
        """The height of a step; the last cell is cut into pieces of width 1, each half as likely.

        A step's height is in proportion to the probability of its cell over the width.
        """
        height = Fraction(self.entries[cell], self.unit)
        return height if cell < self.beyond else height / 2 ** (CELL_BITS + 1 + piece)


@cache
def exponential_envelope() -> Envelope:
    """Above e^(−x): cells up to 44, beyond which a variable of that law is once in 2^63."""
    return _envelope(lambda x: -x, 44, 1.0)


@cache
def normal_envelope() -> Envelope:
    """Above e^(−x²/2): cells up to 10, beyond which a normal variable is once in 2^75."""
    return _envelope(lambda x: x * x / -2, 10, float(np.sqrt(np.pi / 2)))


def _envelope(log_density: Callable[[Any], Any], reach: int, mass: float) -> Envelope:
    """The highest unit of which all steps, and one entry for the last cell, fit into the table."""
    starts = np.arange(reach << CELL_BITS) / 2**CELL_BITS
    density = np.exp(log_density(starts)) * MARGIN
    size = 2**INDEX_BITS
    unit = int(size / density.sum())
    while np.ceil(density * unit).sum() >= size:
        unit -= 1
    steps = np.ceil(density * unit).astype(int)
    entries = np.append(steps, size - steps.sum())
    table = np.repeat(np.arange(entries.size, dtype=np.uint16), entries)
    kept = mass * unit / size * 2**CELL_BITS
    return Envelope(log_density, table, tuple(entries.tolist()), unit, entries / unit, kept)
