"""Gaussian noise on a sample of fixed size, when a record is replaced.

With z ~ N(0, 1) and v = 1 − γ + γ·e^{μz − μ²/2}, the losses are log v and −log v over z >= μ/2, and
0 with P-mass (1−γ)·(1 − 2·P[z > μ/2]): the symmetric pair whose profile is γ·h(1 + (e^ε−1)/γ).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from flint import acb, arb

from hockeystick.loss.exact import Exact
from hockeystick.numerics.series import log_mixed
from hockeystick.numerics.types import Array
from hockeystick.routes.certified.balls import ball, only_if
from hockeystick.routes.certified.branches import Branches
from hockeystick.routes.certified.law import Law, Rule, Tilted
from hockeystick.routes.certified.lifted import Integrand, planned_path
from hockeystick.routes.certified.normal_step import one_step
from hockeystick.routes.certified.sampled import on_sample


class FixedNormalLaw(Law):
    """One step of Gaussian noise on a sample of fixed size."""

    sampled, fixed, sign = True, True, 1

    def __init__(self, exact: Exact) -> None:
        self.shift, self.q = ball(exact.numbers[0]), ball(exact.rate)
        self.infinite = self.lost = arb(0)

    def before(self, ell: arb) -> arb:
        return one_step(self.shift, arb(0), arb(1), ell)

    def profile(self, epsilon: arb) -> arb | None:
        return on_sample(self, epsilon)

    def atoms(self) -> list[tuple[arb, arb]]:
        return [((1 - self.q) * (self.shift / arb(8).sqrt()).erf(), arb(0))]

    def integrands(self, order: float, length: float) -> list[HalfLine]:
        return [HalfLine(self, order, sign, length) for sign in (1, -1)]

    def rule(self, order: float, reach: float, log_tolerance: float) -> Rule:
        m, q = float(self.shift), float(self.q)
        z = max((order + 1) * m, m / 2) + np.arange(0.5, 60.0, 0.25)
        size = (order + 1) * log_mixed(q, m * z - m * m / 2)
        faded = np.maximum(size, 0.0) - z * z / 2 < log_tolerance - 2
        if not faded.any():
            raise ArithmeticError("no end of the quadrature")
        length = float(np.float32(z[faded.argmax()] - m / 2))
        halves = self.integrands(order, length)
        paths = [planned_path(f, reach, log_tolerance) for f in halves]
        return {"length": length, "paths": paths}

    def tilted(self, order: float, rule: Rule) -> Tilted:
        halves = self.integrands(order, rule["length"])
        heights = [arb(path["height"]) for path in rule["paths"]]
        beyond = sum((f.beyond(a) for f, a in zip(halves, heights, strict=True)), arb(0))
        return Branches(halves, rule["paths"], self.atoms(), order, beyond)


class HalfLine(Integrand):
    """φ(z)·v^p from μ/2 on, p = c + 1 for losses log v and −c for −log v."""

    stops = False

    def __init__(self, law: FixedNormalLaw, order: float, sign: int, length: float) -> None:
        self._law, self._c, self.sign = law, arb(order), sign
        self.power = self._c + 1 if sign > 0 else -self._c
        self._p = order + 1 if sign > 0 else -order
        self.start = law.shift / 2
        self.stop = self.start + arb(length)
        self.slope = float(law.shift) * (1 + 1e-12)
        bend = arb.max(self.power, arb(0)) * law.shift * law.shift / 4 - 1
        self.bend = arb.max(bend, arb(0))

    def _v(self, z: Any) -> Any:
        law = self._law
        return 1 - law.q + law.q * (law.shift * z - law.shift * law.shift / 2).exp()

    def value(self, z: acb) -> tuple[acb, acb]:
        log_v = self._v(z).log()
        return (self.power * log_v - z * z / 2).exp() / (2 * arb.pi()).sqrt(), log_v

    def growth(self, place: arb) -> arb:
        v: arb = self._v(place)
        return self._law.shift * (v - 1 + self._law.q) / v

    def most(self, left: arb, right: arb, height: arb) -> arb:
        angle = self._law.shift * height
        only_if(angle < arb.pi(), "an ellipse within the strip of the loss")
        near = left if left > 0 else arb(0)
        size: arb = self._v(right) if self._p >= 0 else self._v(left) * (angle / 2).cos()
        bell = ((height * height - near * near) / 2).exp() / (2 * arb.pi()).sqrt()
        return bell * size**self.power

    def log_most(self, left: Array, right: Array, height: Array) -> Array:
        m, q = float(self._law.shift), float(self._law.q)
        near, place = np.maximum(left, 0.0), right if self._p >= 0 else left
        size = self._p * log_mixed(q, m * place - m * m / 2)
        if self._p < 0:
            size = size + self._p * np.log(np.cos(m * height / 2))
        return np.asarray((height * height - near * near) / 2 + size - math.log(2.5))

    def beyond(self, a: arb) -> arb:
        """The lifted half line beyond `stop`: there |f| falls at least at the rate stop − p·μ."""
        pull = arb.max(self.power, arb(0)) * self._law.shift
        only_if(self.stop > pull, "the end of the quadrature beyond the bump")
        lift = (a * a / 2).exp()
        if self._p < 0:
            lift *= (self._law.shift * a / 2).cos() ** self.power
        return lift * self.value(acb(self.stop))[0].real / (self.stop - pull)
