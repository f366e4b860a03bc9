"""Many steps of a pair: the inverse Laplace transform on a straight line, in multiple precision.

For c > 0 and M(s) = E_P[e^(sL)] (finite losses only),

    delta(eps) = p_only + 1/(2 pi i) * integral over Re s = c of M(s) e^(-s eps) / (s (s+1)) ds

(Balle, Barthe and Gaboardi, 2018, Theorem 6, inverted). The trapezoid rule with step 2 pi / period
returns the sum over all integers m of e^(c m period) delta(eps + m period). On the left delta is
1 - e^x up to a Chernoff bound, and that part is subtracted exactly; on the right a Chernoff bound
makes the sum negligible. Both bounds choose the period here; nothing else is approximate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from mpmath import mp, mpc, mpf

from . import profile
from .pairs import ZERO, Pair
from .quadrature import gauss_legendre


@dataclass(frozen=True)
class Nodes:
    """A quadrature of the pair: E_Q[f(loss)] = sum of weights * f(losses); possibly complex."""

    losses: list[mpc]
    weights: list[mpc]

    def moment(self, s: mpc) -> mpc:
        """E_P[e^(sL)] = E_Q[e^((s+1)L)]."""
        return mp.fdot(self.weights, [mp.exp((s + 1) * loss) for loss in self.losses])


# (tilt Re s, lifted) -> nodes good for that tilt; lifted for Im s >= 0, not lifted for real s
NodeRule = Callable[[mpf, bool], Nodes]
Part = tuple[NodeRule, int]


def gaussian_rule(noise: mpf, rate: mpf, direction: str) -> NodeRule:
    """Trapezoid nodes of the Poisson-sampled Gaussian, on a line parallel to the real axis.

    The integrand is entire up to |Im x| = pi noise^2. Moving x off the axis, up for "remove" and
    down for "add", makes it decay where it would turn quickly, so one step serves every Im s >= 0.
    """
    noise, rate = mpf(noise), mpf(rate)
    sign = 1 if direction == "remove" else -1

    def pulled(power: mpf) -> mpf:
        """How far left (1 - r + r e^l)^-power moves the Gaussian: the root of x = power * r(-x)."""
        near, far = mpf(0), power
        for _ in range(40):
            x = (near + far) / 2
            part = rate * mp.exp((-2 * x - 1) / (2 * noise**2))
            moves = power * part / (1 - rate + part) > x
            near, far = (x, far) if moves else (near, x)
        return far

    def rule(tilt: mpf, lifted: bool = True) -> Nodes:
        lift = min(mpf(1), 3 / noise) * noise**2
        nats = mp.log(10) * mp.dps + 10
        step = 2 * mp.pi * lift / nats
        reach = noise * mp.sqrt(2 * nats)
        up, down = (tilt, -1 - tilt) if direction == "remove" else (-1 - tilt, tilt)
        low, high = -reach - pulled(max(down, mpf(0))), reach + 1 + max(up, mpf(0))
        losses, weights = [], []
        for j in range(int(mp.floor(low / step)), int(mp.ceil(high / step)) + 1):
            x = mpc(j * step, sign * lift if lifted else 0)
            loss = mp.log(1 - rate + rate * mp.exp((2 * x - 1) / (2 * noise**2)))
            weight = step * mp.exp(-(x**2) / (2 * noise**2)) / (noise * mp.sqrt(2 * mp.pi))
            losses.append(sign * loss)
            weights.append(weight if direction == "remove" else weight * mp.exp(loss))
        return Nodes(losses, weights)

    return rule


def pair_rule(pair: Pair, panels: int = 1, points: int = 40) -> NodeRule:
    """Gauss-Legendre nodes on equal panels of the density's interval, and the atoms as they are."""

    def rule(tilt: mpf, lifted: bool = True) -> Nodes:
        losses = [mpc(a.loss) for a in pair.atoms]
        weights = [mpc(a.q) for a in pair.atoms]
        d = pair.density
        if d is not None:
            width = (d.knots[-1] - d.knots[0]) / panels
            for i in range(panels):
                for y, w in gauss_legendre(points):
                    x = d.knots[0] + width * (i + (y + 1) / 2)
                    losses.append(mpc(d.loss(x)))
                    weights.append(mpc(w * width / 2 * d.q(x)))
        return Nodes(losses, weights)

    return rule


@dataclass(frozen=True)
class Line:
    """The transform at the points c + i m h, m = 0, 1, ..., ready for any epsilon nearby."""

    centre: mpf
    step: mpf
    terms: list[mpc]  # M(s) / (s (s + 1)), the first one halved
    p_only: mpf
    dps: int  # the wanted digits and those that cancel in the sum

    def delta(self, epsilon: mpf) -> mpf:
        """The profile at epsilon."""
        with mp.workdps(self.dps):
            return self._delta(mpf(epsilon))

    def _delta(self, epsilon: mpf) -> mpf:
        c, h = self.centre, self.step
        turn, phase, total = mp.expj(-h * epsilon), mpc(1), mpf(0)
        for term in self.terms:
            total += (term * phase).real
            phase *= turn
        raw = h / mp.pi * mp.exp(-c * epsilon) * total
        period = 2 * mp.pi / h
        # Aliases at positive losses are small by e^(-c period) alone: no 1 - e^x there.
        first = max(1, int(mp.floor(epsilon / period)) + 1)
        left = (1 - self.p_only) * _geometric(c * period, first)
        left -= mp.exp(epsilon) * _geometric((c + 1) * period, first)
        return self.p_only + raw - left

    def epsilon(self, delta: mpf, high: mpf) -> mpf:
        """The root of the profile in (0, high), or 0."""
        return profile.solve(self.delta, delta, high)


