"""The three regimes of ε in which coins amplify privacy not at all, somewhat, or all they can."""

from __future__ import annotations

from enum import Enum

from hockeystick.bernoulli.amplify import amplify
from hockeystick.bernoulli.closed_forms import asymptote
from hockeystick.checks import probability


class Regime(Enum):
    """Imola and Chaudhuri, Section 6."""

    POST_PROCESSING = "I"
    """The coins cost about as much as the parameter: no amplification to speak of."""
    TRANSITION = "II"
    """Between the two."""
    ASYMPTOTE = "III"
    """The coins cost about d·k·r_α(c), however large ε is."""


def regime(
    epsilon: float,
    order: float,
    c: float,
    dimension: int = 1,
    samples: int = 1,
    *,
    within: float = 0.1,
) -> Regime:
    """In which of the three regimes the parameters lie.

    I if the coins' divergence is within the fraction `within` of ε, III if it is within that of
    d·k·r_α(c), whichever is smaller, II otherwise (Imola and Chaudhuri, Section 6, where the
    regimes are read off plots).

    Parameters
    ----------
    epsilon: in [0, inf]. order: in (1, inf]. c: in [0, 1/2]. dimension, samples: integers >= 1.
    within: in [0, 1].

    >>> regime(epsilon=5, order=50, c=0.1).value, regime(epsilon=1, order=50, c=0.01).value
    ('III', 'I')
    """
    close = 1 - probability("within", within)
    post = amplify(epsilon, order, c, dimension, samples, close=1e-4)
    limit = asymptote(order, c, dimension, samples)
    if post < close * min(epsilon, limit):
        return Regime.TRANSITION
    return Regime.POST_PROCESSING if epsilon <= limit else Regime.ASYMPTOTE
