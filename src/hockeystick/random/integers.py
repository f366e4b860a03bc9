"""Integer noise by exactly its law: integers and comparisons of integers, no float.

The scale is the rational number that the float of the mechanism is. Canonne, Kamath and Steinke
2020, Algorithms 2 and 3, for many draws at once.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hockeystick.errors import ParameterError
from hockeystick.random.coins import exponential
from hockeystick.random.generators import Source, below

Integers = NDArray[np.int64]

LARGEST = 2**52
"""Scales above it could leave 64 bits."""


def discrete_laplace(scale: float, count: int, words: Source) -> Integers:
    """Integers with P[x] ∝ e^(−|x|/b), b = `scale`.

    Parameters
    ----------
    scale: in (0, 2^52].

    >>> from hockeystick.random.generators import source
    >>> discrete_laplace(2.0, 5, source(0)).dtype
    dtype('int64')
    """
    return _two_sided(*_ratio(scale), count, words)


def discrete_gaussian(scale: float, count: int, words: Source) -> Integers:
    """Integers with P[x] ∝ e^(−x²/2σ²), σ = `scale`.

    Discrete Laplace noise y of scale t = ⌊σ⌋ + 1 is kept with probability e^(−γ),
    γ = (|y| − σ²/t)²/2σ², which is ((|y|·t·d² − n²)²)/(2·n²·d²·t²) for σ = n/d.

    Parameters
    ----------
    scale: in (0, 2^52].

    >>> from hockeystick.random.generators import source
    >>> bool(3 < discrete_gaussian(4.0, 1000, source(0)).std() < 5)
    True
    """
    n, d = _ratio(scale)
    t = n // d + 1
    denominator = 2 * (n * d * t) ** 2

    def kept(tries: int) -> Integers:
        y = _two_sided(t, 1, tries, words)
        gap = abs(y).astype(object) * (t * d**2) - n**2
        return y[exponential(gap**2, denominator, words)]

    return _until(count, kept)


def _two_sided(numerator: int, denominator: int, count: int, words: Source) -> Integers:
    """Discrete Laplace noise of scale numerator / denominator."""

    def kept(tries: int) -> Integers:
        size = _geometric(numerator, denominator, tries, words)
        negative = below(2, tries, words) == 1
        once = ~negative | (size > 0)  # or 0 would come up twice as often
        signed: Integers = np.where(negative, -size, size)[once]
        return signed

    return _until(count, kept)


def _geometric(numerator: int, denominator: int, count: int, words: Source) -> Integers:
    """Integers y >= 0 with P[y] ∝ e^(−y·denominator/numerator).

    x = u + n·v for u uniform below n, kept with probability e^(−u/n), and v the number of coins of
    1/e that fall True before one falls False, has P[x] ∝ e^(−x/n); y = ⌊x/d⌋.
    """

    def kept(tries: int) -> Integers:
        u = below(numerator, tries, words).astype(np.int64)
        return u[exponential(u, numerator, words)]

    u = _until(count, kept)
    v = np.zeros(count, dtype=np.int64)
    running = np.arange(count)
    while running.size:
        running = running[exponential(np.ones(running.size, dtype=np.int64), 1, words)]
        v[running] += 1
    wide = numerator * (int(v.max(initial=0)) + 1) >= 2**63 or denominator >= 2**63
    kind = object if wide else np.int64
    y: Integers = ((u.astype(kind) + numerator * v.astype(kind)) // denominator).astype(np.int64)
    return y


def _until(count: int, kept: Callable[[int], Integers]) -> Integers:
    """The first `count` draws that are kept, of independent tries; `kept` makes some of them."""
    parts = [kept(count)]
    while (missing := count - sum(part.size for part in parts)) > 0:
        parts.append(kept(2 * missing + 16))
    return np.concatenate(parts)[:count]


def _ratio(scale: float) -> tuple[int, int]:
    if not 0 < scale <= LARGEST:
        raise ParameterError(f"the scale of integer noise must be in (0, 2^52], got {scale!r}")
    return float(scale).as_integer_ratio()
