"""The last answers, by their question, in a bounded number of bytes."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

MOST_BYTES = 32 * 2**20
"""Of questions and answers together."""


@dataclass
class Cache:
    """Answers; the one that was asked for longest ago goes first.

    >>> cache = Cache(most=10)
    >>> cache.keep(b"a", b"12345"), cache.keep(b"b", b"12345")
    (None, None)
    >>> cache.get(b"a"), cache.get(b"b")
    (None, b'12345')
    """

    most: int = MOST_BYTES
    size: int = 0
    _answers: OrderedDict[bytes, bytes] = field(default_factory=OrderedDict)

    def get(self, question: bytes) -> bytes | None:
        """The answer, if it is kept."""
        if question in self._answers:
            self._answers.move_to_end(question)
        return self._answers.get(question)

    def keep(self, question: bytes, answer: bytes) -> None:
        """Keep an answer, and let go of others as far as needed."""
        old = self._answers.pop(question, None)
        if old is not None:
            self.size -= len(question) + len(old)
        self._answers[question] = answer
        self.size += len(question) + len(answer)
        while self.size > self.most:
            first, gone = self._answers.popitem(last=False)
            self.size -= len(first) + len(gone)
