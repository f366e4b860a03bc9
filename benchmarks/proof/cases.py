"""Random questions of which the answer can be proven: every kind of mechanism, every relation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import hockeystick as hs
from benchmarks.proof.draws import Draw
from benchmarks.proof.hard import HARD
from benchmarks.proof.kinds import DISCRETE, KINDS
from hockeystick.bound import Bound
from hockeystick.mechanism import Mechanism
from hockeystick.relation import Relation

SHARES = {"epsilon": 0.6, "delta": 0.25, "rdp": 0.15}
"""How often each question is asked."""
HARD_SHARES = {"epsilon": 0.5, "delta": 0.4, "rdp": 0.1}
"""The same of hard kinds."""


@dataclass(frozen=True)
class Case:
    """One question: what is asked for, and at which δ, ε or order."""

    number: int
    kind: str
    mechanism: Mechanism
    asked: str
    at: float
    relation: Relation | None

    @property
    def discrete(self) -> bool:
        """Whether all losses are atoms."""
        return self.kind in DISCRETE

    def answer(self, **how: Any) -> Bound:
        """The answer, `certify` or by a `method`."""
        ask = getattr(self.mechanism, self.asked)
        bound: Bound = ask(self.at, relation=self.relation, **how)
        return bound

    def __str__(self) -> str:
        relation = f", relation={self.relation}" if self.relation else ""
        return f"case {self.number}: ({self.mechanism!r}).{self.asked}({self.at!r}{relation})"


def case(seed: int, number: int, kind: str | None = None, hard: bool = False) -> Case:
    """The case of that number; it depends on nothing else, so that a run can be taken up again. A
    table of kinds must not change for that, so hard ones have a table of their own."""
    draw = Draw(np.random.default_rng([seed, number]))
    hard = hard or kind in {each.__name__ for each in HARD}
    table = HARD if hard else KINDS
    kinds, shares = list(table), np.array(list(table.values()))
    make = kinds[int(draw.rng.choice(len(kinds), p=shares / shares.sum()))]
    if kind is not None:
        make = next(each for each in kinds if each.__name__ == kind)
    mechanism = make(draw)
    questions = HARD_SHARES if hard else SHARES
    asked = str(draw.rng.choice(list(questions), p=list(questions.values())))
    relation = list(Relation)[int(draw.rng.integers(3))] if draw.chance(0.4) else None
    at = _far(draw, mechanism, asked, relation) if hard and draw.chance(0.4) else None
    at = _given(draw, mechanism, asked, relation) if at is None else at
    return Case(number, make.__name__, mechanism, asked, at, relation)


def _given(draw: Draw, mechanism: Mechanism, asked: str, relation: Relation | None) -> float:
    """A δ; for δ itself an ε near that of a δ; an order above 1, near it or far."""
    delta = draw.number(1e-12, 1e-2) if draw.chance(0.9) else draw.number(1e-60, 1e-12)
    if asked == "rdp":
        return 1 + draw.number(1e-6, 300)
    if asked == "epsilon":
        return delta
    epsilon = _about(draw, mechanism, delta, relation)
    least = 0.3 if draw.chance(0.3) else 0.9  # far below it δ is soon 1
    return epsilon * float(draw.rng.uniform(least, 1.1))


def _far(draw: Draw, mechanism: Mechanism, asked: str, relation: Relation | None) -> float | None:
    """A δ that is not small, up to nearly 1; an ε down to far below the mean of the loss."""
    delta = 1 - draw.number(1e-9, 0.99)
    if asked == "delta":
        return _about(draw, mechanism, delta, relation) * draw.number(1e-3, 1.1)
    return delta if asked == "epsilon" else None


def _about(draw: Draw, mechanism: Mechanism, delta: float, relation: Relation | None) -> float:
    """Floats: an ε of that δ, or any."""
    try:
        epsilon = float(mechanism.epsilon(delta, relation=relation, method="contour"))
    except hs.NumericalError:
        epsilon = draw.number(0.01, 10)
    return epsilon if math.isfinite(epsilon) else 1.0
