"""Rows: an array that is in memory or in a file, of which a range of rows is opened when needed.

What is sent to a worker is the name of the file and a range, not the numbers. A range is mapped,
read and let go: the pages of a whole file that stayed mapped would count as memory.
"""

from __future__ import annotations

import mmap
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from hockeystick.numerics.types import Array


@dataclass(frozen=True)
class Memory:
    """Rows of an array in memory."""

    array: Any

    def __len__(self) -> int:
        return len(self.array)

    def part(self, first: int, stop: int) -> Memory:
        """The rows first, …, stop − 1."""
        return Memory(self.array[first:stop])

    def open(self) -> Array:
        """The rows as an array."""
        return np.asarray(self.array)


@dataclass(frozen=True)
class InFile:
    """Rows of an array of plain numbers in a file, in C order from byte `offset` on."""

    path: str
    dtype: str
    offset: int
    shape: tuple[int, ...]

    def __len__(self) -> int:
        return self.shape[0]

    def part(self, first: int, stop: int) -> InFile:
        """The rows first, …, stop − 1."""
        row = prod(self.shape[1:]) * np.dtype(self.dtype).itemsize
        shape = (stop - first, *self.shape[1:])
        return replace(self, offset=self.offset + first * row, shape=shape)

    def open(self) -> Array:
        """The rows, mapped; they are let go with the array."""
        if not self.shape[0]:
            return np.empty(self.shape)
        return np.memmap(self.path, self.dtype, "r", self.offset, self.shape)


Rows = Memory | InFile


def rows_of(array: Any) -> Rows:
    """The rows of an array; of a mapped file its name and place, where it has one.

    >>> rows_of(np.zeros((3, 2))).part(1, 3).open().shape
    (2, 2)
    """
    if isinstance(array, np.memmap) and array.flags.c_contiguous and array.mode in ("r", "r+"):
        base: Any = array
        while not isinstance(base.base, mmap.mmap):
            base = base.base
        # A slice of a mapped array keeps the offset of the whole: addresses tell its own.
        skipped = array.ctypes.data - base.ctypes.data
        if array.filename is not None and skipped >= 0:
            path = str(Path(array.filename).absolute())
            return InFile(path, array.dtype.str, base.offset + skipped, array.shape)
    return Memory(array)


def saved(array: Array, path: Path) -> InFile:
    """The rows, written to a file."""
    plain = np.ascontiguousarray(array)
    plain.tofile(path)
    return InFile(str(path), plain.dtype.str, 0, plain.shape)
