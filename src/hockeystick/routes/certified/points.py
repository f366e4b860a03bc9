"""Losses of finitely many values: randomized response, declared guarantees, integer noise."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from flint import acb, arb

from hockeystick.errors import CannotCertify
from hockeystick.loss.exact import Exact
from hockeystick.numerics.types import Array
from hockeystick.routes.certified.balls import above, ball, below, only_if
from hockeystick.routes.certified.decay import Cells, Pairs
from hockeystick.routes.certified.discs import Discs
from hockeystick.routes.certified.law import NEGLIGIBLE, Law, Nodes, Rule, Tilted

Pair = tuple[arb, arb]
"""The mass of an outcome under P and under Q."""

REACH = 15.0
"""Scales beyond which integer noise is left out, and charged: e^{−112} of it."""
MOST_POINTS = 2000


def _response(exact: Exact) -> tuple[list[Pair], arb]:
    """ε, −ε and, of more than two answers, 0; all with probability 1 − δ."""
    epsilon, categories, infinite = exact.numbers
    grown, gone = ball(epsilon).exp(), ball(infinite)
    each = (1 - gone) / (grown + int(categories) - 1)
    pairs = [(each * grown, each), (each, each * grown)]
    if categories > 2:
        rest = each * (int(categories) - 2)
        pairs.append((rest, rest))
    if infinite:
        pairs += [(gone, arb(0)), (arb(0), gone)]
    return pairs, arb(0)


def _leak(exact: Exact) -> tuple[list[Pair], arb]:
    """A loss of 0, or an infinite one."""
    gone = ball(exact.numbers[0])
    rest = 1 - gone
    return [(rest, rest), (gone, arb(0)), (arb(0), gone)], arb(0)


def _integer_laplace(exact: Exact) -> tuple[list[Pair], arb]:
    """|x| − |x−k| over b: all x <= 0 are alike, and all x >= k."""
    scale, steps = exact.numbers
    fall, k = (-1 / ball(scale)).exp(), int(steps)
    _few(k)
    part = (1 - fall) / (1 + fall)
    masses = [part * fall**x for x in range(k + 1)]
    masses[0] = masses[0] / (1 - fall)
    masses[k] = masses[k] / (1 - fall)
    return [(masses[k - x], masses[x]) for x in range(k + 1)], arb(0)


def _integer_gaussian(exact: Exact) -> tuple[list[Pair], arb]:
    """∝ e^{−x²/2σ²} and the same moved by k, for all x within the reach of both; the normaliser's
    tail is in its ball, and what is left out is at most geometric."""
    scale, steps = exact.numbers
    k = int(steps)
    last = math.ceil(REACH * float(scale)) + k
    _few(last)
    mass, tail = _gaussian_masses(ball(scale) ** 2, last)
    pairs = [(mass[abs(x - k)], mass[abs(x)]) for x in range(k - last, last + 1)]
    left_out = sum(mass[last - k + 1 :], arb(0))
    return pairs, arb((left_out + tail).upper())


def _opposite(exact: Exact) -> tuple[list[Pair], arb]:
    """A record on one side, drawn with probability q, against one on the other side: integer noise
    at every x, of which Laplace's has all beyond the moves alike; 0 has the loss 0."""
    q, (scale, steps) = ball(exact.rate), exact.apart[1].numbers
    k, alike = int(steps), exact.kind == "integer laplace"
    last = 2 * k if alike else math.ceil(REACH * float(scale)) + 2 * k
    _few(last)
    if alike:
        fall = (-1 / ball(scale)).exp()
        mass = [(1 - fall) / (1 + fall) * fall**x for x in range(last + 1)]
        tail = arb(0)
    else:
        mass, tail = _gaussian_masses(ball(scale) ** 2, last)
    reach = last - k

    def at(x: int) -> arb:
        value = (1 - q) * mass[abs(x)] + q * mass[abs(x - k)]
        return value / (1 - fall) if alike and abs(x) == k else value

    right = [at(x) for x in range(-reach, reach + 1)]
    pairs = list(zip(right, right[::-1], strict=True))
    left_out = 2 * sum(mass[reach - k + 1 :], arb(0)) if not alike else arb(0)
    return pairs, arb((left_out + tail).upper())


def _gaussian_masses(square: arb, last: int) -> tuple[list[arb], arb]:
    """P[x] ∝ e^{−x²/2σ²} for 0 <= x <= last, and at most what is beyond on both sides."""
    weight = [(-arb(x * x) / (2 * square)).exp() for x in range(last + 1)]
    ratio = (-arb(last + 1) / square).exp()
    tail = 2 * (-arb((last + 1) ** 2) / (2 * square)).exp() / (1 - ratio)
    norm = weight[0] + 2 * sum(weight[1:], arb(0)) + arb(0).union(tail)
    return [each / norm for each in weight], tail / norm


def _few(points: int) -> None:
    if points > MOST_POINTS:
        raise CannotCertify(f"integer noise with {points} values")


PAIRS: dict[str, Callable[[Exact], tuple[list[Pair], arb]]] = {
    "response": _response,
    "leak": _leak,
    "integer laplace": _integer_laplace,
    "integer gaussian": _integer_gaussian,
}


Lattice = tuple[arb, arb, list[int]]
"""A spacing and an origin, and how many spacings each loss is above it."""


