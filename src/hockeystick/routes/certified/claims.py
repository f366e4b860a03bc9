"""What can be said of a composition without a line: formulas, and bounds of the cheap kind."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from flint import arb

from hockeystick.routes.certified.balls import above, below, kappa, only_if
from hockeystick.routes.certified.lattice_sums import two_parts
from hockeystick.routes.certified.law import Rule
from hockeystick.routes.certified.line import Laws, cumulant, masses
from hockeystick.routes.certified.normal import NormalLaw
from hockeystick.routes.certified.normal_step import one_step
from hockeystick.routes.certified.points import PointsLaw
from hockeystick.routes.certified.segment import SegmentLaw
from hockeystick.routes.certified.segment_sums import segment_sum
from hockeystick.routes.certified.sums import sum_of_points

LOG_LEAST = -800.0
"""Of a δ that is not known beforehand."""


def closed(laws: Laws, log_least: float = LOG_LEAST) -> Callable[[arb], arb] | None:
    """δ(ε) by a formula: normal laws alone, one step, or few sums of values; to be good down to a
    δ of about e^log_least. Where no finite loss is positive, what is infinite is all there is."""
    infinite, lost = masses(laws)
    top = top_of(laws)
    if infinite == 1 or (top is not None and top <= 0):
        return lambda e: _from_zero_on(infinite + arb(0).union(lost), e)
    laws = [(law, n) for law, n in laws if not (isinstance(law, PointsLaw) and law.is_nothing)]
    if all(isinstance(law, NormalLaw) and not law.sampled for law, _ in laws):
        squares = sum((n * law.shift * law.shift for law, n in laws), arb(0))  # type: ignore[attr-defined]
        return lambda e: one_step(squares.sqrt(), arb(0), arb(1), e)
    if len(laws) == 1 and laws[0][1] == 1 and laws[0][0].profile(arb(1)) is not None:
        return lambda e: laws[0][0].profile(e)  # type: ignore[return-value]
    if len(laws) == 1 and isinstance(laws[0][0], PointsLaw):
        return sum_of_points(laws[0][0], laws[0][1], log_least)
    if len(laws) == 1 and isinstance(laws[0][0], SegmentLaw):
        return segment_sum(laws[0][0], laws[0][1])
    if len(laws) == 2 and all(isinstance(law, PointsLaw) for law, _ in laws):
        return two_parts(laws, log_least)  # type: ignore[arg-type]
    return None


def _from_zero_on(value: arb, epsilon: arb) -> arb:
    only_if(epsilon >= 0, "an ε that is not negative")
    return value


def top_of(laws: Laws) -> arb | None:
    """The sum of the largest losses; None if one has no largest."""
    tops = [(law.top, n) for law, n in laws]
    if any(top is None for top, _ in tops):
        return None
    return sum((n * top for top, n in tops if top is not None), arb(0))


def largest(laws: Laws) -> tuple[float, float]:
    """ε at δ = 0, where nothing is infinite."""
    top = top_of(laws)
    if top is None:
        return math.inf, math.inf
    if top <= 0:
        return 0.0, 0.0
    return max(below(top), 0.0), max(above(top), 0.0)


def is_free(laws: Laws, delta: float) -> bool:
    """Theorem 20: whether δ(0) <= δ for certain, as it is at most the sum of those of all steps."""
    total = arb(0)
    for law, n in laws:
        alone = law.profile(arb(0))
        if alone is None:
            return False
        total += n * alone
        if total > delta:
            return False
    return bool(total <= delta)


def epsilon_at_once(laws: Laws, delta: float) -> tuple[float, float] | None:
    """Ends of ε(δ) that need no δ(ε): inf where more is infinite, the largest loss at δ = 0, and 0
    where nothing is told at all."""
    infinite = masses(laws)[0]
    if infinite > delta:
        return math.inf, math.inf
    if delta == 0 and infinite.is_zero():
        return largest(laws)
    return (0.0, 0.0) if is_free(laws, delta) else None


def delta_at_once(laws: Laws, epsilon: float) -> arb | None:
    """δ(ε) from the largest loss on, which no loss that a table leaves out is above: what is
    infinite."""
    top = top_of(laws)
    above = top is not None and bool(top <= epsilon)
    return masses(laws)[0] if above or math.isinf(epsilon) else None


def at_most(
    laws: Laws, epsilon: float, delta: float, order: float | None, rules: Sequence[Rule]
) -> bool:
    """Whether δ(ε) <= δ for certain: no finite loss is larger, or by a formula, or at a given
    order by Chernoff's bound (Theorem 2); with all that is infinite or left out."""
    if (known := delta_at_once(laws, epsilon)) is not None:
        return bool(known <= delta)
    if (profile := closed(laws)) is not None:
        return bool(profile(arb(epsilon)) <= delta)
    if order is None:
        return False
    chernoff = kappa(arb(order)) * (cumulant(laws, order, rules) - arb(order) * epsilon).exp()
    return bool(chernoff + sum(masses(laws), arb(0)) <= delta)
