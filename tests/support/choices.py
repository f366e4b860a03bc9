"""The exact law of a program that makes random choices, by following every choice it can make."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Sequence


class Rejected(Exception):
    """The program gave up this path: it would start again."""


class _Branch(Exception):
    def __init__(self, masses: Sequence[float]) -> None:
        self.masses = masses


class Choices:
    """Answers each choice of the program from a list, and asks for more when the list ends."""

    def __init__(self) -> None:
        self.path: tuple[int, ...] = ()
        self.at = 0

    def one_of(self, masses: Sequence[float]) -> int:
        """The number of the alternative that is taken."""
        if self.at == len(self.path):
            raise _Branch(masses)
        self.at += 1
        return self.path[self.at - 1]


def law(program: Callable[[], int], choices: Choices, rest: float) -> dict[int, float]:
    """The law of what the program returns if it is not rejected, up to paths of mass `rest`."""
    found: dict[int, float] = defaultdict(float)
    heap: list[tuple[float, tuple[int, ...]]] = [(-1.0, ())]
    open_mass = 1.0
    while heap and open_mass > rest:
        mass, choices.path = heapq.heappop(heap)
        choices.at = 0
        try:
            found[program()] -= mass
        except Rejected:
            pass
        except _Branch as branch:
            for i, part in enumerate(branch.masses):
                if part > 0:
                    heapq.heappush(heap, (mass * part, (*choices.path, i)))
            continue
        open_mass += mass
    total = sum(found.values())
    return {outcome: mass / total for outcome, mass in found.items()}
