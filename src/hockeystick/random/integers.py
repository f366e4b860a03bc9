"""Integer noise by exactly its law, in a time that does not depend on it.

The scale is the rational number that the float of the mechanism is. Discrete Laplace noise is the
integer part of an exponential variable, with a sign; discrete Gaussian noise is Laplace noise of
which some is kept (Canonne, Kamath and Steinke 2020, Algorithm 3).
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from hockeystick.errors import ParameterError
from hockeystick.random.coins import exponential
from hockeystick.random.envelope import exponential_envelope
from hockeystick.random.generators import Source
from hockeystick.random.reals import Integers, collect, rounded

LARGEST = 2**52
"""Scales above it could leave 64 bits."""
WHOLE_BITS = 31
"""Integer parts are taken at scales below 2^31; further digits of larger ones are drawn apart."""


def discrete_laplace(scale: float, count: int, words: Source) -> Integers:
    """Integers with P[x] ∝ e^(−|x|/b), b = `scale`.

    Parameters
    ----------
    scale: in (0, 2^52].

    >>> from hockeystick.random.generators import source
    >>> discrete_laplace(2.0, 5, source(0)).dtype
    dtype('int64')
    """
    return _laplace(_checked(scale), count, words)


def discrete_gaussian(scale: float, count: int, words: Source) -> Integers:
    """Integers with P[x] ∝ e^(−x²/2σ²), σ = `scale`.

    Discrete Laplace noise y of scale t = ⌊σ⌋ + 1 is kept with probability e^(−γ),
    γ = (|y|/σ − σ/t)²/2.

    Parameters
    ----------
    scale: in (0, 2^52].

    >>> from hockeystick.random.generators import source
    >>> bool(3 < discrete_gaussian(4.0, 1000, source(0)).std() < 5)
    True
    """
    wide = math.floor(_checked(scale)) + 1
    square = Fraction(scale) ** 2

    def kept(tries: int) -> Integers:
        y = _laplace(float(wide), tries, words)
        with np.errstate(over="ignore"):  # γ is infinite where σ is far below 1
            costs = (np.abs(y) / scale - scale / wide) ** 2 / 2
        return y[
            exponential(
                costs, lambda i: (abs(int(y[i])) - square / wide) ** 2 / (2 * square), words
            )
        ]

    return collect(count, 0.75 if scale > 1 else 0.5, kept)


def _laplace(scale: float, count: int, words: Source) -> Integers:
    """Discrete Laplace noise: ±⌊b·X⌋, X exponential, without −0, which would count 0 twice.

    A scale above 2^31 is 2^k·b: the integer is 2^k·v + u with v of scale b and u uniform below
    2^k, kept with probability e^(−u/scale).
    """
    envelope = exponential_envelope()
    low_bits = max(0, math.frexp(scale)[1] - WHOLE_BITS)

    def kept(tries: int) -> Integers:
        sizes, signs = rounded(envelope, math.ldexp(scale, -low_bits), 0.0, tries, words)
        if low_bits:
            sizes, signs = _with_low_bits(sizes, signs)
        return (sizes * signs)[(sizes > 0) | (signs > 0)]

    def _with_low_bits(sizes: Integers, signs: Integers) -> tuple[Integers, Integers]:
        low = (words(sizes.size) >> np.uint64(64 - low_bits)).astype(np.int64)
        stays = exponential(low / scale, lambda i: Fraction(int(low[i])) / Fraction(scale), words)
        return (sizes * 2**low_bits + low)[stays], signs[stays]

    zero = -math.expm1(-1 / scale) / 2  # the share of −0
    return collect(count, envelope.kept * (1 - zero), kept)


def _checked(scale: float) -> float:
    if not 0 < scale <= LARGEST:
        raise ParameterError(f"the scale of integer noise must be in (0, 2^52], got {scale!r}")
    return float(scale)
