"""The release itself: coins whose probabilities are a private parameter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hockeystick.bernoulli.box import box_of
from hockeystick.checks import whole
from hockeystick.errors import ParameterError
from hockeystick.numerics.types import Array
from hockeystick.random.generators import Randomness, Source, source
from hockeystick.release.private import HIDDEN

WORDS = 18
"""Words of 64 bits that hold every float in [0, 1): the least of them is 2^−1074."""


def release(
    parameter: Any,
    *,
    c: float | Sequence[float],
    d: float | Sequence[float] | None = None,
    samples: int = 1,
    rng: Randomness = None,
) -> NDArray[np.bool_]:
    """`samples` independent Bernoulli vectors with probabilities `parameter`, clipped to [c, 1−c].

    Each coin falls True with exactly the probability that the clipped float says: words of 64
    random bits are compared with its binary digits, as integers. The parameter itself must stay
    secret; `amplify` and `Mechanism.bernoulli` account for the coins alone (Imola and Chaudhuri,
    Definition 5).

    Parameters
    ----------
    parameter: numbers, any but NaN. c: in [0, 1/2]. samples: an integer >= 1.
    c and d may be lists of as many numbers: then each is clipped to [c_i, d_i], d_i = 1 − c_i.
    rng: None for secure randomness, an integer seed or a generator for tests.

    Returns an array of `samples` rows, with a column for each number.

    >>> release([0.5, 7.0], c=0.1, samples=3, rng=0).shape
    (3, 2)
    """
    theta = _vector(parameter)
    box = box_of(c, d, theta.size if not np.ndim(c) else 1, samples)
    if len(box.intervals) != theta.size:
        raise ParameterError(f"c must be as many as the parameter, got {len(box.intervals)}")
    low, high = np.array(box.intervals).T
    clipped = np.clip(theta, low, high if d is not None else [_largest(x) for x in low.tolist()])
    rows = whole("samples", samples, 1)
    return _coins(np.tile(clipped, rows), source(rng)).reshape(rows, theta.size)


def _vector(parameter: Any) -> Array:
    """The parameter, which is private: no message shows it."""
    try:
        theta = np.atleast_1d(np.asarray(parameter, dtype=float))
    except (TypeError, ValueError):
        theta = np.empty(0)
    if theta.ndim != 1 or not theta.size or np.isnan(theta).any():
        raise ParameterError(f"parameter must be a vector of numbers, not NaN {HIDDEN}") from None
    return theta


def _largest(c: float) -> float:
    """The largest float that is at most 1 − c."""
    top = 1 - c
    return top if Fraction(top) <= 1 - Fraction(c) else math.nextafter(top, 0.0)


def _coins(probabilities: Array, words: Source) -> NDArray[np.bool_]:
    """True with exactly the given probabilities: the first word that differs decides."""
    fallen = probabilities >= 1
    left = np.flatnonzero(~fallen)
    rest = probabilities[left]
    for _ in range(WORDS):
        if not left.size:
            break
        digits = np.floor(np.ldexp(rest, 64))
        drawn = words(left.size)
        limits = digits.astype(np.uint64)
        fallen[left[drawn < limits]] = True
        rest = np.ldexp(rest, 64) - digits
        tied = (drawn == limits) & (rest > 0)
        left, rest = left[tied], rest[tied]
    return fallen
