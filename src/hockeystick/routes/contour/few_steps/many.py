"""ε of few steps of sampled Gaussians for many counts of them: a bent line serves a whole range.

log x is a smooth function of the logarithm of the origin: within a range it is interpolated between
roots at a few counts, which need not be whole, and both ends are taken at every count by itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.measure import GaussianSample
from hockeystick.numerics import chebyshev
from hockeystick.numerics.blocks import CHUNK
from hockeystick.numerics.types import Array
from hockeystick.routes.contour.few_steps.answer import LEAST_LOG_DELTA, ULP, WANTED, settle
from hockeystick.routes.contour.few_steps.law import SampledSteps
from hockeystick.routes.contour.few_steps.lines import CountedLines
from hockeystick.routes.contour.few_steps.plan import plan, turned
from hockeystick.routes.contour.few_steps.start import start
from hockeystick.routes.contour.tangent import lower_end

WIDE = 3.0
"""Largest over smallest origin that a line serves, if it does so well."""
NARROWEST = 1.05
"""A range that is narrower than this is not divided further."""
NODES = 12
"""Counts of a range at which ε is searched for."""
SETTLED = 1e-8
"""Newton steps below this end the search for a root."""
INTERPOLATED = 1e-11
"""About how far an interpolated x is from the root, relatively: the first end that is tried."""
WIDER = 1.2
"""After a range that was narrower because wider ones were not served well, the next."""
FARTHEST = 0.5
"""How far, in log x, a root may be from the x that its line was planned for."""

MOST_FAILURES = 3
"""After so many ranges in a row without an answer no other is tried."""

Ends = tuple[Array, Array]
"""Lower and upper ends of ε, NaN where there is no answer."""


class Counts:
    """Rows of counts of some steps, evenly apart or at least on a line, that grow."""

    def __init__(self, samples: Sequence[GaussianSample], counts: Array) -> None:
        self.samples, self.counts = samples, counts
        self.one = SampledSteps([(sample, 1) for sample in samples])
        self.origin = self.one.origins(counts)

    def between(self, origin: Array) -> Array:
        """Counts, whole or not, that have such an origin."""
        low, high = self.origin[0], self.origin[-1]
        part = (origin - low) / (high - low)
        return np.asarray(self.counts[0] + part[:, None] * (self.counts[-1] - self.counts[0]))

    def steps(self, i: int) -> SampledSteps:
        """Those of one row."""
        return SampledSteps(list(zip(self.samples, self.counts[i].tolist(), strict=True)))

    def __getitem__(self, some: slice) -> Counts:
        return Counts(self.samples, self.counts[some])


def epsilons(samples: Sequence[GaussianSample], counts: Array, delta: float) -> Ends:
    """Both ends of the smallest ε >= 0 of the composition of each row of counts, which grow."""
    lower, upper = np.full((2, len(counts)), math.nan)
    if math.log(delta) < LEAST_LOG_DELTA:
        return lower, upper
    rows, guess, begin, width = Counts(samples, counts), Guess(), 0, WIDE
    failures = 0
    while begin < len(counts) and failures < MOST_FAILURES:
        reach = min(width, guess.reach()) * rows.origin[begin]
        stop = max(begin + 1, int(np.searchsorted(rows.origin, reach, "right")))
        is_last_try = width <= NARROWEST or stop == begin + 1
        with suppress(NumericalError, OverflowError), np.errstate(all="ignore"):
            low, high = _range(rows[begin:stop], delta, guess)
            if is_last_try or (high - low <= WANTED * high).all():
                lower[begin:stop], upper[begin:stop] = low, high
                begin, width, failures = stop, min(WIDER * width, WIDE), 0
                continue
        begin, width = (stop if is_last_try else begin), math.sqrt(width)
        failures += is_last_try
    return lower, upper


class Guess:
    """About where the next root is: log x is nearly linear in log origin."""

    def __init__(self) -> None:
        self._last: tuple[float, float] | None = None
        self._slope = 0.0

    def add(self, origin: Array, x: Array) -> None:
        """Roots that were found, of origins that grow."""
        log_origin, log_x = np.log(origin[-2:]), np.log(x[-2:])
        if origin.size > 1:
            self._slope = float((log_x[1] - log_x[0]) / (log_origin[1] - log_origin[0]))
        self._last = float(log_origin[-1]), float(log_x[-1])

    def x(self, origin: float) -> float | None:
        """For an origin beyond the last, if roots were found."""
        if self._last is None or not self._slope:
            return None
        return math.exp(self._last[1] + self._slope * (math.log(origin) - self._last[0]))

    def reach(self) -> float:
        """Largest over smallest origin for which roots are within the reach of one line."""
        return math.exp(min(1.8 * FARTHEST / max(self._slope, 0.1), 1.0))


def _range(rows: Counts, delta: float, guess: Guess) -> Ends:
    """Both ends for the counts of one range."""
    middle = math.sqrt(rows.origin[0] * rows.origin[-1])
    steps = rows.steps(int(np.argmin(np.abs(rows.origin - middle))))
    x, log_delta = guess.x(steps.origin), math.log(delta)
    planned = plan(steps, x, log_delta, 1.0) if x else turned(start(steps, log_delta, 1.0))
    lines, root, _ = settle(planned, delta, 1.0, share=True)
    if steps.remove and root <= steps.origin:
        raise NumericalError("few steps: no epsilon above 0 has this delta")
    exact = len(rows.counts) <= NODES
    low, high = np.log(rows.origin[[0, -1]])
    origin = rows.origin if exact else np.exp(chebyshev.points(low, high, NODES))
    counted = CountedLines(lines, rows.counts if exact else rows.between(origin))
    found = _roots(counted, root * (origin / steps.origin) ** _slope(steps, root), delta)
    guess.add(origin, found)
    _, slack = counted.with_slack(found)
    off = float((slack.above / counted.at(found).rate / found).max())
    if exact:
        return _ends(counted, found, off, delta)
    chunk = max(1, CHUNK // lines.lines[0].s.size)
    guesses = np.exp(chebyshev.through(np.log(found), low, high, np.log(rows.origin)))
    blocks = [
        _ends(CountedLines(lines, rows[some].counts), guesses[some], off, delta)
        for some in (slice(i, i + chunk) for i in range(0, len(rows.counts), chunk))
    ]
    lower, upper = np.concatenate(blocks, axis=1)
    return lower, upper


def _slope(steps: SampledSteps, x: float) -> float:
    """About how log x grows with log origin: x is the origin and, off it, a deviation."""
    return (steps.origin + 0.5 * (x - steps.origin)) / x


def _roots(counted: CountedLines, x: Array, delta: float) -> Array:
    """The x of each row that has δ, by Newton's method on log δ, in steps of at most a tenth."""
    sign = 1.0 if counted.steps.remove else -1.0
    planned = counted.plan.x
    for _ in range(20):
        value, rate = counted.at(x)
        if not ((value > 0) & (rate > 0)).all():
            raise NumericalError("few steps: the line lost all digits")
        move = sign * np.log(value / delta) * value / rate / x
        x = x * np.exp(np.clip(move, -0.1, 0.1))
        if not (np.abs(np.log(x / planned)) < FARTHEST).all():
            raise NumericalError("few steps: a root is out of the line's reach")
        if (np.abs(move) <= SETTLED).all():  # what is left is its square
            return x
    raise NumericalError("few steps: no root was found on a shared line")


def _ends(counted: CountedLines, x: Array, off: float, delta: float) -> Ends:
    """Beyond the interpolated x, until the error no longer reaches δ; and from there down."""
    steps = counted.steps
    middle, origin = steps.epsilon(x, counted.counts), steps.origins(counted.counts)
    move = (1.1 * off + INTERPOLATED) * x + 4 * ULP * (np.abs(middle) + origin)
    for _ in range(12):
        upper = middle + move
        at = origin + upper if steps.remove else origin - upper
        if not (at > 0).all():
            raise NumericalError("few steps: an end is beyond the largest loss")
        values, slack = counted.with_slack(at)
        excess = values.value + slack.above - delta
        if (excess <= 0).all():
            lower = lower_end(upper, values.value - slack.below, values.rate, delta)
            return np.maximum(0.0, lower), np.maximum(0.0, upper)
        move = np.where(excess > 0, move + 1.2 * excess / values.rate + 0.2 * move, move)
    raise NumericalError("few steps: the error of a shared line could not be bounded")
