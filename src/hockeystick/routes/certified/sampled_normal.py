"""A sampled normal law on a vertical line, by the trapezoid rule (Theorem 3)."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from flint import acb, arb

from hockeystick.numerics.types import Array
from hockeystick.routes.certified.balls import above, around_zero, below, only_if
from hockeystick.routes.certified.decay import Cells, Pairs, by_nodes
from hockeystick.routes.certified.discs import Discs
from hockeystick.routes.certified.law import Nodes, Rule, Tilted

CELLS = 80
MOST_NODES = 1_000_000
"""Of a certificate that is still followed."""


class Mixed(Protocol):
    """(1−q)·N(0, 1) + q·N(up, 1) against (1−q)·N(0, 1) + q·N(−down, 1)."""

    up: arb
    down: arb
    q: arb

    @property
    def rounded(self) -> tuple[float, ...]:
        """q, up and down as doubles, and at least how far each is from that."""


class SampledNormal(Tilted):
    """M(c) by a sum on the real axis; M(c + it) by one on the line Im z = height, good for every
    t >= 0 at once."""

    def __init__(self, law: Mixed, order: float, rule: Rule) -> None:
        self.law, self.rule = law, rule
        self.c, self.p = arb(order), arb(order) + 1
        self._v, self._w = _mixed(law.q, law.up), _mixed(law.q, law.down)

    @cached_property
    def mass(self) -> arb:
        """By a sum of balls."""
        said = self.rule["mass"]
        share, tails = self.unlisted
        places = range(said["first"], said["last"] + 1)
        listed = sum((self._at(j * arb(said["step"])) for j in places), arb(0))
        norm = arb(said["step"]) / (2 * arb.pi()).sqrt()
        return (norm * listed + arb(0).union(tails)) / (1 + around_zero(share))

    @property
    def listed(self) -> int:
        """Terms of that sum."""
        return int(self.rule["mass"]["last"] - self.rule["mass"]["first"] + 1)

    @property
    def unlisted(self) -> tuple[arb, arb]:
        """|M(c) − Σ| <= M(c)·2·e^{b²/2}·cos(b·down/2)^{−c}/(e^{2πb/h} − 1): that share, and at most
        what the sum has beyond its ends."""
        law, said = self.law, self.rule["mass"]
        b, h = arb(said["strip"]), arb(said["step"])
        only_if(b > 0 and h > 0, "a strip around the real axis")
        for shift in (law.up, law.down):
            only_if(b * shift < arb.pi(), "a strip within that of the loss")
        only_if(said["last"] - said["first"] < MOST_NODES, "few enough points")
        share = 2 * self._lift(b) / (2 * arb.pi() * b / h).expm1()
        only_if(share < 0.5, "a finer step of the quadrature")
        return share, h / (2 * arb.pi()).sqrt() * self._tails(said)

    @property
    def error(self) -> arb:
        """At least |M(c+it) − Σ| on the lifted line, for every t >= 0:
        M(c)·(1+S)/(e^{2πa/h} − 1), S = e^{2a²}·cos(a·down)^{−c}, and tails."""
        law, rule = self.law, self.rule
        a, h = arb(rule["height"]), arb(rule["step"])
        only_if(a > 0 and h > 0, "a line above the real axis")
        for shift in (law.up, law.down):
            only_if(2 * a * shift < arb.pi(), "a line within the strip of the loss")
        only_if(rule["last"] - rule["first"] < MOST_NODES, "few enough points")
        share = (1 + self._lift(2 * a)) / (2 * arb.pi() * a / h).expm1()
        only_if(share < 0.5, "a finer step of the quadrature")
        tails = h / (2 * arb.pi()).sqrt() * self._lift(a) * self._tails(rule)
        return arb((tails + self.mass * share).upper())

    @cached_property
    def _nodes(self) -> Nodes:
        a, h = arb(self.rule["height"]), arb(self.rule["step"])
        error = self.error
        norm = h / (2 * arb.pi()).sqrt()
        weights, losses = [], []
        for j in range(self.rule["first"], self.rule["last"] + 1):
            z = acb(j * h, a)
            log_v, log_w = self._logs(z)
            weights.append(norm * (self.p * log_v - self.c * log_w - z * z / 2).exp())
            losses.append(log_v - log_w)
        return Nodes(weights, losses, error)

    def _logs(self, z: Any) -> tuple[Any, Any]:
        """log v and log w."""
        return _log_mixed(self._v, z), _log_mixed(self._w, -z)

    def _lift(self, height: arb) -> arb:
        """|f(x + i·height)| is at most so many times f(x)."""
        turned = (height * self.law.down / 2).cos() ** (-self.c)
        return (height * height / 2).exp() * turned

    def _tails(self, ends: Rule) -> arb:
        """Beyond its ends the sum of f falls at least geometrically:
        (log f)' = −x + p·up·g + c·down·g'."""
        law, h = self.law, arb(ends["step"])
        only_if(type(ends["first"]) is type(ends["last"]) is int, "whole numbers of steps")
        right, left = ends["last"] * h, -ends["first"] * h
        pull = law.q * (-law.down * right - law.down * law.down / 2).exp()
        pull = self.c * law.down * pull / (1 - law.q + pull)
        fall = right - self.p * law.up - pull
        only_if(fall > 0 and left > 0, "the ends of the quadrature beyond the bump")
        beyond: arb = self._at(right) / (h * fall).expm1() + self._at(-left) / (h * left).expm1()
        return beyond

    def _at(self, x: arb) -> arb:
        """f on the real axis, but for 1/√(2π)."""
        log = x * x / -2
        if self._v is not None:
            log += self.p * _log_mixed(self._v, x)
        if self._w is not None:
            log -= self.c * _log_mixed(self._w, -x)
        return log.exp()

    @property
    def work(self) -> int:
        return int(self.rule["last"] - self.rule["first"] + 1)

    def values(self, step: float, count: int) -> list[acb]:
        return self._nodes.values(step, count)

    def relative(self, step: float, count: int, n: int) -> Discs:
        return self._nodes.relative(step, count, self.mass, n)

    def decay(self, t: Array) -> Array:
        return np.minimum(by_nodes(*self._sizes, t), self._pairs(t))

    @cached_property
    def _sizes(self) -> tuple[Array, Array, float]:
        nodes, mass = self._nodes, self.mass
        sizes = np.array([above(weight.abs_upper() / mass) for weight in nodes.weights])
        fall = np.array([max(below(loss.imag), 0.0) for loss in nodes.losses])
        return sizes, fall, above(nodes.error / mass)

    @cached_property
    def _pairs(self) -> Pairs:
        """On a cell the logarithm of the tilted density is at least the less of its ends, less
        width²/8 times what it may bend upwards."""
        width, c, p = arb(self.rule["width"]), self.c, self.p
        base = (2 * arb.pi()).log() / 2 + self.mass.log()
        places = [arb(self.rule["cell"]) + j * width for j in range(CELLS + 1)]
        logs = [self._logs(x) for x in places]
        density = [p * v - c * w - x * x / 2 - base for (v, w), x in zip(logs, places, strict=True)]
        pairs, bend = pairwise(density), self.bend
        mass = [max(below(width * (arb.min(x, y) - bend).exp()), 0.0) for x, y in pairs]
        loss = [v - w for v, w in logs]
        left, right = [below(x) for x in loss[:-1]], [above(x) for x in loss[1:]]
        return Pairs(Cells(np.array(mass), np.array(left), np.array(right)))

    @property
    def bend(self) -> arb:
        """How far the log density may be below its chord: (log f)'' <= p·up²/4 − 1."""
        width = arb(self.rule["width"])
        most = arb.max(self.p * self.law.up * self.law.up / 4 - 1, arb(0))
        return width * width / 8 * most


def _mixed(q: arb, shift: arb) -> tuple[arb, arb, arb] | None:
    """What 1 − q + q·e^{shift·z − shift²/2} is made of; None where it is 1."""
    return None if shift.is_zero() else (1 - q, q * (shift * shift / -2).exp(), shift)


def _log_mixed(mixed: tuple[arb, arb, arb] | None, z: Any) -> Any:
    """Its logarithm."""
    if mixed is None:
        return type(z)(0)
    rest, share, shift = mixed
    return (rest + share * (shift * z).exp()).log()
