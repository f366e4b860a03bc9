"""A pair told by exact numbers: what a proof starts from."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

ONE = Fraction(1)
NOT_WHOLE = ("normal", "laplace", "exponential", "leak")
"""Kinds whose second number, if there is one, need not be whole."""
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
    """

    kind: str
    numbers: tuple[Fraction, ...]
    rate: Fraction = ONE
    turned: bool = False
    fixed: bool = False

    def on_sample(self, rate: Fraction) -> Exact | None:
        """The record takes part with this probability; None where that is not of these kinds."""
        if rate == 1:
            return self
        double = self.kind == "normal" and self.numbers[1] != 0
        if self.turned or self.fixed or (double and self.rate != 1):
            return None
        return replace(self, rate=self.rate * rate)

    def of_fixed_size(self, fraction: Fraction) -> Exact | None:
        """The pair of a sample of fixed size, for a record that is replaced."""
        if fraction == 1 or self.turned or self.rate != 1:
            return self if fraction == 1 else None
        return replace(self, rate=fraction, fixed=True)

    def reverse(self) -> Self:
        """(Q, P)."""
        return self if self.fixed else replace(self, turned=not self.turned)

    @property
    def symmetric(self) -> bool:
        """Whether (Q, P) has the same loss: so before sampling, and of a sample of fixed size."""
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
        return domain.get(self.kind, integer) and whole and 0 < self.rate <= 1 and fixed

    def to_json(self) -> dict[str, Any]:
        """Every number as a quotient of integers, in words."""
        return {
            "kind": self.kind,
            "numbers": [str(number) for number in self.numbers],
            "rate": str(self.rate),
            "turned": self.turned,
            "fixed": self.fixed,
        }

    @classmethod
    def from_json(cls, said: dict[str, Any]) -> Self:
        """What `to_json` wrote."""
        numbers = tuple(_quotient(number) for number in said["numbers"])
        rate, turned, fixed = _quotient(said["rate"]), bool(said["turned"]), bool(said["fixed"])
        return cls(str(said["kind"]), numbers, rate, turned, fixed)


def _quotient(text: str) -> Fraction:
    """Digits only: an exponent may stand for more of them than there is memory."""
    if len(text) > MOST_DIGITS or not re.fullmatch(r"[0-9]+(/[0-9]+)?", text):
        raise ValueError(f"numbers must be quotients of integers, got {text[:40]!r}")
    return Fraction(text)


def leak(infinite: float) -> Exact:
    """Everything with that probability, and else nothing."""
    return Exact("leak", (Fraction(infinite),))


def response(epsilon: float, categories: int, infinite: float = 0.0) -> Exact:
    """Randomized response with probability 1 − infinite, and else everything."""
    if not epsilon:
        return leak(infinite)
    return Exact("response", (Fraction(epsilon), Fraction(categories), Fraction(infinite)))
