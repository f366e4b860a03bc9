"""Exact sums of many steps: on a lattice, of three values, of two parts of two (Theorem 17)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from flint import arb, arb_poly

from hockeystick.routes.certified.balls import only_if
from hockeystick.routes.certified.points import PointsLaw
from hockeystick.routes.certified.two_values import TwoValues

MOST_SUMS = 20_000
"""Points of a lattice: a power of so many terms takes about a second."""
MOST_OUTER = 4000
"""Sums of the smaller part."""
NATS = 45.0
"""Sums that many nats below δ are not listed but bounded."""


def lattice_sum(law: PointsLaw, n: int) -> Callable[[arb], arb] | None:
    """δ(ε) of n steps whose losses are whole multiples of one number; None if they are not."""
    if law.lattice is None:
        return None
    spacing, origin, places = law.lattice
    first, last = min(places), max(places)
    if (last - first) * n > MOST_SUMS:
        return None
    masses = [arb(0)] * (last - first + 1)
    for (mass, _), place in zip(law.atoms(), places, strict=True):
        masses[place - first] += mass
    sums = (arb_poly(masses) ** n).coeffs()
    return LatticeSum(sums, n * (origin + first * spacing), spacing).delta


class LatticeSum:
    """P-masses of the sums start + j·spacing; δ(ε) = max_j (A_j − e^ε·B_j) as of two values."""

    def __init__(self, masses: Sequence[arb], start: arb, spacing: arb) -> None:
        only_if(spacing > 0, "a lattice with a spacing")
        self._start, self._spacing = start, spacing
        self._a, self._b = [arb(0)], [arb(0)]
        for j in range(len(masses) - 1, -1, -1):
            self._a.append(self._a[-1] + masses[j])
            self._b.append(self._b[-1] + masses[j] * (-start - j * spacing).exp())
        self._a.reverse()
        self._b.reverse()

    def delta(self, epsilon: arb) -> arb:
        """All sums above ε count; of those near it, each as far as it is above."""
        last = len(self._a) - 1
        place = math.ceil(float((epsilon - self._start) / self._spacing))
        low, high = min(max(place - 1, 0), last), min(max(place + 1, 0), last)
        below, above = (self._start + j * self._spacing for j in (low - 1, high))
        only_if(low == 0 or below <= epsilon, "a sum below ε")
        only_if(high == last or above >= epsilon, "a sum above ε")
        grown, best = epsilon.exp(), arb(0)
        for j in range(low, high + 1):
            best = arb.max(best, self._a[j] - grown * self._b[j])
        return best


def three_values(law: PointsLaw, n: int, log_least: float) -> Callable[[arb], arb] | None:
    """δ(ε) of n steps of three losses: a binomial sum over how often it is the middle one."""
    if len(law.atoms()) != 3 or n > MOST_OUTER:
        return None
    (low, down), (middle, mean), (high, up) = sorted(law.atoms(), key=lambda each: float(each[1]))
    only_if(down < mean and mean < up and law.lost.is_zero(), "three losses and no more")
    both = low + high
    listed: list[tuple[arb, arb, Callable[[arb], arb]]] = []
    left, weight = arb(0), both**n
    for k in range(n + 1):
        if weight < arb(log_least - NATS).exp() / n:
            left += weight
        elif k < n:
            least = min(log_least - float(weight.log()), 0.0)
            table = TwoValues(high / both, low / both, up, down, n - k, least)
            listed.append((weight, k * mean, table.delta))
        else:
            listed.append((weight, k * mean, _of_nothing))
        weight = weight * (n - k) / (k + 1) * middle / both

    def delta(epsilon: arb) -> arb:
        terms = (weight * table(epsilon - loss) for weight, loss, table in listed)
        return sum(terms, arb(0).union(arb(left.upper())))

    return delta


def _of_nothing(epsilon: arb) -> arb:
    """δ(ε) where P = Q."""
    return arb.max(-epsilon.expm1(), arb(0))


def two_parts(
    parts: Sequence[tuple[PointsLaw, int]], log_least: float
) -> Callable[[arb], arb] | None:
    """δ(ε) of two different parts, each of two losses: a binomial sum of binomial sums."""
    (outer, count), (inner, n) = sorted(parts, key=lambda part: part[1])
    if count > MOST_OUTER or len(outer.atoms()) != 2 or len(inner.atoms()) != 2:
        return None
    finite = (1 - outer.infinite) ** count * (1 - inner.infinite) ** n
    only_if(outer.lost.is_zero() and inner.lost.is_zero(), "lists of all losses")
    table = TwoValues(*_ordered(inner), n, log_least)
    sums, rest = _binomial(*_ordered(outer), count, log_least)

    def delta(epsilon: arb) -> arb:
        terms = (mass * table.delta(epsilon - loss) for mass, loss in sums)
        return sum(terms, 1 - finite + arb(0).union(rest))

    return delta


def _ordered(law: PointsLaw) -> tuple[arb, arb, arb, arb]:
    (p, one), (rest, other) = law.atoms()
    return (p, rest, one, other) if one > other else (rest, p, other, one)


def _binomial(
    p: arb, rest: arb, high: arb, low: arb, n: int, log_least: float
) -> tuple[list[tuple[arb, arb]], arb]:
    """Masses and losses of n steps, but for some of tiny mass, and their mass at most."""
    only_if(high > low, "two different losses")
    listed, left = [], arb(0)
    mass = rest**n
    for j in range(n + 1):
        if mass < arb(log_least - NATS).exp() / n:
            left += mass
        else:
            listed.append((mass, j * high + (n - j) * low))
        mass = mass * (n - j) / (j + 1) * p / rest
    return listed, arb(left.upper())
