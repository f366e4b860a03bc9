"""Dominating pairs (P, Q) written down from their definitions, as atoms plus one density.

The loss is ``log(dP/dQ)``. A pair holds the atoms of the loss, at most one interval of the
underlying variable ``x`` on which the loss is strictly increasing with densities ``p`` and ``q``,
and the masses that the other distribution does not have at all (loss ``+inf`` and ``-inf``).
P is the distribution with the record, so ``poisson(pair, rate)`` is the "remove" direction and its
reverse the "add" direction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mpmath import mp, mpf

Function = Callable[[mpf], mpf]
ZERO = mpf(0)


@dataclass(frozen=True)
class Atom:
    """One value of the loss, with its mass under P and under Q (both positive)."""

    loss: mpf
    p: mpf
    q: mpf


@dataclass(frozen=True)
class Density:
    """Densities of P and Q over ``knots[0] < x < knots[-1]``, the loss increasing in x."""

    p: Function
    q: Function
    p_above: Function  # P-mass of the part of the interval above x; and so on
    q_above: Function
    p_below: Function
    q_below: Function
    loss: Function
    inverse: Function  # the lower or upper end of the support outside the loss's range
    knots: tuple[mpf, ...]
    stretch: mpf = ZERO  # how far the tilted density moves per unit of order; 0 when bounded


@dataclass(frozen=True)
class Pair:
    """A pair of distributions seen through its privacy loss."""

    atoms: tuple[Atom, ...] = ()
    density: Density | None = None
    p_only: mpf = ZERO  # P-mass where Q vanishes: loss +inf
    q_only: mpf = ZERO  # Q-mass where P vanishes: loss -inf


def gaussian(noise: mpf, shift: int = 1) -> Pair:
    """N(shift, noise^2) against N(0, noise^2); loss shift (2x - shift) / (2 noise^2).

    shift 1: one record added or removed; shift 2: one replaced (Balle and Wang, 2018, Theorem 5).
    """
    noise, k = mpf(noise), mpf(shift)

    def upper(z: mpf) -> mpf:
        return mp.erfc(z / (noise * mp.sqrt(2))) / 2

    reach = noise * mp.sqrt(2 * mp.log(10) * (mp.dps + 10))
    knots = (min(k, 0) - reach, min(k, 0), max(k, 0), max(k, 0) + reach)
    return Pair(
        density=Density(
            p=lambda x: mp.npdf(x, k, noise),
            q=lambda x: mp.npdf(x, 0, noise),
            p_above=lambda x: upper(x - k),
            q_above=upper,
            p_below=lambda x: upper(k - x),
            q_below=lambda x: upper(-x),
            loss=lambda x: k * (2 * x - k) / (2 * noise**2),
            inverse=lambda e: e * noise**2 / k + k / 2,
            knots=knots,
            stretch=k,
        )
    )


def laplace(noise: mpf) -> Pair:
    """Laplace(1, b) against Laplace(0, b), b = noise; loss (|x| - |x - 1|) / b.

    Outside [0, 1] the loss is +-1/b: two atoms (Balle, Barthe and Gaboardi, 2018, Theorem 3).
    """
    theta = 1 / mpf(noise)
    low = mp.exp(-theta) / 2

    def clip(e: mpf) -> mpf:
        return min(max((e / theta + 1) / 2, mpf(0)), mpf(1))

    return Pair(
        atoms=(Atom(theta, mpf(1) / 2, low), Atom(-theta, low, mpf(1) / 2)),
        density=Density(
            p=lambda x: theta / 2 * mp.exp(-theta * (1 - x)),
            q=lambda x: theta / 2 * mp.exp(-theta * x),
            p_above=lambda x: (1 - mp.exp(-theta * (1 - x))) / 2,
            q_above=lambda x: (mp.exp(-theta * x) - mp.exp(-theta)) / 2,
            p_below=lambda x: (mp.exp(-theta * (1 - x)) - mp.exp(-theta)) / 2,
            q_below=lambda x: (1 - mp.exp(-theta * x)) / 2,
            loss=lambda x: theta * (2 * x - 1),
            inverse=clip,
            knots=(mpf(0), mpf(1)),
        ),
    )


def discrete_gaussian(noise: mpf, sensitivity: int = 1, order: float = 2) -> Pair:
    """Integer noise with mass proportional to exp(-x^2 / 2s^2), s = noise * sensitivity; shift k.

    Canonne, Kamath and Steinke (2020), Definition 1. The infinite support is cut where the terms
    of E_Q[(P/Q)^order] fall below the working precision, relative to the largest.
    """
    k = sensitivity
    scale = mpf(noise) * k
    reach = scale * mp.sqrt(2 * mp.log(10) * (mp.dps + 10))
    far = int(mp.ceil(reach + k * (abs(order) + 1))) + k
    weight = {x: mp.exp(-mpf(x * x) / (2 * scale**2)) for x in range(-far - k, far + k + 1)}
    total = mp.fsum(weight.values())
    return Pair(
        atoms=tuple(
            Atom(mpf(k * (2 * x - k)) / (2 * scale**2), weight[x - k] / total, weight[x] / total)
            for x in range(-far, far + k + 1)
        )
    )


def discrete_laplace(noise: mpf, sensitivity: int = 1) -> Pair:
    """Integer noise with mass (1-a)/(1+a) a^|x|, a = exp(-1/s), s = noise * sensitivity; shift k.

    Ghosh, Roughgarden and Sundararajan (2009). All x <= 0 share one loss, all x >= k another.
    """
    k = sensitivity
    a = mp.exp(-1 / (mpf(noise) * k))
    end, inner = 1 / (1 + a), (1 - a) / (1 + a)
    p = [end * a**k, *(inner * a ** (k - x) for x in range(1, k)), end]
    q = [end, *(inner * a**x for x in range(1, k)), end * a**k]
    losses = [-mp.log(a) * (2 * x - k) for x in range(k + 1)]
    return Pair(atoms=tuple(Atom(*each) for each in zip(losses, p, q, strict=True)))


def randomized_response(epsilon: mpf, categories: int = 2) -> Pair:
    """The answers of two different truths: losses epsilon, 0 (K - 2 answers) and -epsilon.

    The true answer with probability e^eps / (e^eps + K - 1), each other 1 / (e^eps + K - 1)
    (Kairouz, Bonawitz and Ramage, 2016).
    """
    epsilon = mpf(epsilon)
    low = 1 / (mp.exp(epsilon) + categories - 1)
    high = low * mp.exp(epsilon)
    atoms = [Atom(epsilon, high, low), Atom(-epsilon, low, high)]
    if categories > 2:
        atoms.insert(1, Atom(mpf(0), (categories - 2) * low, (categories - 2) * low))
    return Pair(atoms=tuple(atoms))


def approximate_dp(epsilon: mpf, delta: mpf) -> Pair:
    """The worst (epsilon, delta) pair of Kairouz, Oh and Viswanath (2015), Section 3."""
    delta = mpf(delta)
    atoms = randomized_response(epsilon).atoms
    return Pair(
        atoms=tuple(Atom(a.loss, (1 - delta) * a.p, (1 - delta) * a.q) for a in atoms),
        p_only=delta,
        q_only=delta,
    )


def exponential_mechanism(epsilon: mpf) -> Pair:
    """The pair whose profile is (1 - e^((x - eps)/2))^2 / (1 - e^-eps) on |x| <= eps.

    Dong, Durfee and Rogers (2020): the worst bounded-range step. The second derivative of the
    profile in e^x gives the density of the loss, e^((l - eps)/2) / (2 (1 - e^-eps)) under P.
    """
    epsilon = mpf(epsilon)
    root = mp.exp(-epsilon / 2)
    scale = root / (1 - mp.exp(-epsilon))
    return Pair(
        density=Density(
            p=lambda x: scale / 2 * mp.exp(x / 2),
            q=lambda x: scale / 2 * mp.exp(-x / 2),
            p_above=lambda x: scale * (1 / root - mp.exp(x / 2)),
            q_above=lambda x: scale * (mp.exp(-x / 2) - root),
            p_below=lambda x: scale * (mp.exp(x / 2) - root),
            q_below=lambda x: scale * (1 / root - mp.exp(-x / 2)),
            loss=lambda x: x,
            inverse=lambda e: min(max(e, -epsilon), epsilon),
            knots=(-epsilon, mpf(0), epsilon),
        )
    )


def poisson(pair: Pair, rate: mpf) -> Pair:
    """((1-r) Q + r P, Q): one Poisson-sampled step, the record removed.

    Zhu, Dong and Wang (2022), Theorem 11. The loss l becomes log(1 - r + r e^l).
    """
    r = mpf(rate)

    def mixed(loss: mpf) -> mpf:
        return mp.log1p(r * mp.expm1(loss))

    atoms = [Atom(mixed(a.loss), (1 - r) * a.q + r * a.p, a.q) for a in pair.atoms]
    q_only = pair.q_only
    if q_only and r < 1:
        atoms.append(Atom(mp.log(1 - r), (1 - r) * q_only, q_only))
        q_only = mpf(0)
    inner = pair.density
    density = None if inner is None else _mix(inner, r, mixed)
    return Pair(tuple(atoms), density, r * pair.p_only, q_only)


def _mix(d: Density, r: mpf, mixed: Function) -> Density:
    """The density part of ``poisson``."""

    def inverse(e: mpf) -> mpf:
        ratio = 1 + mp.expm1(e) / r
        if ratio > 0:
            return d.inverse(mp.log(ratio))
        return -mp.inf if d.stretch else d.knots[0]

    return Density(
        p=lambda x: (1 - r) * d.q(x) + r * d.p(x),
        q=d.q,
        p_above=lambda x: (1 - r) * d.q_above(x) + r * d.p_above(x),
        q_above=d.q_above,
        p_below=lambda x: (1 - r) * d.q_below(x) + r * d.p_below(x),
        q_below=d.q_below,
        loss=lambda x: mixed(d.loss(x)),
        inverse=inverse,
        knots=d.knots,
        stretch=d.stretch,
    )


def gaussian_replaced(noise: mpf, rate: mpf) -> Pair:
    """(1-r) N(0) + r N(1) against (1-r) N(0) + r N(-1): one Poisson-sampled step, one replaced.

    Lebeda, Regehr, Kamath and Steinke (2025), Proposition 13. With z = e^(x/s^2) and
    A = (1-r) e^(1/2s^2) the likelihood ratio is (A + r z) / (A + r / z).
    """
    noise, r = mpf(noise), mpf(rate)
    base, back = gaussian(noise).density, gaussian(noise, -1).density
    assert base is not None
    assert back is not None
    weight = (1 - r) * mp.exp(1 / (2 * noise**2))

    def mixed(inside: Function, outside: Function) -> Function:
        return lambda x: (1 - r) * outside(x) + r * inside(x)

    def inverse(e: mpf) -> mpf:
        slope = weight * mp.expm1(e)
        root = (slope + mp.sqrt(slope**2 + 4 * mp.exp(e) * r**2)) / (2 * r)
        return noise**2 * mp.log(root)

    return Pair(
        density=Density(
            p=mixed(base.p, base.q),
            q=mixed(back.p, back.q),
            p_above=mixed(base.p_above, base.q_above),
            q_above=mixed(back.p_above, back.q_above),
            p_below=mixed(base.p_below, base.q_below),
            q_below=mixed(back.p_below, back.q_below),
            loss=lambda x: mp.log(
                (weight + r * mp.exp(x / noise**2)) / (weight + r * mp.exp(-x / noise**2))
            ),
            inverse=inverse,
            knots=(-base.knots[-1], mpf(-1), mpf(0), mpf(1), base.knots[-1]),
            stretch=mpf(1),
        )
    )


def reverse(pair: Pair) -> Pair:
    """(Q, P): the other direction, the variable reflected so that the loss increases again."""
    atoms = tuple(Atom(-a.loss, a.q, a.p) for a in pair.atoms)
    d = pair.density
    if d is None:
        return Pair(atoms, None, pair.q_only, pair.p_only)
    density = Density(
        p=lambda x: d.q(-x),
        q=lambda x: d.p(-x),
        p_above=lambda x: d.q_below(-x),
        q_above=lambda x: d.p_below(-x),
        p_below=lambda x: d.q_above(-x),
        q_below=lambda x: d.p_above(-x),
        loss=lambda x: -d.loss(-x),
        inverse=lambda e: -d.inverse(-e),
        knots=tuple(-x for x in reversed(d.knots)),
        stretch=d.stretch,
    )
    return Pair(atoms, density, pair.q_only, pair.p_only)
