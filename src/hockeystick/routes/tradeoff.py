"""The trade-off curve from the privacy profile.

f(α) = max over a >= 0 of 1 − h(a) − a·α, with h(e^ε) = δ(ε) at every real ε (Dong, Roth and Su
2022, Proposition 2.12). The function to maximise is concave in a, so the chord through two points,
drawn on beyond them, is never below it: two chords from either side bound the maximum, and their
crossing is the next place to look. A kink of the profile is met after finitely many steps. All α
look at once, and each learns from the places of the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np

from hockeystick.bound import Bound
from hockeystick.numerics.blocks import CHUNK
from hockeystick.numerics.series import EPS
from hockeystick.numerics.types import Array

FIRST = (0.0, 0.01, 0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
NEGLIGIBLE = 1e-12
MOST_STEPS = 60
ENOUGH = 1e-12
NOISY = 30
"""The search ends when the chords leave so many times the error of δ itself."""
WIDER = 8 * EPS
"""Relative error of a and of 1 − h(a): of two points so close that it decides, the chord would else
lead anywhere."""
FARTHEST = 600.0
"""An ε beyond which no place is looked at."""


class Profile:
    """1 − h at the places where it was asked for."""

    def __init__(self, deltas: Callable[[Iterable[float]], list[Bound]]) -> None:
        self._deltas = deltas
        self.methods: set[str] = set()
        self.points = {0.0: (0.0, 0.0)}
        """For each a the least and the greatest that 1 − h(a) can be."""
        rest = deltas([math.inf])[0]
        self.limits = max(0.0, 1 - rest.upper - EPS * (rest.upper > 0)), 1 - rest.lower

    def _ask(self, epsilons: list[float]) -> float:
        """Learn δ(ε), the smallest of which is returned, and with it
        δ(−ε) = 1 − e^{−ε}·(1 − δ(ε))."""
        answers = self._deltas(epsilons)
        for epsilon, delta in zip(epsilons, answers, strict=True):
            self.methods.add(delta.method)
            least, greatest = 1 - delta.upper, 1 - delta.lower
            for a, scale in ((math.exp(epsilon), 1.0), (math.exp(-epsilon), math.exp(-epsilon))):
                self.points[a] = (scale * least * (1 - WIDER), scale * greatest * (1 + WIDER))
        return min(delta.upper for delta in answers)

    def _begin(self, least: float) -> None:
        """The first places: up to a = 1/α of the least α, where 1 − a·α is no more than f, and to
        where δ is negligible; farther out only where an α asks for it."""
        for epsilon in FIRST:
            if self._ask([epsilon]) < NEGLIGIBLE or math.exp(epsilon) * least >= 1:
                break

    def errors(self, alphas: Array) -> tuple[Array, Array]:
        """Both ends of f at each α."""
        nearest = np.minimum(alphas, 1 - alphas)  # an error near 1 looks at a near 0, as far out
        self._begin(float(nearest[nearest > 0].min(initial=0.5)))
        lower, upper = np.zeros((2, alphas.size))
        open_ = np.arange(alphas.size)
        for _ in range(MOST_STEPS):
            best, bound, where, done = self._look(alphas[open_])
            # Three numbers of at most 1 are added.
            lower[open_] = np.maximum(best - 4 * EPS, 0.0)
            most = np.maximum(np.maximum(bound, best), 0.0) + 4 * EPS
            upper[open_] = np.minimum(1 - alphas[open_], most)
            open_ = open_[~done]
            if not open_.size:
                break
            self._ask([abs(math.log(a)) for a in np.unique(where[~done]).tolist()])
        lower[alphas == 0], upper[alphas == 0] = self.limits
        return lower, upper

    def _look(self, alphas: Array) -> tuple[Array, Array, Array, Array]:
        """For each α the best value so far, the most that it can be, where, and whether that will
        do."""
        chords = Chords(self.points, self.limits[1])
        rows = max(1, CHUNK // len(self.points))
        blocks = [chords.most(alphas[i : i + rows]) for i in range(0, alphas.size, rows)]
        best, noise, bound, where = np.concatenate(blocks, axis=1)
        done = bound <= best + np.maximum(ENOUGH, NOISY * noise)
        seen = np.isin(where, chords.a)
        with np.errstate(divide="ignore"):
            far = np.abs(np.log(where)) > FARTHEST
        return best, bound, where, done | seen | far | (alphas == 0)


class Chords:
    """The steepest that chords through neighbouring points can go on beyond them."""

    def __init__(self, points: dict[float, tuple[float, float]], limit: float) -> None:
        self.a = np.array(sorted(points))
        self.low, self.high = np.array([points[a] for a in self.a.tolist()]).T
        self._limit = limit
        gaps = np.diff(self.a)
        # To the right through a point and the one before it; 1 − h(a) <= a from the first.
        self._rising = np.append(1.0, (self.high[1:] - self.low[:-1]) / gaps)
        # To the left through the next point and the one after that.
        self._falling = (self.high[1:-1] - self.low[2:]) / gaps[1:]

    def most(self, alphas: Array) -> Array:
        """For each α: the best value, its error, the most between two points, and where that is."""
        low = self.low - alphas[:, None] * self.a
        high = self.high - alphas[:, None] * self.a
        rows = np.arange(alphas.size)
        top = low.argmax(axis=1)
        bound, where = self._crossings(alphas, high)
        # The last of equal ones, as good as any.
        i = bound.shape[1] - 1 - bound[:, ::-1].argmax(axis=1)
        best, noise = low[rows, top], (high - low)[rows, top]
        return np.array([best, noise, bound[rows, i], where[rows, i]])

    def _crossings(self, alphas: Array, high: Array) -> tuple[Array, Array]:
        """The most that the concave function can be from each point to the next, and where."""
        a, b, width = self.a[:-2], self.a[1:-1], np.diff(self.a)[:-1]
        rising, falling = self._rising - alphas[:, None], self._falling + alphas[:, None]
        # high + rising·x = next high + falling·(width − x)
        up, start, following = rising[:, :-2], high[:, :-2], high[:, 1:-1]
        with np.errstate(divide="ignore", invalid="ignore"):
            x = (following - start + falling * width) / (up + falling)
            bound, where = start + up * x, _inside(a, b, a + x)  # 0·inf is at an end
        bound, where = np.where(falling <= 0, following, bound), np.where(falling <= 0, b, where)
        # Beyond the last two there is no chord from the right, only the limit of 1 − h.
        beyond = self._limit - alphas[:, None] * self.a[-2:]
        farther = np.full(beyond.shape, 4 * self.a[-1])
        bound, where = np.append(bound, beyond, axis=1), np.append(where, farther, axis=1)
        ends = rising <= 0
        return np.where(ends, high, bound), np.where(ends, self.a, where)


def _inside(a: Array, b: Array, x: Array) -> Array:
    """x, or the middle where x is so close to an end that nothing would be learnt."""
    margin = 1e-6 * (b - a)
    return np.where((a + margin < x) & (x < b - margin), x, (a + b) / 2)
