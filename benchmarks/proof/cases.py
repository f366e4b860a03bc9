"""Random questions of which the answer can be proven: every kind of mechanism, every relation."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import hockeystick as hs
from hockeystick.bound import Bound
from hockeystick.mechanism import Mechanism
from hockeystick.relation import Relation

POPULATION = 10_000
SHARES = {"epsilon": 0.6, "delta": 0.25, "rdp": 0.15}
"""How often each question is asked."""


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


@dataclass
class Draw:
    """Random numbers over orders of magnitude, some of them round as those that people choose."""

    rng: np.random.Generator

    def number(self, low: float, high: float) -> float:
        """Its logarithm is uniform; one in four has two digits."""
        value = math.exp(self.rng.uniform(math.log(low), math.log(high)))
        return float(f"{value:.1e}") if self.rng.random() < 0.25 else value

    def whole(self, low: int, high: int) -> int:
        return min(high, max(low, round(self.number(low, high))))

    def chance(self, probability: float) -> bool:
        return bool(self.rng.random() < probability)

    @property
    def poisson(self) -> hs.Poisson:
        return hs.Poisson(self.number(1e-4, 0.5))

    @property
    def fixed(self) -> hs.WithoutReplacement:
        return hs.WithoutReplacement(self.whole(1, POPULATION // 2), POPULATION)

    def relation(self, kind: str) -> Relation | None:
        """Under which the kind can be certified; None is the sampler's own."""
        allowed = [hs.ADD_REMOVE]
        allowed += [hs.REPLACE_ONE] * (kind not in NEVER_REPLACED)
        allowed += [hs.ZERO_OUT] * (kind not in NEVER_ZERO)
        return allowed[int(self.rng.integers(len(allowed)))] if self.chance(0.4) else None


# kinds ------------------------------------------------------------------------------------------


def gaussian(draw: Draw) -> Mechanism:
    return hs.Gaussian(draw.number(0.3, 100)) * draw.whole(1, 10**6)


def gaussian_sum(draw: Draw) -> Mechanism:
    return gaussian(draw) + hs.Gaussian(draw.number(0.3, 30), replace_sensitivity=1.0)


def gaussian_sampled(draw: Draw) -> Mechanism:
    return hs.Gaussian(draw.number(0.4, 10)).on(draw.poisson) * draw.whole(50, 10**6)


def gaussian_once(draw: Draw) -> Mechanism:
    return hs.Gaussian(draw.number(0.3, 10)).on(draw.poisson)


def gaussian_few(draw: Draw) -> Mechanism:
    sampler = hs.Poisson(draw.number(0.02, 0.9))
    return hs.Gaussian(draw.number(0.7, 5)).on(sampler) * draw.whole(2, 50)


def gaussian_fixed(draw: Draw) -> Mechanism:
    return hs.Gaussian(draw.number(0.7, 20)).on(draw.fixed) * draw.whole(500, 10**5)


def gaussian_fixed_once(draw: Draw) -> Mechanism:
    return hs.Gaussian(draw.number(0.3, 10)).on(draw.fixed)


def laplace(draw: Draw) -> Mechanism:
    return hs.Laplace(draw.number(0.3, 100)) * draw.whole(50, 10**5)


def laplace_few(draw: Draw) -> Mechanism:
    return hs.Laplace(draw.number(0.3, 10)) * draw.whole(1, 12)


def laplace_sampled(draw: Draw) -> Mechanism:
    return hs.Laplace(draw.number(0.5, 10)).on(draw.poisson) * draw.whole(500, 10**6)


def laplace_fixed(draw: Draw) -> Mechanism:
    return hs.Laplace(draw.number(0.5, 10)).on(draw.fixed) * draw.whole(2000, 10**5)


def laplace_once(draw: Draw) -> Mechanism:
    sampler = draw.fixed if draw.chance(0.5) else draw.poisson
    return hs.Laplace(draw.number(0.3, 10)).on(sampler)


def choice(draw: Draw) -> Mechanism:
    return hs.ExponentialMechanism(draw.number(0.01, 2)) * draw.whole(50, 10**4)


def choice_few(draw: Draw) -> Mechanism:
    return hs.ExponentialMechanism(draw.number(0.05, 4)) * draw.whole(1, 10)


def choice_sampled(draw: Draw) -> Mechanism:
    return hs.ExponentialMechanism(draw.number(0.1, 2)).on(draw.poisson) * draw.whole(500, 10**5)


def flip(draw: Draw) -> Mechanism:
    return hs.PermuteAndFlip(draw.number(0.05, 4)) * draw.whole(1, 12)


def response(draw: Draw) -> Mechanism:
    return hs.RandomizedResponse(draw.number(0.001, 8)) * draw.whole(1, 10**5)


def response_sampled(draw: Draw) -> Mechanism:
    return hs.RandomizedResponse(draw.number(0.01, 6)).on(draw.poisson) * draw.whole(1, 10**5)


def response_fixed(draw: Draw) -> Mechanism:
    return hs.RandomizedResponse(draw.number(0.05, 4)).on(draw.fixed) * draw.whole(1, 10**4)


def answers(draw: Draw) -> Mechanism:
    one = hs.RandomizedResponse(draw.number(0.02, 5), categories=draw.whole(3, 50))
    return one * draw.whole(1, 2000)


def answers_sampled(draw: Draw) -> Mechanism:
    one = hs.RandomizedResponse(draw.number(0.1, 3), categories=draw.whole(3, 9))
    return one.on(draw.poisson) * draw.whole(1, 100)


def pure(draw: Draw) -> Mechanism:
    return hs.PureDP(draw.number(0.001, 4)) * draw.whole(1, 10**4)


