"""Privacy profiles delta(eps) = integral of (dP - e^eps dQ)_+, without any transform.

One step by integration or summation, a few steps by nested integration, and exact sums for losses
with finitely many values, for lattices, and for the unsampled Laplace and exponential mechanisms.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from itertools import accumulate

from mpmath import mp, mpf

from .pairs import ZERO, Pair
from .quadrature import panels


def one_step(pair: Pair, epsilon: mpf) -> mpf:
    """The definition: sum the atoms and integrate the density where the loss exceeds epsilon."""
    growth = mp.exp(epsilon)
    total = pair.p_only + mp.fsum(max(a.p - growth * a.q, mpf(0)) for a in pair.atoms)
    d = pair.density
    if d is not None:
        start = min(max(d.inverse(epsilon), d.knots[0]), d.knots[-1])
        knots = [start, *(x for x in d.knots if x > start)]
        if len(knots) > 1:
            total += mp.quad(lambda x: d.p(x) - growth * d.q(x), knots)
    return total


def one_step_by_tails(pair: Pair, epsilon: mpf) -> mpf:
    """P(loss > eps) - e^eps Q(loss > eps), the density's part from its distribution functions."""
    growth = mp.exp(epsilon)
    total = pair.p_only + mp.fsum(max(a.p - growth * a.q, mpf(0)) for a in pair.atoms)
    d = pair.density
    if d is not None:
        x = d.inverse(epsilon)
        total += d.p_above(x) - growth * d.q_above(x)
    return total


def nested(pair: Pair, steps: int, epsilon: mpf, points: int = 0) -> mpf:
    """E_P[delta_{n-1}(eps - L)] by nested integration, down to the one-step profile.

    The inner profile is analytic between sums of the ends of the loss's range; each such sum
    becomes a knot of the outer integral. ``points`` asks for that many Gauss-Legendre nodes between
    knots (bounded losses only); 0 for mpmath's adaptive rule.
    """
    if steps == 1:
        return one_step_by_tails(pair, epsilon)
    total = pair.p_only
    for a in pair.atoms:
        total += a.p * nested(pair, steps - 1, epsilon - a.loss, points)
    d = pair.density
    if d is not None:
        inner = [d.inverse(epsilon - end) for end in _ends(pair, steps - 1)]
        low, high = d.knots[0], d.knots[-1]
        knots = _distinct([*d.knots, *(x for x in inner if low < x < high)])

        def inside(x: mpf) -> mpf:
            return d.p(x) * nested(pair, steps - 1, epsilon - d.loss(x), points)

        total += panels(inside, knots, points) if points else mp.quad(inside, knots)
    return total


def _ends(pair: Pair, steps: int) -> list[mpf]:
    """Losses of ``steps`` steps at which the profile may fail to be analytic."""
    d = pair.density
    losses = [a.loss for a in pair.atoms]
    if d is not None:
        losses += [d.loss(d.knots[0]), d.loss(d.knots[-1])]
    sums = {mpf(0)}
    for _ in range(steps):
        sums = {s + loss for s in sums for loss in losses}
        sums = set(_distinct(sums))
    return sorted(sums)


def _distinct(values: Iterable[mpf]) -> list[mpf]:
    """Sorted, without the copies that rounding makes of one value."""
    kept: list[mpf] = []
    for x in sorted(values):
        if not kept or x - kept[-1] > mpf(10) ** -(mp.dps - 6):
            kept.append(x)
    return kept


class Terms:
    """A finite list of masses (p, q), sorted by loss: any epsilon costs one bisection.

    delta(eps) = p_only + sum of (p - e^eps q)_+ = p_only + P(loss > eps) - e^eps Q(loss > eps).
    """

    def __init__(self, masses: list[tuple[mpf, mpf]], p_only: mpf = ZERO) -> None:
        masses.sort(key=lambda m: m[0] / m[1], reverse=True)
        self.p_only, self.ratios = p_only, [-p / q for p, q in masses]
        self.p = list(accumulate((m[0] for m in masses), initial=mpf(0)))
        self.q = list(accumulate((m[1] for m in masses), initial=mpf(0)))

    def delta(self, epsilon: mpf) -> mpf:
        """The profile at epsilon."""
        growth = mp.exp(epsilon)
        k = bisect_left(self.ratios, -growth)
        return self.p_only + self.p[k] - growth * self.q[k]


