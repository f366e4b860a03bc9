"""Bernoulli sampling in 40 digits, from the definitions, one outcome after the other."""

from __future__ import annotations

from itertools import product

import mpmath as mp


def renyi(p: list[mp.mpf], q: list[mp.mpf], order: float) -> mp.mpf:
    """R_α of two lists of probabilities."""
    a = mp.mpf(order)
    return mp.log(mp.fsum(x**a * y ** (1 - a) for x, y in zip(p, q, strict=True))) / (a - 1)


def coin_law(points: list[tuple[float, ...]], weights: list[mp.mpf], k: int) -> list[mp.mpf]:
    """The law of k Bernoulli vectors, all 2^{dk} outcomes, for a random parameter."""
    law = []
    d = len(points[0])
    for outcome in product((0, 1), repeat=d * k):
        total = mp.mpf(0)
        for point, weight in zip(points, weights, strict=True):
            chance = mp.mpf(weight)
            for place, bit in enumerate(outcome):
                theta = mp.mpf(point[place % d])
                chance *= theta if bit else 1 - theta
            total += chance
        law.append(total)
    return law


def symmetric(epsilon: float, order: float, c: float, d: int, k: int) -> mp.mpf:
    """R_α of the coins of the symmetric pair with r_α(p) = ε, by bisection in p."""
    with mp.workdps(40):
        low, high = mp.mpf(1) / 2, mp.mpf(1) - mp.mpf(10) ** -38
        for _ in range(130):
            p = (low + high) / 2
            far = renyi([p, 1 - p], [1 - p, p], order) > epsilon
            low, high = (low, p) if far else (p, high)
        corners = [(1 - mp.mpf(c),) * d, (mp.mpf(c),) * d]
        return renyi(
            coin_law(corners, [low, 1 - low], k), coin_law(corners, [1 - low, low], k), order
        )


def binomials(n: int, c: float) -> tuple[list[mp.mpf], list[mp.mpf]]:
    """Bin(n, 1−c) and Bin(n, c)."""
    t = mp.mpf(c)
    zero = [mp.binomial(n, j) * t**j * (1 - t) ** (n - j) for j in range(n + 1)]
    return zero[::-1], zero


def lagrangian(
    x: mp.mpf, y: mp.mpf, order: float, n: int, c: float, first: mp.mpf, second: mp.mpf
) -> mp.mpf:
    """J − λ₁·C − λ₂·C' of the pair (x, 1−x), (y, 1−y)."""
    a = mp.mpf(order)
    one, zero = binomials(n, c)

    def power(p: mp.mpf, q: mp.mpf) -> mp.mpf:
        return p**a * q ** (1 - a)

    j = mp.fsum(
        power(x * u + (1 - x) * v, y * u + (1 - y) * v) for u, v in zip(one, zero, strict=True)
    )
    there, back = power(x, y) + power(1 - x, 1 - y), power(y, x) + power(1 - y, 1 - x)
    return j - first * there - second * back


def contracted(delta: float, epsilon: float, n: int, c: float) -> mp.mpf:
    """H_a of the coins when P − aQ is δ at one corner and −(δ + a − 1) at the other."""
    one, zero = binomials(n, c)
    d, a = mp.mpf(delta), mp.exp(epsilon)
    return mp.fsum(max(d * u - (d + a - 1) * v, 0) for u, v in zip(one, zero, strict=True))
