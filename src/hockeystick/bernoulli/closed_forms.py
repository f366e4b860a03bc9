"""What is known without any search: r_α, asymptotes, contraction, Theorem 2, order infinity."""

from __future__ import annotations

import math

import numpy as np

from hockeystick.bernoulli.channel import MOST_COINS, Channel, coins
from hockeystick.bernoulli.excess import divergence_of_excess, log_excess_of_guarantee
from hockeystick.bernoulli.parameters import Coins, coins_of, order_of
from hockeystick.bernoulli.symmetric import log_excess_of_pair, symmetric_loss
from hockeystick.checks import non_negative, probability


def up(order: float) -> float:
    """A factor above what a few roundings do to a divergence of that order."""
    return 1 + 64 * 2.0**-52 * (1 if math.isinf(order) else 1 + order / (order - 1))


def symmetric_divergence(p: float, order: float) -> float:
    """r_α(p), the Rényi divergence of (p, 1−p) from (1−p, p).

    r_α(p) = log(p^α·(1−p)^{1−α} + (1−p)^α·p^{1−α})/(α − 1) (Imola and Chaudhuri, Definition 2).

    Parameters
    ----------
    p: in [0, 1]. order: in (1, inf].

    >>> round(symmetric_divergence(0.1, 50), 9)
    2.195074363
    """
    p, a = probability("p", p), order_of(order)
    if p in (0.0, 1.0):
        return math.inf
    rho = abs(math.log(p) - math.log1p(-p))
    if math.isinf(a):
        return rho
    return _divergence(rho, a)


def _divergence(rho: float, a: float) -> float:
    return divergence_of_excess(log_excess_of_pair(rho, a), a) if rho else 0.0


def asymptote(order: float, c: float, dimension: int = 1, samples: int = 1) -> float:
    """d·k·r_α(c), what the divergence of the coins tends to as ε grows, and never exceeds.

    Imola and Chaudhuri, equations (2) and (6), Theorem 5.

    Parameters
    ----------
    order: in (1, inf]. c: in [0, 1/2]. dimension, samples: integers >= 1.

    >>> round(asymptote(50, 0.1, dimension=2), 9)
    4.390148725
    """
    return _asymptote(coins_of(c, dimension, samples), order_of(order))


def _asymptote(given: Coins, a: float) -> float:
    return given.number * symmetric_divergence(given.c, a)


def contraction(
    epsilon: float, order: float, c: float, dimension: int = 1, samples: int = 1
) -> float:
    """log(1 + τ·(e^{(α−1)ε} − 1))/(α − 1) with τ = TV(Bin(dk, 1−c), Bin(dk, c)): an upper bound.

    τ is Dobrushin's coefficient of the coins, by which every f-divergence contracts (Cohen, Iwasa,
    Rautu, Ruskai, Seneta and Zbaganu 1993).

    Parameters
    ----------
    epsilon: in [0, inf]. order: in (1, inf). c: in [0, 1/2]. dimension, samples: integers >= 1.

    >>> round(contraction(1.0, 2, 0.1), 9)
    0.864839725
    """
    e, a = non_negative("epsilon", epsilon), order_of(order)
    return _contraction(e, a, coins_of(c, dimension, samples))


def _contraction(e: float, a: float, given: Coins) -> float:
    if e == 0 or given.c == 0.5:
        return 0.0
    if math.isinf(a) or math.isinf(e) or given.c == 0 or given.number > MOST_COINS:
        return e
    return contracted(e, a, coins(given.number, given.c))


def contracted(e: float, a: float, channel: Channel) -> float:
    """The contraction by the total variation distance of a channel."""
    tau = min(1.0, channel.total_variation * (1 + channel.error))
    return divergence_of_excess(log_excess_of_guarantee(e, a) + math.log(tau), a) * up(a)


def majority_bound(
    epsilon: float, order: float, c: float, dimension: int = 1, samples: int = 1
) -> float:
    """r_α(p + K) with r_α(p) = ε and K = e^{−2(1/2−c)²·dk}: a lower bound; 0 where p + K > 1/2.

    Imola and Chaudhuri, Theorem 2, whose proof by the majority of the coins is as good for d·k of
    them as for d.

    Parameters
    ----------
    epsilon: in [0, inf]. order: in (1, inf). c: in [0, 1/2]. dimension, samples: integers >= 1.

    >>> round(majority_bound(1.0, 50, 0.1, dimension=50), 6)
    0.999999
    """
    e, a = non_negative("epsilon", epsilon), order_of(order)
    count, c = coins_of(c, dimension, samples)
    if e == 0 or c == 0.5:
        return 0.0
    k = math.exp(-2 * (0.5 - c) ** 2 * count)
    loss = e if math.isinf(a) or math.isinf(e) else symmetric_loss(e, a)
    moved = math.exp(-loss) / (1 + math.exp(-loss)) + k
    return symmetric_divergence(moved, a) if 0 < moved <= 0.5 else (math.inf if moved == 0 else 0.0)


def largest_loss(epsilon: float, c: float, dimension: int = 1, samples: int = 1) -> float:
    """Post of order infinity, exactly: log((1 + g·e^{−ε})/(g + e^{−ε})) with g = (c/(1−c))^{dk}.

    From ε-DP to the ε' of the coins. The likelihood ratio of the coins is largest for the pair with
    both losses at their limits ±ε and where all coins agree.

    Parameters
    ----------
    epsilon: in [0, inf]. c: in [0, 1/2]. dimension, samples: integers >= 1.

    >>> round(largest_loss(1.0, 0.1), 9)
    0.776136585
    """
    e = non_negative("epsilon", epsilon)
    given = coins_of(c, dimension, samples)
    return _largest_loss(e, given.number * given.reach)


def _largest_loss(e: float, top: float) -> float:
    """Of order infinity, where all coins together tell `top` = log 1/g."""
    if e == 0 or top == 0:
        return 0.0
    if math.isinf(e) or math.isinf(top):
        return min(e, top)
    # log(1 + (1−g)(1−s)/(g+s)) with s = e^−ε, which is accurate where either is close to 1.
    g, s = math.exp(-top), math.exp(-e)
    if g + s > 0:
        return math.log1p(math.expm1(-top) * math.expm1(-e) / (g + s))
    return float(-np.logaddexp(-top, -e))
