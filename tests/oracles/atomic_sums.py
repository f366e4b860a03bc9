"""ε and δ of sums of atoms, every outcome once, in 60 digits; of laws as their floats tell them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import mpmath
import numpy as np

from hockeystick.loss.sum import ComposedLoss

DIGITS = 60


class ListedSum:
    """The finite losses of a composition in one direction: growing losses, with P- and Q-masses."""

    def __init__(self, loss: ComposedLoss) -> None:
        with mpmath.workdps(DIGITS):
            outcomes = [(mpmath.mpf(0), mpmath.mpf(1))]
            for part, count in loss.parts:
                each = _multinomial(part.atoms.losses, part.atoms.log_q + part.atoms.losses, count)
                outcomes = [(x + y, p * r) for x, p in outcomes for y, r in each]
            outcomes.sort(key=lambda outcome: outcome[0], reverse=True)
            self.losses = [x for x, _ in outcomes]
            self.above = list(itertools.accumulate(p for _, p in outcomes))
            self.q_above = list(itertools.accumulate(p * mpmath.exp(-x) for x, p in outcomes))

    def delta(self, epsilon: float) -> mpmath.mpf:
        """δ(ε) without the mass at infinity."""
        with mpmath.workdps(DIGITS):
            count = sum(x > epsilon for x in self.losses)
            if not count:
                return mpmath.mpf(0)
            return self.above[count - 1] - mpmath.exp(epsilon) * self.q_above[count - 1]

    def epsilon(self, delta: float | mpmath.mpf) -> mpmath.mpf:
        """The root: between two losses the profile is P − e^ε·Q."""
        with mpmath.workdps(DIGITS):
            for i, (p, q) in enumerate(zip(self.above, self.q_above, strict=True)):
                following = self.losses[i + 1] if i + 1 < len(self.losses) else -mpmath.inf
                if p - mpmath.exp(max(following, 0)) * q >= delta:
                    return mpmath.log((p - delta) / q)
                if following <= 0:
                    break
            return mpmath.mpf(0)


def _multinomial(
    losses: np.ndarray, log_p: np.ndarray, count: int
) -> list[tuple[mpmath.mpf, mpmath.mpf]]:
    x = [mpmath.mpf(float(value)) for value in losses]
    p = [mpmath.exp(mpmath.mpf(float(value))) for value in log_p]
    outcomes = []
    for times in compositions(count, len(x)):
        ways = math.factorial(count)
        for k in times:
            ways //= math.factorial(k)
        mass = mpmath.mpf(ways)
        for k, each in zip(times, p, strict=True):
            mass *= each**k
        outcomes.append((mpmath.fsum(k * y for k, y in zip(times, x, strict=True)), mass))
    return outcomes


def compositions(total: int, cells: int) -> Sequence[tuple[int, ...]]:
    """All ways to put `total` into cells."""
    if cells == 1:
        return [(total,)]
    return [(i, *rest) for i in range(total + 1) for rest in compositions(total - i, cells - 1)]
