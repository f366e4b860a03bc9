"""Find the one unknown parameter that meets a target (ε, δ)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, overload

from hockeystick import checks
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.mechanism import Mechanism
from hockeystick.numerics.roots import find_root
from hockeystick.relation import Relation

TOLERANCE = 5e-10
"""How near the edge the answer is, relative to the parameter."""
STEP = math.log(2)
"""The first step of log x."""
COUNT_STEP = math.log(256)
"""The same for counts: few steps of a sampled mechanism take longer to account for than many."""
SHORTEST = 0.01
FARTHEST = 300 * STEP
MOST_STEPS = 300
PAST = 1.1
"""How far a step goes past where the target is expected: the other side of it is wanted."""
LEAST = 5e-324

M = TypeVar("M", bound=Mechanism)


@overload
def calibrate(
    family: Callable[[int], M],
    *,
    epsilon: float,
    delta: float,
    relation: Relation | None = None,
    method: str = "auto",
    integer: Literal[True],
) -> M: ...


@overload
def calibrate(
    family: Callable[[float], M],
    *,
    epsilon: float,
    delta: float,
    relation: Relation | None = None,
    method: str = "auto",
    integer: bool = False,
) -> M: ...


def calibrate(
    family: Callable[..., M],
    *,
    epsilon: float,
    delta: float,
    relation: Relation | None = None,
    method: str = "auto",
    integer: bool = False,
) -> M:
    """The mechanism `family(x)` that just meets (ε, δ)-DP, on the private side of the edge.

    `family` maps a positive number, a noise multiplier, a rate or a step count (`integer=True`),
    to a mechanism whose privacy loss is monotone in it, in either direction. The search starts at 1
    and follows log ε as a function of log x, which is nearly straight. The answer's upper bounds,
    of ε and of δ, meet the target; the parameter is within about 1e-9 of where they no longer would
    (for integers: it is the last one).

    >>> from hockeystick import Gaussian
    >>> calibrate(lambda sigma: Gaussian(sigma), epsilon=1, delta=1e-5)  # doctest: +ELLIPSIS
    Gaussian(3.730631...)
    """
    e, d = checks.non_negative("epsilon", epsilon), checks.probability("delta", delta)
    search = _Search(family, e, d, {"relation": relation, "method": method}, integer)
    inside, outside = search.bracket()
    better = 1 if inside >= outside else -1
    if inside != outside:
        left, right = sorted((inside, outside))
        # Two values of log x no further apart than this are of neighbouring counts.
        apart = 1 / (search.number(right) + 1) if integer else TOLERANCE
        ends = find_root(
            lambda log_x: search.excess(search.number(log_x)), left, right, apart, straight=True
        )
        inside = ends[better > 0]
    x, step = search.number(inside), TOLERANCE / 4
    for _ in range(30):
        mechanism = family(x)
        if search.excess(x) < 0 and search.is_met_the_other_way(mechanism):
            return mechanism
        x += better * (1 if integer else x * step)
        step *= 2  # the two questions may be answered by routes of different accuracy
    raise NumericalError(f"no parameter near {x!r} was verified to meet the target")


@dataclass(frozen=True)
class _Search:
    """Where `family(x)` stops to meet (ε, δ); see `calibrate`."""

    family: Callable[..., Mechanism]
    epsilon: float
    delta: float
    how: dict[str, Any]
    """The relation and the method of every question."""
    integer: bool
    asked: dict[float, float] = field(default_factory=dict)
    """The excess at each x so far."""

    def number(self, log_x: float) -> float:
        return round(math.exp(log_x)) if self.integer else math.exp(log_x)

    def excess(self, x: float) -> float:
        """log(ε(x)/ε), positive where the target is missed and never 0; of δ where ε is 0."""
        if x not in self.asked:
            mechanism = self.family(x)
            if self.epsilon > 0:
                cost, most = float(mechanism.epsilon(self.delta, **self.how)), self.epsilon
            else:
                cost, most = float(mechanism.delta(0.0, **self.how)), self.delta
            over = 0.0 if cost == most else _log(cost) - _log(most)
            self.asked[x] = max(over, LEAST) if cost > most else min(over, -LEAST)
        return self.asked[x]

    def is_met_the_other_way(self, mechanism: Mechanism) -> bool:
        """Whether the question that `excess` does not ask has a good answer, too."""
        if self.epsilon > 0:
            return mechanism.delta(self.epsilon, **self.how) <= self.delta
        return mechanism.epsilon(self.delta, **self.how) <= 0

    def bracket(self) -> tuple[float, float]:
        """log x of a parameter that meets the target, and of one that does not.

        Both ways by turns: where ε is infinite, nothing tells which way the target is. Among counts
        the two are the same if all meet it, as far as the domain goes.
        """
        first = self.excess(1)
        ways = [_Way(first, step) for step in ((COUNT_STEP,) if self.integer else (STEP, -STEP))]
        for _ in range(MOST_STEPS):
            for way in [way for way in ways if not way.ended]:
                last, log_x = way.last, way.next()
                try:
                    excess = self.excess(self.number(log_x))
                except ParameterError:
                    way.limit = log_x
                    gap = abs(self.number(log_x) - self.number(last))
                    way.ended = gap <= max(self.integer, 1e-12 * self.number(last))
                    continue
                if (excess > 0) != (first > 0):
                    return (last, log_x) if excess > 0 else (log_x, last)
                way.ended = abs(excess) > abs(first) + 1e-9  # away from the target
                way.go_on(log_x, excess)
                if abs(excess) < abs(first) - 1e-9:  # towards it, and the other way leads away
                    ways = [way]
                    break
        if first < 0 and self.integer:
            return ways[0].last, ways[0].last
        raise ParameterError(
            "no parameter of the family meets the target on one side and misses it on the other"
        )


class _Way:
    """The values of log x that are tried in one direction from 0."""

    def __init__(self, excess: float, step: float) -> None:
        self.last, self.excess, self.step = 0.0, excess, step
        self.limit = math.copysign(FARTHEST, step)
        self.ended = False

    def next(self) -> float:
        """A step on, or half of the way to where the domain ends."""
        on = self.last + self.step
        return on if abs(on) < abs(self.limit) else (self.last + self.limit) / 2

    def go_on(self, log_x: float, excess: float) -> None:
        """The next step goes just past where a straight line would meet the target."""
        moved, gained = log_x - self.last, abs(self.excess) - abs(excess)
        self.last, self.excess = log_x, excess
        if 0 < gained < math.inf:
            on = PAST * abs(excess) / gained * abs(moved)
            self.step = math.copysign(min(max(on, SHORTEST), 16 * abs(moved)), moved)


def _log(value: float) -> float:
    return math.log(value) if value > 0 else -math.inf
