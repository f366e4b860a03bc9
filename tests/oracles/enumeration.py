"""Every outcome of a composition, one by one, and one continuous step beside them.

With (p, q) the masses of the outcomes of all discrete parts together, and h the profile of what
is continuous (or (1 - e^x)_+ if nothing is),

    delta(eps) = P(Q vanishes) + sum over outcomes of p h(eps - log(p/q)).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction

from mpmath import mp, mpf

from .expressions import Unknown
from .pairs import Pair
from .profile import one_step_by_tails, solve

MOST_TERMS = 12_000
MOST_MIXED_TERMS = 120
"""Outcomes that are written out: alone, and where each costs a normal tail."""
Profile = Callable[[mpf], mpf]


def outcomes(steps: Sequence[tuple[Pair, int]]) -> list[tuple[mpf, mpf]]:
    """The masses (p, q) of every outcome that both distributions have."""
    sizes = [math.comb(n + len(pair.atoms) - 1, n) for pair, n in steps]
    if math.prod(sizes) > MOST_TERMS:
        raise Unknown("too many outcomes")
    terms = [(mpf(1), mpf(1))]
    for pair, count in steps:
        new = _multinomial(pair, count)
        terms = [(p * r, q * s) for p, q in terms for r, s in new]
    return terms


def _multinomial(pair: Pair, count: int) -> list[tuple[mpf, mpf]]:
    """n! prod p_i^c_i / c_i! over all counts c that add up to n, and the same of q."""
    terms = {0: [(mp.factorial(count), mp.factorial(count))]}  # by how many steps are placed
    for atom in pair.atoms:
        p, q = _powers(atom.p, count), _powers(atom.q, count)
        new: dict[int, list[tuple[mpf, mpf]]] = {}
        last = atom is pair.atoms[-1]
        for placed, masses in terms.items():
            for more in range(count - placed if last else 0, count - placed + 1):
                here = new.setdefault(placed + more, [])
                here += [(a * p[more], b * q[more]) for a, b in masses]
        terms = new
    return terms.get(count, [])


def _powers(mass: mpf, count: int) -> list[mpf]:
    table = [mpf(1)]
    for c in range(1, count + 1):
        table.append(table[-1] * mass / c)
    return table


def exact(value: mpf) -> Fraction:
    """The rational number that a float of any precision is."""
    sign, mantissa, exponent, _ = value._mpf_
    number = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    return -number if sign else number


def infinite_mass(masses: Sequence[tuple[mpf, int]]) -> Fraction:
    """1 - prod (1 - mass)^count, without rounding: ties with delta are decided by it."""
    rest = Fraction(1)
    for mass, count in masses:
        if mass:
            rest *= (1 - exact(mass)) ** count
    return 1 - rest


@dataclass
class Law:
    """One direction of a composition."""

    infinite: Fraction
    terms: list[tuple[mpf, mpf]]
    continuous: Profile | None = None

    def __post_init__(self) -> None:
        if self.continuous is None:
            self.terms.sort(key=lambda each: each[0] / each[1], reverse=True)

    def above(self, epsilon: mpf) -> mpf:
        """The profile without what is at infinity."""
        if self.continuous is None:
            growth = mp.exp(epsilon)
            return mp.fsum(p - growth * q for p, q in self.terms if p > growth * q)
        h = self.continuous
        return mp.fsum(p * h(epsilon - mp.log(p / q)) for p, q in self.terms)

    def delta(self, epsilon: mpf) -> mpf:
        return to_real(self.infinite) + self.above(epsilon)

    def epsilon(self, delta: Fraction) -> mpf:
        """The smallest epsilon >= 0 at which the profile is at most delta."""
        if delta < self.infinite:
            return mp.inf
        rest = to_real(delta - self.infinite)
        if self.above(mpf(0)) <= rest:
            return mpf(0)
        return self._between_kinks(rest) if self.continuous is None else self._root(rest)

    def _between_kinks(self, rest: mpf) -> mpf:
        """Between two losses the profile is P - e^eps Q: find where it crosses, and solve."""
        p_sum, q_sum = mpf(0), mpf(0)
        for i, (p, q) in enumerate(self.terms):
            p_sum, q_sum = p_sum + p, q_sum + q
            following = self.terms[i + 1] if i + 1 < len(self.terms) else None
            if following is None or p_sum - following[0] / following[1] * q_sum >= rest:
                if rest == 0:
                    return mp.log(p / q)
                return mp.log((p_sum - rest) / q_sum)
        raise ArithmeticError("no outcome has a finite loss")

    def _root(self, rest: mpf) -> mpf:
        """By false position or, where that is slow or nothing is left, by bisection."""
        low, high = mpf(0), mpf(1)
        while self.above(high) >= rest and (rest or self.above(high)):
            low, high = high, 2 * high
            if high > 1e12:
                raise Unknown("no finite answer was found")
        if rest:
            with suppress(ArithmeticError):
                return solve(self.above, rest, high)
        while high - low > mpf(10) ** -34 * high:
            middle = (low + high) / 2
            low, high = (middle, high) if self.above(middle) > rest else (low, middle)
        return high


def to_real(value: Fraction) -> mpf:
    return mpf(value.numerator) / value.denominator


def law(steps: Sequence[tuple[Pair, int]], smooth: Pair | None = None) -> Law:
    """The law of discrete steps, each repeated, and at most one step with a density."""
    terms = outcomes(steps)
    masses = [(pair.p_only, count) for pair, count in steps]
    if smooth is None:
        return Law(infinite_mass(masses), terms)
    if len(terms) > MOST_MIXED_TERMS:
        raise Unknown("too many outcomes beside a continuous step")
    if smooth.p_only:
        raise Unknown("a continuous step with mass at infinity")
    one = smooth
    return Law(infinite_mass(masses), terms, lambda epsilon: one_step_by_tails(one, epsilon))
