"""ε(δ) and δ(ε) of few steps of sampled Gaussians, with both ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.sum import ComposedLoss
from hockeystick.routes.contour.few_steps.law import SampledSteps
from hockeystick.routes.contour.few_steps.lines import Lines, Slack
from hockeystick.routes.contour.few_steps.plan import Plan, plan, turned
from hockeystick.routes.contour.few_steps.start import start

WANTED = 1e-9
"""Relative gap between the ends at which no sharper marks are tried."""
SHARPER = (1.0, 0.6, 0.36)
"""Less rotation makes sharper marks, and longer lines."""
ACCURATE = 2e-10
"""A line is planned anew while its error is more than this part of δ,"""
NEAR, NEAR_NATS = 0.02, 1.0
"""unless x is so near to the one it was planned for, relatively, and log δ there."""
REACH = 0.15
"""How far, in log x, a line is followed before it is planned anew."""
MOST_PLANS = 12
SETTLED = 1e-8
"""Newton steps below this part of x and of ε end the search: what is left is their square."""
OFTEN = 3.0
"""How often a record is sampled in all, from which on a straight line may be short,"""
LARGE_SHIFT = 4.0
"""unless the Gaussians are further apart than this."""
MOST_PARTS = 8
"""Different steps up to which they are planned together."""
LAST_DIGITS = 1e-12
"""Ends that are nearer than this, relative to −Σ n·log(1−q), are as near as they can be."""
LARGEST_LOSS_DIGITS = 1e-13
"""Where x is below this part of its origin, ε is the largest loss but for its last digits."""
MOST_STEPS = 2_000_000_000
"""Rounding of F counts once for each step: of more than so many, straight lines know more."""
LEAST_SHIFT, MOST_SHIFT = 0.01, 21.0
"""How far apart the Gaussians may be: noise from 1/21 to 100. Outcomes of less noise spread over
thousands of nats, and paths are too long; of more, the turned path is too narrow."""
LEAST_LOG_DELTA = -650.0
"""A smaller δ is left to other lines or, of the direction that costs less, not told from 0."""
ULP = 2.0**-53


class Ends(NamedTuple):
    """An answer."""

    lower: float
    upper: float
    by_digits: bool = False
    """Whether most of what lies between them is the last digits of what is given: no other line
    will do better."""

    @property
    def gap(self) -> float:
        """Between the ends, relative to the upper."""
        return (self.upper - self.lower) / self.upper if self.upper else 0.0


@lru_cache(maxsize=4)
def steps_of(loss: ComposedLoss) -> SampledSteps | None:
    """The steps, if all are Gaussians on Poisson samples and few of them differ; else None.
    The last ones are kept: every choice of a line asks."""
    if not 1 <= len(loss.parts) <= MOST_PARTS or loss.steps > MOST_STEPS:
        return None
    samples = [(part.gaussian_sample, count) for part, count in loss.parts]
    known = [(sample, count) for sample, count in samples if sample is not None]
    if len(known) < len(samples) or len({sample.remove for sample, _ in known}) > 1:
        return None
    if not all(0 < s.rate < 1 and LEAST_SHIFT <= s.shift <= MOST_SHIFT for s, _ in known):
        return None
    return SampledSteps(known)


def is_first(steps: SampledSteps) -> bool:
    """Whether the bent line is the first to be tried: a record is seldom sampled, or noise is
    small. Else the straight line may be shorter, and it is more accurate for very many steps."""
    return float(steps.count @ steps.rate[:, 0]) < OFTEN or steps.most_shift > LARGE_SHIFT


def epsilon(steps: SampledSteps, delta: float) -> Ends:
    """Both ends of the smallest ε >= 0."""
    return _narrowest(lambda sharper: _epsilon(steps, delta, sharper), LAST_DIGITS * steps.origin)


def delta(steps: SampledSteps, epsilon: float) -> Ends:
    """Both ends of δ(ε)."""
    return _narrowest(lambda sharper: _delta(steps, epsilon, sharper), 0.0)


def about(steps: SampledSteps, epsilon: float, log_delta: float) -> tuple[float, float]:
    """log δ(ε) and −d log δ/dε, where δ is not far from the one that is named."""
    x = steps.x(epsilon)
    with np.errstate(all="ignore"):
        value, rate = Lines(plan(steps, x, log_delta, SHARPER[0]), log_delta).at(x)
    if not (value > 0 and rate > 0):
        raise NumericalError("few steps: the line lost all digits")
    return math.log(value), rate / value


def is_milder(loss: ComposedLoss, epsilon: float, delta: float) -> bool:
    """Whether δ(ε) is at most so large by Chernoff's bound, which is quick for "add"."""
    steps = steps_of(loss)
    if steps is None or steps.remove:
        return False
    x = steps.x(epsilon)
    return x <= 0 or steps.log_chernoff(x) <= math.log(delta)


def _narrowest(attempt: Callable[[float], Ends], digits: float) -> Ends:
    """With sharper and sharper marks, until the ends are near, or no more than `digits` apart."""
    best, failure = None, None
    for sharper in SHARPER:
        try:
            with np.errstate(all="ignore"):
                ends = attempt(sharper)
        except (NumericalError, OverflowError) as error:
            failure = error
            continue
        if best is None or ends.gap < best.gap:
            best = ends
        if best.gap <= WANTED or ends.by_digits or ends.upper - ends.lower <= digits:
            break
    if best is None:
        raise NumericalError(f"the bent line gives no answer: {failure}")
    return best


