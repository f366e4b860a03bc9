"""Kinds of mechanisms of which the answer can be proven."""

from __future__ import annotations

from collections.abc import Callable

import hockeystick as hs
from benchmarks.proof.draws import Draw
from hockeystick.mechanism import Mechanism


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
DISCRETE |= {"integer_laplace", "integer_gaussian", "integer_once", "integer_sampled"}
DISCRETE |= {"two_responses", "rare_response", "nearly_all_response"}
"""Kinds of which all losses are atoms."""
