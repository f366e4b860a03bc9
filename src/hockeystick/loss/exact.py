"""A pair told by exact numbers: what a proof starts from."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

ONE = Fraction(1)
NOT_WHOLE = ("normal", "laplace", "exponential", "leak")
"""Kinds whose second number, if there is one, need not be whole."""
MOVED = ("normal", "laplace", "integer laplace", "integer gaussian")
"""Kinds whose pairs differ by how far a query is moved."""
MOST_DIGITS = 4000
"""Of a quotient that is read: the product of several doubles has about a thousand."""


@dataclass(frozen=True)
class Exact:
    """A pair of laws of a known kind, whose parameters are exact rational numbers.

    Every double is one. The kinds and their `numbers`:

    - "normal": N(up, 1) against N(−down, 1), both mixed with N(0, 1); (up, down);
    - "laplace": Laplace noise, moved by so many scales; (shift,);
    - "exponential": every choice whose loss has a bounded range; (range,);
    - "response": randomized response, or everything; (ε, categories, mass at infinity);
    - "leak": nothing, or everything; (mass at infinity,), which may be 0 or 1;
    - "integer laplace", "integer gaussian": integer noise; (scale, how far it is moved).

    With `rate` below 1 the record takes part that often: ((1−rate)·Q + rate·P, Q), or, of a sample
    of `fixed` size, the pair that dominates when a record is replaced. `turned` is (Q, P).

    With `instead`, of a pair of the same kind, a bound on the profile is all that is known:
    q·((1−β)·h'(A) + β·h(A)) for a >= 1, q the rate, A = 1 + (a−1)/q, β = a/A, with h' for those
    numbers, of what stands there when the record is not drawn (advanced joint convexity: Balle,
    Barthe and Gaboardi 2018, Theorem 2). Of (Q, P) it is the same; of a sample of `fixed` size,
    where a record is zeroed out, q·h(A).
    """

    kind: str
    numbers: tuple[Fraction, ...]
    rate: Fraction = ONE
    turned: bool = False
    fixed: bool = False
    instead: tuple[Fraction, ...] | None = None

    def on_sample(self, rate: Fraction) -> Exact | None:
        """The record takes part with this probability; None where that is not of these kinds."""
        if rate == 1:
            return self
        double = self.kind == "normal" and self.numbers[1] != 0
        if self.turned or self.fixed or self.instead or (double and self.rate != 1):
            return None
        return replace(self, rate=self.rate * rate)

    def of_fixed_size(self, fraction: Fraction) -> Exact | None:
        """The pair of a sample of fixed size, for a record that is replaced."""
        if fraction == 1 or self.turned or self.rate != 1:
            return self if fraction == 1 else None
        return replace(self, rate=fraction, fixed=True)

    @property
    def opposite(self) -> bool:
        """Whether that bound is attained: noise on a line, a Poisson sample, and a record that is
        replaced by one on the other side of nothing, twice as far."""
        if not self.instead or self.fixed or self.kind == "normal":
            return False
        *scale, move = self.numbers
        return (*scale, move / 2) == self.instead

    @property
    def laplace_move(self) -> Fraction | None:
        """How many scales Laplace noise is moved before sampling; None of other kinds."""
        if self.rate != 1 or not self.kind.endswith("laplace"):
            return None
        return self.numbers[0] if self.kind == "laplace" else self.numbers[1] / self.numbers[0]

    @property
    def apart(self) -> tuple[Exact, Exact]:
        """The two pairs before sampling that a bound is made of."""
        plain = Exact(self.kind, self.numbers)
        return plain, replace(plain, numbers=self.instead or self.numbers)

    def reverse(self) -> Self:
        """(Q, P)."""
        one = self.fixed != bool(self.instead)
        return self if one else replace(self, turned=not self.turned)

    @property
    def symmetric(self) -> bool:
        """Whether (Q, P) has the same loss: so before sampling, and of a sample of fixed size where
        a record is replaced."""
        if self.instead:
            return not self.fixed
        alike = self.kind == "normal" and self.numbers[0] == self.numbers[1]
        return self.fixed or self.rate == 1 or alike

    @property
    def is_pair(self) -> bool:
        """Whether every number is in its domain: what a file says need not be."""
        first, rest = self.numbers[0], self.numbers[1:]
        domain = {
            "normal": first >= 0 and len(rest) == 1 and rest[0] >= 0 and first + rest[0] > 0,
            "laplace": first > 0 and not rest,
            "exponential": first > 0 and not rest,
            "leak": 0 <= first <= 1 and not rest,
            "response": first > 0 and len(rest) == 2 and rest[0] >= 2 and 0 <= rest[1] < 1,
        }
        integer = first > 0 and len(rest) == 1 and rest[0] >= 1
        whole = self.kind in NOT_WHOLE or rest[0].denominator == 1
        double = self.kind == "normal" and rest and rest[0] > 0
        fixed = not self.fixed or (self.rate < 1 and not self.turned and not double)
        if self.instead:
            plain = self.kind in MOVED and self.rate < 1 and not double
            once = self.fixed or not self.turned
            alike = self.kind in NOT_WHOLE or self.numbers[0] == self.instead[0]  # one noise
            return plain and once and alike and all(each.is_pair for each in self.apart)
        return domain.get(self.kind, integer) and whole and 0 < self.rate <= 1 and fixed

    def to_json(self) -> dict[str, Any]:
        """Every number as a quotient of integers, in words."""
        said = {
            "kind": self.kind,
            "numbers": [str(number) for number in self.numbers],
            "rate": str(self.rate),
            "turned": self.turned,
            "fixed": self.fixed,
        }
        return said | ({"instead": [str(each) for each in self.instead]} if self.instead else {})

    @classmethod
    def from_json(cls, said: dict[str, Any]) -> Self:
        """What `to_json` wrote."""
        numbers = tuple(_quotient(number) for number in said["numbers"])
        rate, turned, fixed = _quotient(said["rate"]), bool(said["turned"]), bool(said["fixed"])
        instead = tuple(_quotient(number) for number in said.get("instead", ())) or None
        return cls(str(said["kind"]), numbers, rate, turned, fixed, instead)


def _quotient(text: str) -> Fraction:
    """Digits only: an exponent may stand for more of them than there is memory."""
    if len(text) > MOST_DIGITS or not re.fullmatch(r"[0-9]+(/[0-9]+)?", text):
        raise ValueError(f"numbers must be quotients of integers, got {text[:40]!r}")
    return Fraction(text)


def among(
    drawn: Exact | None, instead: Exact | None, rate: Fraction, *, fixed: bool = False
) -> Exact | None:
    """On a sample where the pair `drawn` tells a record from what replaces it, and another from
    what is there `instead`; None where they are not known, or not of these kinds."""
    if drawn is None or instead is None or drawn.kind != instead.kind:
        return None
    if drawn == instead:
        return drawn.of_fixed_size(rate)
    if drawn.kind not in MOVED or not drawn.rate == instead.rate == 1:
        return None
    bound = replace(drawn, rate=rate, fixed=fixed, instead=instead.numbers)
    return bound if bound.is_pair else None


def leak(infinite: float) -> Exact:
    """Everything with that probability, and else nothing."""
    return Exact("leak", (Fraction(infinite),))


def response(epsilon: float, categories: int, infinite: float = 0.0) -> Exact:
    """Randomized response with probability 1 − infinite, and else everything."""
    if not epsilon:
        return leak(infinite)
    return Exact("response", (Fraction(epsilon), Fraction(categories), Fraction(infinite)))
