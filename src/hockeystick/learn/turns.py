"""Turns: the batches and the noise of each step, drawn step by step or for a whole run."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator
from typing import Any, Protocol

from numpy.random import Generator, default_rng

from hockeystick.errors import ParameterError
from hockeystick.learn.plan import Plan
from hockeystick.learn.records import Records
from hockeystick.learn.scale.source import Source
from hockeystick.mechanisms.correlated import Correlated
from hockeystick.numerics.types import Array
from hockeystick.random.generators import KeyedGenerator, Randomness

Segments = list[tuple[int, int]]
"""Keys of noise, and for how many steps each was used."""


class Turns(Protocol):
    """What a descent asks for in each step."""

    def ahead(self, steps: int) -> None:
        """So many steps are spent and come next."""

    def batches(self) -> list[Any]:
        """The batches of the next step."""

    def release(self, total: Array) -> Any:
        """A sum and its noise."""

    def segments(self, done: int) -> Segments | None:
        """What is kept to make the noise again; None where none of it is needed again."""

    def taken(self) -> str:
        """A digest of who took part so far; empty where no later step depends on it."""

    def resume(self, done: int, kept: Segments | None, taken: str) -> None:
        """Go on after so many steps."""


class Independent:
    """Every step has a batch and noise of its own, fresh; of steps to come, drawn at once."""

    def __init__(self, plan: Plan, records: Records | Source, rng: Generator) -> None:
        assert not isinstance(plan.noise, Correlated)
        self._plan, self._records, self._rng = plan, records, rng
        self.release = plan.noise.in_turn(rng=rng)
        self.ahead(0)

    def ahead(self, steps: int) -> None:
        """What was drawn for steps that were announced before is dropped."""
        self.release.ahead(steps)
        self._left, self._drawn = steps, list[list[Any]]()

    def batches(self) -> list[Any]:
        if not self._drawn:
            drawn = self._records.drawn_ahead(self._plan.sampler, self._left, self._rng)
            self._drawn = drawn[::-1]
        self._left -= 1
        return self._drawn.pop()

    def segments(self, done: int) -> Segments | None:
        return None

    def taken(self) -> str:
        return ""

    def resume(self, done: int, kept: Segments | None, taken: str) -> None:
        """Nothing is carried over."""


class InOneRun:
    """Correlated noise, and batches that are decided for the whole run.

    Both come from keys: the first one tells who takes part when, and each is the noise of the steps
    from where the run was begun or resumed. After an interruption, the noise of the steps that were
    saved is made again, which later steps need; all steps after it have fresh noise, whether or not
    they had been drawn before. A seed takes the place of all keys, for experiments.
    """

    def __init__(
        self, plan: Plan, records: Records | Source, rng: Randomness, dimension: int
    ) -> None:
        self._plan, self._records, self._dimension = plan, records, dimension
        self._rng, self._before = rng, Segments()
        self._key = secrets.randbits(256)
        self._begin(self._key, 0)

    def _begin(self, first: int, done: int) -> None:
        """Set both streams to where they are after so many steps."""
        plan, noise = self._plan, self._plan.noise
        assert isinstance(noise, Correlated)
        self._stream = noise.stream(
            self._dimension, clip=plan.clip, rng=self._generator(self._key, "noise")
        )
        for key, steps in self._before:
            self._stream.skip(steps, rng=self._generator(key, "noise"))
        if self._rng is not None:
            self._stream.skip(done)
        self._batches: Iterator[Array] = iter(
            noise.pattern.draw(self._records.count, plan.steps, self._generator(first, "batches"))
        )
        self._taken = hashlib.sha256(f"{self._records.count}".encode())
        for _ in range(done):
            self.draw(self._records.count)

    def _generator(self, key: int, purpose: str) -> Generator:
        if isinstance(self._rng, Generator):
            return self._rng
        if self._rng is not None:
            return default_rng([int(self._rng), purpose == "batches"])
        digest = hashlib.sha256(f"{key:x} {purpose}".encode()).digest()
        return KeyedGenerator(int.from_bytes(digest, "big"))

    def ahead(self, steps: int) -> None:
        """All of it was spent before the first step."""

    def batches(self) -> list[Any]:
        batches: list[Any] = self._records.drawn(self, self._rng)  # type: ignore[arg-type]
        return batches

    def draw(self, population: int, rng: Randomness = None) -> Array:
        """As a sampler draws: the batch of the next step."""
        batch = next(self._batches)
        self._taken.update(f" {batch.size} ".encode() + batch.tobytes())
        return batch

    def release(self, total: Array) -> Any:
        return self._stream.release(total)

    def segments(self, done: int) -> Segments | None:
        if self._rng is not None:
            return []
        return [*self._before, (self._key, done - sum(steps for _, steps in self._before))]

    def taken(self) -> str:
        return self._taken.hexdigest()

    def resume(self, done: int, kept: Segments | None, taken: str) -> None:
        """An error where the same records do not take part in the same steps again: one that had
        its turn might have another."""
        self._before = kept or []
        first = self._before[0][0] if self._before else self._key
        self._key = secrets.randbits(256)
        self._begin(first, done)
        if self.taken() != taken:
            raise ParameterError(
                "features and rng must be those with which the run of the checkpoint was begun: "
                "with other records, another seed or another version of NumPy, records would take "
                "part in other steps than their own"
            )


def turns_for(
    plan: Plan, records: Records | Source, rng: Randomness, own: Generator, dimension: int
) -> Turns:
    """`rng` as it was given, `own` the generator made of it."""
    if isinstance(plan.noise, Correlated):
        return InOneRun(plan, records, rng, dimension)
    return Independent(plan, records, own)
