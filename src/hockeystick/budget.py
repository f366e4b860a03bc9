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
from hockeystick.small_delta import SmallDelta

FAR_MORE = 1024
"""Whether so many times as many steps are allowed is asked first."""

LIKELY_POWER, LEAST_POWER, MOST_POWER = 0.6, 0.1, 2.0
"""ε grows about with such a power of the number of steps: to begin a search with, and the ends."""
FARTHEST_GUESS = 10.0
"""A guess multiplies the count by at most e^10."""
FIRST_GUESS = 128
"""Many steps are quicker to account for than few."""
MOST_GUESSES = 12

Counts = Mapping[Mechanism, int]
"""What is spent: each mechanism and how often."""


class Budget:
    """The most that all spending together may cost, and what is known to fit into it.

    What fits is remembered: less of the same fits too, since running fewer mechanisms never costs
    more. So a loop that spends step by step is asked about a few times, not at every step.

    epsilon: in [0, inf). delta: in [0, 1], or a `SmallDelta`. relation: of the neighbours; None:
    the natural ones.
    """

    def __init__(self, epsilon: float, delta: float, relation: Relation | None) -> None:
        self.epsilon = finite_non_negative("the budget's epsilon", epsilon)
        small = isinstance(delta, SmallDelta)
        self.delta = delta if small else probability("the budget's delta", delta)
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
        if self._is_known_to_exceed(counts):
            return False
        together = compose(counts.items())
        cost = together.epsilon(self.delta, relation=self.relation)
        fits = cost <= self.epsilon or self._is_met_by_delta(together)
        if fits:
            self._fits = dict(counts)
        else:
            self._exceeds = dict(counts)
        return fits

    def _is_met_by_delta(self, together: Mechanism) -> bool:
        if isinstance(self.delta, SmallDelta):
            return together.log_delta(self.epsilon, relation=self.relation) <= self.delta.log
        return together.delta(self.epsilon, relation=self.relation) <= self.delta

    def _is_known_to_exceed(self, counts: Counts) -> bool:
        return self._exceeds is not None and _is_less(self._exceeds, counts)

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

        def then(times: int) -> Counts:
            parts = mechanism.parts.items()
            return {**spent, **{part: spent.get(part, 0) + times * n for part, n in parts}}

        def cost(times: int) -> float:
            return compose(then(times).items()).epsilon(self.delta, relation=self.relation)

        if not self.allows(then(1)):
            return 0
        if not mechanism.epsilon(0.0, relation=self.relation):
            return math.inf
        most = LARGEST_WHOLE // max(1, sum(mechanism.parts.values())) - sum(spent.values())
        known = last_that(lambda times: _is_less(then(times), self._fits), most)
        if known < most and self._is_known_to_exceed(then(known + 1)):
            return known
        first = about(cost, self.epsilon, most)
        return last_that(lambda times: self.allows(then(times)), most, first)


def about(cost: Callable[[int], float], target: float, most: int) -> int:
    """A count in [1, most] that costs about the target: a power of the count goes through the last
    two costs.

    >>> about(lambda n: n**0.75, 1000.0, 10**6)
    10000
    """
    count, power = min(FIRST_GUESS, most), LIKELY_POWER
    last = count, cost(count)
    for _ in range(MOST_GUESSES):
        n, price = last
        if not 0 < price < math.inf or not target:
            return 1
        growth = math.log(target / price) / power
        count = round(min(max(n * math.exp(min(growth, FARTHEST_GUESS)), 1), most))
        if abs(count - n) <= 1:
            break
        last = count, cost(count)
        if 0 < last[1] < math.inf:
            power = math.log(last[1] / price) / math.log(count / n)
            power = min(max(power, LEAST_POWER), MOST_POWER)
    return count


def last_that(holds: Callable[[int], bool], most: int, first: int = 1) -> int:
    """The last count in [1, most] up to which it holds; it does at 1. The search begins at `first`
    and goes to both sides in steps that double.

    >>> last_that(lambda n: n <= 37, 1000), last_that(lambda n: True, 1000)
    (37, 1000)
    >>> last_that(lambda n: n <= 37, 1000, 36), last_that(lambda n: n <= 37, 1000, 500)
    (37, 37)
    """
    good, bad, stride = 1, most + 1, 1
    if holds(first):
        good = first
        while good + stride <= most and holds(good + stride):
            good, stride = good + stride, 2 * stride
        bad = min(good + stride, most + 1)
    else:
        bad = first
        while bad - stride > 1 and not holds(bad - stride):
            bad, stride = bad - stride, 2 * stride
        good = max(bad - stride, 1)
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if holds(middle) else (good, middle)
    return good


def _is_less(counts: Counts, other: Counts) -> bool:
    """Whether no mechanism runs more often."""
    return all(count <= other.get(mechanism, 0) for mechanism, count in counts.items())
