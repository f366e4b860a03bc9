"""Stream: the noise of a matrix mechanism, step by step."""

from __future__ import annotations

import math
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from hockeystick.checks import Between, finite_positive, whole
from hockeystick.errors import ParameterError
from hockeystick.matrix.buffered import Buffered
from hockeystick.matrix.strategy import Strategy
from hockeystick.matrix.tree import Tree
from hockeystick.numerics.types import Array
from hockeystick.random.generators import KeyedGenerator, Randomness, Source, source
from hockeystick.random.noise import normal
from hockeystick.release import private
from hockeystick.release.stream.buffers import Buffers
from hockeystick.release.stream.checkpoint import Checkpoint
from hockeystick.release.stream.grid import grid_for
from hockeystick.release.stream.history import History
from hockeystick.release.stream.recursion import Recursion
from hockeystick.release.stream.stack import Stack


class Stream:
    """The noise of each step, one after the other: multiples of `grid`, none handed out twice.

    A triangular matrix takes the memory of its bands less one, times the dimension; a buffered one
    that of its buffers, a tree of its levels, a matrix without bands of all steps. `release(sum)`
    rounds a sum to the grid and adds the noise of the next step; whoever iterates instead must add
    the noise to a sum that is on the grid. The fresh noise is rounded without an error from real
    variables; for all else that is rounded, the noise is wider by the share `wider`
    (docs/correlated-noise-learning.md has the proof).

    Parameters
    ----------
    strategy: the matrix. noise_multiplier: in (0, inf), the standard deviation of Z over the clip.
    dimension: entries of each sum, an integer >= 1.
    clip: how far a record moves a sum at most, in (0, inf).
    nearest: the least of the distances, in clips, that the guarantee counts upon, in (0, 1]: less
        than 1 where a record that is replaced moves a sum by less.
    secret: whether it is secret in which steps a record takes part, and counted upon.
    rng: None is secure; an integer or a generator is for experiments.
    checkpoint: a file, of mode 600, that is written before each step is handed out. Where it exists
        the stream goes on after the last step that was. It holds the key of the noise: whoever
        can read it, or a copy, can take the noise off.

    >>> from hockeystick.matrix import banded
    >>> stream = Stream(banded(steps=3, bands=2), 2.0, 4, rng=0)  # a seed protects nobody
    >>> [noise.shape for noise in stream]
    [(4,), (4,), (4,)]
    """

    def __init__(
        self,
        strategy: Strategy,
        noise_multiplier: float,
        dimension: int,
        *,
        clip: float = 1.0,
        nearest: float = 1.0,
        secret: bool = False,
        rng: Randomness = None,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> None:
        multiplier = finite_positive("noise_multiplier", noise_multiplier)
        clip = finite_positive("clip", clip)
        self.strategy, self.dimension = strategy, whole("dimension", dimension, 1)
        self.steps, self.handed = strategy.steps, 0
        self._recursion = recursion_for(strategy, self.dimension)
        least = clip * Between("(0, 1]")("nearest", nearest)
        self._grid = grid_for(self._recursion, multiplier * clip, least, secret)
        self._recursion.limit(self._grid.scale)
        self._saved: Checkpoint | None = None
        self._words = source(rng) if checkpoint is None else self._kept(Path(checkpoint), rng)
        if self._saved is not None:
            self.skip(self._saved.handed)

    @property
    def grid(self) -> float:
        """All noise is a multiple of it, a power of 2."""
        return math.ldexp(1.0, self._grid.exponent)

    @property
    def wider(self) -> float:
        """By which share the noise is wider than was asked for, to pay for rounding."""
        return self._grid.wider

    def __iter__(self) -> Iterator[Array]:
        return self

    def __next__(self) -> Array:
        """The noise of the next step."""
        if self.handed >= self.steps:
            raise StopIteration
        return np.asarray(np.ldexp(self._next(), self._grid.exponent))

    def release(self, value: Any) -> NDArray[np.float64]:
        """The sum of the next step, rounded to the grid, and its noise: of the same shape."""
        answer = private.numbers("value", value).astype(float)
        if answer.size != self.dimension:
            raise ParameterError(f"value must have {self.dimension} entries, got {answer.size}")
        if self.handed >= self.steps:
            raise ParameterError(f"all {self.steps} steps of the noise were handed out")
        exponent = self._grid.exponent
        with np.errstate(over="ignore"):
            rounded = np.rint(np.ldexp(answer, -exponent))
            noisy = np.ldexp(rounded + self._next().reshape(answer.shape), exponent)
        if not np.isfinite(noisy).all():
            raise ParameterError(
                f"value must be below 2^1023 steps of the grid of its noise, 2^{exponent} each "
                f"{private.HIDDEN}"
            )
        return np.asarray(noisy)

    def skip(self, steps: int, rng: Randomness = None) -> None:
        """Make the noise of steps that were handed out before, and hand none of it out.

        It comes from `rng`, from where it was; from the stream's own numbers if that is None.
        """
        words = self._words if rng is None else source(rng)
        noise = None
        for _ in range(steps):
            noise = self._made(words)
        if self._saved is not None:
            self._saved.check_replayed(noise)

    def _next(self) -> Array:
        noise = self._made(self._words)
        if self._saved is not None:
            self._saved.hand_out(noise)
        return noise

    def _made(self, words: Source) -> Array:
        rows, diagonal = self._recursion.fresh(self.handed)
        drawn = normal(self._grid.scale / diagonal, rows * self.dimension, words)
        noise = self._recursion.next(self.handed, drawn.reshape(rows, self.dimension))
        self.handed += 1
        return noise

    def _kept(self, path: Path, rng: Randomness) -> Source:
        if isinstance(rng, Generator):
            raise ParameterError(
                "rng must be None or a seed where there is a checkpoint: a generator that is made "
                "anew when the stream is resumed could repeat its noise"
            )
        about = {
            "strategy": repr(self.strategy),
            "steps": self.steps,
            "dimension": self.dimension,
            "exponent": self._grid.exponent,
            "scale": self._grid.scale,
        }
        key = secrets.randbits(256) if rng is None else int(rng)
        self._saved = Checkpoint.opened(path, about, key, rng is not None)
        return source(KeyedGenerator(self._saved.key) if rng is None else rng)


def recursion_for(strategy: Strategy, dimension: int) -> Recursion:
    """The way to the noise that keeps the least: by levels, by buffers, or by bands."""
    if isinstance(strategy, Tree):
        return Stack(strategy, dimension)
    if isinstance(strategy, Buffered):
        return Buffers(strategy, dimension)
    return History(strategy, dimension)
