"""The trade-off curve from the privacy profile.

f(α) = max over a >= 0 of 1 − h(a) − a·α, with h(e^ε) = δ(ε) at every real ε (Dong, Roth and Su
2022, Proposition 2.12). The function to maximise is concave in a, so the chord through two points,
drawn on beyond them, is never below it: two chords from either side bound the maximum, and their
crossing is the next place to look. A kink of the profile is met after finitely many steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from hockeystick.bound import Bound
from hockeystick.numerics.series import EPS

FIRST = (0.0, 0.01, 0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
NEGLIGIBLE = 1e-12
MOST_STEPS = 60
ENOUGH = 1e-12
NOISY = 30
"""The search ends when the chords leave so many times the error of δ itself."""

Point = tuple[float, float, float]
"""a, and the least and the greatest that 1 − h(a) can be."""


class Profile:
    """1 − h at the places where it was asked for."""

    def __init__(self, delta_at: Callable[[float], Bound]) -> None:
        self._delta_at = delta_at
        self.methods: set[str] = set()
        self.points: dict[float, Point] = {0.0: (0.0, 0.0, 0.0)}
        for epsilon in FIRST:
            if self.ask(epsilon) < NEGLIGIBLE:  # farther out only where an α asks for it
                break
        rest = delta_at(math.inf)
        self.limits = max(0.0, 1 - rest.upper - EPS * (rest.upper > 0)), 1 - rest.lower

    def ask(self, epsilon: float) -> float:
        """Learn δ(ε), which is returned, and with it δ(−ε) = 1 − e^{−ε}·(1 − δ(ε))."""
        delta = self._delta_at(epsilon)
        self.methods.add(delta.method)
        least, greatest = 1 - delta.upper, 1 - delta.lower
        for a, scale in ((math.exp(epsilon), 1.0), (math.exp(-epsilon), math.exp(-epsilon))):
            self.points[a] = (a, scale * least, scale * greatest)
        return delta.upper

    def error(self, alpha: float) -> tuple[float, float]:
        """Both ends of f(α)."""
        if alpha == 0:
            return self.limits
        for _ in range(MOST_STEPS):
            points = [
                (a, least - a * alpha, greatest - a * alpha)
                for a, least, greatest in sorted(self.points.values())
            ]
            best, noise = max((least, greatest - least) for _, least, greatest in points)
            bound, where = max(self._most(points, i, alpha) for i in range(len(points)))
            enough = max(ENOUGH, NOISY * noise)
            if bound <= best + enough or where in self.points or abs(math.log(where)) > 600:
                break
            self.ask(abs(math.log(where)))
        # Three numbers of at most 1 are added.
        least, most = best - 4 * EPS, max(bound, best, 0.0) + 4 * EPS
        return max(0.0, least), min(1 - alpha, most)

    def _most(self, points: list[Point], i: int, alpha: float) -> tuple[float, float]:
        """The most that the concave function can be from point i to the next, and where."""
        a, _, high = points[i]
        rising = _slope(points[i - 1], points[i]) if i else 1 - alpha  # h(a) >= 1 − a
        if rising <= 0:
            return high, a
        if i + 2 >= len(points):
            return self.limits[1] - alpha * a, 4 * points[-1][0]
        b, _, next_high = points[i + 1]
        falling = _slope(points[i + 2], points[i + 1])
        if falling <= 0:
            return next_high, b
        # high + rising·x = next_high + falling·(b − a − x)
        x = (next_high - high + falling * (b - a)) / (rising + falling)
        return high + rising * x, _inside(a, b, a + x)


def _slope(far: Point, near: Point) -> float:
    """The steepest that the chord from `far` can go on rising beyond `near`."""
    return (near[2] - far[1]) / abs(near[0] - far[0])


def _inside(a: float, b: float, x: float) -> float:
    """x, or the middle where x is so close to an end that nothing would be learnt."""
    margin = 1e-6 * (b - a)
    return x if a + margin < x < b - margin else (a + b) / 2