def _lattice(exact: Exact, atoms: list[Pair]) -> Lattice | None:
    """The lattice of all losses, in the order of the atoms; None where there is none. Of a response
    they are ε, −ε and 0, also of a sample of fixed size, with another ε; those of integer noise
    are 2x − k, times 1/scale or k/2scale², and as many below 0 as above."""
    sign = -1 if exact.turned else 1
    if exact.kind == "response":
        whole = exact.fixed or exact.rate == 1
        return (atoms[0][1] * sign, arb(0), [sign, -sign, 0][: len(atoms)]) if whole else None
    if exact.fixed or exact.rate != 1 or exact.kind == "leak":
        return None
    scale, k, last = ball(exact.numbers[0]), int(exact.numbers[1]), len(atoms) - 1
    half = 1 / scale if exact.kind == "integer laplace" else k / (2 * scale * scale)
    return 2 * half, -sign * last * half, [sign * j for j in range(last + 1)]


class PointsLaw(Law):
    """Finitely many outcomes, each with its mass under P and under Q."""

    def __init__(self, exact: Exact) -> None:
        pairs, self.lost = (_opposite if exact.opposite else PAIRS[exact.kind])(exact)
        if exact.opposite:
            pass
        elif exact.fixed:
            self.lost *= 2  # of positive losses, and of their mirror images
            pairs = _of_fixed_size(pairs, ball(exact.rate), self.lost)
        elif exact.rate != 1:
            q = ball(exact.rate)
            pairs = [(p if p is r else (1 - q) * r + q * p, r) for p, r in pairs]
        self._rate, self._bounded = ball(exact.rate), exact.turned and exact.rate != 1
        if exact.turned:
            pairs = [(other, one) for one, other in pairs]
        self.infinite = sum((one for one, other in pairs if other.is_zero()), arb(0))
        finite = [pair for pair in pairs if not pair[0].is_zero() and not pair[1].is_zero()]
        self._atoms = [(p, arb(0) if p is q else (p / q).log()) for p, q in finite]
        self.lattice = _lattice(exact, self._atoms)

    def atoms(self) -> list[tuple[arb, arb]]:
        return self._atoms

    @property
    def is_nothing(self) -> bool:
        """Whether P = Q."""
        whole = self.infinite.is_zero() and self.lost.is_zero()
        return whole and all(loss.is_zero() for _, loss in self._atoms)

    @property
    def top(self) -> arb | None:
        if not self.lost.is_zero():  # and that of Q against a mixture is never reached
            return -(-self._rate).log1p() if self._bounded else None
        top = arb.neg_inf()
        for _, loss in self._atoms:
            top = arb.max(top, loss)
        return top

    def profile(self, epsilon: arb) -> arb | None:
        """Theorem 9: Σ P·(1 − e^{ε−ℓ})+, and what is infinite or left out."""
        zero = arb(0)
        terms = (p * arb.max(-(epsilon - loss).expm1(), zero) for p, loss in self._atoms)
        return sum(terms, self.infinite + arb(0).union(self.lost))

    def rule(self, order: float, reach: float, log_tolerance: float) -> Rule:
        return {}

    def tilted(self, order: float, rule: Rule) -> Tilted:
        return PointsTilted(self, order)


def all_atoms(laws: Sequence[tuple[Law, int]]) -> bool:
    """Whether all losses are atoms, which do not fade along a vertical line."""
    return all(isinstance(law, PointsLaw) for law, _ in laws)


def unless_atoms(laws: Sequence[tuple[Law, int]]) -> None:
    """No vertical line need be tried where all losses are atoms."""
    if all_atoms(laws):
        raise CannotCertify("the characteristic function of the loss does not fall off")


def _of_fixed_size(pairs: list[Pair], q: arb, lost: arb) -> list[Pair]:
    """Outcomes of positive loss as on a Poisson sample, their mirror images, and the rest at 0, but
    for what is not listed."""
    out: list[Pair] = []
    rest = 1 - arb(0).union(lost)
    for one, other in pairs:
        if other.is_zero() or one > other:
            mix = (1 - q) * other + q * one
            out += [(mix, other), (other, mix)]
            rest -= mix + other
        else:
            only_if(one is other or one < other, "losses with a sign")
    return [*out, (rest, rest)] if rest > 0 else out


class PointsTilted(Tilted):
    """A finite sum."""

    def __init__(self, law: PointsLaw, order: float) -> None:
        c = arb(order)
        weights = [acb(p * (c * loss).exp()) for p, loss in law.atoms()]
        self.atoms = Nodes(weights, [acb(loss) for _, loss in law.atoms()], arb(0))

    @property
    def mass(self) -> arb:
        return self.atoms.mass

    @cached_property
    def work(self) -> int:
        return sum(not abs(p) < NEGLIGIBLE * self.mass for p in self.atoms.weights)

    def values(self, step: float, count: int) -> list[acb]:
        return self.atoms.values(step, count)

    def relative(self, step: float, count: int, n: int) -> Discs:
        return self.atoms.relative(step, count, self.mass, n)

    def decay(self, t: Array) -> Array:
        mass = [max(below(p.real / self.mass), 0.0) for p in self.atoms.weights]
        left = [below(loss.real) for loss in self.atoms.losses]
        right = [above(loss.real) for loss in self.atoms.losses]
        return Pairs(Cells(np.array(mass), np.array(left), np.array(right)))(t)
