"""Where random bits come from: generators, words of 64 bits, and integers drawn from words."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from functools import partial
from numbers import Integral
from typing import Any, NoReturn

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from hockeystick.errors import HockeystickError, ParameterError

Randomness = None | int | Generator
"""None for secure randomness, an integer seed for tests, or a generator that is used as it is."""
Words = NDArray[np.uint64]
Source = Callable[[int], Words]
"""A function of a count that returns as many independent uniform words of 64 bits."""


class MissingExtra(HockeystickError, ImportError):
    """An optional dependency is not installed; the message names the remedy."""


class SecureGenerator(Generator):
    """ChaCha with 20 rounds under a fresh key of 256 bits from the operating system.

    It cannot be copied or pickled: a copy repeats the noise, and the key is the noise.
    """

    def __init__(self) -> None:
        super().__init__(_chacha(secrets.randbits(256)))
        self.process = os.getpid()

    def __reduce__(self) -> NoReturn:
        raise ParameterError(
            "a secure generator cannot be copied or pickled, as the copy would repeat its numbers: "
            "make one where it is used, or give rng=None"
        )


class KeyedGenerator(Generator):
    """The same with a key that was kept, in a secret place, to make the same numbers again."""

    def __init__(self, key: int) -> None:
        super().__init__(_chacha(key))


def _chacha(key: int) -> Any:
    """ChaCha with 20 rounds."""
    try:
        from randomgen import ChaCha
    except ImportError as error:
        raise MissingExtra(
            "secure randomness needs the package randomgen: pip install 'hockeystick[secure]'"
        ) from error
    return ChaCha(key=key, rounds=20)  # a seed would go through a generator that is not secure


def known_secure(rng: Generator) -> bool:
    """Whether the generator was made here, by this process, with a key of the system's entropy.

    Nothing else is vouched for: the key of another ChaCha may be 0, and its rounds few; a forked
    process has the numbers of its parent.

    >>> known_secure(default_rng())
    False
    """
    return type(rng) is SecureGenerator and rng.process == os.getpid()


def generator(rng: Randomness = None) -> Generator:
    """The source of random bits: secure unless a seed or a generator is given.

    None: ChaCha with 20 rounds under a fresh key of 256 bits from the operating system, so that
    no batch tells anything of the others (Bernstein 2008). It needs the extra `secure`.
    An integer: numpy's default generator, the same numbers every time. It is PCG64, whose state
    can be computed from its output: it must never protect people's data.
    A `numpy.random.Generator`: used as it is, and it must be secure to protect people's data.

    Make one generator for a run, not one for each step: an integer starts the same numbers again.
    A forked process repeats the numbers of its parent: make one generator in each process.

    Parameters
    ----------
    rng: None, an integer >= 0 or a numpy.random.Generator.

    >>> bool(generator(7).random() == generator(7).random())
    True
    """
    if rng is None:
        return SecureGenerator()
    if isinstance(rng, Generator):
        return rng
    if isinstance(rng, Integral) and not isinstance(rng, bool) and rng >= 0:
        return default_rng(int(rng))
    raise ParameterError(
        f"rng must be None, an integer >= 0 or a numpy.random.Generator, got {rng!r}"
    )


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
