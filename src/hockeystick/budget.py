"""A budget (ε, δ): what fits into it, and how many more steps would."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from hockeystick.bound import Bound
from hockeystick.checks import LARGEST_WHOLE, finite_non_negative, probability, shown
from hockeystick.errors import BudgetExceeded, ParameterError
from hockeystick.mechanism import Mechanism, compose
from hockeystick.relation import Relation

FAR_MORE = 1024
"""Whether so many times as many steps are allowed is asked first."""

Counts = Mapping[Mechanism, int]
"""What is spent: each mechanism and how often."""


class Budget:
    """The most that all spending together may cost, and what is known to fit into it.

    What fits is remembered: less of the same fits too, since running fewer mechanisms never costs
    more. So a loop that spends step by step is asked about a few times, not at every step.

    epsilon: in [0, inf). delta: in [0, 1]. relation: of the neighbours; None: the natural ones.
    """

    def __init__(self, epsilon: float, delta: float, relation: Relation | None) -> None:
        self.epsilon = finite_non_negative("the budget's epsilon", epsilon)
        self.delta = probability("the budget's delta", delta)
        self.relation = relation
        self._fits: Counts = {}
        self._exceeds: Counts | None = None

    @classmethod
    def read(cls, given: Any, relation: Relation | None) -> Budget:
        """From a pair (epsilon, delta)."""
        if not isinstance(given, tuple | list) or len(given) != 2:
            raise ParameterError(f"budget must be a pair (epsilon, delta), got {shown(given)}")
        return cls(given[0], given[1], relation)

    @property
    def pair(self) -> tuple[float, float]:
        """(epsilon, delta)."""
        return self.epsilon, self.delta

    def allows(self, counts: Counts) -> bool:
        """Whether all of it together is proven to be (ε, δ)-DP.

        An upper end decides, of ε at the budget's δ or of δ at its ε: either is a proof.
        """
        if _is_less(counts, self._fits):
            return True
        together = compose(counts.items())
        fits = (
            together.epsilon(self.delta, relation=self.relation) <= self.epsilon
            or together.delta(self.epsilon, relation=self.relation) <= self.delta
        )
        if fits:
            self._fits = dict(counts)
        else:
            self._exceeds = dict(counts)
        return fits

    def check(self, now: Counts, then: Counts) -> None:
        """Raise `BudgetExceeded` unless what would be spent `then` is allowed."""
        if _is_less(then, self._fits):
            return
        grown = [mechanism for mechanism, count in then.items() if count > now.get(mechanism, 0)]
        if len(grown) == 1 and self._allows_more(then, grown[0]):
            return
        if not self.allows(then):
            cost = compose(then.items()).epsilon(self.delta, relation=self.relation)
            raise BudgetExceeded(self._message(cost))

    def _allows_more(self, then: Counts, part: Mechanism) -> bool:
        """Whether even more of a part is allowed: far more, or half the way to what is too much.

        Many steps are quicker to account for than few.
        """
        count = then[part]
        more = FAR_MORE * count
        if self._exceeds is not None and _is_less(then, self._exceeds):
            more = math.isqrt(count * self._exceeds[part])
        return count < more <= LARGEST_WHOLE // 2 and self.allows({**then, part: more})

    def _message(self, cost: Bound) -> str:
        return (
            f"epsilon would be {cost.upper!r} at delta = {self.delta!r} ({cost.relation}), and the "
            f"budget is {self.epsilon!r}; nothing was spent"
        )

    def left(self, spent: Counts, mechanism: Mechanism) -> float:
        """How often `mechanism` may run after what was spent: an integer, or infinity if it costs
        nothing."""

        def fits(times: int) -> bool:
            then = dict(spent)
            for part, count in mechanism.parts.items():
                then[part] = then.get(part, 0) + times * count
            return self.allows(then)

        if not fits(1):
            return 0
        if not mechanism.epsilon(0.0, relation=self.relation):
            return math.inf
        most = LARGEST_WHOLE // max(1, sum(mechanism.parts.values())) - sum(spent.values())
        return last_that(fits, most)


def last_that(holds: Callable[[int], bool], most: int) -> int:
    """The last count in [1, most] up to which it holds; it does at 1.

    >>> last_that(lambda n: n <= 37, 1000), last_that(lambda n: True, 1000)
    (37, 1000)
    """
    good, bad = 1, 2
    while bad <= most and holds(bad):
        good, bad = bad, 2 * bad
    bad = min(bad, most + 1)
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if holds(middle) else (good, middle)
    return good


def _is_less(counts: Counts, other: Counts) -> bool:
    """Whether no mechanism runs more often."""
    return all(count <= other.get(mechanism, 0) for mechanism, count in counts.items())
