"""ε while the steps of a run are counted: a block of counts ahead is answered at once."""

from __future__ import annotations

import math
import time
from threading import Lock
from typing import Any, NamedTuple

from hockeystick.bound import Bound
from hockeystick.mechanism import Mechanism, compose
from hockeystick.relation import Relation

LEAST_BLOCK, FIRST_BLOCK, LARGEST_BLOCK = 4, 16, 1024
"""Counts that are answered ahead: at least, the first time, and at most."""
PATIENCE = 0.25
"""Seconds: a block that takes longer is made shorter, unless longer ones are cheaper by count."""
CHEAPER = 0.75
QUESTIONS = 8
"""So many different questions are remembered."""


class Asking(NamedTuple):
    """A question that may come back with another count."""

    step: Mechanism
    delta: float
    relation: Relation | None
    method: str


class Block:
    """Where a question stands: the count asked last, and the answers ahead of it."""

    def __init__(self, count: int) -> None:
        self.last = count
        self.size = FIRST_BLOCK
        self.each = math.inf
        """Seconds that each answer of the last block took."""
        self.answers: dict[int, Bound] = {}

    def resize(self, seconds: float) -> None:
        """Make the next block longer or shorter, by what this one took."""
        each = seconds / self.size
        longer = seconds < PATIENCE or each < CHEAPER * self.each
        self.size = (
            min(4 * self.size, LARGEST_BLOCK) if longer else max(self.size // 4, LEAST_BLOCK)
        )
        self.each = each


class Ahead:
    """ε of one step repeated, for a count that grows evenly from question to question.

    The second question tells the stride, and the third finds its answer there: `epsilons` has
    answered for a block of counts at once. Every answer is of its own count, with both ends.
    """

    def __init__(self) -> None:
        self._blocks: dict[Asking, Block] = {}
        self._lock = Lock()

    def epsilon(
        self, step: Mechanism, count: int, delta: float, relation: Relation | None, method: str
    ) -> Bound:
        """ε of `step * count`, which asks for `delta` as a float."""
        asking = Asking(step, delta, relation, method)
        with self._lock:
            block = self._blocks.get(asking)
            if block is None:
                self._begin(asking, count)
            elif count in block.answers:
                block.last = count
                return block.answers[count]
            elif count > block.last:
                return self._next(asking, block, count)
            else:
                block.last = count
        return _asked(asking, count)

    def _begin(self, asking: Asking, count: int) -> None:
        if len(self._blocks) >= QUESTIONS:
            del self._blocks[next(iter(self._blocks))]
        self._blocks[asking] = Block(count)

    def _next(self, asking: Asking, block: Block, count: int) -> Bound:
        """Answer from here on, at the stride from the last count."""
        counts = range(count, count + block.size * (count - block.last), count - block.last)
        start = time.process_time()
        bounds = asking.step.epsilons(
            asking.delta, counts, relation=asking.relation, method=asking.method
        )
        block.resize(time.process_time() - start)
        block.last = count
        about: Any = {"relation": bounds.relation, "delta": asking.delta}
        block.answers = {
            n: Bound(high, lower=low, method=bounds.method, mechanism=asking.step * n, **about)
            for n, low, high in zip(
                counts, bounds.lower.tolist(), bounds.upper.tolist(), strict=True
            )
        }
        return block.answers[count]


def _asked(asking: Asking, count: int) -> Bound:
    run = compose([(asking.step, count)])
    return run.epsilon(asking.delta, relation=asking.relation, method=asking.method)
