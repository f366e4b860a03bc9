"""ε while what was spent grows evenly: a block of answers ahead is found at once."""

from __future__ import annotations

import math
import time
from collections import deque
from threading import Lock
from typing import NamedTuple

from hockeystick.bound import Bound, Interval
from hockeystick.curves import each_epsilon
from hockeystick.mechanism import Mechanism, compose
from hockeystick.questions import relation_of
from hockeystick.relation import Relation

LEAST_BLOCK, FIRST_BLOCK, LARGEST_BLOCK = 4, 16, 1024
"""Answers that are found ahead: at least, the first time, and at most."""
PATIENCE = 0.25
"""Seconds: a block that takes longer is made shorter, unless longer ones are cheaper by count."""
CHEAPER = 0.75
QUESTIONS = 8
"""So many different questions are remembered."""
LONGEST_PERIOD = 4
"""A loop may spend so many different things in turn, and ask after each."""
MOST_PARTS = 32
"""Of more different mechanisms nothing is foreseen."""

Spent = dict[Mechanism, int]
"""Each mechanism, and how often it ran."""
Key = tuple[tuple[Mechanism, int], ...]


class Asking(NamedTuple):
    """A question that may come back when more was spent."""

    delta: float
    relation: Relation | None
    method: str


class Block:
    """Answers along one way: what was spent when it began, and then the same again and again."""

    def __init__(self, asking: Asking, spent: Spent, each: Spent, size: int) -> None:
        self._asking, self._each = asking, compose(each.items())
        self.earlier = math.inf
        """Seconds of each answer of the block before."""
        self._before = compose(spent.items())
        start = time.process_time()
        self._answers = self._found(size)
        self.seconds = (time.process_time() - start) / size
        """That each answer took."""
        self._places = {_key(_added(spent, each, n)): n for n in range(size)}
        self.after = _key(_added(spent, each, size))
        """Where the next block begins, if it goes on like this."""
        self._used = 0

    @property
    def is_used(self) -> bool:
        """Whether half of it was asked for."""
        return 2 * self._used >= len(self._answers)

    def next_size(self) -> int:
        """Of a block that goes on from here: longer or shorter, by what this one took."""
        size = len(self._answers)
        if size * self.seconds < PATIENCE or self.seconds < CHEAPER * self.earlier:
            return min(4 * size, LARGEST_BLOCK)
        return max(size // 4, LEAST_BLOCK)

    def _found(self, size: int) -> list[Interval]:
        before, each, asking = self._before, self._each, self._asking
        if len(before.parts) == 1 and before.parts.keys() == each.parts.keys():
            ((step, done),), stride = before.parts.items(), sum(each.parts.values())
            counts = range(done, done + size * stride, stride)
            found = each_epsilon(step, asking.delta, counts, asking.relation, asking.method)
        else:
            how = asking.delta, range(size), asking.relation, asking.method
            found = each_epsilon(each, *how, before)
        lower, upper, methods = found
        return list(map(Interval, lower.tolist(), upper.tolist(), methods))

    def get(self, key: Key) -> Bound | None:
        """The answer about what was spent, if it was foreseen."""
        place = self._places.get(key)
        if place is None:
            return None
        self._used += 1
        found, run = self._answers[place], compose(key)
        return Bound(
            found.upper,
            lower=found.lower,
            method=found.method,
            mechanism=run,
            relation=relation_of(run, self._asking.relation),
            delta=self._asking.delta,
        )


class Track:
    """What was asked about, and what was foreseen, for one question."""

    def __init__(self) -> None:
        self._asked: deque[Spent] = deque(maxlen=2 * LONGEST_PERIOD)
        self._blocks: deque[Block] = deque(maxlen=LONGEST_PERIOD)
        self._tried: Block | None = None
        """The last that did not go on from another."""

    def answer(self, asking: Asking, spent: Spent) -> Bound:
        """From a block or, if it is clear how this goes on, from a new one; else asked alone."""
        key = _key(spent)
        known = self._foreseen(key)
        each = self._each_time(spent) if known is None else None
        self._asked.append(spent)
        if each:
            self._look_ahead(asking, spent, each)
            known = self._foreseen(key)
        if known is not None:
            return known
        run = compose(key)
        return run.epsilon(asking.delta, relation=asking.relation, method=asking.method)

    def _foreseen(self, key: Key) -> Bound | None:
        answers = (block.get(key) for block in self._blocks)
        return next((answer for answer in answers if answer is not None), None)

    def _each_time(self, spent: Spent) -> Spent | None:
        """What was spent since a question, if as much was spent from one before it up to it."""
        for period in range(1, len(self._asked) // 2 + 1):
            last, before = self._asked[-period], self._asked[-2 * period]
            each = _more(spent, last)
            if each and each == _more(last, before):
                return each
        return None

    def _look_ahead(self, asking: Asking, spent: Spent, each: Spent) -> None:
        """A new block, which goes on from another or tries a way."""
        last = next((block for block in self._blocks if block.after == _key(spent)), None)
        if last is not None:
            block = Block(asking, spent, each, last.next_size())
            block.earlier = last.seconds
        else:
            in_vain = self._tried is not None and not self._tried.is_used
            self._tried = block = Block(
                asking, spent, each, LEAST_BLOCK if in_vain else FIRST_BLOCK
            )
        self._blocks.appendleft(block)


class Ahead:
    """ε of all that was spent, while the same is spent again from question to question.

    The second question tells what is spent each time, or a later one if several things take turns;
    from the next one on answers are found in blocks, by lines that serve many counts. Every answer
    is of its own counts, with both ends.
    """

    def __init__(self) -> None:
        self._tracks: dict[Asking, Track] = {}
        self._lock = Lock()

    def epsilon(self, spent: Spent, delta: float, relation: Relation | None, method: str) -> Bound:
        """ε of what was spent, which asks for `delta` as a float."""
        if not 1 <= len(spent) <= MOST_PARTS:
            run = compose(spent.items())
            return run.epsilon(delta, relation=relation, method=method)
        asking = Asking(delta, relation, method)
        with self._lock:
            track = self._tracks.get(asking)
            if track is None:
                if len(self._tracks) >= QUESTIONS:
                    del self._tracks[next(iter(self._tracks))]
                track = self._tracks[asking] = Track()
            return track.answer(asking, spent)


def _key(spent: Spent) -> Key:
    return tuple(spent.items())


def _more(spent: Spent, before: Spent) -> Spent | None:
    """What was spent since; None where anything is less."""
    if any(count < before.get(part, 0) for part, count in spent.items()):
        return None
    more = {part: count - before.get(part, 0) for part, count in spent.items()}
    return {part: count for part, count in more.items() if count}


def _added(spent: Spent, each: Spent, times: int) -> Spent:
    return {part: count + times * each.get(part, 0) for part, count in spent.items()}
