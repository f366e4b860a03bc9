"""e^K on a vertical line, in balls: both ends of δ(ε) for every ε near the planned one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flint import acb, acb_mat, arb

from hockeystick.numerics.types import Array
from hockeystick.routes.certified.balls import kappa, only_if, power, powers
from hockeystick.routes.certified.decay import beyond
from hockeystick.routes.certified.discs import Discs
from hockeystick.routes.certified.law import Law, Rule, Tilted
from hockeystick.routes.certified.many import gathered
from hockeystick.routes.certified.many_moments import log_moment
from hockeystick.routes.certified.quick import Quick, kernel
from hockeystick.routes.certified.written import Written

Laws = Sequence[tuple[Law, int]]
"""The law of each part, and how often it runs."""

MOST_PRODUCTS = 400_000_000
"""Points times nodes: 1e7 take a second."""
NEAR = 2.0**-20
"""Between two ε of a difference that estimates a slope, to search with."""
NEARBY = 1e-4
"""The same, in units of 1/order."""
RATIO, GRID = 1.12, 100
"""The grid of frequencies on which |φ| is bounded, beyond the last point of the line."""


@dataclass(frozen=True)
class Recipe(Written):
    """All that a line is computed from besides the laws: exact numbers, kept in the certificate."""

    order: float
    step: float
    points: int
    beyond: float
    cut: float
    split: bool
    arrays: bool
    rules: tuple[Rule, ...]
    rules_beyond: tuple[Rule, ...]


@dataclass(frozen=True)
class Ends:
    """δ(ε) is at least `lower` and at most `upper`."""

    lower: arb
    upper: arb

    @property
    def width(self) -> float:
        """About how far apart they are."""
        return float(self.upper - self.lower)


def masses(laws: Laws) -> tuple[arb, arb]:
    """P-mass where some loss is infinite, 1 − Π(1−δ_i)^{n_i}, and at most what tables left out."""
    finite, lost = arb(1), arb(0)
    for law, n in laws:
        if not law.infinite.is_zero():
            finite *= (1 - law.infinite) ** n
        lost += n * law.lost
    return 1 - finite, arb(lost.upper())


def grid(first: float, count: int = GRID) -> Array:
    """Frequencies that grow by a constant factor."""
    return np.asarray(first * RATIO ** np.arange(float(count)))


def log_sizes(tilted: Sequence[tuple[Tilted, int]], t: Array) -> Array:
    """At least log|φ| of the sum from each frequency to the next."""
    total = np.zeros_like(t)
    for each, n in tilted:
        total += n * np.minimum(each.decay(t), 0.0)
    return total * (1 - 1e-12)


def cumulant(laws: Laws, order: float, rules: Sequence[Rule]) -> arb:
    """K at a real order."""
    only_if(order > 0, "a positive order")
    pairs = zip(laws, rules, strict=True)
    return log_moment([(law.tilted(order, rule), n) for (law, n), rule in pairs])


class Line:
    """Theorems 1, 2 and 5: the sum over the points, what the trapezoid rule adds, what is cut."""

    def __init__(
        self, laws: Laws, recipe: Recipe, tilted: Sequence[tuple[Tilted, int]] | None = None
    ) -> None:
        c, h, points = recipe.order, recipe.step, recipe.points
        only_if(0 < c < recipe.beyond and h > 0 and points > 0, "a line right of 0")
        only_if(arb(recipe.cut) <= points * arb(h) and recipe.cut > h, "a cut where the line ends")
        if tilted is None:
            pairs = zip(laws, recipe.rules, strict=True)
            tilted = [(law.tilted(c, rule), n) for (law, n), rule in pairs]
            tilted = gathered(tilted) if recipe.arrays else tilted
        only_if(points * sum(each.work for each, _ in tilted) <= MOST_PRODUCTS, "a shorter line")
        self._laws = laws
        self._c, self._h, self._order = arb(c), arb(h), arb(recipe.beyond)
        t = grid(recipe.cut)
        self.cut = beyond(t, self.log_sizes(tilted, t), h)[0]
        self._k_beyond = cumulant(laws, recipe.beyond, recipe.rules_beyond)
        self._prepare()
        self._k = sum((n * self._log_mass(each) for each, n in tilted), arb(0))
        self.points, self._sum = points, self._in_discs if recipe.arrays else self._in_balls
        (self._quickly if recipe.arrays else self._terms)(tilted, h, points)

    @staticmethod
    def log_sizes(tilted: Sequence[tuple[Tilted, int]], t: Array) -> Array:
        """At least the logarithm of |values| over M(c)^n, from each frequency to the next."""
        return log_sizes(tilted, t)

    def _prepare(self) -> None:
        """The P-mass that the line has not, and that it may lack."""
        self.aside, self.lost = masses(self._laws)

    def beside(self, e: arb) -> arb:
        """What adds to δ(ε) besides the line."""
        return self.aside

    def _values(self, tilted: Sequence[tuple[Tilted, int]], h: float, n: int) -> list[acb]:
        values = [acb(1)] * n
        for each, count in tilted:
            new = each.values(h, n)
            values = [a * power(b, count) for a, b in zip(values, new, strict=True)]
        return values

    def _terms(self, tilted: Sequence[tuple[Tilted, int]], h: float, n: int) -> None:
        values = self._values(tilted, h, n)
        s = [acb(self._c, k * self._h) for k in range(n)]
        size = self._k.exp()
        terms = [value / (size * x * (x + 1)) for value, x in zip(values, s, strict=True)]
        terms[0] = terms[0] / 2
        self._matrix = acb_mat([terms])
        self.floats = np.array([complex(x) for x in terms])

    def _quickly(self, tilted: Sequence[tuple[Tilted, int]], h: float, n: int) -> None:
        """The same in arrays of discs (Theorem 21)."""
        terms = self._relative(tilted, h, n) * kernel(self.order, h, n)
        terms = terms.times(np.append(0.5, np.ones(n - 1)))
        self._quick, self.floats = Quick(terms, self._h), terms.mid

    def _relative(self, tilted: Sequence[tuple[Tilted, int]], h: float, n: int) -> Discs:
        total = Discs.of(np.ones(n))
        for each, count in tilted:
            total = total * each.relative(h, n, count)
        return total

    def _log_mass(self, each: Tilted) -> arb:
        only_if(each.mass > 0, "a positive moment on the line")
        return each.mass.log()

    def _in_balls(self, e: arb) -> arb:
        turns = acb_mat(self.points, 1, powers(acb(0, -self._h * e).exp(), self.points))
        return (self._matrix * turns)[0, 0].real

    def _in_discs(self, e: arb) -> arb:
        return self._quick.sum(e)

    def slope(self, epsilon: float) -> float:
        """About −δ', to search with: floats would not tell where much cancels."""
        move = NEARBY / self.order
        near, far = self.ends(epsilon), self.ends(epsilon + move)
        return float(near.lower + near.upper - far.lower - far.upper) / (2 * move)

    @property
    def order(self) -> float:
        return float(self._c)

    def ends(self, epsilon: float) -> Ends:
        """δ of the finite losses between ends, and what is infinite or lost."""
        e, c, h = arb(epsilon), self._c, self._h
        unit = (self._k - c * e).exp()
        value = h / arb.pi() * unit * self._sum(e)
        least, most, right = self.aliases(e)
        cut = self.cut * unit
        beside = self.beside(e)
        lower = arb.max(value - cut - most - right, arb(0)) + beside
        upper = value + cut - least + beside + self.lost
        return Ends(arb(lower.lower()), arb(upper.upper()))

    def aliases(self, e: arb) -> tuple[arb, arb, arb]:
        """Theorem 2. With m the mass of the finite losses and T the period, the left aliases
        e^{−ckT}·δ(ε−kT) lie between m·e^{−ckT} − e^{ε−(c+1)kT} and m·e^{−ckT}; the right ones are
        at most κ(λ)·e^{K(λ)−λε}·e^{−(λ−c)kT}."""
        c, order, period = self._c, self._order, 2 * arb.pi() / self._h
        near, far = (-c * period).exp(), (-(c + 1) * period).exp()
        gap = (-(order - c) * period).exp()
        most = (1 - self.aside) * near / (1 - near)
        least = (1 - self.aside - self.lost) * near / (1 - near) - e.exp() * far / (1 - far)
        right = kappa(order) * (self._k_beyond - order * e).exp() * gap / (1 - gap)
        return arb.max(least, arb(0)), most, right

    def guess(self, start: float, delta: float) -> float:
        """Floats: an ε with about this δ, by Newton's method kept within a bracket."""
        c, h, k = float(self._c), float(self._h), float(self._k)
        t, period = h * np.arange(self.points), 2 * math.pi / h
        slopes = self.floats * (c + 1j * t)
        near, far = math.exp(-c * period), math.exp(-(c + 1) * period)
        goal = math.log(delta)
        epsilon, low, high = start, -math.inf, math.inf
        for _ in range(60):
            turns = np.exp(-1j * t * epsilon)
            unit = h / math.pi * math.exp(min(k - c * epsilon - goal, 700.0))
            left = near / (1 - near) - math.exp(min(epsilon, 700.0)) * far / (1 - far)
            value = unit * float((self.floats @ turns).real) - max(left, 0.0) * math.exp(-goal)
            rate = unit * float((slopes @ turns).real)
            beside, soon = self.beside(arb(epsilon)), self.beside(arb(epsilon + NEAR))
            value += float(beside) / delta
            rate += float(beside - soon) / NEAR / delta
            if not value > 0:
                high = min(high, epsilon)
                epsilon = epsilon - 1 / c if low == -math.inf else (low + high) / 2
                continue
            error = math.log(value)
            low, high = (max(low, epsilon), high) if error > 0 else (low, min(high, epsilon))
            new = epsilon + (error * value / rate if rate > 0 else math.copysign(1 / c, error))
            if not low < new < high and math.isfinite(low) and math.isfinite(high):
                new = (low + high) / 2
            if abs(new - epsilon) <= 1e-13 * max(1.0, abs(epsilon)):
                return new
            epsilon = new
        return epsilon
