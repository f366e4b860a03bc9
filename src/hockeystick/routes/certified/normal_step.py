"""δ(ε) of a single step of Gaussian noise on a sample, by its tails."""

from __future__ import annotations

import math

from flint import arb, ctx

from hockeystick.routes.certified.balls import above

UNDECIDED = (0.5, 0.5)
"""The ball [0, 1], which holds every δ."""


def one_step(up: arb, down: arb, q: arb, epsilon: arb) -> arb:
    """P[z > z*] − e^ε·Q[z > z*], where the loss at z* is ε (Theorem 9).

    Only tails are subtracted, so that a small δ keeps its digits.
    """
    if q == 1:
        shift = up + down
        place = epsilon / shift + shift / 2  # of the pair N(shift), N(0)
        return upper_tail(place - shift) - epsilon.exp() * upper_tail(place)
    threshold = _threshold(up, down, q, epsilon)
    if threshold is None:
        return arb(*UNDECIDED)
    if isinstance(threshold, float):
        return arb(0)
    outside = (1 - q) * upper_tail(threshold) * -epsilon.expm1()
    inside = upper_tail(threshold - up) - epsilon.exp() * upper_tail(threshold + down)
    return outside + q * inside


def upper_tail(x: arb) -> arb:
    """P[N(0, 1) > x]."""
    return (x / arb(2).sqrt()).erfc() / 2


def _threshold(up: arb, down: arb, q: arb, epsilon: arb) -> arb | float | None:
    """Where the loss is ε; inf if it is smaller everywhere, None if that is undecided."""
    if down == 0:
        return _place(up, epsilon, q)
    if up == 0:
        most = -(-q).log1p()
        if epsilon >= most:
            return math.inf
        place = _place(down, -epsilon, q) if epsilon < most else None
        return None if place is None else -place
    return _between(up, down, q, epsilon)


def _place(shift: arb, loss: arb, q: arb) -> arb | None:
    """z with log(1 − q + q·e^{shift·z − shift²/2}) = loss."""
    ratio = 1 + loss.expm1() / q
    return (ratio.log() + shift * shift / 2) / shift if ratio > 0 else None


def _between(up: arb, down: arb, q: arb, epsilon: arb) -> arb | None:
    """The loss grows with z: halve until balls no longer tell on which side ε is."""

    def loss(z: arb) -> arb:
        v = 1 - q + q * (up * z - up * up / 2).exp()
        w = 1 - q + q * (-down * z - down * down / 2).exp()
        return v.log() - w.log()

    low, high, reach = arb(0), arb(0), arb(1)
    while not loss(low) < epsilon or not loss(high) > epsilon:
        low, high, reach = low - reach, high + reach, 2 * reach
        if above(reach) > 1e300:
            return None
    for _ in range(2 * ctx.prec):
        middle = ((low + high) / 2).mid()
        here = loss(middle)
        if here < epsilon:
            low = middle
        elif here > epsilon:
            high = middle
        else:
            break
    return low.union(high)
