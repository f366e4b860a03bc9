"""The exponential mechanism, and every mechanism of bounded range."""

from __future__ import annotations

import math

import numpy as np

from hockeystick.checks import checked, declare, declared, non_negative, whole
from hockeystick.evidence import Evidence
from hockeystick.loss.atoms import EVERYTHING, NOTHING
from hockeystick.loss.base import Loss
from hockeystick.loss.segment import SegmentLoss
from hockeystick.mechanism import Mechanism
from hockeystick.mechanisms.randomized_response import RandomizedResponse
from hockeystick.numerics.series import exp_minus, log_sinhc
from hockeystick.numerics.types import Array
from hockeystick.relation import Relation


@declared
class ExponentialMechanism(Mechanism):
    """A choice whose loss has range at most ε: max loss − min loss <= ε (bounded range).

    The exponential mechanism with utility of sensitivity Δ picks r with probability ∝ e^{εu(r)/2Δ}:
    the loss is ε(u(r) − u'(r))/2Δ less a constant, so its range is at most ε. Report-noisy-max with
    Gumbel noise of scale 2Δ/ε is the same law. Where one record moves all utilities the same way,
    u − u' has range Δ and the weight may be ε/Δ (Durfee and Rogers 2019). `PermuteAndFlip` is not
    of bounded range. The largest profile of the class, δ(x) = (1 − e^{(x−ε)/2})²/(1 − e^{−ε}) for
    |x| <= ε (Dong, Durfee and Rogers 2020), is that of a loss with density ∝ e^{ℓ/2} on [−ε, ε]: a
    pair that dominates the class. Composed often, the class is better bounded by its Rényi curve;
    queries take the smaller.

    Parameters
    ----------
    epsilon: the bound on the range, in [0, inf].
    """

    source = "Durfee and Rogers 2019"

    epsilon_: float = checked(non_negative)

    def __init__(self, epsilon: float) -> None:
        declare(self, epsilon_=epsilon)

    def evidence(self, relation: Relation, steps: int = 1) -> Evidence:
        """Attained, in several steps, are two outcomes with losses ±ε/2: the pair of the class
        with the largest variance."""
        half = RandomizedResponse(self.epsilon_ / 2).evidence(relation).loss if steps > 1 else None
        return Evidence(
            (self._loss(),), half, self._divergences, curve_is_tighter=True, curve_is_largest=True
        )

    def _loss(self) -> Loss:
        epsilon = self.epsilon_
        if epsilon == 0:
            return NOTHING
        if math.isinf(epsilon):
            return EVERYTHING
        height = -0.5 / math.expm1(-epsilon)
        return SegmentLoss(epsilon, height=height, edge=0.0, quotient=(epsilon, 1.0))

    def group(self, size: int) -> Mechanism:
        return ExponentialMechanism(self.epsilon_ * whole("size", size, 1))

    def _divergences(self, orders: Array) -> tuple[Array, Array]:
        """The largest divergence over the pairs with losses t and t − ε, 0 <= t <= ε.

        P-mass of t is (1 − y)/(1 − b) with b = e^{−ε}, y = b·e^t; the maximum over y is explicit.
        """
        epsilon = self.epsilon_
        if epsilon == 0 or math.isinf(epsilon):
            value = np.full(orders.shape, epsilon)
            return value, value
        s = np.maximum(orders - 1, 1e-18)  # at order 1, the KL divergence: safe, as it increases
        small = np.isfinite(s) & ((s + 1) * epsilon < 1)
        value = self._of_large_losses(s)
        if small.any():
            value[small] = _of_small_losses(s[small], epsilon)
        return value, value

    def _of_large_losses(self, s: Array) -> Array:
        epsilon = self.epsilon_
        gone, spread = np.exp(-s * epsilon), -math.expm1(-epsilon)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            y = s / (s + 1) * (1 - gone * spread / np.expm1(-s * epsilon))
            y = np.clip(y, math.exp(-epsilon), 1)
            t = np.maximum(epsilon + np.log(y), 0.0)
            lower = np.exp(t - epsilon) * np.expm1(-t) / -spread  # the P-mass of t − ε
            value = t + np.log1p(lower * np.expm1(-s * epsilon)) / s
        return np.array(np.where(np.isinf(s), epsilon, np.clip(value, 0, epsilon)))


def _of_small_losses(s: Array, epsilon: float) -> Array:
    """The same where (s+1)·ε < 1 and the terms above cancel but for about (s+1)·ε²/8.

    With (e^x − 1)/x = e^{x/2 + S(x)}: y = 1 + (e^a − 1)/(s+1), a = S(ε) − S(sε) − (s+1)ε/2. The
    P-mass of t − ε, t = ε + log y, is r = (e^t − 1)/(e^ε − 1), and K = st + log(1 − rw) for
    w = 1 − e^{−sε}, where st − rw = st·(1 − e^d), d = (t − (s+1)ε)/2 + S(t) + S(sε) − S(ε).
    """
    whole, part = log_sinhc(np.full_like(s, epsilon)), log_sinhc(s * epsilon)
    t = epsilon + np.log1p(np.expm1(whole - part - (s + 1) * epsilon / 2) / (s + 1))
    d = (t - (s + 1) * epsilon) / 2 + log_sinhc(t) + part - whole
    rest = np.log1p(np.expm1(t) / math.expm1(epsilon) * np.expm1(-s * epsilon))
    return np.asarray(-t * np.expm1(d) - exp_minus(rest) / s)
