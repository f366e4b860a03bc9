"""Keyed draws: the coins of a record depend on the key of the step and on its number, and on no
part, process or attempt.

The records are numbered through, and cut into blocks of `BLOCK` by their numbers alone. The coins
of a block come from a generator of their own, whose key is a hash of the step's key and the number
of the block. Whoever holds some records of a block draws all of it and keeps its own: a part that
is asked again, or cut in another way, draws the same.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.random import PCG64, Generator

from hockeystick.random.batches import Indices, poisson
from hockeystick.random.generators import MissingExtra

BLOCK = 2**18
"""Records that share a generator: to make one takes as long as to draw some thousand of them."""
REMEMBERED = 8
"""Blocks whose batches are kept: many small parts of one block ask one after the other."""
KEY_BYTES = 32


@dataclass(frozen=True)
class StepKey:
    """The key of a step: 256 bits of the run's own generator.

    secure: whether the blocks are drawn by ChaCha20, as a run that protects people needs it, or by
    the quicker generator of experiments.
    """

    key: bytes = field(repr=False)
    secure: bool

    @classmethod
    def drawn(cls, rng: Generator) -> StepKey:
        """A fresh key; as secure as the generator that it is drawn from.

        None of numpy's own generators is. Of others the caller may know that they are.
        """
        own = type(rng.bit_generator).__module__.startswith("numpy.")
        return cls(rng.bytes(KEY_BYTES), not own)

    def generator(self, block: int) -> Generator:
        """The generator of a block, the same each time."""
        name = block.to_bytes(8, "little")
        key = hashlib.blake2b(name, digest_size=KEY_BYTES, key=self.key).digest()
        number = int.from_bytes(key, "little")
        if not self.secure:
            return Generator(PCG64(number))
        try:
            from randomgen import ChaCha
        except ImportError as error:
            raise MissingExtra(
                "secure randomness needs the package randomgen, on every worker: "
                "pip install 'hockeystick[secure]'"
            ) from error
        return Generator(ChaCha(key=number, rounds=20))

    def poisson(self, first: int, stop: int, rate: float) -> Indices:
        """Of the records first, …, stop − 1 each by itself with probability exactly `rate`.

        >>> key = StepKey(bytes(32), False)
        >>> whole = key.poisson(0, 600_000, 1e-4)
        >>> parts = [key.poisson(0, 123, 1e-4), key.poisson(123, 600_000, 1e-4)]
        >>> np.concatenate(parts).tolist() == whole.tolist()
        True
        """
        drawn = []
        for block in range(first // BLOCK, -(-stop // BLOCK)):
            own = _block(self, block, rate)
            drawn.append(own[own.searchsorted(first) : own.searchsorted(stop)])
        return np.concatenate(drawn) if drawn else np.empty(0, dtype=np.int64)


@lru_cache(maxsize=REMEMBERED)
def _block(key: StepKey, block: int, rate: float) -> Indices:
    """The numbers of all records of a block that are drawn."""
    return block * BLOCK + poisson(BLOCK, rate, key.generator(block))
