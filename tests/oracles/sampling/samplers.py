"""What each sampler makes of a mechanism, as profiles of one step in both directions.

Every entry is a list of pairs that dominate, each pair a forward and a backward profile over all
real ε; the library may answer with the best of them. Written down from the theorems that the
samplers cite, with base divergences taken from `lines`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.stats import binom

from .lines import (
    GAUSSIAN,
    Array,
    Mixture,
    Noise,
    Profile,
    at,
    back,
    halves,
    hull,
    reverse,
    stick,
    table,
)


class Pair(NamedTuple):
    """One dominating pair, by its two profiles."""

    forward: Profile
    backward: Profile


class Base(NamedTuple):
    """Divergences of a mechanism: k records removed or zeroed, k records replaced."""

    add: Callable[[int], Profile]
    replace: Callable[[int], Profile]
    noise: Noise | None = None
    scale: float = math.inf


def additive(noise: Noise, scale: float) -> Base:
    """Noise of a scale; a record moves the query by 1, replacing one by 2."""

    def moved(by: float) -> Profile:
        return stick(at(noise, by / scale), at(noise, 0.0))

    return Base(lambda k: moved(k), lambda k: moved(2 * k), noise, scale)


def response(epsilon: float) -> Base:
    """Randomized response, and kε-DP for k records, under every relation."""

    def profile(k: int) -> Profile:
        p = 1 / (1 + math.exp(-k * epsilon))
        return table([p, 1 - p], [1 - p, p])

    return Base(profile, profile)


def sampled(profile: Profile, rate: float) -> Profile:
    """H_a((1−q)Q+qP‖Q) of a symmetric pair, for all a, by splitting at a = 1 − q."""

    def found(epsilon: Array) -> Array:
        epsilon = np.asarray(epsilon, dtype=float)
        a = np.exp(epsilon)
        inside = np.maximum(1 + (a - 1) / rate, 1e-300)
        return np.where(a > 1 - rate, rate * profile(np.log(inside)), 1 - a)

    return found


def _joint(near: Profile, far: Profile, rate: float) -> Profile:
    """rate·((1−β)·far(A) + β·near(A)), for ε >= 0."""

    def found(epsilon: Array) -> Array:
        a = np.exp(np.asarray(epsilon, dtype=float))
        stretched = 1 + (a - 1) / rate
        beta, x = a / stretched, np.log(stretched)
        return np.asarray(rate * ((1 - beta) * far(x) + beta * near(x)))

    return found


def _ways(p: Mixture, q: Mixture) -> Pair:
    return Pair(stick(p, q), back(p, q))


def _mixed(base: Base, rate: float, by: int) -> Pair:
    """((1−q)Q + qP, Q) with P moved by `by`."""
    if base.noise is None:
        one = sampled(base.add(1), rate)
        return Pair(one, reverse(one))
    p = Mixture(base.noise, [1 - rate, rate], [0.0, by / base.scale])
    return _ways(p, at(base.noise, 0.0))


def poisson(base: Base, rate: float, relation: str) -> list[Pair]:
    if relation != "REPLACE_ONE":
        return [_mixed(base, rate, 1)]
    if base.noise is not None:
        weights, place = [1 - rate, rate], 1 / base.scale
        p, q = (Mixture(base.noise, weights, [0, each]) for each in (place, -place))
        return [_ways(p, q)]
    one = _joint(base.replace(1), base.add(1), rate)
    both = halves(one, one)
    return [Pair(both, both)]


def fixed_size(base: Base, rate: float, relation: str) -> list[Pair]:
    if relation == "ADD_REMOVE":
        return [_mixed(base, rate, 2)]
    if relation == "REPLACE_ONE":
        one = _mixed(base, rate, 2).forward  # for ε >= 0; the other half by reversal
        both = halves(one, one)
        return [Pair(both, both)]
    up, down = _joint(base.add(1), base.replace(1), rate), _mixed(base, rate, 1).forward
    if base.noise is None:
        return [_enveloped(base, up, down)]
    weights, place = [1 - rate, rate], 1 / base.scale  # three in line
    up = stick(*(Mixture(base.noise, weights, [-place, each]) for each in (place, 0.0)))
    return [Pair(halves(up, down), halves(down, up))]


def _enveloped(base: Base, up: Profile, down: Profile) -> Pair:
    forward = halves(up, down)
    if base.noise is not None:  # else both halves are one convex curve
        forward = hull(forward, top=1.6)
    return Pair(forward, reverse(forward))


def with_replacement(base: Base, size: int, population: int, relation: str) -> list[Pair]:
    copies = np.arange(1, min(size, 30) + 1)
    weights = binom.pmf(copies, size, 1 / population)
    drawn = 1 - (1 - 1 / population) ** size

    def total(near: Callable[[int], Profile], far: Callable[[int], Profile]) -> Profile:
        def found(epsilon: Array) -> Array:
            each = (
                w / drawn * _joint(near(int(k)), far(int(k)), drawn)(epsilon)
                for k, w in zip(copies, weights, strict=True)
            )
            return np.asarray(sum(each))

        return found

    means = np.append(0, copies) / (base.scale if base.noise else 1.0)
    law = np.append(1 - drawn, weights)
    law = (law / law.sum()).tolist()
    if relation == "ADD_REMOVE" and base.noise is GAUSSIAN:
        return [_ways(Mixture(GAUSSIAN, law, list(2 * means)), at(GAUSSIAN, 0.0))]
    if relation == "ZERO_OUT":
        pairs = [_enveloped(base, total(base.add, base.replace), total(base.add, base.add))]
    else:
        both = halves(one := total(base.replace, base.replace), one)
        pairs = [Pair(both, both)]
    if base.noise is GAUSSIAN:
        behind = -2 * means if relation == "REPLACE_ONE" else -means
        pairs.append(
            _ways(Mixture(GAUSSIAN, law, list(2 * means)), Mixture(GAUSSIAN, law, list(behind)))
        )
        moved = base.replace if relation == "REPLACE_ONE" else base.add

        def told(epsilon: Array) -> Array:
            """How often the record was drawn is told."""
            stays = (1 - drawn) * np.maximum(-np.expm1(epsilon), 0.0)
            each = (w * moved(int(k))(epsilon) for k, w in zip(copies, weights, strict=True))
            return np.asarray(stays + sum(each))

        pairs.append(Pair(told, told))
    return pairs


def attained_with_replacement(base: Base, size: int, population: int, relation: str) -> Profile:
    """Everyone else at one end of the range: the noise is moved by each copy of the record."""
    if base.noise is None:
        drawn = 1 - (1 - 1 / population) ** size
        return sampled(base.replace(1), drawn)
    copies = np.arange(size + 1)
    reach = (1 if relation == "ZERO_OUT" else 2) / base.scale
    law = binom.pmf(copies, size, 1 / population)
    p = Mixture(base.noise, law.tolist(), list(copies * reach))
    return stick(p, at(base.noise, 0.0))


def truncated_poisson(
    base: Base, rate: float, limit: int, population: int, relation: str
) -> list[Pair]:
    """A public label says whether the other records fill the batch; summed from their law."""
    others = np.arange(population)
    law = binom.pmf(others, population - 1, rate)
    full = law[others >= limit]
    # Drawn by its coin, the record is one of j + 1, of whom `limit` stay.
    kept = float((full * rate * limit / (others[others >= limit] + 1)).sum() / full.sum())
    (free,) = poisson(base, rate, relation)
    crowded = fixed_size(base, kept, relation)[0]
    weight = float(full.sum())

    def mix(one: Profile, other: Profile) -> Profile:
        return lambda epsilon: (1 - weight) * one(epsilon) + weight * other(epsilon)

    return [Pair(mix(free.forward, crowded.forward), mix(free.backward, crowded.backward))]


def smallest(pairs: list[Pair], epsilons: Array) -> Array:
    """The best pair's worse direction."""
    each = [np.maximum(pair.forward(epsilons), pair.backward(epsilons)) for pair in pairs]
    return np.asarray(np.min(each, axis=0))
