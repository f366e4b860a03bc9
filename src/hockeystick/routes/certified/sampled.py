"""δ(ε) of one step on a sample, from that of the step itself."""

from __future__ import annotations

from typing import Protocol

from flint import arb

ZERO = arb(0)


class Sampled(Protocol):
    """A symmetric pair with profile `before`, on a sample."""

    q: arb
    sampled: bool
    fixed: bool
    sign: int

    def before(self, ell: arb) -> arb:
        """The profile at every real ℓ."""


def on_sample(law: Sampled, epsilon: arb, offset: arb = ZERO) -> arb:
    """Theorem 9. With h the profile before sampling, symmetric: for a record removed

    δ(ε) = q·h(log(1 + (e^ε−1)/q)) or 1 − e^ε where that logarithm does not exist; for one added
    q·e^{ε−b}·h(b), b = −log(1 + (e^{−ε}−1)/q), or 0; of a sample of fixed size the first for
    ε >= 0, and 1 − e^ε + e^ε·δ(−ε) below (Balle, Barthe and Gaboardi 2018, Theorem 2). Of two
    records on opposite sides it is the same with ε + offset in the first (Theorem 27).
    """
    if not law.sampled:
        return law.before(epsilon)
    if law.sign < 0:
        return _added(law, epsilon)
    if law.fixed:
        if epsilon >= 0:
            return _removed(law, epsilon + offset)
        back = -epsilon.expm1() + epsilon.exp() * _removed(law, offset - epsilon)
        return back if epsilon <= 0 else back.union(_removed(law, epsilon + offset))
    return _removed(law, epsilon)


def _removed(law: Sampled, epsilon: arb) -> arb:
    ratio = 1 + epsilon.expm1() / law.q
    if ratio > 0:
        return law.q * law.before(ratio.log())
    return -epsilon.expm1() if ratio <= 0 else arb(0.5, 0.5)


def _added(law: Sampled, epsilon: arb) -> arb:
    ratio = 1 + (-epsilon).expm1() / law.q
    if not ratio > 0:
        return arb(0) if ratio <= 0 else arb(0.5, 0.5)
    base = -ratio.log()
    return law.q * (epsilon - base).exp() * law.before(base)
