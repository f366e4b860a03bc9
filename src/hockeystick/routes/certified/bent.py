"""Few steps of Gaussian noise on a small sample, on a line that is bent (Theorems 22 and 25).

A loss is log(1−q) + X, X = log(1 + ρ·e^ℓ) > 0 and ρ = q/(1−q). With x = ε − n·log(1−q), G(p) =
E_Q[e^{pX}] and 0 < θ,

    δ(ε) = (1−q)^n/2π · ∫ G(s+1)^n·e^{−sx}/(s(s+1))·λ·cos(θ+iw) dw,    s = λ·sin(θ + iw):

e^{−sx} falls fast along this hyperbola. Over ζ = log X, G is an integral that may be taken on any
line Im ζ = b < π/4, and there e^{sX} does not grow along the hyperbola where b >= θ.

Of a sample of fixed size a loss is X, −X or 0, X = log(1 − q + q·e^ℓ) > 0 over ℓ > 0, and M(s) =
G(s+1) + H(s) + atom takes the place of (1−q)·G(s+1), x = ε; H(s) = E_Q[e^{−sX}; ℓ > 0] is an
integral on the line Im ζ = −b, where e^{−sX} is at most 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from flint import acb, arb

from hockeystick.routes.certified.balls import disc, only_if, power, total
from hockeystick.routes.certified.bent_law import bent_law
from hockeystick.routes.certified.line import Ends, Laws
from hockeystick.routes.certified.turned_sums import TurnedSum
from hockeystick.routes.certified.written import Written

WIDE = 20
"""Bits up to which a ball is taken for a cell, where its members are bounded all at once."""
MOST_PRODUCTS, MOST_CELLS = 4_000_000, 20_000
"""A certificate that asks for more is refused."""


@dataclass(frozen=True)
class BentRecipe(Written):
    """Exact numbers, kept in the certificate: the hyperbola, half of the strip of its angle in
    which the integrand is bounded, its step and points; the strip low <= Im ζ <= high, the step and
    ends of the sum in its middle; where all but a tail ends, and the cells of bounds."""

    scale: float
    angle: float
    strip: float
    step: float
    points: int
    low: float
    high: float
    inner: float
    first: int
    last: int
    far: float
    cell: float

    @property
    def work(self) -> int:
        """Exponentials that it takes at most."""
        return self.points * (self.last - self.first + 1)


class Bent:
    """Both ends of δ(ε)."""

    def __init__(self, laws: Laws, recipe: BentRecipe) -> None:
        law = bent_law(laws)
        only_if(law is not None, "steps of one Gaussian law, a record removed, or of fixed size")
        assert law is not None
        self._law, self._n, self._r, self._u = law, law.n, recipe, law.up
        self._base = arb(0) if law.fixed else (-law.q).log1p()
        self._log_odds = (law.q if law.fixed else law.q / (1 - law.q)).log()
        self._check()
        self._order = arb(recipe.scale) * (arb(recipe.angle) + arb(recipe.strip)).sin()
        self._terms = self._line()

    def _check(self) -> None:
        r = self._r
        angle, strip, low, high = arb(r.angle), arb(r.strip), arb(r.low), arb(r.high)
        only_if(r.scale > 0 and r.step > 0 and r.inner > 0 and r.cell > 0, "positive steps")
        only_if(strip > 0 and strip < angle, "a hyperbola right of 0")
        only_if(angle + strip <= low and low < high and high < arb.pi() / 4, "a strip above it")
        only_if(r.last > r.first and r.points > 1 and r.work <= MOST_PRODUCTS, "fewer points")

    def outcome(self, zeta: acb) -> tuple[acb, acb, acb]:
        """X, z and B at ζ."""
        x = zeta.exp()
        part = self._part(x)
        z = (x + part.log() - self._log_odds) / self._u + self._u / 2
        return x, z, x / part

    def _part(self, x: acb) -> acb:
        """1 − e^{−X}, or 1 − (1−q)·e^{−X} of fixed size: X over it is B = u·dz/dζ."""
        part = -(-x).expm1()
        return self._law.q + (1 - self._law.q) * part if self._law.fixed else part

    def _line(self) -> list[tuple[acb, acb]]:
        """s, and all of the integrand but e^{−sx}."""
        r, n = self._r, self._n
        angles = [acb(arb(r.angle), k * arb(r.step)) for k in range(r.points)]
        s = [arb(r.scale) * angle.sin() for angle in angles]
        values = self._moments(s)
        grown = (n * self._base).exp() * arb(r.scale)
        terms = []
        for angle, x, value in zip(angles, s, values, strict=True):
            terms.append((x, grown * power(value, n) * angle.cos() / (x * (x + 1))))
        return [(s[0], terms[0][1] / 2), *terms[1:]]

    def _moments(self, orders: Sequence[acb]) -> list[acb]:
        """G(s+1) at each, or M(s) of fixed size: sums on the middle line, what they leave out, and
        their error. |e^{pX}| falls along the hyperbola."""
        r, middle = self._r, (arb(self._r.low) + arb(self._r.high)) / 2
        weights, places = [], []
        for j in range(r.first, r.last + 1):
            x, z, bent = self.outcome(acb(j * arb(r.inner), middle))
            weights.append((-z * z / 2).exp() * bent * self._norm * arb(r.inner))
            places.append(x)
        sums = TurnedSum(weights, places, self._inner_error)
        values = sums([s + 1 for s in orders])
        slack = disc(self._inner_error + sums.left_out)
        if self._law.atom is not None:
            weights, places = [x.conjugate() for x in weights], [x.conjugate() for x in places]
            others = TurnedSum(weights, places, self._inner_error)
            pairs = zip(values, others([-s for s in orders]), strict=True)
            values = [value + other + self._law.atom for value, other in pairs]
            slack += disc(others.left_out)
        return [value + slack for value in values]

    def _growths(self, b: arb) -> list[arb]:
        """Of |e^{pX}| at most e^{growth·|X|}: for G, c the largest order of the strip, and H."""
        grown = (1 + self._order) * b.cos()
        return [grown, arb(0)] if self._law.fixed else [grown]

    @property
    def _norm(self) -> arb:
        return 1 / (self._u * (2 * arb.pi()).sqrt())

    @cached_property
    def _bounds(self) -> tuple[arb, arb]:
        """I(low) and I(high)."""
        start = self._r.first * arb(self._r.inner)
        return self._most(arb(self._r.low), start), self._most(arb(self._r.high), start)

    @cached_property
    def _inner_error(self) -> arb:
        """(I(low) + I(high))/(e^{2πr/h} − 1), r half of the strip, and what the sum leaves out."""
        r = self._r
        half, h, middle = (arb(r.high) - arb(r.low)) / 2, arb(r.inner), (arb(r.low) + r.high) / 2
        share = sum(self._bounds, arb(0)) / (2 * arb.pi() * half / h).expm1()
        left = self._left(middle, r.first * h)
        return arb((share + left + self._from(middle, r.last * h, h)).upper())

    def _most(self, b: arb, start: arb) -> arb:
        """At least I(b) = ∫|weight(ξ + ib)|·e^{(1+c)·cos b·X}; of fixed size, that of H too."""
        return arb((self._left(b, start) + self._from(b, start, arb(0))).upper())

    def _from(self, b: arb, start: arb, step: arb) -> arb:
        """That from a start on, or the sum of all steps from there: cells, and a tail. With g the
        exponent, |dz/dξ| included, x = |g'|·width/2 in the middle of a cell and M at least g''
        in it, an integral is at most width·e^{g + x²/6 + M·width²/8}, as sinh x/x <= e^{x²/6}; and
        a sum, of one step more than the cell is wide, at most (width + step)·e^{g + x + …}."""
        out, place = arb(0), start
        for _ in range(MOST_CELLS):
            if place >= self._r.far:
                break
            width = arb(self._r.cell * math.exp(-max(float(place), 0.0)))
            middle = place + width / 2
            at, rate, _ = self._exponent(middle, b)
            wide = middle + arb(0, (width / 2).upper())
            bend = self._exponent(wide, b)[2]
            for growth in self._growths(b):
                grown = growth * middle.exp()
                x = (rate + grown).abs_upper() * width / 2
                most = arb.max(arb((bend + growth * wide.exp()).upper()), arb(0))
                size = at + grown + most * width * width / 8
                out += (size + (x if step > 0 else x * x / 6)).exp() * (width + step)
            place += width
        only_if(place >= self._r.far, "fewer cells")
        return out * self._norm + self._right(b, place, step)

    def _exponent(self, xi: arb, b: arb) -> tuple[arb, arb, arb]:
        """g = −Re z²/2 + log|B| at ξ, and its first two derivatives there: z = (X + ζ − log B −
        log ρ)/u + u/2 (log q in place of log ρ if of fixed size), z' = B/u and B' = B·(1−B+X)."""
        zeta = acb(xi, b)
        x = zeta.exp()
        bent = x / self._part(x) if self._law.fixed else _bent(x)
        log_bent, turn = bent.log(), bent / self._u
        z = (x + zeta - log_bent - self._log_odds) / self._u + self._u / 2
        first = (1 - bent + x - z * turn).real
        second = (turn * turn + z * turn * (1 - bent + x) + (bent - x) * (1 - bent)).real
        return log_bent.real - (z * z).real / 2, first, -second

    def _left(self, b: arb, start: arb) -> arb:
        """Left of `start`, where |X| <= r <= ½: |X/(1−e^{−X}) − 1| <= r, so Re z grows by at least
        1/2u for each unit of ξ, and |Im z| <= (b + r)/u."""
        r, u = start.exp(), self._u
        if self._law.fixed:
            return self._left_of_all(b, r)
        far = -self.outcome(acb(start, b))[1].real
        only_if(r <= 0.5 and far > 0, "a start of the quadrature far to the left")
        lift = ((b + r) * (b + r) / (2 * u * u) + (1 + self._order) * r - far * far / 2).exp()
        return (1 + r) * self._norm * lift * 2 * u / far

    def _left_of_all(self, b: arb, r: arb) -> arb:
        """The same of fixed size, |X| <= r <= q/8: |part| >= Re part >= q, so |B| <= |X|/q, and
        |arg part| <= π/2·r/q; what is at most a multiple of e^ξ adds up to that at the end."""
        q, u = self._law.q, self._u
        only_if(8 * r <= q, "a start of the quadrature far to the left")
        across = (r + 2 * r / q) / u
        return sum(
            (
                self._norm * r / q * (across * across / 2 + growth * r).exp()
                for growth in self._growths(b)
            ),
            arb(0),
        )

    def _right(self, b: arb, stop: arb, step: arb) -> arb:
        """Right of `stop`, where Re X >= 1 and |log(1−e^{−X})| <= 0.46: with A = r·cos b + u²/2 −
        log ρ − 0.46 and S = r·sin b + 0.46 the exponent is at most (S² − A²)/2u² + (1+c)·r·cos b,
        which falls at least at its rate at `stop`, faster than 1/r; one step counts in full."""
        r, u = stop.exp(), self._u
        across, along = b.sin(), b.cos()
        a = r * along + u * u / 2 - self._log_odds - arb("0.46")
        s, out = r * across + arb("0.46"), arb(0)
        for slope in self._growths(b):
            fall = (a * along - s * across) / (u * u) - slope
            only_if(r * along >= 1 and a > 0 and fall * r >= 1, "an end beyond the bump")
            size = ((s * s - a * a) / (2 * u * u) + slope * r).exp()
            out += self._norm * size * (1 / fall + step * r) / (1 - arb(-1).exp())
        return out

    def ends(self, epsilon: float) -> Ends:
        """The sum, the error of the trapezoid rule over w, and what is beyond its last point."""
        r, x = self._r, arb(epsilon) - self._n * self._base
        only_if(x > 0, "a loss above the least")
        listed = total(term * (-s * x).exp() for s, term in self._terms).real
        value = arb(r.step) / arb.pi() * listed
        slack = self._outer(x) + self._end(x)
        return Ends(arb((value - slack).lower()), arb((value + slack).upper()))

    def slope(self, epsilon: float) -> float:
        """About −δ', to search with."""
        x = arb(epsilon) - self._n * self._base
        listed = total(term * s * (-s * x).exp() for s, term in self._terms).real
        return float(arb(self._r.step) / arb.pi() * listed)

    @property
    def order(self) -> float:
        """Where it meets the real axis, about."""
        return self._r.scale * math.sin(self._r.angle)

    def _outer(self, x: arb) -> arb:
        """(N₊ + N₋)/(2π·(e^{2πv/h} − 1)); on the hyperbola of angle θ' the integrand is at most
        (1−q)^n·I^n·e^{−y·cosh w}/(sin θ'·(1 + λ·sin θ')), y = xλ·sin θ', and cosh w >= 1 + w²/2."""
        r, both = self._r, arb(0)
        for angle in (arb(r.angle) - arb(r.strip), arb(r.angle) + arb(r.strip)):
            y = x * arb(r.scale) * angle.sin()
            both += self._height(angle) * 2 * (-y).exp() * (arb.pi() / (2 * y)).sqrt()
        return both / (2 * arb.pi()) / (2 * arb.pi() * arb(r.strip) / arb(r.step)).expm1()

    def _end(self, x: arb) -> arb:
        """∫ from the last point w on: e^{−y·cosh w}/(y·sinh w), both ways."""
        r = self._r
        w, y = (r.points - 1) * arb(r.step), x * arb(r.scale) * arb(r.angle).sin()
        return self._height(arb(r.angle)) / arb.pi() * (-y * w.cosh()).exp() / (y * w.sinh())

    def _height(self, angle: arb) -> arb:
        sine, most = angle.sin(), self._bounds[0] + (self._law.atom or arb(0))
        grown = (self._n * (self._base + most.log())).exp()
        return grown / (sine * (1 + arb(self._r.scale) * sine))


def _bent(x: acb) -> acb:
    """X/(1−e^{−X}). For |X| <= 1 it is within |X|²/11 of 1 + X/2: of its series with Bernoulli's
    numbers |B_2k|/(2k)! <= π²/3·(2π)^−2k."""
    size = arb(x.abs_upper())
    near = 1 + x / 2 + disc(size * size / 11)
    if size <= 1 and x.rel_accuracy_bits() < WIDE:
        return near
    return x / -(-x).expm1()
