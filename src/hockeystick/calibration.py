"""Find the one unknown parameter that meets a target (ε, δ)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from hockeystick import checks
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.mechanism import Mechanism
from hockeystick.numerics.roots import find_root, last_whole
from hockeystick.relation import Relation

TOLERANCE = 5e-10
"""How near the edge the answer is, relative to the parameter."""
MOST_DOUBLINGS = 300


def calibrate(
    family: Callable[[float], Mechanism],
    *,
    epsilon: float,
    delta: float,
    relation: Relation | None = None,
    method: str = "auto",
    integer: bool = False,
) -> Mechanism:
    """The mechanism `family(x)` that just meets (ε, δ)-DP, on the private side of the edge.

    `family` maps a positive number, a noise multiplier, a rate or a step count (`integer=True`),
    to a mechanism whose privacy loss is monotone in it, in either direction. The bracket is found
    by doubling from 1. The answer's upper bounds, of ε and of δ, meet the target; the parameter is
    within about 1e-9 of where they no longer would (for integers: it is the last one).

    >>> from hockeystick import Gaussian
    >>> calibrate(lambda sigma: Gaussian(sigma), epsilon=1, delta=1e-5)  # doctest: +ELLIPSIS
    Gaussian(3.730631...)
    """
    e, d = checks.non_negative("epsilon", epsilon), checks.probability("delta", delta)
    target = Target(family, e, d, relation, method)
    return target.last_met() if integer else target.just_met()


@dataclass(frozen=True)
class Target:
    """(ε, δ), and how far each mechanism `family(x)` is from meeting it; see `calibrate`."""

    family: Callable[[float], Mechanism]
    epsilon: float
    delta: float
    relation: Relation | None = None
    method: str = "auto"
    asked: dict[float, float] = field(default_factory=dict)
    """The excess at each x so far."""

    def excess(self, x: float) -> float:
        """Positive where the target is missed; smooth enough to interpolate."""
        if x not in self.asked:
            self.asked[x] = self._excess(self.family(x))
        return self.asked[x]

    def _excess(self, mechanism: Mechanism) -> float:
        if self.delta == 0 or math.isinf(self.epsilon):
            return self._epsilon(mechanism) - self.epsilon
        value = float(mechanism.delta(self.epsilon, relation=self.relation, method=self.method))
        if value > self.delta:  # the logarithms may be equal
            return max(math.log(value) - math.log(self.delta), 5e-324)
        return math.log(max(value, 5e-324)) - math.log(self.delta)

    def _epsilon(self, mechanism: Mechanism) -> float:
        return float(mechanism.epsilon(self.delta, relation=self.relation, method=self.method))

    def just_met(self, start: float = 1.0) -> Mechanism:
        """The mechanism next to the edge; the bracket is found by doubling from `start`."""
        met, missed = _bracket(lambda x: self.excess(start * x), integer=False)
        left, right = sorted((math.log(met), math.log(missed)))
        low, high = find_root(lambda y: self.excess(start * math.exp(y)), left, right, TOLERANCE)
        inside = math.exp(low if met < missed else high)
        step = TOLERANCE / 4
        for _ in range(30):
            mechanism = self.family(start * inside)
            if self.excess(start * inside) <= 0 and self._epsilon(mechanism) <= self.epsilon:
                return mechanism
            inside *= 1 - step if met < missed else 1 + step
            step *= 2  # the two questions may be answered by routes of different accuracy
        raise NumericalError(
            f"no parameter near {start * inside!r} was verified to meet the target"
        )

    def last_met(self) -> Mechanism:
        """The last mechanism of whole numbers that meets it."""
        met, missed = _bracket(lambda x: self.excess(int(x)), integer=True)
        if met != missed:
            met, missed = last_whole(lambda x: self.excess(x) <= 0, int(met), int(missed))
        return self.family(int(met))


def _bracket(excess: Callable[[float], float], integer: bool) -> tuple[float, float]:
    """A parameter that meets the target and one that misses it, next to each other by doubling.

    Both ways by turns: where δ is too small for a float, nothing tells which way the target is.
    """
    first = excess(1.0)
    ways = [_Way(2.0), _Way(0.5)]
    for _ in range(MOST_DOUBLINGS):
        for way in [way for way in ways if not way.ended]:
            x = way.next
            if integer and x < 1:
                way.ended = True
                continue
            try:
                value = excess(x)
            except ParameterError:
                way.approach_the_end_of_the_domain(integer)
                continue
            if (value > 0) != (first > 0):
                return (way.last, x) if value > 0 else (x, way.last)
            way.ended = abs(value) > abs(first) + 1e-9  # away from the target
            way.last, way.next = x, x * way.factor
            if abs(value) < abs(first) - 1e-9:  # towards it, and the other way leads away
                ways = [way]
                break
    if first <= 0 and integer:  # as far as the domain goes
        reached = max([1.0, *(way.last for way in ways if way.is_at_the_end)])
        return reached, reached
    raise ParameterError(
        "no parameter of the family meets the target on one side and misses it on the other"
    )


class _Way:
    """The parameters tried in one direction from 1."""

    def __init__(self, factor: float) -> None:
        self.factor = factor
        self.last, self.next = 1.0, factor
        self.ended = self.is_at_the_end = False

    def approach_the_end_of_the_domain(self, integer: bool) -> None:
        """Come half as close to it as before."""
        close = abs(self.next - self.last) <= 1e-12 * abs(self.last)
        if close or (integer and int(self.next) <= int(self.last) + 1):
            self.ended = self.is_at_the_end = True
        self.next = (self.next + self.last) / 2