def finite(pair: Pair, steps: int) -> Terms:
    """Exact n-step profile of a loss with finitely many values: the multinomial terms.

    p = n! prod p_i^c_i / c_i! over the counts c, q likewise; mass at infinity 1 - (1 - p_only)^n.
    Terms with p under 10^-(dps + 20) are left out.
    """
    tables = [(_powers(a.p, steps), _powers(a.q, steps)) for a in pair.atoms]
    floor = mpf(10) ** -(mp.dps + 20)
    masses: list[tuple[mpf, mpf]] = []

    def visit(index: int, left: int, p: mpf, q: mpf) -> None:
        p_table, q_table = tables[index]
        if index == len(tables) - 1:
            if p * p_table[left] > floor:
                masses.append((p * p_table[left], q * q_table[left]))
            return
        for c in range(left + 1):
            visit(index + 1, left - c, p * p_table[c], q * q_table[c])

    factorial = mp.factorial(steps)
    visit(0, steps, factorial, factorial)
    return Terms(masses, 1 - (1 - pair.p_only) ** steps)


def _powers(mass: mpf, count: int) -> list[mpf]:
    """mass^c / c! for c = 0, ..., count."""
    table = [mpf(1)]
    for c in range(1, count + 1):
        table.append(table[-1] * mass / c)
    return table


def discrete_gaussian(noise: mpf, sensitivity: int, steps: int) -> Terms:
    """Exact n-step profile of the unsampled discrete Gaussian by convolving its masses.

    With T the sum of n centred noises the loss is k (2T + n k) / (2 s^2) under P.
    """
    k, scale = sensitivity, mpf(noise) * sensitivity
    reach = int(mp.ceil(scale * mp.sqrt(2 * mp.log(10) * (mp.dps + 10))))
    single = [mp.exp(-mpf(x * x) / (2 * scale**2)) for x in range(-reach, reach + 1)]
    total = mp.fsum(single)
    masses = convolution_power([m / total for m in single], steps)
    middle = len(masses) // 2
    return Terms(
        [
            (m, m * mp.exp(-mpf(k * (2 * (i - middle) + steps * k)) / (2 * scale**2)))
            for i, m in enumerate(masses)
        ]
    )


