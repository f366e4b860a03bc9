"""δ(ε) of n steps of Laplace noise by residues, in as many digits as it takes.

With u = s + 1/2 one step has e^K = e^{−θ/2}·(e^{θu}(1 + 1/2u) + e^{−θu}(1 − 1/2u))/2: the inverse
Laplace transform is a sum over j of C(n, j) terms e^{(n−2j)θu}·(1 + 1/2u)^{n−j}·(1 − 1/2u)^j, each
with poles at 0 and ±1/2 alone. It cancels badly; mpmath does not mind.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb

import mpmath


def delta_of(shift: float, steps: int) -> Callable[[mpmath.mpf], mpmath.mpf]:
    """ε ↦ δ(ε); call it with enough digits: about 60 + 1.3·steps."""
    tables = [_coefficients(steps, j) for j in range(steps + 1)]

    def delta(epsilon: mpmath.mpf) -> mpmath.mpf:
        theta, total = mpmath.mpf(shift), mpmath.mpf(0)
        for j, coefficients in enumerate(tables):
            reach = (steps - 2 * j) * theta - epsilon
            if reach > 0:
                total += comb(steps, j) * _residues(coefficients, steps, j, reach)
        return total * mpmath.exp((epsilon - steps * theta) / 2) / mpmath.mpf(2) ** steps

    return delta


def _coefficients(n: int, j: int) -> list[Fraction]:
    """Of u^−l in (1 + 1/2u)^{n−j}·(1 − 1/2u)^j."""
    row = [0] * (n + 1)
    for a in range(n - j + 1):
        for b in range(j + 1):
            row[a + b] += comb(n - j, a) * comb(j, b) * (-1) ** b
    return [Fraction(value, 2**power) for power, value in enumerate(row)]


def _residues(coefficients: list[Fraction], n: int, j: int, reach: mpmath.mpf) -> mpmath.mpf:
    total = mpmath.mpf(0)
    if j == 0:
        total += mpmath.mpf(2) ** n * mpmath.exp(reach / 2)
    if j == n:
        total -= mpmath.mpf(2) ** n * mpmath.exp(-reach / 2)
    powers = [mpmath.mpf(1)]
    for i in range(1, n + 1):
        powers.append(powers[-1] * reach / i)
    for power, value in enumerate(coefficients):
        if value:
            around = mpmath.fsum(
                mpmath.mpf(4) ** (m + 1) * powers[power - 1 - 2 * m]
                for m in range((power + 1) // 2)
            )
            total -= around * value.numerator / value.denominator
    return total


def epsilon_of(shift: float, steps: int, delta: float) -> mpmath.mpf:
    """The root, by halving between 0 and nθ; 0 where δ(0) is no more."""
    profile = delta_of(shift, steps)
    low, high = mpmath.mpf(0), steps * mpmath.mpf(shift)
    if profile(low) <= delta:
        return low
    for _ in range(75):
        middle = (low + high) / 2
        low, high = (middle, high) if profile(middle) > delta else (low, middle)
    return low
