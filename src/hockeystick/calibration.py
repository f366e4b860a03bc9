"""Find the one unknown parameter that meets a target (ε, δ)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Generic, Literal, TypeVar, overload

from hockeystick import checks
from hockeystick.bound import Bound
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.mechanism import Mechanism
from hockeystick.near_edge import NearEdge
from hockeystick.numerics.edge import LEAST, EdgeSearch
from hockeystick.relation import Relation
from hockeystick.small_delta import SmallDelta, given, log_of

TOLERANCE = 5e-10
"""How near the edge the answer is, relative to the parameter."""
NEAR = 0.01
"""An answer whose log ε is further below the target is at a jump, if its δ is no nearer."""
COUNT_NEAR = math.log(4)
"""The same of neighbouring counts, of which one meets the target and one misses it."""
MOST_JUMPS = 10


class AlwaysMet(ParameterError):
    """Every parameter meets the target: there is no edge."""


class NeverMet(ParameterError):
    """No parameter meets the target: the answer to the question is no."""


M = TypeVar("M", bound=Mechanism)


@overload
def calibrate(
    family: Callable[[int], M],
    *,
    epsilon: float,
    delta: float | None = None,
    log_delta: float | None = None,
    relation: Relation | None = None,
    method: str = "auto",
    integer: Literal[True],
) -> M: ...


@overload
def calibrate(
    family: Callable[[float], M],
    *,
    epsilon: float,
    delta: float | None = None,
    log_delta: float | None = None,
    relation: Relation | None = None,
    method: str = "auto",
    integer: bool = False,
) -> M: ...


def calibrate(
    family: Callable[..., M],
    *,
    epsilon: float,
    delta: float | None = None,
    log_delta: float | None = None,
    relation: Relation | None = None,
    method: str = "auto",
    integer: bool = False,
) -> M:
    """The mechanism `family(x)` that just meets (ε, δ)-DP, on the private side of the edge.

    `family` maps a positive number, a noise multiplier, a rate or a step count (`integer=True`),
    to a mechanism whose privacy loss is monotone in it, in either direction. The search starts at 1
    and follows log ε as a function of log x, which is nearly straight. The answer's upper bounds,
    of ε and of δ, meet the target; the parameter is within about 1e-9 of where they no longer would
    (for integers: it is the last one). Bounds jump where another route takes over: a jump over the
    target, far from it on the private side, is passed by, and a `NumericalError` if nothing is
    found beyond. If every parameter meets the target, it is `AlwaysMet`, if none does, `NeverMet`,
    both a `ParameterError`. `log_delta` in place of δ takes any that no float can hold.

    >>> from hockeystick import Gaussian
    >>> calibrate(lambda sigma: Gaussian(sigma), epsilon=1, delta=1e-5)  # doctest: +ELLIPSIS
    Gaussian(3.730631...)
    >>> calibrate(lambda sigma: Gaussian(sigma), epsilon=1, log_delta=-1e5)  # doctest: +ELLIPSIS
    Gaussian(447...)
    """
    budget = _Budget(
        family,
        checks.non_negative("epsilon", epsilon),
        given(delta, log_delta),
        {"relation": relation, "method": method},
    )
    search = EdgeSearch(budget.excess, budget.allowed, integer)
    if search.start() is None:
        family(1)  # says what is wrong with it
    ends = budget.nearby(search) or search.bracket()
    for _ in range(MOST_JUMPS):
        if ends is None:
            raise budget.no_edge(search)
        search = budget.cheaper(search, ends)
        meets, misses = search.refined(ends, TOLERANCE)
        better = 1 if meets > misses else -1
        mechanism = _verified(budget, search, meets, better)
        if not budget.jumps(mechanism, search.asked[meets], search.asked[misses], integer):
            return mechanism
        ends = search.bracket(meets, better)
        if ends is None:
            break
    raise NumericalError(
        f"{budget.name} jumps over the target: it is {budget.cost(search.asked[meets])} where the "
        f"parameter is {meets!r} and {budget.cost(search.asked[misses])} where it is {misses!r}"
    )


def _verified(budget: _Budget[M], search: EdgeSearch, x: float, better: int) -> M:
    """The mechanism at x, or a hair on the private side of it, that meets the target both ways."""
    step = TOLERANCE / 4
    for _ in range(30):
        mechanism = budget.family(x)
        if search.ask(x) < 0 and budget.is_met_the_other_way(mechanism):
            return mechanism
        x += better * (1 if search.integer else x * step)
        step *= 2  # the two questions may be answered by routes of different accuracy
    raise NumericalError(f"no parameter near {x!r} was verified to meet the target")


class _Budget(Generic[M]):
    """What `family(x)` may cost; see `calibrate`.

    The cost is an ε, whose logarithm is nearly straight, or a δ: where ε is 0, and near the edge
    where there is a closed form of δ, of which ε is the root and takes several times as long.
    """

    def __init__(
        self, family: Callable[..., M], epsilon: float, delta: float, how: dict[str, Any]
    ) -> None:
        self.family, self.epsilon, self.delta, self.how = family, epsilon, delta, how
        self.by_delta = epsilon == 0
        self.closed_form = False
        """Whether the last answer was one."""

    @property
    def name(self) -> str:
        """What is asked for."""
        return "delta" if self.by_delta else "epsilon"

    @property
    def most(self) -> float:
        """What it may be."""
        return self.delta if self.by_delta else self.epsilon

    def nearby(self, search: EdgeSearch) -> tuple[float, float] | None:
        """Both sides of the edge, by quick answers, where there are such."""
        if self.by_delta or not (0 < self.delta < 1 and 0 < self.epsilon < math.inf):
            return None
        return NearEdge(self.family, self.epsilon, self.delta, self.how).ends(search, TOLERANCE)

    @property
    def by_log(self) -> bool:
        """Whether a δ is asked for by its logarithm, because no float holds the target."""
        return self.by_delta and isinstance(self.delta, SmallDelta)

    def cheaper(self, search: EdgeSearch, ends: tuple[float, float]) -> EdgeSearch:
        """The search that goes on between the ends: by δ, where that is a formula."""
        if self.by_delta or not self.closed_form or not self.delta:
            return search
        self.by_delta = True
        again = EdgeSearch(search.value, search.allowed, search.integer)
        if again.ask(ends[0]) < 0 < again.ask(ends[1]):
            return again
        self.by_delta = False
        return search

    def allowed(self, x: float) -> bool:
        """Whether x is in the domain of the family."""
        try:
            self.family(x)
        except (ParameterError, OverflowError):
            return False
        return True

    def excess(self, x: float) -> float:
        """log(ε(x)/ε), positive where the target is missed and never 0; or the same of δ."""
        bound = self._asked(self.family(x), self.by_delta)
        self.closed_form, cost = bound.method == "closed form", float(bound)
        if self.by_log:
            over = cost - log_of(self.delta)
            return max(over, LEAST) if over > 0 else min(over, -LEAST)
        over = 0.0 if cost == self.most else _log(cost) - _log(self.most)
        return max(over, LEAST) if cost > self.most else min(over, -LEAST)

    def cost(self, excess: float) -> str:
        """What costs so much more than the target, in a few digits."""
        if self.by_log:
            return f"e^{log_of(self.delta) + excess:.6g}"
        return f"{self.most * math.exp(excess) if excess < 700 else math.inf:.6g}"

    def is_met_the_other_way(self, mechanism: Mechanism) -> bool:
        """Whether the question that `excess` does not ask has a good answer, too."""
        return self._asked(mechanism, not self.by_delta) <= self._other_most

    @property
    def _other_most(self) -> float:
        if self.by_delta:
            return self.epsilon
        return self.delta.log if isinstance(self.delta, SmallDelta) else self.delta

    def _asked(self, mechanism: Mechanism, by_delta: bool) -> Bound:
        if by_delta and isinstance(self.delta, SmallDelta):
            return mechanism.log_delta(self.epsilon, **self.how)
        if by_delta:
            return mechanism.delta(self.epsilon, **self.how)
        return mechanism.epsilon(self.delta, **self.how)

    def jumps(self, mechanism: Mechanism, meets: float, misses: float, integer: bool) -> bool:
        """Whether the target is far from both ends of the edge: the cost is not continuous."""
        if (misses - meets if integer else -meets) <= (COUNT_NEAR if integer else NEAR):
            return False
        if self.epsilon == 0 or log_of(self.delta) == -math.inf:
            return True
        nats = COUNT_NEAR if integer else NEAR
        if isinstance(self.delta, SmallDelta) and not self.by_delta:
            return self._asked(mechanism, True) < self._other_most - nats
        near = math.exp(-nats) * self._other_most
        return self._asked(mechanism, not self.by_delta) < near

    def no_edge(self, search: EdgeSearch) -> AlwaysMet | NeverMet:
        """What to say where no parameter is at the edge."""
        target = f"epsilon = {self.epsilon!r} at delta = {self.delta!r}"
        x, excess = min(search.asked.items(), key=lambda each: abs(each[1]))
        between = f"from {min(search.asked):.6g} to {max(search.asked):.6g}"
        costs = set(search.asked.values())
        refused = "".join(f"; at {at:.6g}: {why}" for at, why in list(search.refused.items())[:1])
        if len(costs) == 1:
            return (NeverMet if excess > 0 else AlwaysMet)(
                f"{self.name} is {self.cost(excess)} wherever the parameter is, {between}: it "
                f"{'never' if excess > 0 else 'always'} meets {target}{refused}"
            )
        if excess > 0:
            return NeverMet(
                f"no parameter {between} meets {target}: the smallest {self.name} is "
                f"{self.cost(excess)}, at {x:.6g}{refused}"
            )
        return AlwaysMet(
            f"every parameter {between} meets {target}: the largest {self.name} is "
            f"{self.cost(excess)}, at {x:.6g}{refused}"
        )


def _log(value: float) -> float:
    return math.log(value) if value > 0 else -math.inf
