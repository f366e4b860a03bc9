"""Find the one unknown parameter that meets a target (ε, δ)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar, overload

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
    return _Target(family, e, d, relation, method, integer).just_met()


@dataclass(frozen=True)
class _Target(Generic[M]):
    """(ε, δ), and how far each mechanism `family(x)` is from meeting it; see `calibrate`."""

    family: Callable[..., M]
    epsilon: float
    delta: float
    relation: Relation | None
    method: str
    integer: bool
    asked: dict[float, float] = field(default_factory=dict)
    """The excess at each x so far."""

    def just_met(self) -> M:
        """The mechanism next to the edge, or the last one of whole numbers."""
        met, missed = self._bracket()
        better = 1 if met >= missed else -1
        if met != missed:
            left, right = min(met, missed), max(met, missed)
            apart = 1 / (self._number(right) + 1) if self.integer else TOLERANCE
            ends = find_root(
                lambda log_x: self._excess(self._number(log_x)), left, right, apart, straight=True
            )
            met = ends[better > 0]
        x, step = self._number(met), TOLERANCE / 4
        for _ in range(30):
            mechanism = self.family(x)
            if self._excess(x) < 0 and self._is_met_the_other_way(mechanism):
                return mechanism
            x += better * (1 if self.integer else x * step)
            step *= 2  # the two questions may be answered by routes of different accuracy
        raise NumericalError(f"no parameter near {x!r} was verified to meet the target")

    def _excess(self, x: float) -> float:
        """log(ε(x)/ε), positive where the target is missed and never 0; of δ where ε is 0."""
        if x not in self.asked:
            mechanism = self.family(x)
            if self.epsilon > 0:
                self.asked[x] = _log_ratio(self._epsilon(mechanism), self.epsilon)
            else:
                self.asked[x] = _log_ratio(self._delta(mechanism), self.delta)
        return self.asked[x]

    def _is_met_the_other_way(self, mechanism: Mechanism) -> bool:
        if self.epsilon > 0:
            return self._delta(mechanism) <= self.delta
        return self._epsilon(mechanism) == 0

    def _epsilon(self, mechanism: Mechanism) -> float:
        return float(mechanism.epsilon(self.delta, relation=self.relation, method=self.method))

    def _delta(self, mechanism: Mechanism) -> float:
        return float(mechanism.delta(self.epsilon, relation=self.relation, method=self.method))

    def _number(self, log_x: float) -> float:
        return round(math.exp(log_x)) if self.integer else math.exp(log_x)

    def _bracket(self) -> tuple[float, float]:
        """log x of a parameter that meets the target, and of one that misses it.

        Both ways by turns: where ε is infinite, nothing tells which way the target is. Among whole
        numbers the two are the same if all meet it, as far as the domain goes.
        """
        first = self._excess(1)
        steps = (COUNT_STEP,) if self.integer else (STEP, -STEP)
        ways = [_Way(first, step) for step in steps]
        for _ in range(MOST_STEPS):
            for way in [way for way in ways if not way.ended]:
                try:
                    excess = self._excess(self._number(way.next))
                except ParameterError:
                    way.limit = way.next
                    last, limit = self._number(way.last), self._number(way.limit)
                    way.ended = abs(limit - last) <= max(self.integer, 1e-12 * last)
                    continue
                if (excess > 0) != (first > 0):
                    return (way.last, way.next) if excess > 0 else (way.next, way.last)
                way.ended = abs(excess) > abs(first) + 1e-9  # away from the target
                way.go_on(excess)
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

    @property
    def next(self) -> float:
        """A step on, or half of the way to where the domain ends."""
        on = self.last + self.step
        return on if abs(on) < abs(self.limit) else (self.last + self.limit) / 2

    def go_on(self, excess: float) -> None:
        """The next step goes just past where a straight line would meet the target."""
        moved, gained = self.next - self.last, abs(self.excess) - abs(excess)
        self.last, self.excess = self.next, excess
        if 0 < gained < math.inf:
            on = PAST * abs(excess) / gained * abs(moved)
            self.step = math.copysign(min(max(on, SHORTEST), 16 * abs(moved)), moved)


def _log_ratio(cost: float, most: float) -> float:
    """log(cost/most), and never 0: what equals the target meets it."""
    if cost == most:
        return -LEAST
    log_cost, log_most = (math.log(each) if each > 0 else -math.inf for each in (cost, most))
    return max(log_cost - log_most, LEAST) if cost > most else min(log_cost - log_most, -LEAST)
