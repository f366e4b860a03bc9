"""Composition theorems for (ε, δ) after the standard sampling lemma, as baselines.

Wang, Balle and Kasiviswanathan (2019, Section 5): one step of a mechanism that is (ε̃, δ̃)-private
is (log(1 + γ(e^ε̃ − 1)), γδ̃)-private on a sample (their Lemma 3), with ε̃ from δ̃ and the Rényi
curve of the mechanism by their (2.2), and δ̃ as suits the number of steps best.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np

from hockeystick.classical import amplified_epsilon, naive_composition
from hockeystick.figures.what_is_left import where_left
from hockeystick.mechanism import Mechanism
from hockeystick.numerics.binomial import log_binomial
from hockeystick.numerics.minimise import golden
from hockeystick.relation import REPLACE_ONE

WINDOW = 14.0
"""Deviations of a binomial law, beyond which it is below 1e-40."""

LOG_SHARES, CLOSE = (-12.0, 0.0), 0.02
"""Of δ, where the best one for the steps is looked for, and how near one has to come: the minimum
is flat, so that a share within 2 % of the best is as good."""

BaseEpsilon = Callable[[float], float]
"""δ̃ to ε̃ of the mechanism without sampling."""


@cache
def base_epsilon(mechanism: Mechanism) -> BaseEpsilon:
    """ε̃ = min over α of ε(α) + log(1/δ̃)/(α − 1), on 1250 orders and inf (Mironov 2017)."""
    orders = 1 + np.geomspace(1e-2, 1e3, 1250)
    curve = np.asarray(mechanism.rdp(orders, relation=REPLACE_ONE))
    pure = float(mechanism.rdp(math.inf, relation=REPLACE_ONE))

    def epsilon(delta: float) -> float:
        if delta == 0:
            return pure
        return min(pure, float(np.min(curve - math.log(delta) / (orders - 1))))

    return epsilon


def naive(base: BaseEpsilon, gamma: float, count: int, delta: float) -> float:
    """k·ε of one step: all of δ is spent on the steps, which costs nothing more."""
    tilde = min(1.0, delta / (count * gamma))
    step = amplified_epsilon(base(tilde), gamma)
    return naive_composition(step, gamma * tilde, count, delta=delta)


def strong(base: BaseEpsilon, gamma: float, count: int, delta: float) -> float:
    """The optimal composition of Kairouz, Oh and Viswanath (2015), least over δ̃."""

    def at(tilde: float) -> float:
        step = base(tilde)
        if math.isinf(step):
            return math.inf
        return optimal(amplified_epsilon(step, gamma), gamma * tilde, count, delta)

    largest = min(1.0, delta / (count * gamma))
    if base(largest) == base(0.0):  # spending δ on the steps gains nothing
        return at(0.0)
    _, best = golden(lambda log_share: at(math.exp(log_share) * largest), *LOG_SHARES, CLOSE)
    return min(best, at(0.0), at(largest))


def optimal(step_epsilon: float, step_delta: float, count: int, delta: float) -> float:
    """`classical.optimal_composition` to nine digits, in a tenth of its time.

    The sum of k losses ±ε₀ is (2l − k)·ε₀, l binomial, of which those within 14 deviations count.
    """
    log_kept = count * math.log1p(-step_delta)
    spent = -math.expm1(log_kept)
    if spent > delta:
        return math.inf
    wanted = (delta - spent) / (1 - spent)
    if step_epsilon == 0 or wanted >= 1:
        return 0.0
    log_lie = -float(np.logaddexp(0.0, step_epsilon))
    log_truth = log_lie + step_epsilon
    deviation = math.sqrt(count * math.exp(log_lie + log_truth))
    middle = count * math.exp(log_truth)
    first = max(math.floor(middle - WINDOW * (deviation + 1)), (count + 1) // 2 - 1, 0)
    last = min(math.ceil(middle + WINDOW * (deviation + 1)), count)
    truths = np.arange(first, last + 1)
    ways, inner = np.zeros(truths.size), (truths > 0) & (truths < count)
    ways[inner] = log_binomial(count, truths[inner])
    masses = np.exp(ways + truths * log_truth + (count - truths) * log_lie)
    return where_left((2 * truths - count) * step_epsilon, masses, wanted, 2 * step_epsilon)