def convolution_power(masses: list[mpf], count: int) -> list[mpf]:
    """The n-fold convolution of a symmetric mass function, ends below the precision dropped."""
    if count == 1:
        return masses
    half = convolution_power(masses, count // 2)
    full = _trim(_convolve(half, half))
    return _trim(_convolve(full, masses)) if count % 2 else full


def _convolve(a: list[mpf], b: list[mpf]) -> list[mpf]:
    """Schoolbook product."""
    out = []
    flipped = b[::-1]
    for i in range(len(a) + len(b) - 1):
        lo, hi = max(0, i - len(b) + 1), min(i, len(a) - 1)
        shift = len(b) - 1 - i
        out.append(mp.fdot(a[lo : hi + 1], flipped[lo + shift : hi + 1 + shift]))
    return out


def _trim(masses: list[mpf]) -> list[mpf]:
    """Drop equally many entries at both ends, all below the working precision."""
    floor, cut = mpf(10) ** -(mp.dps + 10), 0
    while masses[cut] < floor and masses[-1 - cut] < floor:
        cut += 1
    return masses[cut : len(masses) - cut]


def laplace(noise: mpf, steps: int, epsilon: mpf) -> mpf:
    """Exact n-step profile of the unsampled Laplace mechanism.

    With u = s + 1/2 and t = 1/b the moment of the loss is
    (e^(-t/2)/2) (e^(ut) (1 + 1/2u) + e^(-ut) (1 - 1/2u)). Expand its n-th power in exponentials and
    close each contour on the side where it decays: what is left are residues at 0, 1/2 and -1/2.
    """
    n, theta = steps, 1 / mpf(noise)
    total = mpf(0)
    for k in range(n + 1):
        a = (2 * k - n) * theta - epsilon
        if a > 0:
            total += mp.binomial(n, k) * _laplace_residues(n, k, a)
    return mp.exp(epsilon / 2) * (mp.exp(-theta / 2) / 2) ** n * total


def _laplace_residues(n: int, k: int, a: mpf) -> mpf:
    """Residues of e^(ua) (1 + 1/2u)^k (1 - 1/2u)^(n-k) / (u^2 - 1/4), summed."""
    ends = mpf(0)
    if k == n:
        ends += 2**n * mp.exp(a / 2)
    if k == 0:
        ends -= 2**n * mp.exp(-a / 2)
    # at 0, with w = 2u: -4 (1+w)^(k-1) (-1)^(n-k) (1-w)^(n-k-1) w^-n e^(wa/2), coefficient of 1/u
    poly = _signed_product(k - 1, n - k - 1, n)
    power, value = mpf(1), mpf(0)
    for i in range(n):
        value += poly[n - 1 - i] * power
        power *= a / (2 * (i + 1))
    return ends - 2 * (-1) ** (n - k) * value


def _signed_product(plus: int, minus: int, length: int) -> list[int]:
    """Integer coefficients of (1 + w)^plus (1 - w)^minus; an exponent may be -1.

    They satisfy (j + 1) c_{j+1} = (plus - minus) c_j + (j - 1 - plus - minus) c_{j-1}.
    """
    row, before = [1], 0
    for j in range(length - 1):
        after = ((plus - minus) * row[-1] + (j - 1 - plus - minus) * before) // (j + 1)
        before = row[-1]
        row.append(after)
    return row


def exponential_mechanism(epsilon0: mpf, steps: int, epsilon: mpf) -> mpf:
    """Exact n-step profile of the bounded-range pair, by residues as in ``laplace``.

    The moment is (e^(-e0/2) / (2 (1 - e^-e0))) (e^(u e0) - e^(-u e0)) / u with u = s + 1/2.
    """
    n, range_ = steps, mpf(epsilon0)
    scale = 1 / (4 * mp.sinh(range_ / 2))
    total = mpf(0)
    for k in range(n + 1):
        a = (2 * k - n) * range_ - epsilon
        if a > 0:
            total += mp.binomial(n, k) * (-1) ** (n - k) * _power_residues(n, a)
    return mp.exp(epsilon / 2) * scale**n * total


def _power_residues(n: int, a: mpf) -> mpf:
    """Residues of e^(ua) u^-n / (u^2 - 1/4), summed: at 0 and at +-1/2."""
    ends = 2**n * (mp.exp(a / 2) - (-1) ** n * mp.exp(-a / 2))
    # 1/(u^2 - 1/4) = -4 (1 + 4u^2 + 16u^4 + ...): coefficient of u^(n-1)
    value, term = mpf(0), mpf(1)
    for i in range(n):
        if (n - 1 - i) % 2 == 0:
            value += 2 ** (n - 1 - i) * term
        term *= a / (i + 1)
    return ends - 4 * value


def separated_gaussian(noise: mpf, rate: mpf, steps: int, epsilon: mpf, direction: str) -> mpf:
    """n steps of a Poisson-sampled Gaussian whose two components do not overlap (noise << 1).

    A step without the record then has loss log(1 - r), one with it log r + N(t^2/2, t^2),
    t = 1/noise: a binomial mixture of normal laws. The error is below n times the normal tail
    beyond 1 / (2 noise) - 10 noise standard deviations, about 1e-21 for noise 0.05, rate 0.01.
    """
    n, r, t = steps, mpf(rate), 1 / mpf(noise)
    if direction == "add":
        return _gain(epsilon + n * mp.log1p(-r))
    total = mpf(0)
    for k in range(n + 1):
        weight = mp.binomial(n, k) * r**k * (1 - r) ** (n - k)
        mean = k * (mp.log(r) + t**2 / 2) + (n - k) * mp.log1p(-r)
        total += weight * _normal_gain(mean, k * t**2, epsilon)
    return total


def _normal_gain(mean: mpf, variance: mpf, epsilon: mpf) -> mpf:
    """E[(1 - e^(eps - L))_+] for L normal."""
    if variance == 0:
        return _gain(epsilon - mean)
    width = mp.sqrt(variance)
    z = (mean - epsilon) / width
    return mp.ncdf(z) - mp.exp(variance / 2 - z * width) * mp.ncdf(z - width)


def _gain(x: mpf) -> mpf:
    """(1 - e^x)_+"""
    return -mp.expm1(x) if x < 0 else mpf(0)


def solve(profile: Callable[[mpf], mpf], delta: mpf, high: mpf, digits: int = 24) -> mpf:
    """The smallest epsilon >= 0 with profile(epsilon) <= delta; profile(high) < delta is given."""
    delta = mpf(delta)
    if profile(mpf(0)) <= delta:
        return mpf(0)
    low, high = mpf(0), mpf(high)
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (middle, high) if profile(middle) > delta else (low, middle)

    def gap(e: mpf) -> mpf:
        value = profile(e)
        return mp.log(value / delta) if value > 0 else mpf(-100)

    return _false_position(gap, low, high, digits)


def _false_position(gap: Callable[[mpf], mpf], a: mpf, b: mpf, digits: int) -> mpf:
    """Illinois iteration in a bracket, until two iterates share so many digits."""
    at_a, at_b = gap(a), gap(b)
    for _ in range(200):
        x = (a * at_b - b * at_a) / (at_b - at_a)
        at_x = gap(x)
        if at_x == 0 or abs(x - b) < mpf(10) ** -digits * abs(x):
            return x
        if at_x * at_b < 0:
            a, at_a = b, at_b
        else:
            at_a /= 2
        b, at_b = x, at_x
    raise ArithmeticError("no root found")
