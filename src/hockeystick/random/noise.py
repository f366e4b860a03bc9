"""Gaussian and Laplace noise in floating point, from random words.

The laws are those of real numbers rounded to floats. What the rounding reveals is not covered by
any theorem here: see `statement.FLOATING_POINT`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hockeystick.random.generators import Source, Words

Floats = NDArray[np.float64]


def normal(count: int, words: Source) -> Floats:
    """Standard normal noise: ±Φ⁻¹(u/2), u uniform on (0, 1) by 63 bits, which reaches to 9.2.

    >>> from hockeystick.random.generators import source
    >>> bool(abs(normal(10_000, source(0)).std() - 1) < 0.03)
    True
    """
    from scipy.special import ndtri

    sign, u = _halves(words(count))
    return sign * -ndtri(u / 2)


def laplace(count: int, words: Source) -> Floats:
    """Laplace noise of scale 1: ±log(1/u), u uniform on (0, 1) by 63 bits, which reaches to 44.

    >>> from hockeystick.random.generators import source
    >>> bool(abs(abs(laplace(10_000, source(0))).mean() - 1) < 0.03)
    True
    """
    sign, u = _halves(words(count))
    return sign * -np.log(u)


def _halves(drawn: Words) -> tuple[Floats, Floats]:
    """A sign by the lowest bit of each word, and a number in (0, 1] by the upper 63."""
    sign = np.where(drawn & np.uint64(1), 1.0, -1.0)
    return sign, ((drawn >> np.uint64(1)).astype(float) + 0.5) * 2.0**-63