def _geometric(exponent: mpf, first: int) -> mpf:
    """The sum of e^(-m exponent) over m >= first."""
    return mp.exp(-first * exponent) / -mp.expm1(-exponent)


class Steps:
    """A composition of rules, each repeated: the profile of the whole by the line integral.

    ``digits`` counts from the Chernoff bound min of e^(K(c) - c eps), so the profile has fewer by
    log10(bound / profile): 1 to 3 for many steps, 5 for a few steps at a tiny rate.
    Only pairs whose finite losses carry all of Q may have mass at infinity under P.
    """

    def __init__(self, parts: Sequence[Part], digits: int = 25, p_only: mpf = ZERO) -> None:
        self.parts, self.digits, self.p_only = parts, digits, p_only

    @cached_property
    def cumulants(self) -> dict[mpf, mpf]:
        """The total log moment at real s on a geometric grid, both signs (rough precision)."""
        table: dict[mpf, mpf] = {}
        with mp.workdps(10):
            for sign in (1, -1):
                for i in range(-8, 20):
                    lam = mpf(2) ** (mpf(i) / 2)
                    s = lam if sign > 0 else -1 - lam
                    table[s] = mp.fsum(
                        count * mp.log(rule(s, False).moment(s).real) for rule, count in self.parts
                    )
                    if abs(table[s]) > 4000:
                        break
        return table

    def line(self, epsilon: mpf) -> Line:
        """The line good to the wanted digits near epsilon."""
        with mp.workdps(18):
            best = min(k - lam * epsilon for lam, k in self.cumulants.items() if lam > 0)
            goal = best - self.digits * mp.log(10)
            centre, period = _plan(self.cumulants, epsilon, goal)
            height = self.cumulants[centre] - centre * epsilon
            dps = max(mp.dps, int((height - goal) / mp.log(10)) + 12)
        with mp.workdps(dps):
            terms = self._terms(centre, period, mp.exp(goal + centre * epsilon) / 30)
            return Line(centre, 2 * mp.pi / period, terms, self.p_only, dps)

    def _terms(self, centre: mpf, period: mpf, stop: mpf) -> list[mpc]:
        """The transform along the line until 25 terms in a row are below ``stop``."""
        step = 2 * mp.pi / period
        sources = [_Source(rule(centre, True), count, centre, step) for rule, count in self.parts]
        terms: list[mpc] = []
        quiet = 0
        while quiet < 25:
            s = mpc(centre, len(terms) * step)
            term = mp.fprod(source.next() for source in sources) / (s * (s + 1))
            terms.append(term if terms else term / 2)
            quiet = quiet + 1 if abs(term) * step < stop else 0
            if len(terms) > 400_000:
                raise ArithmeticError("the transform decays too slowly on this line")
        return terms

    def delta(self, epsilon: mpf) -> mpf:
        """The profile at epsilon."""
        return self.line(mpf(epsilon)).delta(mpf(epsilon))

    def epsilon(self, delta: mpf) -> mpf:
        """The smallest epsilon >= 0 with profile at most delta."""
        target = mpf(delta)
        with mp.workdps(18):
            drop = mp.log(target - self.p_only)
            start = min((k - drop) / lam for lam, k in self.cumulants.items() if lam > 0)
        epsilon = start
        for _ in range(2):
            epsilon = self.line(epsilon).epsilon(target, start)
        return epsilon


class _Source:
    """M(c + i m h)^count for m = 0, 1, ...: each node turns by a fixed factor of modulus <= 1.

    The nodes are kept as fixed-point integers, relative to M(c): ten times faster than mpc.
    """

    def __init__(self, nodes: Nodes, count: int, centre: mpf, step: mpf) -> None:
        self.bits, self.count = mp.prec + 30, count
        self.scale = nodes.moment(centre).real
        values = [
            w * mp.exp((1 + centre) * loss) / self.scale
            for w, loss in zip(nodes.weights, nodes.losses, strict=True)
        ]
        kept = [i for i, v in enumerate(values) if abs(v) > mpf(2) ** -self.bits]
        self.values = [self._fixed(values[i]) for i in kept]
        self.turns = [self._fixed(mp.exp(mpc(0, step) * nodes.losses[i])) for i in kept]

    def _fixed(self, z: mpc) -> tuple[int, int]:
        return int(mp.ldexp(z.real, self.bits)), int(mp.ldexp(z.imag, self.bits))

    def next(self) -> mpc:
        """The next value on the line."""
        b = self.bits
        total = mpc(sum(v[0] for v in self.values), sum(v[1] for v in self.values))
        self.values = [
            ((x * u - y * v) >> b, (x * v + y * u) >> b)
            for (x, y), (u, v) in zip(self.values, self.turns, strict=True)
        ]
        return (self.scale * total / mp.ldexp(1, b)) ** self.count


def _plan(table: dict[mpf, mpf], epsilon: mpf, goal: mpf) -> tuple[mpf, mpf]:
    """The cheapest centre, and the period for which both alias bounds fall under e^goal."""
    plans = []
    for c in (lam for lam in table if lam > 0):
        right = min(
            (((k - lam * epsilon) - goal) / (lam - c) for lam, k in table.items() if lam > c),
            default=mp.inf,
        )
        left = min(((k - lam * epsilon) - goal) / (c - lam) for lam, k in table.items() if lam < -1)
        left = min(left, -goal / c)
        period = max(left, right)
        plans.append((period * mp.sqrt(table[c] - c * epsilon - goal), period, c))
    _, period, centre = min(plans)
    return centre, max(period, mpf(1) / 1000) * mpf("1.05")
