"""log M(s) = log E_P[e^{sL}] of one step at a real order s > 0, in balls: what Rényi DP is made of.

Most laws are integrated as on a line, at its real point. Some have better: a class of bounded range
has its largest moment in closed form, integer noise a sum whose ends are geometric, and sampled
normal laws at large orders the two ends of `norms`.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from flint import arb

from hockeystick.errors import CannotCertify
from hockeystick.loss.base import Loss
from hockeystick.loss.exact import Exact
from hockeystick.routes.certified.balls import above, ball, only_if
from hockeystick.routes.certified.law import Law, Rule
from hockeystick.routes.certified.laws import law_of
from hockeystick.routes.certified.norms import between_norms, by_norms
from hockeystick.routes.certified.points import PAIRS

NATS = 45.0
"""The quadrature errs by e^−45 of log M."""
LEAST_LOG = -300.0
"""Of a log M that floats cannot tell."""
DEVIATIONS = 18.0
"""Beyond which integer Gaussian noise is bounded and not listed: e^{−162} of it."""
MOST_POINTS = 40_000
MOST_NODES = 20_000
"""Of a quadrature."""


def moment_rule(loss: Loss, exact: Exact, order: float) -> Rule:
    """Floats: how log M is found. The error is to be small beside log M itself."""
    if exact.instead and not exact.opposite:  # a list of losses
        return {}
    if _is_class(exact) or exact.kind in PAIRS:
        return {}
    if by_norms(exact, order, NATS):
        return {"norms": True}
    with np.errstate(all="ignore"):
        k = float(loss.cgf(np.array([order])).real[0])
    if exact.fixed and exact.kind == "normal" and k > NATS:
        whole = replace(exact, fixed=False)
        norms = by_norms(whole, order, NATS)
        return {"whole": {"norms": True} if norms else _quadrature(whole, order, k)}
    return _quadrature(exact, order, k)


def _quadrature(exact: Exact, order: float, k: float) -> Rule:
    """For a log M of about k."""
    size = math.log(k) if 0 < k < 1 else (0.0 if k >= 1 else LEAST_LOG)
    log_m = k if 0 < k < math.inf else 0.0
    rule = law_of(exact).rule_at(order, max(size, LEAST_LOG) - NATS, log_m)
    ends = rule.get("mass", {"first": 0, "last": 0})
    if ends["last"] - ends["first"] > MOST_NODES:
        raise CannotCertify(f"a quadrature at the order {order!r} would take too many points")
    return rule


def log_moment(exact: Exact, law: Law, order: float, rule: Rule) -> arb:
    """log M(order), proven."""
    only_if(order > 0, "a positive order")
    if _is_class(exact):
        return _largest_of_range(ball(exact.numbers[0]), arb(order))
    if exact.kind == "integer gaussian" and not exact.instead:
        return _integer_gaussian(exact, arb(order)).log()
    if rule.get("norms"):
        return between_norms(exact, order)
    if "whole" in rule:
        only_if(exact.fixed and exact.kind == "normal", "a normal law on a sample of fixed size")
        return _near_the_whole(replace(exact, fixed=False), order, rule["whole"])
    only_if(law.lost.is_zero(), "a list of all losses")
    mass = law.tilted(order, rule).mass
    only_if(mass > 0, "a positive moment")
    return mass.log()


def _near_the_whole(whole: Exact, order: float, rule: Rule) -> arb:
    """M of a sample of fixed size is within 1 of W = E[v^{s+1}], which is that of a record removed:
    M − W = 1 − E[v^{s+1}; ℓ < 0] + E[v^{−s} − v − 1; ℓ > 0], where v < 1, and v > 1; and
    E[v] = 1."""
    log_w = log_moment(whole, law_of(whole), order, rule)
    return log_w + (arb(0, 1) * (-log_w).exp()).log1p()


def _is_class(exact: Exact) -> bool:
    return exact.kind == "exponential" and exact.rate == 1


def _largest_of_range(epsilon: arb, s: arb) -> arb:
    """The largest over all losses t and t − ε of bounded range ε: with y = e^{t−ε}, b = e^{−ε} and
    g = e^{−sε} it is e^{sε}·y^s·(A − B·y), B = (1−g)/(1−b), A = B + g, b <= y <= 1 (Dong, Durfee
    and Rogers 2020): largest at y = s/(s+1)·A/B."""
    b, g = (-epsilon).exp(), (-s * epsilon).exp()
    slope = (s * epsilon).neg().expm1() / epsilon.neg().expm1()
    top = slope + g

    def log_at(y: arb) -> arb:
        return s * (epsilon + y.log()) + (top - slope * y).log()

    best = s / (s + 1) * top / slope
    if best >= b and best <= 1:
        return log_at(best)
    return log_at(best).union(arb.max(log_at(b), log_at(arb(1))))


def _integer_gaussian(exact: Exact, s: arb) -> arb:
    """Σ Q(x)·v(x)^p, v = 1 − q + q·e^ℓ, ℓ = (2kx − k²)/2σ²; p = s+1, or −s of a record added.

    Beyond x to the right v^p <= e^{pℓ}·(q + (1−q)·e^{−ℓ(x)})^p for p > 0, and the terms fall
    geometrically from x > pk on; v^p is at most 1 to the left for p > 0, and at most (1−q)^p
    everywhere for p < 0.
    """
    scale, k, q = ball(exact.numbers[0]), int(exact.numbers[1]), ball(exact.rate)
    only_if(not exact.fixed, "a sample that is not of fixed size")
    added = exact.turned and exact.rate != 1
    power, square = -s if added else s + 1, scale * scale
    reach = math.ceil(DEVIATIONS * float(scale))
    last = reach + k if added else math.ceil(above(power) * k) + reach
    if last + reach > MOST_POINTS:
        raise CannotCertify(f"integer noise with {last + reach} values")
    weight = [(-arb(x * x) / (2 * square)).exp() for x in range(max(last, reach) + 2)]
    fall = 2 * _geometric(weight[reach + 1], (-arb(reach + 1) / square).exp())
    norm = 2 * sum(weight[1 : reach + 1], arb(0)) + 1 + arb(0).union(fall)
    total = arb(0)
    for x in range(-reach, last + 1):
        grown = ((2 * k * x - k * k) / (2 * square)).exp()
        total += weight[abs(x)] * (1 - q + q * grown) ** power
    most = (1 - q) ** power if added else arb(1)
    left = most * fall / 2
    if added:
        right = most * _geometric(weight[last + 1], (-arb(last + 1) / square).exp())
    else:
        x = last + 1
        loss = (2 * k * x - k * k) / (2 * square)
        share = q + (1 - q) * (-loss).exp()
        first = weight[x] * (power * (loss + share.log())).exp()
        right = _geometric(first, ((2 * power * k - (2 * x + 1)) / (2 * square)).exp())
    return (total + arb(0).union(left + right)) / norm


def _geometric(first: arb, ratio: arb) -> arb:
    only_if(ratio < 1, "terms that fall")
    return first / (1 - ratio)
