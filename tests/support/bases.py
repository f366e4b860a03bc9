"""The papers' three mechanisms, in multiple precision and as the library takes them."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from mpmath import mp, mpf

from hockeystick.classical import (
    gaussian_log_moment,
    laplace_log_moment,
    randomized_response_log_moment,
)


class Base(NamedTuple):
    """A mechanism by its Rényi curve, its largest loss and its moments."""

    curve: Callable[[float], float]
    pure: float
    log_moment: Callable[[int], float]
    power: Callable[[int], mpf]
    """j to E_q(p/q)^j, in multiple precision."""


def gaussian(noise: str) -> Base:
    s = float(noise)
    return Base(
        lambda order: order / (2 * s * s),
        math.inf,
        partial(gaussian_log_moment, shift=1 / s),
        lambda j: mp.exp(j * (j - 1) / (2 * mpf(noise) ** 2)),
    )


def laplace(noise: str) -> Base:
    b = float(noise)

    def curve(order: float) -> float:
        ahead = (order - 1) / b + math.log(order / (2 * order - 1))
        behind = -order / b + math.log((order - 1) / (2 * order - 1))
        return (ahead + math.log1p(math.exp(behind - ahead))) / (order - 1)

    def power(j: int) -> mpf:
        """∫ p^j·q^(1−j): the left half-line, the right one, and between the two peaks."""
        t = 1 / mpf(noise)
        ends = (mp.exp(-j * t) + mp.exp((j - 1) * t)) / 2
        return ends + (mp.exp((j - 1) * t) - mp.exp(-j * t)) / (2 * (2 * j - 1))

    return Base(curve, 1 / b, partial(laplace_log_moment, shift=1 / b), power)


def truthful(truth: str) -> Base:
    t = float(truth)

    def curve(order: float) -> float:
        return math.log(t**order * (1 - t) ** (1 - order) + (1 - t) ** order * t ** (1 - order)) / (
            order - 1
        )

    def power(j: int) -> mpf:
        p = mpf(truth)
        return p**j * (1 - p) ** (1 - j) + (1 - p) ** j * p ** (1 - j)

    return Base(
        curve, math.log(t / (1 - t)), partial(randomized_response_log_moment, truth=t), power
    )


def far_truthful(truth: str) -> Base:
    """The same with a curve that does not overflow at large orders."""
    t = float(truth)
    ratio = math.log(t / (1 - t))

    def curve(order: float) -> float:
        back = math.log1p(math.exp((1 - 2 * order) * ratio))
        return (math.log(t) + (order - 1) * ratio + back) / (order - 1)

    return truthful(truth)._replace(curve=curve)


BASES = {"gaussian": gaussian, "laplace": laplace, "truthful response": truthful}
