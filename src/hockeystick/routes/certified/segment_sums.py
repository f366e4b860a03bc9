"""Few steps of Laplace noise, or of choices of bounded range: a finite sum (Theorem 16).

Not on a sample M(s) = e^{sr}·(edge + h·u) + e^{−(s+1)r}·(edge − h·u), u = 1/(s+½): n steps are
terms e^{sx}·u^k, and the line closes to the left where x > ε.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from flint import arb, arb_poly, ctx

from hockeystick.routes.certified.balls import of_bits, only_if
from hockeystick.routes.certified.segment import SegmentLaw

MOST_STEPS = 40
"""From here on a line takes less time."""
BITS_PER_STEP = 8
"""The terms have both signs and grow with the steps."""


def segment_sum(law: SegmentLaw, n: int) -> Callable[[arb], arb] | None:
    """δ(ε) of n steps; None where that is not the way."""
    if law.sampled or not 2 <= n <= MOST_STEPS:
        return None

    def delta(epsilon: arb) -> arb:
        with of_bits(ctx.prec + BITS_PER_STEP * n):
            return _delta(law, n, epsilon)

    return delta


def _delta(law: SegmentLaw, n: int, epsilon: arb) -> arb:
    """Σ_j C(n, j)·e^{−jr}·Σ_k a_{jk}·G_k(x_j − ε) over x_j = (n−2j)·r > ε, with a_{jk} of
    (edge + h·u)^{n−j}·(edge − h·u)^j; 0 counts for a place that may be either side of ε."""
    up, down = arb_poly([law.edge, law.height]), arb_poly([law.edge, -law.height])
    total = arb(0)
    for j in range(n + 1):
        gap = (n - 2 * j) * law.reach - epsilon
        if gap <= 0:
            break
        terms = (up ** (n - j) * down**j).coeffs()
        here = sum((a * g for a, g in zip(terms, _kernels(gap, n), strict=False)), arb(0))
        here *= math.comb(n, j) * (-j * law.reach).exp()
        total += here if gap > 0 else here.union(arb(0))
    return total


def _kernels(y: arb, last: int) -> list[arb]:
    """G_k(y) = 1/(2πi)·∫ e^{sy}/(s(s+1)(s+½)^k) ds for k up to the last: it is e^{−y/2}·F_k with
    F_k = Σ_m y^{k+2m+1}/4^m/(k+2m+1)! = y^{k+1}/(k+1)! + F_{k+2}/4, of positive terms."""
    y = arb.max(y, arb(0))
    count = last + 2 * math.ceil(float(y)) + 2 * ctx.prec
    terms = [arb(1)]
    for i in range(1, count + 2):
        terms.append(terms[-1] * y / i)
    only_if(y < count, "a series that falls")
    rest = arb(0).union(2 * terms[count])  # the terms fall at least like 1/4 from there on
    sums = [rest, rest]
    for k in range(count - 2, -1, -1):
        sums.append(terms[k + 1] + sums[-2] / 4)
    shrunk = (-y / 2).exp()
    return [shrunk * each for each in sums[::-1][: last + 1]]