def _delta(steps: SampledSteps, epsilon: float, sharper: float) -> Ends:
    x = steps.x(epsilon)
    if x <= 0:
        return Ends(0.0, 0.0)
    planned = plan(steps, x, None, sharper)
    if not steps.remove and planned.log_chernoff() < LEAST_LOG_DELTA:
        return Ends(0.0, math.exp(LEAST_LOG_DELTA), True)
    log_delta = math.log(max(planned.rough, 1e-300))
    for _ in range(3):
        if log_delta < LEAST_LOG_DELTA:
            raise NumericalError("few steps: delta is too small")
        lines = Lines(plan(steps, x, log_delta, sharper), log_delta)
        value, slack = lines.at(x).value, lines.slack(x)
        if value > 0 and slack.above < (0.3 if _is_close(value, log_delta) else ACCURATE) * value:
            break
        log_delta = math.log(value) if slack.above < 0.5 * value else log_delta - 12
    lower, upper = value - slack.below, value + slack.above
    return Ends(max(0.0, lower), min(1.0, upper), 2 * slack.given > slack.above)


def _is_close(value: float, log_delta: float) -> bool:
    return abs(math.log(value) - log_delta) < 4


def _epsilon(steps: SampledSteps, delta: float, sharper: float) -> Ends:
    log_delta = math.log(delta)
    if log_delta < LEAST_LOG_DELTA:
        raise NumericalError("few steps: delta is too small")
    planned = start(steps, log_delta, sharper)
    if not steps.remove and planned.x < LARGEST_LOSS_DIGITS * steps.origin:
        return Ends((1 - 1e-12) * steps.origin, (1 + 8 * ULP) * steps.origin, True)
    lines, root, slack = settle(turned(planned), delta, sharper)
    if root == steps.origin == planned.x:
        return Ends(0.0, 0.0)
    return _ends(lines, root, slack, delta)


def settle(
    planned: Plan, delta: float, sharper: float, share: bool = False
) -> tuple[Lines, float, Slack]:
    """Lines planned near the x that has δ, from a plan near it; that x; and the slack there.

    The origin is the answer where δ is certainly no more than asked there.
    """
    log_delta, steps = math.log(delta), planned.steps
    for _ in range(MOST_PLANS):
        lines, x = Lines(planned, log_delta, share), planned.x
        if x == steps.origin and _is_safe(lines, x, delta):
            return lines, x, lines.slack(x)
        root, reached = _along(lines, delta)
        if reached:
            slack = lines.slack(root)
            near = abs(math.log(root / x)) <= min(NEAR, NEAR_NATS / planned.fall)
            if near or slack.above <= ACCURATE * delta:
                return lines, root, slack
        planned = plan(steps, root, log_delta, sharper)
    raise NumericalError("few steps: no line was found that reaches epsilon")


def _is_safe(lines: Lines, x: float, delta: float) -> bool:
    """Whether δ at x is at most as large as asked, whatever the errors."""
    return lines.at(x).value + lines.slack(x).above <= delta


def _along(lines: Lines, delta: float) -> tuple[float, bool]:
    """The x at which these lines have δ, and True; or the end of their reach, and False.

    Newton's method on log δ, halving where it leaves what is known to hold the root.
    """
    steps, planned = lines.steps, lines.plan.x
    sign = 1.0 if steps.remove else -1.0
    low, high = planned * math.exp(-REACH), planned * math.exp(REACH)
    x = planned
    for _ in range(40):
        value, rate = lines.at(x)
        if not (value > 0 and rate > 0):
            raise NumericalError("few steps: the line lost all digits")
        excess = sign * math.log(value / delta)  # falls as x grows
        low, high = (x, high) if excess > 0 else (low, x)
        new = x + excess * value / rate
        if not low <= new <= high:
            end = low if new < low else high
            if end != x and abs(math.log(end / planned)) > 0.99 * REACH:
                return end, False
            new = 0.5 * (low + high)
        settled, x = abs(new - x) <= SETTLED * min(x, abs(steps.epsilon(x))), new
        if settled:
            break
    return x, True


def _ends(lines: Lines, root: float, slack: Slack, delta: float) -> Ends:
    """Off the root on both sides, until the error no longer reaches δ."""
    steps = lines.steps
    middle = float(steps.epsilon(root))
    least = 4 * ULP * (abs(middle) + steps.origin)
    move = 1.01 * np.array([slack.below, slack.above]) / lines.at(root).rate + least
    for _ in range(30):
        ends = middle + np.array([-1.0, 1.0]) * move
        x = np.asarray(steps.origin + (ends if steps.remove else -ends))
        beyond = x <= 0
        values, slacks = lines.with_slack(np.where(beyond, root, x))
        held = (
            values.value[0] - slacks.below[0] >= delta,
            values.value[1] + slacks.above[1] <= delta,
        )
        done = beyond | held
        if done.all():
            lower, upper = np.maximum(0.0, ends).tolist()
            return Ends(lower, upper, 2 * slack.given > slack.above)
        move = np.where(done, move, 2 * move)
    raise NumericalError("few steps: the error of the line could not be bounded")
