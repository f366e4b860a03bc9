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
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hockeystick.bound import Interval
from hockeystick.errors import NumericalError
from hockeystick.loss.atoms import NOTHING
from hockeystick.loss.base import Loss
from hockeystick.loss.labelled import LabelledLoss
from hockeystick.loss.mixed import Mixed
from hockeystick.loss.mixture import MixtureLoss
from hockeystick.loss.sum import ComposedLoss
from hockeystick.loss.two_sided.amplified import AmplifiedCurve
from hockeystick.loss.two_sided.loss import TwoSidedLoss
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
WHOLE = 1e-14
"""How far shifts that are multiples of one may be off, relatively."""
LEAST_TOLD = 1e-3
"""Smaller shifts lose digits."""
FARTHEST = 40.0
"""Deviations beyond which no float holds a normal law's mass."""
UNLIKELY = 1e-130
"""More than Φ(−LEAST_SHIFT/2)."""


class Copies(NamedTuple):
    """Probabilities of 0, 1, … copies, the shift of one, and whether their number is told; if not,
    the probability that the other law has of none, and how far down its next mean is."""

    weights: Array
    shift: float
    told: bool
    floor: float = 1.0
    gap: float = math.inf


def coins_of(loss: ComposedLoss) -> list[Coins] | None:
    """If all steps are Gaussian releases on samples."""
    if loss.infinite or len(loss.parts) > MOST_PARTS:
        return None
    found = [_coins(part, count) for part, count in loss.parts]
    return [each for each in found if each] if all(found) else None


def _coins(part: Loss, count: int) -> Coins | None:
    if isinstance(part, Mixed) and part.base.gaussian_shift:
        return Coins(part.rate, part.base.gaussian_shift, count)
    if isinstance(part, TwoSidedLoss) and isinstance(part.forward, AmplifiedCurve):
        if part.backward is not part.forward:
            return None
        curve = part.forward
        (constant, falling, base), *more = curve.terms
        plain = not (more or falling or curve.extra or curve.touch) and constant == curve.rate
        if plain and base.gaussian_shift:
            return Coins(curve.rate, base.gaussian_shift, count)
    if isinstance(part, MixtureLoss) and part.mirrored and len(part.p.means) == 2:
        (still, rate), (centre, shift) = part.p.weights, part.p.means
        if centre == 0 < shift and part.q == part.p.flipped and abs(still + rate - 1) < WHOLE:
            return Coins(rate, shift, count, opposite=True)
    return None


def copies_of(loss: ComposedLoss) -> Copies | None:
    """If all steps are the same Gaussian release of a whole number of copies."""
    part, share = loss.parts[0][0], 1.0
    if len(loss.parts) > 1:
        return None
    if isinstance(part, LabelledLoss) and len(part.parts) == 1:
        ((share, part),) = part.parts
    if isinstance(part, LabelledLoss):
        shifts = [0.0 if each == NOTHING else each.gaussian_shift for _, each in part.parts]
        if None in shifts:
            return None
        found = _multiples([each or 0.0 for each in shifts], [weight for weight, _ in part.parts])
        return found and Copies(*found, told=True)
    if not isinstance(part, MixtureLoss) or part.cut or min(part.p.means) < 0:
        return None
    still = [weight for weight, mean in zip(part.q.weights, part.q.means, strict=True) if not mean]
    if len(still) != 1 or max(part.q.means) > 0:
        return None
    found = _multiples(part.p.means, [share * weight for weight in part.p.weights])
    gap = min((-mean for mean in part.q.means if mean), default=math.inf)
    return found and Copies(*found, told=False, floor=still[0], gap=gap)


def _multiples(shifts: Sequence[float], weights: Sequence[float]) -> tuple[Array, float] | None:
    """Probabilities of 0, 1, … times the smallest shift, and that; None if they are no such."""
    if not any(shifts):
        return None
    shift = min(filter(None, shifts))
    copies = np.array(shifts) / shift
    whole = np.round(copies)
    if not (np.abs(copies - whole) <= WHOLE * copies).all() or not shift >= LEAST_TOLD:
        return None
    return np.bincount(whole.astype(int), weights), shift


def is_told(loss: ComposedLoss) -> bool:
    """Whether copies are told anyway, and both ends are the answer."""
    copies = copies_of(loss)
    return copies is not None and copies.told


def is_for(loss: ComposedLoss) -> bool:
    """Whether these are many steps with next to no noise, or copies are told."""
    copies = copies_of(loss)
    if copies is not None:
        wide = min(copies.shift, copies.gap) >= LEAST_SHIFT
        return copies.told or (wide and loss.steps >= LEAST_STEPS)
    parts = coins_of(loss) if loss.steps >= LEAST_STEPS else None
    return bool(parts) and all(each.shift >= LEAST_SHIFT and each.rate < 1 for each in parts or ())


class Ends:
    """Both ends of δ from what is told."""

    def __init__(self, loss: ComposedLoss, negligible: float) -> None:
        copies, coins = copies_of(loss), coins_of(loss)
        self.hidden: float | Array = 0.0
        """How many nats it costs to find out,"""
        self.rare = self.more = 0.0
        """a probability that it costs more, and how many nats losses are larger."""
        if copies is not None:
            self._tell_copies(copies, loss.steps, negligible)
        else:
            assert coins is not None
            self._tell(coins, negligible)
        last = float(self.high.shifts[-1])
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
        self.rare = steps * UNLIKELY + (
            binomial_above(most, steps, 1 - float(weights[0])) if most < steps else 0.0
        )
        self.more = -steps * math.log(copies.floor)

    def _tell(self, coins: list[Coins], negligible: float) -> None:
        steps = sum(each.steps for each in coins)
        most, least = max(each.rate for each in coins), min(each.rate for each in coins)
        k: float | Array
        if len(coins) == 1:
            self.high = self.low = told_coins(coins[0], negligible)
            k = np.arange(1.0, self.low.shifts.size + 1)
        else:
            rarely = negligible * (RARE / NEGLIGIBLE)
            self.high, self.low = (told_different(coins, rarely, up) for up in (True, False))
            k = last_count(steps, most, rarely)
            self.rare = binomial_above(int(k), steps, most)
        self.hidden = -k * math.log(least) - (steps - k) * math.log1p(-most)
        opposite = [each for each in coins if each.opposite]
        self.rare += UNLIKELY * sum(each.steps for each in opposite)
        self.more = -sum(each.steps * math.log1p(-each.rate) for each in opposite)

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
    if copies_of(loss) is None or delta <= loss.infinite:
        raise NumericalError("no copies to tell")
    return epsilon(loss, delta).upper
