"""Coins that fall by exactly e^(−γ), many at once.

A uniform real number is below e^(−γ) with that probability. Its first 64 digits and e^(−γ) are
compared as floats; where they are closer than the errors of floats can make them, the comparison
is repeated with as many digits as it takes (`digits.under`).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hockeystick.random.digits import Digits, under
from hockeystick.random.generators import Source

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]

CLOSE = 2.0**-45
"""Closer than this, floats do not decide: twice the bound on their errors in docs/noise.md."""
ULP = 2.0**-64
"""A word of 64 bits times this is a number in [0, 1)."""


def exponential(costs: Floats, exact: Callable[[int], Fraction], words: Source) -> Flags:
    """Coins that fall True with probability e^(−γ), each by its own γ >= 0.

    Parameters
    ----------
    costs: γ of each coin in floats, so near to it that e^(−γ) is right within 2^−47.
    exact: γ of the coin of a number.

    >>> from hockeystick.random.generators import source
    >>> 330 < int(exponential(np.ones(1000), lambda i: Fraction(1), source(0)).sum()) < 410
    True
    """
    drawn = words(costs.size)
    gap = np.exp(-costs) - drawn * ULP
    fell: Flags = gap > CLOSE
    for i in np.flatnonzero(np.abs(gap) <= CLOSE):
        fell[i] = _settled(int(drawn[i]), exact(int(i)), words)
    return fell


def _settled(word: int, cost: Fraction, words: Source) -> bool:
    return under(Digits(word, 64, words), Fraction(1), lambda _: cost, Digits(0, 0, words))
