"""Kinds at the ends of what is asked: little noise, rates next to none and next to all."""

from __future__ import annotations

from collections.abc import Callable

import hockeystick as hs
from benchmarks.proof.draws import Draw
from hockeystick.mechanism import Mechanism


def _little(draw: Draw) -> hs.Gaussian:
    return hs.Gaussian(draw.number(0.03, 0.3))


def _rare(draw: Draw) -> hs.Poisson:
    return hs.Poisson(draw.number(1e-8, 1e-4))


def _nearly_all(draw: Draw) -> hs.Poisson:
    return hs.Poisson(1 - draw.number(1e-9, 0.5))


def little_noise(draw: Draw) -> Mechanism:
    return _little(draw).on(draw.poisson) * draw.whole(50, 10**6)


def little_noise_few(draw: Draw) -> Mechanism:
    return _little(draw).on(hs.Poisson(draw.number(1e-4, 0.9))) * draw.whole(1, 50)


def little_noise_fixed(draw: Draw) -> Mechanism:
    return _little(draw).on(draw.fixed) * draw.whole(1, 10**4)


def little_laplace(draw: Draw) -> Mechanism:
    return hs.Laplace(draw.number(0.03, 0.3)) * draw.whole(1, 10**4)


def little_laplace_sampled(draw: Draw) -> Mechanism:
    return hs.Laplace(draw.number(0.03, 0.5)).on(draw.poisson) * draw.whole(1, 10**5)


def rare(draw: Draw) -> Mechanism:
    return hs.Gaussian(draw.number(0.3, 10)).on(_rare(draw)) * draw.whole(1, 10**7)


def rare_laplace(draw: Draw) -> Mechanism:
    return hs.Laplace(draw.number(0.3, 10)).on(_rare(draw)) * draw.whole(1, 10**7)


def rare_response(draw: Draw) -> Mechanism:
    return hs.RandomizedResponse(draw.number(0.01, 8)).on(_rare(draw)) * draw.whole(1, 10**6)


def nearly_all(draw: Draw) -> Mechanism:
    return hs.Gaussian(draw.number(0.3, 30)).on(_nearly_all(draw)) * draw.whole(1, 10**5)


def nearly_all_laplace(draw: Draw) -> Mechanism:
    return hs.Laplace(draw.number(0.3, 30)).on(_nearly_all(draw)) * draw.whole(1, 10**4)


def nearly_all_response(draw: Draw) -> Mechanism:
    return hs.RandomizedResponse(draw.number(0.01, 8)).on(_nearly_all(draw)) * draw.whole(1, 10**4)


HARD: dict[Callable[[Draw], Mechanism], float] = {
    little_noise: 6,
    little_noise_few: 4,
    little_noise_fixed: 2,
    little_laplace: 2,
    little_laplace_sampled: 2,
    rare: 4,
    rare_laplace: 2,
    rare_response: 2,
    nearly_all: 4,
    nearly_all_laplace: 2,
    nearly_all_response: 2,
}
"""How often each is drawn, where hard kinds are asked."""
