"""Random words of 64 bits, and the whole numbers that are drawn from them exactly."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hockeystick.random.generators import MissingExtra, Randomness, generator

Words = NDArray[np.uint64]
Source = Callable[[int], Words]
"""A function of a count that returns as many independent uniform words of 64 bits."""


def source(rng: Randomness = None) -> Source:
    """Random words: secure unless a seed or a generator is given by name.

    None takes ChaCha20 under a fresh key, where the extra `secure` is installed, and else the
    entropy of the operating system, word by word. An integer or a `numpy.random.Generator` is used
    as `hockeystick.random.generator` says: for experiments, or the caller's own secure one.

    >>> source(7)(2).tolist() == source(7)(2).tolist()
    True
    """
    try:
        integers: Any = generator(rng).integers
        return partial(integers, 0, 2**64 - 1, dtype=np.uint64, endpoint=True)
    except MissingExtra:
        return of_system


def of_system(count: int) -> Words:
    """Words from the entropy of the operating system (Linux: getrandom)."""
    return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)


def below(bound: int, count: int, words: Source) -> Words:
    """Integers that are uniform on {0, …, bound − 1}, exactly.

    A word at or above the largest multiple of `bound` is drawn again, so that every remainder is
    left with as many words.

    Parameters
    ----------
    bound: in [1, 2^63].

    >>> sorted(set(below(3, 100, source(0)).tolist()))
    [0, 1, 2]
    """
    whole = np.uint64(2**64 - 1 - 2**64 % bound)  # the last word of the last full round
    drawn = words(count)
    again = np.flatnonzero(drawn > whole)
    if again.size:
        drawn = drawn.copy()
    while again.size:
        drawn[again] = words(again.size)
        again = again[drawn[again] > whole]
    return drawn % np.uint64(bound)
