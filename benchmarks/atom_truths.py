"""Truths of losses with atoms: Laplace noise by residues, finite laws outcome by outcome.

As in ``make_truths``, nothing is shared with the library: mpmath, and formulas of their own.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from typing import Any

from mpmath import mp, mpf  # type: ignore[import-untyped,import-not-found,unused-ignore]

Number = Any
Pair = list[tuple[Number, Number]]  # P- and Q-mass of each outcome
Found = tuple[Number, Number, str]  # the value, the same in fewer digits, and how


def laplace_delta(theta: Number, n: int, epsilon: Number) -> Number:
    """Residues of ``exp(n K(s) - s eps) / (s (s+1))`` at u = s + 1/2 = 0 and +-1/2."""
    total = mpf(0)
    for j in range(n + 1):
        reach = (n - 2 * j) * theta - epsilon
        if reach > 0:
            total += math.comb(n, j) * _residues(n, j, reach)
    return total * mp.exp((epsilon - n * theta) / 2) / mpf(2) ** n


def _residues(n: int, j: int, reach: Number) -> Number:
    powers = [mpf(1)]
    for i in range(1, n + 1):
        powers.append(powers[-1] * reach / i)
    total = mpf(0)
    for power, value in enumerate(_coefficients(n, j)):
        around = mp.fsum(
            mpf(4) ** (m + 1) * powers[power - 1 - 2 * m] for m in range((power + 1) // 2)
        )
        total -= around * value.numerator / value.denominator
    total += mpf(2) ** n * mp.exp(reach / 2) if j == 0 else 0
    return total - (mpf(2) ** n * mp.exp(-reach / 2) if j == n else 0)


@cache
def _coefficients(n: int, j: int) -> list[Fraction]:
    """Of u^-l in (1 + 1/2u)^(n-j) (1 - 1/2u)^j."""
    values = (
        sum(
            math.comb(n - j, power - b) * math.comb(j, b) * (-1) ** b
            for b in range(max(0, power - n + j), min(j, power) + 1)
        )
        for power in range(n + 1)
    )
    return [Fraction(value, 2**power) for power, value in enumerate(values)]


def laplace_epsilon(noise: str, n: int, delta: str, guess: str) -> Found:
    found = []
    for digits in (60 + 2 * n, 80 + 2 * n):
        with mp.workdps(digits):
            profile = partial(laplace_delta, 1 / mpf(noise), n)
            found.append(_root(profile, mpf(delta), mpf(guess)))
    return found[1], found[0], "root of the sum of residues, Laplace noise on all records"


def smallest_laplace(n: int, epsilon: str, delta: str, guess: str) -> Found:
    """The noise at which epsilon is met."""
    found = []
    for digits in (60 + 2 * n, 80 + 2 * n):
        with mp.workdps(digits):
            found.append(1 / _root(
                lambda theta: laplace_delta(theta, n, mpf(epsilon)), mpf(delta), 1 / mpf(guess)
            ))  # fmt: skip
    return found[1], found[0], "root of the sum of residues, Laplace noise on all records"


def _root(profile: Callable[[Number], Number], delta: Number, guess: Number) -> Number:
    """The secant rule on the logarithm, next to a guess."""
    a, b = guess, guess - (guess - mp.floor(guess)) * mpf("1e-7") - mpf("1e-22")
    fa, fb = (mp.log(profile(x) / delta) for x in (a, b))
    for _ in range(12):
        a, b, fa = b, b - fb * (b - a) / (fb - fa), fb
        if abs(b - a) < mpf(10) ** -25:
            return b
        fb = mp.log(profile(b) / delta)
    raise ArithmeticError("the secant rule did not settle")


def two_sampled_laplace(noise: str, rate: str, delta: str, guess: str) -> Found:
    """Two steps, the remove direction (the larger): one closed form averaged over the other."""
    found = []
    for digits in (22, 27):
        with mp.workdps(digits):
            low, high = (mpf(guess) * factor for factor in (mpf("0.999"), mpf("1.001")))
            for _ in range(75):
                middle = (low + high) / 2
                above = _two(1 / mpf(noise), mpf(rate), middle) > mpf(delta)
                low, high = (middle, high) if above else (low, middle)
            found.append(low)
    return found[1], found[0], "quadrature of the closed form of one sampled Laplace step"


def _one(theta: Number, q: Number, epsilon: Number) -> Number:
    if epsilon <= mp.log1p(q * mp.expm1(-theta)):
        return -mp.expm1(epsilon)
    base = mp.log1p(mp.expm1(epsilon) / q)
    return -q * mp.expm1((base - theta) / 2) if base < theta else mpf(0)


def _two(theta: Number, q: Number, epsilon: Number) -> Number:
    def loss(base: Number) -> Number:
        return mp.log1p(q * mp.expm1(base))

    def term(base: Number) -> Number:
        return mp.exp(loss(base)) * _one(theta, q, epsilon - loss(base))

    breaks = {-theta, theta}
    for end in (-theta, theta):
        rest = mp.expm1(epsilon - loss(end)) / q
        if mp.expm1(-theta) < rest < mp.expm1(theta):
            breaks.add(mp.log1p(rest))
    inside = mp.quad(lambda base: term(base) * mp.exp(-(base + theta) / 2) / 4, sorted(breaks))
    return inside + term(-theta) / 2 + term(theta) * mp.exp(-theta) / 2


def sampled(pair: Pair, rate: str) -> Pair:
    q = mpf(rate)
    return [((1 - q) * b + q * a, b) for a, b in pair]


def response(epsilon: str, categories: int) -> Pair:
    top = mp.exp(mpf(epsilon))
    total = top + categories - 1
    rest = mpf(categories - 2) / total
    pair = [(top / total, 1 / total), (1 / total, top / total)]
    return [*pair, (rest, rest)] if rest else pair


def approximate(epsilon: str, delta: str) -> Pair:
    """The four outcomes of (epsilon, delta)-DP (Kairouz, Oh and Viswanath 2015)."""
    top, d = mp.exp(mpf(epsilon)), mpf(delta)
    high, low = (1 - d) * top / (1 + top), (1 - d) / (1 + top)
    return [(d, mpf(0)), (high, low), (low, high), (mpf(0), d)]


def discrete_gaussian(sigma: str, reach: int) -> Pair:
    width = 2 * mpf(sigma) ** 2
    masses = {x: mp.exp(-mpf(x * x) / width) for x in range(-reach - 1, reach + 1)}
    total = mp.fsum(masses.values())
    return [(masses[x - 1] / total, masses[x] / total) for x in range(-reach, reach + 1)]


def listed_epsilon(steps: Callable[[], list[tuple[Pair, int]]], delta: str) -> Found:
    found = []
    for digits in (30, 40):
        with mp.workdps(digits):
            parts = steps()
            mirrored = [([(b, a) for a, b in pair], count) for pair, count in parts]
            found.append(max(_listed(side, mpf(delta)) for side in (parts, mirrored)))
    return found[1], found[0], "every outcome, both directions, the larger kept"


def _listed(parts: list[tuple[Pair, int]], delta: Number) -> Number:
    outcomes, none = [(mpf(1), mpf(1))], mpf(1)
    for pair, count in parts:
        none *= (1 - mp.fsum(p for p, q in pair if not q)) ** count
        finite = [(p, q) for p, q in pair if p and q]
        outcomes = [(a * p, b * q) for a, b in outcomes for p, q in _powers(finite, count)]
    outcomes.sort(key=lambda masses: masses[0] / masses[1], reverse=True)
    rest, p, q = delta - (1 - none), mpf(0), mpf(0)
    for here, following in itertools.pairwise(outcomes):
        p, q = p + here[0], q + here[1]
        if p - following[0] / following[1] * q >= rest:
            return mp.log((p - rest) / q)
    raise ArithmeticError("delta is not met")


def _powers(pair: Pair, count: int) -> Pair:
    terms = {0: [(mp.factorial(count), mp.factorial(count))]}
    for place, (p, q) in enumerate(pair):
        table = [(mpf(1), mpf(1))]
        for k in range(1, count + 1):
            table.append((table[-1][0] * p / k, table[-1][1] * q / k))
        grown: dict[int, Pair] = {}
        for used, masses in terms.items():
            last = place == len(pair) - 1
            for k in range(count - used if last else 0, count - used + 1):
                a, b = table[k]
                grown.setdefault(used + k, []).extend((x * a, y * b) for x, y in masses)
        terms = grown
    return terms[count]


def cases() -> dict[str, Callable[[], Found]]:
    """By the name of the workload."""
    return {
        "W11a": lambda: laplace_epsilon("12", 150, "1e-7", "5.2965"),
        "W11b": lambda: laplace_epsilon("1", 3, "1e-20", "2.99999999999999999992"),
        "W11c": lambda: laplace_epsilon("1", 20, "1e-5", "19.1055"),
        "W11d": lambda: two_sampled_laplace("1", "0.01", "1e-6", "0.034045"),
        "W11e": lambda: smallest_laplace(50, "2", "1e-7", "17.5"),
        "W12a": lambda: listed_epsilon(lambda: [(sampled(response("1", 4), "0.1"), 100)], "1e-6"),
        "W12b": lambda: listed_epsilon(
            lambda: [
                (sampled(response("1", 2), "0.01"), 100),
                (sampled(response("0.5", 2), "0.02"), 140),
            ],
            "1e-6",
        ),
        "W12c": lambda: listed_epsilon(
            lambda: [(sampled(approximate("0.5", "1e-10"), "0.01"), 200)], "1e-6"
        ),
        "W12d": lambda: listed_epsilon(
            lambda: [(sampled(discrete_gaussian("3", 48), "0.1"), 2)], "1e-6"
        ),
    }
