"""Two questions whose answers have an order: where no oracle applies, they judge each other."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.fuzz.judge import Finding
from benchmarks.fuzz.questions import Question

NUMBER = r"[-+.\deE]+"
SLACK = 1e-12
"""What rounding may do to a number that goes from one question to the next."""


@dataclass(frozen=True)
class Law:
    """The answer to `smaller` is at most the answer to `larger`; both ways if they are equal."""

    smaller: Question
    larger: Question
    why: str
    equal: bool = False

    def judge(self, one: dict[str, Any], other: dict[str, Any]) -> Finding | None:
        """The two answers, of `smaller` and of `larger`."""
        for (a, b), (c, d) in zip(one.get("ends", []), other.get("ends", []), strict=False):
            if a > d or (self.equal and c > b):
                detail = f"{self.why}: [{a!r}, {b!r}] against [{c!r}, {d!r}] of {self.larger.text}"
                return Finding("contradiction", self.smaller, detail)
        return None


def laws(question: Question, answer: dict[str, Any]) -> list[Law]:
    """One law for the question, always the same one."""
    chance = random.Random(question.text)
    makers = [_method, _at, _count, _noise, _rate, _split, _inverse]
    chance.shuffle(makers)
    for make in makers:
        law = make(question, answer, chance)
        if law is not None:
            return [law]
    return []


Maker = Callable[[Question, dict[str, Any], random.Random], Law | None]


def _method(question: Question, answer: dict[str, Any], chance: random.Random) -> Law | None:
    """Another route says the same; a Rényi curve is an upper bound only."""
    if question.method or question.query in ("rdp", "tradeoff"):
        return None
    if "renyi" in answer["method"]:
        return None
    other = replace(question, method=chance.choice(["contour", "lattice", "renyi"]))
    return Law(question, other, "another method", equal=other.method != "renyi")


def _at(question: Question, answer: dict[str, Any], chance: random.Random) -> Law | None:
    """epsilon falls as delta grows, and delta as epsilon grows."""
    if question.query not in ("epsilon", "delta") or not question.at:
        return None
    nearer = question.at * (1 - 10 ** -chance.uniform(0.3, 14))
    return Law(question, replace(question, at=nearer), "monotone in what is given")


def _count(question: Question, answer: dict[str, Any], chance: random.Random) -> Law | None:
    """More steps cost more."""
    if question.query not in ("epsilon", "delta", "rdp", "profile"):
        return None
    more = f"{question.expression} + PureDP({10 ** chance.uniform(-4, 0)!r})"
    return Law(question, replace(question, expression=more), "monotone in the parts")


def _changed(
    question: Question, pattern: str, change: Callable[[float], float], why: str
) -> Law | None:
    """The same with the first number that the pattern finds changed, which costs less."""
    if question.query == "tradeoff":
        return None
    place = re.search(pattern, question.expression)
    if place is None:
        return None
    value = change(float(place[2]))
    text = question.expression
    less = text[: place.start(2)] + repr(value) + text[place.end(2) :]
    return Law(replace(question, expression=less), question, why)


def _noise(question: Question, answer: dict[str, Any], chance: random.Random) -> Law | None:
    more = 1 + 10 ** -chance.uniform(-1, 10)
    pattern = rf"\b(Gaussian|Laplace)\(({NUMBER})"
    return _changed(question, pattern, lambda x: x * more, "monotone in noise")


def _rate(question: Question, answer: dict[str, Any], chance: random.Random) -> Law | None:
    if question.relation not in (None, "ADD_REMOVE") or "Renyi" in question.expression:
        return None
    less = 1 - 10 ** -chance.uniform(0.1, 10)
    pattern = rf"\b(Poisson)\(({NUMBER})"
    return _changed(question, pattern, lambda x: x * less, "monotone in the rate")


def _split(question: Question, answer: dict[str, Any], chance: random.Random) -> Law | None:
    """m * n is the sum of n m's, and a sum may be turned around."""
    terms = question.expression.split(" + ")
    if len(terms) < 2 or "(" in terms[0].replace("(", "", 1).split(")")[0]:
        return None
    if any(term.count("(") != term.count(")") for term in terms):
        return None
    turned = replace(question, expression=" + ".join(reversed(terms)))
    return Law(question, turned, "the order of a sum", equal=True)


def _inverse(question: Question, answer: dict[str, Any], chance: random.Random) -> Law | None:
    """epsilon(delta(x)) is at most x, and delta(epsilon(x)) at most x: a question with itself."""
    if question.query not in ("epsilon", "delta"):
        return None
    [(_, upper)] = answer["ends"]
    if not 0 < upper < float("inf") or (question.query == "delta" and upper == 1):
        return None
    other = "delta" if question.query == "epsilon" else "epsilon"
    back = replace(question, query=other, at=upper)
    return Law(back, replace(question, query="given", at=question.at), "the inverse")
