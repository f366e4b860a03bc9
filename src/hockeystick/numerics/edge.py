"""Where a function of a positive number changes its sign, sought outwards from 1 and in logarithms.

The function is expensive and nearly straight in log x. It may be bumpy: one step that leads the
wrong way does not end the search.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

from hockeystick.errors import HockeystickError

STEP = math.log(2)
"""The first step of log x."""
COUNT_STEP = math.log(256)
"""The same for counts."""
SHORTEST = 0.01
NEXT = 1e-6
"""The shortest step across an edge that is near."""
FEW = 4
MOST_CHORDS = 12
FARTHEST = 300 * STEP
MOST_STEPS = 100
PAST = 1.1
"""How far a step goes past where the root is expected: the other side of it is wanted."""
CLEARLY_AWAY = 1.5
"""A value so many times further from 0 than the first is no bump: that way is given up."""
CONVERGING = 0.25
"""While each value is so much nearer to 0 than the one before, ends are not halved."""
LEAST = 5e-324
STARTS = (0.0, *(sign * power * math.log(10) for power in range(1, 19) for sign in (1, -1)))
"""Values of log x for a first question: 1, or what the domain has nearest to it."""


@dataclass
class EdgeSearch:
    """Where `value(x)` changes its sign, for the x that are `allowed`.

    >>> search = EdgeSearch(lambda x: 2.0 - x, lambda x: x < 5)
    >>> negative, positive = search.refined(search.bracket(), 1e-9)
    >>> abs(negative - 2) < 1e-8 and positive <= 2 <= negative
    True
    """

    value: Callable[[float], float]
    allowed: Callable[[float], bool] = lambda x: True
    integer: bool = False
    asked: dict[float, float] = field(default_factory=dict)
    """The value at each x so far, never 0."""
    refused: dict[float, HockeystickError] = field(default_factory=dict)
    """Where there is no value, and why: a way ends there."""

    def ask(self, x: float) -> float:
        """The value at x; 0 counts as negative."""
        if x not in self.asked:
            self.asked[x] = self.value(x) or -LEAST
        return self.asked[x]

    def number(self, log_x: float) -> float:
        """e^log_x, or the count nearest to it."""
        return max(1, round(math.exp(log_x))) if self.integer else math.exp(log_x)

    def start(self) -> float | None:
        """log x of the first question; None where no number is allowed."""
        places = (each for each in STARTS if not self.integer or each >= 0)
        return next((each for each in places if self.allowed(self.number(each))), None)

    def bracket(self, start: float | None = None, direction: int = 0) -> tuple[float, float] | None:
        """A number where the value is negative and one where it is positive; None if none is found.

        From `start`, or where the domain begins, both ways by turns until one leads towards 0, or
        in one direction alone.
        """
        begin = self.start() if start is None else math.log(start)
        if begin is None:
            return None
        first = self.ask(self.number(begin))
        step = COUNT_STEP if self.integer else STEP
        ways = [_Way(self, begin, first, sign * step) for sign in (1, -1) if sign != -direction]
        for _ in range(MOST_STEPS):
            open_ways = [way for way in ways if not way.ended]
            if not open_ways:
                break
            for way in [way for way in open_ways if way.leads_on] or open_ways:
                ends = way.go_on(first)
                if ends is not None:
                    return ends
                if way.leads_on:
                    break
        return None

    def near(self, within: float) -> tuple[float, float] | None:
        """About where the value changes its sign, to so much of log x, and its slope: along chords
        from where the domain begins; None if they do not lead there."""
        start = self.start()
        if start is None:
            return None
        step = COUNT_STEP if self.integer else STEP
        step = step if self.allowed(self.number(start + step)) else -step
        x, on = self.number(start), self.number(start + step)
        self.ask(x)
        for _ in range(MOST_CHORDS):
            if on == x or not self.allowed(on):
                return None
            self.ask(on)
            chord = self._chord(*(self._sides() or (x, on)), within)
            if chord is None:
                return None
            root, slope, is_near = chord
            x, on = on, self.number(root)
            if is_near or on in self.asked:
                return on, slope
        return None

    def _chord(self, one: float, other: float, within: float) -> tuple[float, float, bool] | None:
        """log x where the chord between two numbers is 0, its slope, and whether that is near one
        of them; the middle between them where it is too near to be true."""
        a, b = math.log(one), math.log(other)
        slope = (self.asked[other] - self.asked[one]) / (b - a)
        if not 0 < abs(slope) < math.inf:
            return None
        root = min(max(b - self.asked[other] / slope, -FARTHEST), FARTHEST)
        is_near = min(abs(root - a), abs(root - b)) <= within
        if is_near and min(a, b) < root < max(a, b) and abs(b - a) > 1.01 * STEP:
            return (a + b) / 2, slope, False
        return root, slope, is_near

    def _sides(self) -> tuple[float, float] | None:
        """The nearest two numbers with values of different signs, if there are."""
        pairs = pairwise(sorted(self.asked))
        apart = [(a, b) for a, b in pairs if (self.asked[a] > 0) != (self.asked[b] > 0)]
        return min(apart, key=lambda pair: pair[1] / pair[0], default=None)

    def across(self, x: float, slope: float) -> tuple[float, float] | None:
        """The same as `bracket` from an x that is near, where the value is about straight in log x
        with about that slope; None if a few steps do not find the other side."""
        for _ in range(FEW):
            value, log_x = self.ask(x), math.log(x)
            step = -PAST * value / slope
            on = self.number(log_x + math.copysign(max(abs(step), NEXT), step))
            if on == x:
                on += 1 if step > 0 else -1
            if abs(step) > STEP or on < LEAST or not self.allowed(on):
                return None
            if (self.ask(on) > 0) != (value > 0):
                return (on, x) if value > 0 else (x, on)
            chord = (self.ask(on) - value) / (math.log(on) - log_x)
            slope = chord if math.isfinite(chord) and chord * slope > 0 else slope
            x = on
        return None

    def refined(self, ends: tuple[float, float] | None, tolerance: float) -> tuple[float, float]:
        """The ends as near to each other as `tolerance` (relative), or next to each other.

        By inverse interpolation through the nearest points, and halving where that does not help.
        The first is good enough once a straight line is 0 within the tolerance of it.
        """
        assert ends is not None
        negative, positive = ends
        last, converges = math.inf, True
        for turn in range(200):
            gap = abs(math.log(positive) - math.log(negative))
            if gap <= tolerance or self._is_at_the_edge(negative, tolerance):
                break
            if self.integer and abs(positive - negative) <= 1:
                break
            x = self._between(negative, positive, tolerance, turn % 4 == 3 and not converges)
            if x in (negative, positive):
                x = self.number((math.log(negative) + math.log(positive)) / 2)
            converges, last = abs(self.ask(x)) < CONVERGING * last, abs(self.ask(x))
            if self.ask(x) > 0:
                positive = x
            else:
                negative = x
        return negative, positive

    def _is_at_the_edge(self, x: float, tolerance: float) -> bool:
        """Whether the line through x and the nearest other point is 0 within the tolerance."""
        if self.integer or math.isinf(self.asked[x]):
            return False
        near = min((each for each in self.asked if each != x), key=lambda y: abs(math.log(y / x)))
        slope = (self.asked[near] - self.asked[x]) / math.log(near / x)
        return math.isfinite(slope) and -self.asked[x] <= abs(slope) * tolerance

    def _between(self, negative: float, positive: float, tolerance: float, halved: bool) -> float:
        """The next number to ask, inside the ends and a little on the negative side of the root."""
        low, high = sorted((math.log(negative), math.log(positive)))
        halved = halved and high - low > SHORTEST
        if math.isinf(self.asked[negative]) or math.isinf(self.asked[positive]):
            halved = True
        root = None if halved else self._interpolated(low, high)
        if root is None:
            root = (low + high) / 2
        else:
            root += math.copysign(tolerance / 2, negative - positive)
        x = self.number(min(max(root, low), high))
        if self.integer:
            x = min(max(x, min(negative, positive) + 1), max(negative, positive) - 1)
        return x

    def _interpolated(self, low: float, high: float) -> float | None:
        """log x where the polynomial through the nearest points, in the value, is 0."""
        points = [(v, math.log(x)) for x, v in self.asked.items() if math.isfinite(v)]
        points = sorted(points, key=lambda point: abs(point[0]))
        for count in (4, 3, 2):
            near = points[:count]
            if len({value for value, _ in near}) == count:
                root = sum(x * math.prod(w / (w - v) for w, _ in near if w != v) for v, x in near)
                if low < root < high:
                    return root
        return None


class _Way:
    """The values of log x that are tried in one direction from the first."""

    def __init__(self, search: EdgeSearch, start: float, value: float, step: float) -> None:
        self.search, self.last, self.value, self.step = search, start, value, step
        self.limit = math.copysign(FARTHEST, step)
        self.ended = self.leads_on = False

    def go_on(self, first: float) -> tuple[float, float] | None:
        """One step; both ends if the sign has changed."""
        search, log_x = self.search, self.next()
        x, last = search.number(log_x), search.number(self.last)
        if x == last:
            self.ended = True
            return None
        try:
            value = search.ask(x)
        except HockeystickError as error:
            search.refused[x] = error
            self.ended = True
            return None
        if (value > 0) != (first > 0):
            return (last, x) if value > 0 else (x, last)
        self.ended = log_x == self.limit or abs(value) > CLEARLY_AWAY * abs(first) + SHORTEST
        self.leads_on = not self.ended and abs(value) < abs(first) - 1e-9
        self._lengthen(log_x, value)
        return None

    def next(self) -> float:
        """A step on, or where the domain ends."""
        search = self.search
        on = self.last + self.step
        on = min(on, self.limit) if self.step > 0 else max(on, self.limit)
        if search.allowed(search.number(on)):
            return on
        inside, outside = self.last, on
        while (middle := (inside + outside) / 2) not in (inside, outside):
            if search.allowed(search.number(middle)):
                inside = middle
            else:
                outside = middle
        self.limit = inside
        return inside

    def _lengthen(self, log_x: float, value: float) -> None:
        """The next step goes just past where a straight line would be 0 or, if a curve through more
        points has its root near that, past this by a tenth of the way between both."""
        moved, gained = log_x - self.last, abs(self.value) - abs(value)
        self.last, self.value = log_x, value
        on = 2 * abs(moved) if math.isfinite(value) else abs(moved)
        if 0 < gained < math.inf:
            straight, curved = abs(value) / gained * moved, None
            past = max(PAST * abs(straight), SHORTEST)
            if len(self.search.asked) > 2 and not self.search.integer:
                curved = self.search._interpolated(*sorted((log_x, log_x + 2 * straight)))
            if curved is not None:
                past = abs(curved - log_x) + (PAST - 1) * abs(curved - log_x - straight)
            on = min(max(past, NEXT), 16 * abs(moved))
        self.step = math.copysign(on, moved)
