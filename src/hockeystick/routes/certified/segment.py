"""Losses with an exponential density on a segment: Laplace noise, the exponential mechanism.

Before sampling ℓ has Q-density height·e^{−(ℓ+r)/2} on [−r, r] and Q-atoms edge·e^{−(r+ℓ)/2} at ±r;
it is symmetric. On a sample L = log v or −log v, v = 1 − q + q·e^ℓ.
"""

from __future__ import annotations

import numpy as np
from flint import acb, arb

from hockeystick.loss.exact import Exact
from hockeystick.numerics.series import log_mixed
from hockeystick.numerics.types import Array
from hockeystick.routes.certified.balls import above, ball, below, only_if, powers
from hockeystick.routes.certified.branches import Branches
from hockeystick.routes.certified.decay import logarithms
from hockeystick.routes.certified.law import Law, Nodes, Rule, Splits
from hockeystick.routes.certified.lifted import Integrand, planned_path
from hockeystick.routes.certified.sampled import on_sample


class SegmentLaw(Law):
    """One step, on a Poisson sample, on one of fixed size, or not on a sample; or of two records on
    opposite sides on a Poisson sample (Theorem 27), where L = ±(log v − log v(−r)), ℓ > −r."""

    def __init__(self, exact: Exact) -> None:
        self.opposite = exact.opposite
        self.exact_reach = exact.apart[1].numbers[0] if self.opposite else exact.numbers[0]
        self.reach, self.q = ball(self.exact_reach), ball(exact.rate)
        self.sampled, self.fixed, self.sign = exact.rate != 1, exact.fixed or self.opposite, 1
        if exact.turned and self.sampled:
            self.sign = -1
        self.offset = arb(0)
        if self.opposite:
            self.offset = self.loss(-self.reach)
        laplace = exact.kind == "laplace"
        self.height = arb(0.25) if laplace else 0.5 / (1 - (-self.reach).exp())
        self.edge = arb(0.5) if laplace else arb(0)
        self.infinite = self.lost = arb(0)

    def loss(self, ell: arb) -> arb:
        """log v, less what it is at −r for two records on opposite sides."""
        return (1 - self.q + self.q * ell.exp()).log() - self.offset if self.sampled else ell

    @property
    def top(self) -> arb | None:
        return self.loss(self.reach) if self.sign > 0 else -self.loss(-self.reach)

    def profile(self, epsilon: arb) -> arb | None:
        """Theorem 9: from the profile h before sampling; q·h(1 + (e^ε−1)/q) for a record removed,
        and for one replaced in a sample of fixed size; e^ε·q·h'(·) of the other direction."""
        return on_sample(self, epsilon, self.offset)

    def before(self, ell: arb) -> arb:
        """2·height·(1−y)² + edge·(1−y²), y = e^{(ℓ−r)/2}, within the segment; 1 − e^ℓ below."""
        y = ((arb.max(arb.min(ell, self.reach), -self.reach) - self.reach) / 2).exp()
        gap = 1 - y  # whose ball may hold 0, of which no power is taken
        inside = 2 * self.height * gap * gap + self.edge * gap * (1 + y)
        if ell >= -self.reach:
            return inside
        return 1 - ell.exp() if ell <= -self.reach else inside.union(1 - ell.exp())

    def rule(self, order: float, reach: float, log_tolerance: float) -> Rule:
        if not self.sampled:
            return {}
        paths = [planned_path(f, reach, log_tolerance) for f in self.integrands(order)]
        return {"paths": paths}

    def integrands(self, order: float) -> list[Integrand]:
        """Of M(order + it): one range, or of a sample of fixed size both signs of the losses."""
        signs = (1, -1) if self.fixed else (self.sign,)
        start = arb(0) if self.fixed and not self.opposite else -self.reach
        return [SegmentIntegrand(self, order, sign, start) for sign in signs]

    def atoms(self) -> list[tuple[arb, arb]]:
        """P-masses and losses of the atoms."""
        r, edge = self.reach, self.edge
        if not self.fixed:
            said = [(edge * (-(r + ell) / 2).exp(), self.loss(ell)) for ell in (-r, r)]
            return [(q * v.exp(), v) if self.sign > 0 else (q, -v) for q, v in said]
        far, v = edge * (self.offset - r).exp(), self.loss(r)
        ends = [(far * v.exp(), v), (far, -v)]
        if self.opposite:
            return ends
        beyond = 2 * self.height * ((-r / 2).exp() - (-r).exp()) + far
        return [((1 - self.q) * (1 - 2 * beyond), arb(0)), *ends]

    def tilted(self, order: float, rule: Rule) -> Splits:
        if not self.sampled:
            return PlainSegment(self, order)
        return Branches(self.integrands(order), rule["paths"], self.atoms(), order)


