"""Many steps with next to no noise on samples: it is evident which of them saw the record.

If the coins were told, k of n steps would see it with probability b_k, and those be one Gaussian
release of shift √k·μ: with its profile h_k

    Σ_k b_k·h_k(ε − k·log q − (n−k)·log(1−q))  <=  δ(ε)  <=  Σ_k b_k·h_k(ε)

Above, because a label that is told tells more (joint convexity of the hockey-stick divergence).
Below, because a step's loss log(1 − q + q·e^ℓ) is at least ℓ + log q, and at least log(1 − q). The
ends are k·log(1/q) or so apart, next to nothing of an ε of many thousands. Different steps are told
in the same way (`told`), and so is a batch of fixed size: q·h(1 + (e^ε − 1)/q) is at most q·h(e^ε),
and its pair dominates that of the Poisson sample of rate q, so that both ends hold for it too.

One replaced, P = (1−q)·N(0) + q·N(μ) against Q = (1−q)·N(0) + q·N(−μ): as (1−q)·N(0) <= Q, losses
are at most −log(1−q) larger than those of P against N(0); and no smaller where x >= −μ/2, for there
N(−μ) <= N(0). So δ(ε) is between that of the Poisson sample, less n·Φ(−μ/2), and the same at
ε + n·log(1−q).

Where copies are told anyway (with replacement, all draws revealed), this is no bound but the
answer: δ(ε) = Σ_S a_S·h_S(ε) with a_S the probability that the squares of their numbers add up to
S.
"""

from __future__ import annotations

import math

import numpy as np

from hockeystick.bound import Interval
from hockeystick.errors import NumericalError
from hockeystick.loss.copies import Copies
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.binomial import binomial_above
from hockeystick.numerics.roots import last_true
from hockeystick.numerics.rounding import added
from hockeystick.numerics.types import Array
from hockeystick.routes.adding.told import (
    Coins,
    last_count,
    told_coins,
    told_copies,
    told_different,
)
from hockeystick.routes.base import Route

NAME = "closed form"
LEAST_SHIFT = 50.0
"""From this shift on, noise 1/50, bent lines have no answer and a step that counts is evident."""
LEAST_STEPS = 17
"""Fewer are added up."""
MOST_PARTS = 64
NEGLIGIBLE = 1e-13
"""Part of δ that more steps than are told apart may have;"""
RARE = 1e-4
"""where steps differ, so that units are small."""
ROUNDING, WEIGHT_ERROR = 1e-12, 1e-9
"""Relative errors that are charged: of losses and of probabilities."""
HALVINGS = 50
FARTHEST = 40.0
"""Deviations beyond which no float holds a normal law's mass."""
UNLIKELY = 1e-130
"""More than Φ(−LEAST_SHIFT/2)."""


def is_told(loss: ComposedLoss) -> bool:
    """Whether copies are told anyway, and both ends are the answer."""
    return len(loss.copies) == 1 and loss.copies[0][0].told


def is_for(loss: ComposedLoss) -> bool:
    """Whether these are many steps with next to no noise, or copies are told."""
    parts = loss.copies
    if len(parts) == 1 and parts[0][0].told:
        return True
    if not parts or loss.steps < LEAST_STEPS or not (len(parts) == 1 or _are_coins(loss)):
        return False
    return all(min(copies.shift, copies.gap) >= LEAST_SHIFT for copies, _ in parts)


def _are_coins(loss: ComposedLoss) -> bool:
    """Whether all have the record once or not at all, and there are not too many different ones."""
    few = 0 < len(loss.copies) <= MOST_PARTS and not loss.infinite
    return few and all(copies.is_coin for copies, _ in loss.copies)


