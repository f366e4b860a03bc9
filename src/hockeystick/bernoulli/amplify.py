"""Amplification by Bernoulli sampling: the Rényi DP of coins whose probabilities are private."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from hockeystick.bernoulli.box import Box, box_of
from hockeystick.bernoulli.certificate import certified
from hockeystick.bernoulli.channel import MOST_COINS, Channel, coins, fewer_outcomes
from hockeystick.bernoulli.closed_forms import _asymptote, _largest_loss, contracted, up
from hockeystick.bernoulli.parameters import Coins, coins_of, order_of
from hockeystick.bernoulli.symmetric import seen, symmetric_loss
from hockeystick.bound import Bound
from hockeystick.checks import finite_positive, non_negative
from hockeystick.errors import NumericalError

CLOSE = 5e-10
FLAT = 0.01
"""Below this α·ρ the ends need not be closer than a thousandth, relative to them."""
LARGE = 690.0
"""Losses up to which probabilities are floats."""
LEAST = 1e-280
"""Below this (α − 1)·ε, J − 1 is hardly a float."""
HIGHEST = 1e9
"""Order above which there is no certificate: α·2^−52 would be too rough."""
OUTCOMES = 400
"""Most outcomes of the channel in the certificate; more are merged to the safe side."""


def amplify(
    epsilon: float,
    order: float,
    c: float | Sequence[float],
    dimension: int = 1,
    samples: int = 1,
    *,
    d: float | Sequence[float] | None = None,
    close: float = CLOSE,
) -> Bound:
    """Rényi DP of order α of `samples` Bernoulli(θ) vectors when θ in [c, 1−c]^d is (α, ε)-RDP.

    Post(ε) = sup R_α(Bern_k(P), Bern_k(Q)) over all P, Q on [c, 1−c]^d with R_α(P, Q) <= ε and
    R_α(Q, P) <= ε (Imola and Chaudhuri, Definition 6). It depends on d·k alone. The lower end is
    the symmetric pair on two opposite corners (their Theorem 4). The upper end is the least of

    - "post-processing": ε;
    - "asymptote": d·k·r_α(c) (their Theorem 5);
    - "contraction": by Dobrushin's coefficient, see `contraction`;
    - "certificate": by Lagrange duality, with the inner maximum proven by a cover, see
      `certificate` (their conjecture, that both ends agree, is so certified case by case);
    - "largest loss", for order infinity alone: exact.

    All of them hold with rounding included, so the answer is certified.

    Parameters
    ----------
    epsilon: in [0, inf]. order: in (1, inf].
    c: in [0, 1/2]; 0 protects nothing more than ε, at 1/2 the coins say nothing. A list has the c_i
    of each coordinate (their Lemma 2), and `d` the d_i of a box Π [c_i, d_i] where they are not
    1 − c_i: then the ends are those of symmetric coins that tell no less, and no more (see `box`).
    dimension, samples: integers >= 1.
    close: how far apart the ends are to be, absolute above 1 and relative below, if that succeeds
    (where the coins hide next to nothing it may not); in (0, inf).

    >>> answer = amplify(epsilon=1.0, order=2, c=0.1)
    >>> round(answer, 8), answer.method, answer.upper - answer.lower < 1e-9
    (0.66906654, 'certificate', True)
    >>> box = amplify(epsilon=1.0, order=2, c=[0.1, 0.3])
    >>> round(box, 8), box.upper - box.lower < 1e-9
    (0.70805222, True)
    """
    e, a = non_negative("epsilon", epsilon), order_of(order)
    if d is not None or np.ndim(c):
        return _amplify_box(e, a, box_of(c, d, dimension, samples), finite_positive("close", close))
    return _amplify(e, a, coins_of(c, dimension, samples), finite_positive("close", close))


@lru_cache(maxsize=4096)
def _amplify(e: float, a: float, given: Coins, close: float = CLOSE) -> Bound:
    if e == 0 or given.c == 0.5:
        return Bound(0.0, lower=0.0, method="post-processing", certified=True)
    if (a - 1) * e < LEAST:
        return Bound(e, lower=0.0, method="post-processing", certified=True)
    limit = _asymptote(given, a)
    if math.isinf(e) or given.c == 0:
        value, method = min((e, "post-processing"), (limit * up(a), "asymptote"))
        return Bound(value, lower=value / up(a) ** 2, method=method, certified=True)
    if math.isinf(a):
        value = _largest_loss(e, given.number * given.reach)
        return Bound(value * up(a), lower=value / up(a), method="largest loss", certified=True)
    return _between(e, a, given, limit, close)


@lru_cache(maxsize=4096)
def _amplify_box(e: float, a: float, box: Box, close: float = CLOSE) -> Bound:
    if e == 0 or box.tells_nothing:
        return Bound(0.0, lower=0.0, method="post-processing", certified=True)
    limit = box.asymptote(a)
    if box.tells_all or (a - 1) * e < LEAST:
        value, method = min((e, "post-processing"), (limit, "asymptote"))
        return Bound(value, lower=0.0, method=method, certified=True)
    if math.isinf(a):
        ends = [_largest_loss(e, box.samples * box.reach(each)) for each in (box.outer, box.inner)]
        return Bound(ends[0] * up(a), lower=ends[1] / up(a), method="largest loss", certified=True)
    if math.isinf(e):
        return Bound(limit, lower=limit / up(a) ** 2, method="asymptote", certified=True)
    above = _ends(e, a, box.channel(above=True), box.symmetric_asymptote(a), close)
    upper, method = min((above.upper, above.method), (limit, "asymptote"))
    below = box.channel(above=False)
    lower = seen(below, symmetric_loss(min(e, LARGE), a), a)
    least = lower.divergence * (1 - _rounding(a, lower.loss, below.error))
    return Bound(upper, lower=min(least, upper), method=method, certified=True)


def _between(e: float, a: float, given: Coins, limit: float, close: float) -> Bound:
    channel = coins(min(given.number, MOST_COINS), given.c)
    return _ends(e, a, channel, limit, close, within_reach=given.number <= MOST_COINS)


def _ends(
    e: float, a: float, channel: Channel, limit: float, close: float, *, within_reach: bool = True
) -> Bound:
    best = seen(channel, symmetric_loss(min(e, LARGE), a), a)  # the lower end grows with ε
    lower = best.divergence * (1 - _rounding(a, best.loss, channel.error))
    uppers = [(e, "post-processing"), (limit * up(a), "asymptote")]
    if within_reach:
        uppers.append((contracted(e, a, channel), "contraction"))
    # Far below ε = 1 the Lagrangian is flat, and to come that close would take a million cells.
    flat = a * best.loss < FLAT
    close = max(FLAT / 10, close) if flat else close
    wanted = close * min(1.0, best.divergence)
    simplest, _ = min(uppers)
    if simplest > lower + wanted and within_reach and e <= LARGE and a <= HIGHEST:
        if channel.w.size > OUTCOMES:
            channel = fewer_outcomes(channel, channel.shares(best.pair, a), OUTCOMES)
            best = seen(channel, best.loss, a)
        if best.divergence < simplest:
            uppers.append((certified(channel, best, wanted, simplest), "certificate"))
    upper, method = min(uppers)
    if lower > upper * (1 + 1e-9):
        raise NumericalError(f"the ends cross: {lower!r} > {upper!r}")
    return Bound(upper, lower=min(lower, upper), method=method, certified=True)


def _rounding(a: float, loss: float, error: float) -> float:
    """Relative error of the divergence of the symmetric pair."""
    return 2.0**-52 * (256 * a / (a - 1) + 64 * (1 + loss)) + 2 * error


@dataclass(frozen=True)
class WorstPair:
    """P and Q on two opposite corners of [c, 1−c]^d: P is (1−c, …, 1−c) with probability
    `probability` and (c, …, c) otherwise, and Q the other way round."""

    probability: float
    first: tuple[float, ...]
    second: tuple[float, ...]


def worst_pair(epsilon: float, order: float, c: float, dimension: int = 1) -> WorstPair:
    """The pair that attains the lower end of `amplify`, and the upper where the two agree.

    Imola and Chaudhuri, equations (3) and (4). An algorithm that draws its parameter from P on one
    data set and from Q on its neighbour is (α, ε)-RDP.

    Parameters
    ----------
    epsilon: in [0, inf]. order: in (1, inf]. c: in [0, 1/2]. dimension: an integer >= 1.

    >>> round(worst_pair(epsilon=1.0, order=2, c=0.1).probability, 6)
    0.774084
    """
    e, a = non_negative("epsilon", epsilon), order_of(order)
    count, c = coins_of(c, dimension, 1)
    loss = e if e == 0 or math.isinf(e) or math.isinf(a) else symmetric_loss(e, a)
    return WorstPair(1 / (1 + math.exp(-loss)), (1 - c,) * count, (c,) * count)