class SegmentIntegrand(Integrand):
    """height·e^{−(ℓ+r)/2}·v^p, p = c + 1 for losses log v and −c for −log v."""

    stops, slope = True, 1.0

    def __init__(self, law: SegmentLaw, order: float, sign: int, start: arb) -> None:
        self._law, self.sign, self.start, self.stop = law, sign, start, law.reach
        self.power = arb(order) + 1 if sign > 0 else -arb(order)
        self._p = order + 1 if sign > 0 else -order
        self._height = law.height * (law.offset * (1 - self.power)).exp()
        self.bend = arb.max(self.power, arb(0)) / 4

    def value(self, z: acb) -> tuple[acb, acb]:
        law = self._law
        log_v = (1 - law.q + law.q * z.exp()).log()
        value = self._height * (self.power * log_v - (z + law.reach) / 2).exp()
        return value, log_v - law.offset

    def growth(self, place: arb) -> arb:
        grown = self._law.q * place.exp()
        return grown / (1 - self._law.q + grown)

    def most(self, left: arb, right: arb, height: arb) -> arb:
        """|α + βe^{iθ}| is at most α + β, and at least (α+β)·cos(θ/2)."""
        law = self._law
        only_if(height < arb.pi(), "an ellipse within the strip of the loss")
        if self._p >= 0:
            size = (1 - law.q + law.q * right.exp()) ** self.power
        else:
            size = ((1 - law.q + law.q * left.exp()) * (height / 2).cos()) ** self.power
        return self._height * (-(left + law.reach) / 2).exp() * size

    def log_most(self, left: Array, right: Array, height: Array) -> Array:
        q, r = float(self._law.q), float(self._law.reach)
        if self._p >= 0:
            size = self._p * log_mixed(q, right)
        else:
            size = self._p * (log_mixed(q, left) + np.log(np.cos(height / 2)))
        return np.asarray(size - (left + r) / 2 + float(self._height.log()))


class PlainSegment(Splits):
    """Not on a sample, with r the reach,

    M(s) = e^{sr}·(edge + height/(s+½)) + e^{−(s+1)r}·(edge − height/(s+½)).
    """

    def __init__(self, law: SegmentLaw, order: float) -> None:
        self._law, self._c = law, arb(order)
        weights = [(p * (self._c * loss).exp(), loss) for p, loss in law.atoms()]
        self.atoms = Nodes([acb(p) for p, _ in weights], [acb(x) for _, x in weights], arb(0))

    @property
    def mass(self) -> arb:
        return self._at(acb(self._c), acb(self._c * self._law.reach).exp()).real

    def _at(self, s: acb, grown: acb) -> acb:
        law, part = self._law, self._law.height / (s + arb(0.5))
        return grown * (law.edge + part) + (-law.reach).exp() / grown * (law.edge - part)

    def values(self, step: float, count: int) -> list[acb]:
        turns = powers(acb(0, arb(step) * self._law.reach).exp(), count)
        start = (self._c * self._law.reach).exp()
        points = [acb(self._c, n * arb(step)) for n in range(count)]
        return [self._at(s, start * turn) for s, turn in zip(points, turns, strict=True)]

    def decay(self, t: Array) -> Array:
        """|M(c+it)| <= (e^{cr} + e^{−(c+1)r})·(edge + height/|c+½+it|), which falls with t."""
        flat = above(self.atoms.mass / self.mass)
        return logarithms((flat + self.rest(t)) * (1 + 1e-12))

    def rest(self, t: Array) -> Array:
        law, c = self._law, self._c
        size = ((c * law.reach).exp() + (-(c + 1) * law.reach).exp()) / self.mass
        fall, start = above(size * law.height), below(c + arb(0.5))
        return np.asarray(fall / np.sqrt(start * start + t * t) * (1 + 1e-12))