class Ends:
    """Both ends of δ from what is told."""

    def __init__(self, loss: ComposedLoss, negligible: float) -> None:
        parts = loss.copies
        self.hidden: float | Array = 0.0
        """How many nats it costs to find out,"""
        self.rare = UNLIKELY * sum(count for copies, count in parts if math.isfinite(copies.gap))
        """a probability that it costs more, and how many nats losses are larger."""
        self.more = -sum(count * math.log(copies.floor) for copies, count in parts)
        if _are_coins(loss):
            self._tell_coins([Coins(float(c.weights[1]), c.shift, n) for c, n in parts], negligible)
        elif len(parts) == 1:
            self._tell_copies(*parts[0], negligible)
        else:
            raise NumericalError("the steps are not releases of copies that could be told")
        last = float(self.high.shifts.max())
        self.highest = last * (last / 2 + FARTHEST) + self.more

    def _tell_copies(self, copies: Copies, steps: int, negligible: float) -> None:
        weights, shift = copies.weights, copies.shift
        self.high = self.low = told_copies(weights, shift, steps, negligible)
        if copies.told:
            return
        rarely = negligible * (RARE / NEGLIGIBLE)
        seen = np.flatnonzero(steps * np.cumsum(weights[:0:-1])[::-1] > rarely) + 1
        kept = np.where(np.arange(weights.size) <= seen.max(initial=0), weights, 0.0)
        most = last_count(steps, 1 - float(weights[0]), rarely) if weights[0] else steps
        likely = kept[kept > 0]
        self.low = told_copies(kept, shift, steps, negligible)
        self.hidden = -most * math.log(float(likely.min()))
        self.hidden -= (steps - most) * math.log(float(weights[0] or 1.0))
        if most < steps:
            self.rare += binomial_above(most, steps, 1 - float(weights[0]))

    def _tell_coins(self, coins: list[Coins], negligible: float) -> None:
        steps = sum(each.steps for each in coins)
        most, least = max(each.rate for each in coins), min(each.rate for each in coins)
        k: float | Array
        if len(coins) == 1:
            self.high = self.low = told_coins(coins[0], negligible)
            k = np.rint((self.low.shifts / coins[0].shift) ** 2)
        else:
            rarely = negligible * (RARE / NEGLIGIBLE)
            self.high, self.low = (told_different(coins, rarely, up) for up in (True, False))
            k = last_count(steps, most, rarely)
            self.rare += binomial_above(int(k), steps, most)
        self.hidden = -k * math.log(least) - (steps - k) * math.log1p(-most)

    def above(self, epsilon: float) -> float:
        """The upper end of δ."""
        at = (epsilon - self.more) * (1 - ROUNDING)
        if at < 0:
            return 1.0
        return min(1.0, (self.high.delta(at) + self.high.beyond) * (1 + WEIGHT_ERROR) + 5e-308)

    def below(self, epsilon: float) -> float:
        """The lower end."""
        total = self.low.delta(epsilon * (1 + ROUNDING) + self.hidden)
        return max(0.0, total * (1 - WEIGHT_ERROR) - self.rare)


def delta(loss: ComposedLoss, epsilon: float) -> Interval:
    """δ(ε)."""
    rough = Ends(loss, NEGLIGIBLE).below(epsilon)
    ends = Ends(loss, max(NEGLIGIBLE * rough, 1e-300))
    found = ends.below(epsilon), ends.above(epsilon)
    return Interval(*added(*found, (loss.least_infinite, loss.infinite)), NAME)


def epsilon(loss: ComposedLoss, delta: float) -> Interval:
    """The ε with δ(ε) = delta."""
    least, most = delta - loss.infinite, delta - loss.least_infinite
    ends = Ends(loss, max(NEGLIGIBLE * least, 1e-300))
    if ends.above(ends.highest) > least:
        raise NumericalError("delta is too small for the number of steps to tell")
    lower = upper = 0.0
    if ends.above(0.0) > least:
        upper = last_true(lambda e: ends.above(e) > least, 0.0, ends.highest, HALVINGS)[1]
    if ends.below(0.0) > most:
        lower = last_true(lambda e: ends.below(e) > most, 0.0, ends.highest, HALVINGS)[0]
    return Interval(lower, upper, NAME)


def guess(loss: ComposedLoss, delta: float) -> float:
    """About ε of mixtures of means far apart, as if copies were told."""
    if delta <= loss.infinite:
        raise NumericalError("delta is no more than the mass at infinity")
    return epsilon(loss, delta).upper


TOLD = Route(NAME, "a Gaussian release for each number of copies of the record", epsilon, delta)
