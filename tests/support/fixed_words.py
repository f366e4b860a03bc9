"""A source whose words are known."""

from __future__ import annotations

import numpy as np

from hockeystick.random.generators import Words


class Fixed:
    """Hands out the given words, and fails when they are used up."""

    def __init__(self, *words: int) -> None:
        self.words = list(words)

    def __call__(self, count: int) -> Words:
        taken, self.words = self.words[:count], self.words[count:]
        assert len(taken) == count, "more words were drawn than expected"
        return np.array(taken, dtype=np.uint64)
