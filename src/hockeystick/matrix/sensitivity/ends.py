"""From a squared sensitivity in floats to a Bound that is rounded outwards."""

from __future__ import annotations

import math

from hockeystick.bound import Bound
from hockeystick.numerics.series import EPS


def rounded(low: float, high: float, method: str, terms: int = 0, size: float = 0.0) -> Bound:
    """The square roots of two squares, outwards by what floats may have lost.

    Each square is a sum of about `terms` products; where some are negative, `size` is about what
    the sum of their absolute values is. Without terms both squares are whole numbers.

    >>> rounded(4.0, 4.0, "exact: by hand")
    Bound(2.0, lower=2.0, method='exact: by hand')
    """
    slack = (terms + 16) * EPS * (1 + 1e-3) if terms else 0.0
    more = slack * max(high, size)
    lower, upper = math.sqrt(max(0.0, low - more)), math.sqrt(high + more)
    if terms or lower * lower != low:
        lower = max(0.0, math.nextafter(lower, 0.0))
    if terms or upper * upper != high:
        upper = math.nextafter(upper, math.inf)
    return Bound(upper, lower=min(lower, upper), method=method)


def is_exact(bound: Bound) -> bool:
    """Whether a sensitivity is known to the last digits, not only from above."""
    return bound.method.startswith("exact")
