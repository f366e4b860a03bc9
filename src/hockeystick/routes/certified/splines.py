"""δ(ε) of n steps of Laplace noise, all terms positive: a sum over B-splines (Theorem 24).

With r = 1/scale, i steps at the atom r, k that are continuous and Y = (ε + nr)/2r, the sum of the
losses is 2r·(i + Z_k) − nr, Z_k with the cardinal B-spline N_k as its density. Where i >= Y it is
above ε whatever the others are; else

    E_k(y) = ∫_y^∞ sinh(r(z−y))·N_k(z) dz,      H_k(y) = ∫_y^∞ cosh(r(z−y))·N_k(z) dz

at y = Y − i are sums of those of the next order, of terms that are not negative.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb

from hockeystick.numerics.types import Array
from hockeystick.routes.certified.balls import ball, kappa, only_if
from hockeystick.routes.certified.between import ball_of, between, outwards
from hockeystick.routes.certified.line import Ends, Laws
from hockeystick.routes.certified.segment import SegmentLaw
from hockeystick.routes.certified.written import Written

MOST_STEPS, MOST_LEVELS = 100_000, 400
"""A certificate that asks for more is refused."""


@dataclass(frozen=True)
class SplineRecipe(Written):
    """Exact numbers, kept in the certificate: how many steps are continuous at the most, how many
    powers of sinh are kept, and the orders at which what is left out of either is bounded."""

    continuous: int
    powers: int
    order: float
    order_of_powers: float


def laplace_law(laws: Laws) -> tuple[SegmentLaw, int] | None:
    """The law and how often it runs, if all is Laplace noise on every record."""
    if len(laws) != 1 or not isinstance(law := laws[0][0], SegmentLaw):
        return None
    plain = not law.sampled and law.edge == 0.5 and laws[0][1] >= 2
    return (law, laws[0][1]) if plain else None


class Splines:
    """Both ends of δ(ε)."""

    def __init__(self, laws: Laws, recipe: SplineRecipe) -> None:
        found = laplace_law(laws)
        only_if(found is not None, "steps of Laplace noise that are all alike")
        assert found is not None
        self._law, self._n = found
        self._r, self._recipe = self._law.reach, recipe
        only_if(recipe.continuous >= 1 and recipe.powers >= 1, "continuous steps and powers")
        self._levels = recipe.continuous + recipe.powers
        only_if(self._n <= MOST_STEPS and self._levels <= MOST_LEVELS, "fewer steps")
        self._shift = between(self._r)
        self._weights: tuple[int, Array] | None = None
        self._left_out = (
            (self._many(), arb(recipe.order)),
            (
                self._high_powers(),
                arb(recipe.order_of_powers),
            ),
        )

    @property
    def order(self) -> float:
        """About −δ'/δ."""
        return self._recipe.order

    def _log_moment(self, order: float) -> arb:
        """K at an order."""
        only_if(order > 0, "a positive order")
        return self._n * self._law.tilted(order, {}).mass.log()

    def _many(self) -> arb:
        """More continuous steps than are listed: at most this times e^{−cε}. A step tilted by
        e^{cL} is continuous with odds tanh(ra)/2a, a = c + ½, and from its second term on the
        binomial tail falls geometrically."""
        n, k, c = self._n, self._recipe.continuous + 1, arb(self._recipe.order)
        if k > n:
            return arb(0)
        a = c + arb(0.5)
        odds = (self._r * a).tanh() / (2 * a)
        ratio = arb(n - k) / (k + 1) * odds
        only_if(ratio < 1, "more continuous steps")
        first = arb(math.comb(n, k)) * odds**k / (1 + odds) ** n
        return kappa(c) * self._log_moment(self._recipe.order).exp() * first / (1 - ratio)

    def _high_powers(self) -> arb:
        """The powers of sinh that are not listed: x^j/j! <= λ^{−j}·e^{λx} with λ = 1 + 2c, and
        E[e^{−x}·e^{λx}] = e^{K(c)−cε} for x = (S−ε)/2."""
        c = arb(self._recipe.order_of_powers)
        grown = self._log_moment(self._recipe.order_of_powers).exp()
        return grown * (1 + 2 * c) ** (1 - self._recipe.powers) / c

    def ends(self, epsilon: float) -> Ends:
        """What is listed, and at most what is not."""
        e, n = Fraction(epsilon), self._n
        only_if(e >= 0, "an ε that is not negative")
        y = e / (2 * self._law.exact_reach) + Fraction(n, 2)
        last = min(math.ceil(y) - 1, n)
        if y > last + self._recipe.continuous:  # so large that no spline is listed
            listed = arb(0)
        else:
            unit = self._chosen(last) * 2 * ((ball(e) - n * self._r) / 2).exp()
            listed = unit * self._partly(last, y - last)
        value = self._wholly(last + 1, ball(e)) + listed
        more = sum((size * (-order * ball(e)).exp() for size, order in self._left_out), arb(0))
        return Ends(arb(value.lower()), arb((value + more).upper()))

    def slope(self, epsilon: float) -> float:
        """About −δ', to search with."""
        move = 1e-4 / self.order
        near, far = self.ends(max(epsilon - move, 0.0)), self.ends(max(epsilon, move))
        return float(near.lower - far.lower) / move

    def _chosen(self, i: int) -> arb:
        """C(n, i)/2^n."""
        return arb(math.comb(self._n, i)) / arb(2) ** self._n

    def _wholly(self, first: int, e: arb) -> arb:
        """Σ C(n, i)·2^{−n}·(1 − e^{ε−ir}·(2−e^{−r})^{n−i}) from the first i on: P and e^ε·Q of so
        many atoms."""
        n, fall, total = self._n, (-self._r).exp(), arb(0)
        if first > n:
            return total
        chosen = self._chosen(n)
        other, others = arb(1), 2 - fall
        at = (e - n * self._r).exp()
        grow = others / fall
        for i in range(n, first - 1, -1):
            total += chosen * (1 - at * other)
            other *= grow
            chosen = chosen * i / (n - i + 1)
        return total

    def _partly(self, last: int, fraction: Fraction) -> arb:
        """Σ C(n, i)/C(n, last)·C(n−i, k)·r^k·E_k(f + m) over i = last − m and k > m."""
        weights, terms = self._weights_of(last), self._integrals(fraction)
        products = outwards(weights * terms, 1)
        return ball_of(outwards(products.sum(axis=(1, 2)), products[0].size))

    def _weights_of(self, last: int) -> Array:
        """By k − 1 and m."""
        if self._weights is None or self._weights[0] != last:
            n, most = self._n, self._recipe.continuous
            i = last - np.arange(float(most))
            row = np.ones((2, most))
            for m in range(most - 1):
                share = max(i[m], 0.0) / (n - i[m] + 1)
                row[:, m + 1] = outwards(row[:, m] * share, 2)
            rows = []
            for k in range(1, most + 1):
                row = outwards(row * np.maximum(n - i - k + 1, 0.0) * self._shift / k, 3)
                rows.append(row)
            self._weights = last, np.stack(rows, axis=1)
        return self._weights[1]

    def _integrals(self, fraction: Fraction) -> Array:
        """E_k(f + m) by k − 1 and m, 0 < f <= 1. By parts, as N_k'(z) = N_{k−1}(z) − N_{k−1}(z−1),

        E_{k−1}(y−1) = E_{k−1}(y) + r·H_k(y),      H_{k−1}(y−1) = H_{k−1}(y) + r·E_k(y) + N_k(y);

        it begins with 0 at the last level."""
        splines, most = self._splines(fraction), self._recipe.continuous
        out = np.zeros((2, most, most))
        both = np.zeros((2, 2, self._levels))  # lower and upper ends, of E and of H
        for k in range(self._levels, 1, -1):
            both = self._shift[:, :, None] * both[:, ::-1, 1:]
            both[:, 1] += splines[k - 1][:, 1 : 1 + both.shape[2]]
            both = np.cumsum(both[:, :, ::-1], axis=2)[:, :, ::-1]
            both = outwards(both, both.shape[2] + 2)
            if k - 1 <= most:
                out[:, k - 2, : k - 1] = both[:, 0, : k - 1]
        return out

    def _splines(self, fraction: Fraction) -> list[Array]:
        """N_k(f + m) for k = 1, … and m < k, by Cox and de Boor: with y = f + m,
        (k−1)·N_k(y) = y·N_{k−1}(y) + (k−y)·N_{k−1}(y−1)."""
        levels = self._levels
        m = np.arange(float(levels))
        up = outwards(between(ball(fraction)) + m, 1)
        down = outwards(between(ball(1 - fraction)) + m, 1)
        row = np.zeros((2, levels))
        row[:, 0] = 1.0
        rows = [row]
        for k in range(2, levels + 1):
            last, row = row, np.zeros((2, levels))
            row[:, :k] = up[:, :k] * last[:, :k]
            row[:, 1:k] += down[:, k - 2 :: -1] * last[:, : k - 1]
            row[:, :k] = outwards(row[:, :k] / (k - 1), 4)
            rows.append(row)
        return rows