def approximate(draw: Draw) -> Mechanism:
    one = hs.ApproximateDP(draw.number(0.001, 3), draw.number(1e-14, 1e-7))
    return (one.on(draw.poisson) if draw.chance(0.5) else one) * draw.whole(1, 1000)


def integer_laplace(draw: Draw) -> Mechanism:
    one = hs.DiscreteLaplace(draw.number(0.3, 10), sensitivity=draw.whole(1, 4))
    return one * draw.whole(1, 300)


def integer_gaussian(draw: Draw) -> Mechanism:
    one = hs.DiscreteGaussian(draw.number(0.5, 8), sensitivity=draw.whole(1, 3))
    return one * draw.whole(1, 60)


def integer_once(draw: Draw) -> Mechanism:
    kind = hs.DiscreteGaussian if draw.chance(0.5) else hs.DiscreteLaplace
    return kind(draw.number(0.5, 8), sensitivity=draw.whole(1, 3)).on(draw.poisson)


def two_responses(draw: Draw) -> Mechanism:
    sampled = hs.RandomizedResponse(draw.number(0.05, 2)).on(draw.poisson) * draw.whole(1, 300)
    return sampled + hs.RandomizedResponse(draw.number(0.05, 2)) * draw.whole(1, 40)


def mixture(draw: Draw) -> Mechanism:
    """Some of everything that has a line of its own."""
    kinds = (gaussian_sampled, gaussian, laplace, laplace_sampled, choice, response, approximate)
    chosen = draw.rng.choice(len(kinds), size=int(draw.rng.integers(1, 4)), replace=False)
    parts = [gaussian_sampled(draw), *(kinds[i](draw) for i in chosen)]
    return sum(parts[1:], parts[0])


def dozen(draw: Draw) -> Mechanism:
    """Twelve and more different parts, each of many steps or few."""
    noise, rate = (1.0, 10.0), (1e-3, 0.05)
    parts = [
        hs.Gaussian(draw.number(*noise)).on(hs.Poisson(draw.number(*rate))) * draw.whole(1, 1000)
        for _ in range(int(draw.rng.integers(12, 25)))
    ]
    return sum(parts[1:], parts[0])


def integer_sampled(draw: Draw) -> Mechanism:
    return integer_once(draw) * draw.whole(2, 1000)


KINDS: dict[Callable[[Draw], Mechanism], float] = {
    gaussian: 8,
    gaussian_sum: 4,
    gaussian_sampled: 20,
    gaussian_once: 6,
    gaussian_few: 1,
    gaussian_fixed: 1,
    gaussian_fixed_once: 2,
    laplace: 6,
    laplace_few: 6,
    laplace_sampled: 6,
    laplace_fixed: 0.5,
    laplace_once: 3,
    choice: 3,
    choice_few: 2,
    choice_sampled: 0.5,
    flip: 2,
    response: 12,
    response_sampled: 10,
    response_fixed: 2,
    answers: 2,
    answers_sampled: 0.5,
    pure: 6,
    approximate: 6,
    integer_laplace: 2,
    integer_gaussian: 1,
    integer_once: 1,
    two_responses: 1,
    mixture: 2,
    dozen: 0.3,
    integer_sampled: 0.5,
}
"""How often each kind is drawn: what takes long, less often."""


DISCRETE = {"response", "response_sampled", "answers", "answers_sampled", "pure", "approximate"}
DISCRETE |= {
    "integer_laplace",
    "integer_gaussian",
    "integer_once",
    "two_responses",
    "integer_sampled",
}
"""Kinds of which all losses are atoms."""
NEVER_REPLACED = {"laplace_sampled", "laplace_once", "choice_sampled", "integer_once", "mixture"}
NEVER_REPLACED |= {"response_sampled", "answers_sampled", "approximate", "two_responses"}
NEVER_REPLACED |= {"integer_sampled"}
NEVER_ZERO = {"laplace_fixed", "laplace_once", "response_fixed"}
"""Kinds of which no pair in exact numbers is known when a record is replaced, or zeroed out."""


def case(seed: int, number: int, kind: str | None = None) -> Case:
    """The case of that number; it depends on nothing else, so that a run can be taken up again."""
    draw = Draw(np.random.default_rng([seed, number]))
    kinds, shares = list(KINDS), np.array(list(KINDS.values()))
    make = kinds[int(draw.rng.choice(len(kinds), p=shares / shares.sum()))]
    if kind is not None:
        make = next(each for each in kinds if each.__name__ == kind)
    mechanism = make(draw)
    asked = str(draw.rng.choice(list(SHARES), p=list(SHARES.values())))
    relation = draw.relation(make.__name__)
    at = _given(draw, mechanism, asked, relation)
    return Case(number, make.__name__, mechanism, asked, at, relation)


def _given(draw: Draw, mechanism: Mechanism, asked: str, relation: Relation | None) -> float:
    """A δ; for δ itself an ε near that of a δ; an order above 1, near it or far."""
    delta = draw.number(1e-12, 1e-2) if draw.chance(0.9) else draw.number(1e-60, 1e-12)
    if asked == "rdp":
        return 1 + draw.number(1e-6, 300)
    if asked == "epsilon":
        return delta
    try:
        epsilon = float(mechanism.epsilon(delta, relation=relation, method="contour"))
    except hs.NumericalError:
        epsilon = draw.number(0.01, 10)
    least = 0.3 if draw.chance(0.3) else 0.9  # far below it δ is soon 1
    return (epsilon if math.isfinite(epsilon) else 1.0) * float(draw.rng.uniform(least, 1.1))
