"""Where random bits come from, and the two exact draws that sampling is made of.

The accountant's theorems are about exact laws. A batch whose law is off by τ in total variation
adds (1 + e^ε)·τ to δ at every step, so floats are kept out of the draws: an integer below a bound
is exact (numpy rejects, after Lemire 2019), a coin is a comparison of integers, and a binomial
count is inverted on 256 bits. numpy's `Generator.binomial` is not exact: it takes uniforms of 53
bits and float recurrences, never returns a count far in the tail (2e-14 of the law for a mean
of 1), and some versions round 1 − rate, so that a rate of 1e-17 draws nothing.
"""

from __future__ import annotations

import os
import secrets
from bisect import bisect_right
from decimal import Context, Decimal, localcontext
from functools import cache
from numbers import Integral
from typing import NoReturn

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from hockeystick.errors import HockeystickError, ParameterError

Randomness = None | int | Generator
"""None for secure randomness, an integer seed for tests, or a generator that is used as it is."""

TABLE = 64  # counts above it have probability < 1/64! < 2^−295
BITS = 256


class MissingExtra(HockeystickError, ImportError):
    """An optional dependency is not installed; the message names the remedy."""


class SecureGenerator(Generator):
    """ChaCha with 20 rounds under a fresh key of 256 bits from the operating system.

    It cannot be copied or pickled: a copy repeats the noise, and the key is the noise.
    """

    def __init__(self) -> None:
        try:
            from randomgen import ChaCha
        except ImportError as error:
            raise MissingExtra(
                "secure randomness needs the package randomgen: pip install 'hockeystick[secure]'"
            ) from error
        # `key`, not `seed`: a seed goes through a generator that is not secure.
        super().__init__(ChaCha(key=secrets.randbits(256), rounds=20))
        self.process = os.getpid()

    def __reduce__(self) -> NoReturn:
        raise ParameterError(
            "a secure generator cannot be copied or pickled, as the copy would repeat its numbers: "
            "make one where it is used, or give rng=None"
        )


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


def coins(count: int, probability: float, rng: Generator) -> NDArray[np.bool_]:
    """Independent coins that fall True with exactly `probability`.

    A word of 64 uniform bits against probability · 2^64, which is a whole number.

    Parameters
    ----------
    count: an integer >= 0.
    probability: in [2^−11, 1), where every float is a multiple of 2^−64.

    >>> 900 < int(coins(4000, 0.25, generator(0)).sum()) < 1100
    True
    """
    if not 2.0**-11 <= probability < 1:
        raise ParameterError(f"probability must be in [2^-11, 1), got {probability!r}")
    return _words(count, rng) < np.uint64(int(probability * 2.0**64))


def binomial(blocks: int, exponent: int, rng: Generator) -> int:
    """How many of blocks · 2^exponent coins fall True, each with probability 2^−exponent.

    A sum of `blocks` counts from Binomial(n, 1/n), n = 2^exponent, each by inversion of the
    distribution function F: #{c : u ≥ F(c)} for u uniform. The first 64 bits of u decide, unless
    they are the first 64 bits of some F(c); then 256 bits do. One count is within 2^−249 of its
    law in total variation. Time and memory O(blocks).

    Parameters
    ----------
    blocks: an integer >= 0.
    exponent: an integer in [1, 60].

    >>> 900 < binomial(1000, 20, generator(0)) < 1100
    True
    """
    if not 1 <= exponent <= 60:
        raise ParameterError(f"exponent must be an integer in [1, 60], got {exponent!r}")
    coarse, fine = _distribution(exponent)
    words = _words(blocks, rng)
    counts = coarse.searchsorted(words, side="right")
    # At a count of 0 this asks for the last F, which such a word is below.
    open_ = np.flatnonzero(coarse.take(counts - 1) == words)
    for i in open_:
        rest = int.from_bytes(rng.bytes((BITS - 64) // 8), "little")
        counts[i] = bisect_right(fine, int(words[i]) << (BITS - 64) | rest)
    return int(counts.sum())


def _words(count: int, rng: Generator) -> NDArray[np.uint64]:
    return rng.integers(0, 2**64 - 1, count, dtype=np.uint64, endpoint=True)


@cache
def _distribution(exponent: int) -> tuple[NDArray[np.uint64], list[int]]:
    """F(0), F(1), … of Binomial(n, 1/n), n = 2^exponent, as ⌊F · 2^64⌋ and ⌊F · 2^256⌋."""
    n = 2**exponent
    fine = []
    with localcontext(Context(prec=120)):
        mass = total = (1 - 1 / Decimal(n)) ** n
        for c in range(min(n, TABLE)):
            fine.append(min(int(total * 2**BITS), 2**BITS - 1))
            mass = mass * (n - c) / ((c + 1) * (n - 1))
            total += mass
    return np.array([f >> (BITS - 64) for f in fine], dtype=np.uint64), fine
