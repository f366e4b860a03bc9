"""Gaussian and Laplace noise: real variables, rounded to integers without an error."""

from __future__ import annotations

from hockeystick.errors import ParameterError
from hockeystick.random.envelope import Envelope, exponential_envelope, normal_envelope
from hockeystick.random.generators import Source
from hockeystick.random.reals import LARGEST, Integers, collect, rounded


def normal(scale: float, count: int, words: Source) -> Integers:
    """The integers nearest to scale·Z, Z standard normal real numbers.

    Parameters
    ----------
    scale: in (0, 2^39].

    >>> from hockeystick.random.generators import source
    >>> bool(abs(normal(2.0**30, 10_000, source(0)).std() / 2.0**30 - 1) < 0.03)
    True
    """
    return _nearest(normal_envelope(), scale, count, words)


def laplace(scale: float, count: int, words: Source) -> Integers:
    """The integers nearest to scale·Z, Z real numbers of density e^(−|z|)/2.

    Parameters
    ----------
    scale: in (0, 2^39].

    >>> from hockeystick.random.generators import source
    >>> bool(abs(abs(laplace(2.0**30, 10_000, source(0))).mean() / 2.0**30 - 1) < 0.03)
    True
    """
    return _nearest(exponential_envelope(), scale, count, words)


def _nearest(envelope: Envelope, scale: float, count: int, words: Source) -> Integers:
    if not 0 < scale <= LARGEST:
        raise ParameterError(f"the scale of rounded noise must be in (0, 2^39], got {scale!r}")

    def kept(tries: int) -> Integers:
        sizes, signs = rounded(envelope, scale, 0.5, tries, words)
        return sizes * signs

    return collect(count, envelope.kept, kept)
