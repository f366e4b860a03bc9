"""Many different normal laws on samples at once, in arrays of discs (Theorem 19).

φ − 1 = Σ_j A_j·(e^{itL_j} − 1)/M(c) is small where a loss is small, and found with as small an
error; M(c) itself is a ball of its own, of all bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from flint import acb, arb

from hockeystick.numerics.types import Array
from hockeystick.routes.certified.balls import only_if
from hockeystick.routes.certified.decay import Cells, Pairs, by_nodes
from hockeystick.routes.certified.discs import Discs, size
from hockeystick.routes.certified.law import Law, Tilted
from hockeystick.routes.certified.many_moments import AT_ONCE, MANY, log_moment
from hockeystick.routes.certified.mixtures import Mixtures, column, lifted_errors, nodes
from hockeystick.routes.certified.normal import NormalLaw
from hockeystick.routes.certified.quick import power
from hockeystick.routes.certified.sampled_normal import CELLS, SampledNormal

FEW = 6400
"""Parts up to which |φ| is bounded by the nodes, too."""
SPARSE, PARTS = 6, 150
"""At most one in so many frequencies at which they do: one more for each so many parts."""
FEW_TURNS = 8
"""Powers that are found by products."""
NEAR_ZERO = 0.75
"""|φ − 1| from which on a power is a product and not e^{n·log φ}."""

Listed = Sequence[tuple[Tilted, int]]


def many(laws: Sequence[tuple[Law, int]]) -> bool:
    """Whether so many parts are normal laws on samples that arrays are worth their while."""
    return sum(isinstance(law, NormalLaw) and law.sampled for law, _ in laws) >= MANY


def gathered(tilted: Listed) -> Listed:
    """The same with all sampled normal laws as one, where they are many."""
    normal = [(each, n) for each, n in tilted if isinstance(each, SampledNormal)]
    if len(normal) < MANY:
        return tilted
    others = [(each, n) for each, n in tilted if not isinstance(each, SampledNormal)]
    return [(ManyNormals(normal), 1), *others]


class ManyNormals(Tilted):
    """The product of all M^n."""

    def __init__(self, parts: Sequence[tuple[SampledNormal, int]]) -> None:
        self._parts = parts
        self.log_mass = log_moment(parts)
        laws = Mixtures([each for each, _ in parts])
        errors = lifted_errors(laws, [each.rule for each, _ in parts])
        some = [slice(i, i + AT_ONCE) for i in range(0, len(parts), AT_ONCE)]
        self._tables = [_Table(parts[rows], laws.rows(rows), errors[rows]) for rows in some]

    @cached_property
    def mass(self) -> arb:
        return self.log_mass.exp()

    @property
    def work(self) -> int:
        return sum(each.work for each, _ in self._parts) // 60  # far less than products of balls

    def values(self, step: float, count: int) -> list[acb]:
        mass = self.mass
        return [mass * each for each in as_balls(self.relative(step, count, 1))]

    def relative(self, step: float, count: int, n: int) -> Discs:
        total = Discs.of(np.ones(count))
        for table in self._tables:
            total = total * table.powers(step, count)
        return power(total, n)

    def decay(self, t: Array) -> Array:
        total, every = np.zeros_like(t), min(1 + len(self._parts) // PARTS, SPARSE)
        for table in self._tables:
            total += table.decay(t, every if len(self._parts) <= FEW else 0)
        return total * (1 - 1e-12)


def as_balls(discs: Discs) -> list[acb]:
    """Squares that hold the discs."""
    only_if(bool(np.isfinite(discs.mid).all() and np.isfinite(discs.rad).all()), "finite numbers")
    parts = zip(discs.mid.real.tolist(), discs.mid.imag.tolist(), discs.rad.tolist(), strict=True)
    return [acb(arb(x, r), arb(y, r)) for x, y, r in parts]


class _Table:
    """Some of the laws: rows of discs."""

    def __init__(
        self, parts: Sequence[tuple[SampledNormal, int]], laws: Mixtures, errors: Array
    ) -> None:
        self._all, self._laws, self._errors = [each for each, _ in parts], laws, errors
        self._rules = [each.rule for each in self._all]
        self._counts = np.array([[float(n)] for _, n in parts])

    def _log_density(self, z: Discs, logs: tuple[Discs, Discs], base: Discs) -> Discs:
        return self._laws.tilt(*logs) - (z * z).times(0.5) + base

    @cached_property
    def _nodes(self) -> tuple[Discs, Discs, Array]:
        """Weights over M(c), losses and errors over M(c); rows are filled up with zeros."""
        real, inside = nodes(self._rules)
        z = Discs(real.mid + 1j * column(self._rules, "height"), real.rad)
        norm = (2 * arb.pi()).sqrt()
        base = [(arb(each.rule["step"]) / norm / each.mass).log() for each in self._all]
        logs = self._laws.logs(z)
        weights = self._log_density(z, logs, Discs.column(base)).exp().times(inside)
        return weights, logs[0] - logs[1], self._errors

    def powers(self, step: float, count: int) -> Discs:
        """The product of φ(k·step)^n over all rows, k < count."""
        away = self._away(step, count)
        near = size(away.mid) + away.rad < NEAR_ZERO
        logs = Discs(np.where(near, away.mid, 0), np.where(near, away.rad, 0.0)).log1p()
        total = logs.times(self._counts).sum(axis=0).exp()
        if near.all():
            return total
        whole = away + Discs.of(np.ones(away.mid.shape))
        for i in np.flatnonzero(~near.all(axis=1)):
            left = np.where(near[i], 1, whole.mid[i]), np.where(near[i], 0.0, whole.rad[i])
            total = total * power(Discs(*left), int(self._counts[i, 0]))
        return total

    def _away(self, step: float, count: int) -> Discs:
        """φ − 1: with k = g·small + r, Σ_j A_j·e^{igL_j·small}·(e^{irL_j} − 1), and
        Σ_j A_j·(e^{igL_j·small} − 1); M(c) = Σ A_j but for the error, too."""
        weights, losses, errors = self._nodes
        small = max(1, math.isqrt(count))
        large = -(-count // small)
        angle = losses * Discs.of(np.array(1j * step))
        giant, baby = _turns(angle.times(float(small)), large), _turns(angle, small)
        wide = Discs(weights.mid[..., None], weights.rad[..., None])
        moved = _turned(wide * giant)
        whole = _turned(wide * (giant + Discs.of(np.ones(1))))
        product = whole @ baby
        alone = moved.sum(axis=-1)
        total = product + Discs(alone.mid[..., None], alone.rad[..., None])
        mid = total.mid.reshape(len(self._all), -1)[:, :count]
        rad = total.rad.reshape(len(self._all), -1)[:, :count]
        return Discs(mid, (rad + 2 * errors) * (1 + 1e-12))

    def decay(self, t: Array, every: int) -> Array:
        """The bound by nodes falls: that at one in `every` frequencies holds for those after it."""
        bounds = self._pairs(t)
        if every:
            sparse = by_nodes(*self._sizes, t[::every])
            bounds = np.minimum(bounds, sparse[:, np.arange(t.size) // every])
        return np.asarray((self._counts * np.minimum(bounds, 0.0)).sum(axis=0))

    @cached_property
    def _sizes(self) -> tuple[Array, Array, Array]:
        weights, losses, errors = self._nodes
        fall = np.maximum(losses.mid.imag - losses.rad, 0.0) * (1 - 1e-12)
        return weights.most, fall, errors

    @cached_property
    def _pairs(self) -> Pairs:
        """Theorem 6, as for a single law."""
        width = column(self._rules, "width")
        place = column(self._rules, "cell") + np.arange(CELLS + 1.0) * width
        z = Discs.of(place, size(place) * 2.0**-51 + CELLS * width * 2.0**-51)
        half = (2 * arb.pi()).log() / 2
        base = Discs.column([-half - each.mass.log() for each in self._all])
        logs = self._laws.logs(z)
        density, losses = self._log_density(z, logs, base), logs[0] - logs[1]
        low = density.mid.real - density.rad
        bend = self._laws.bend(width)
        least = (np.minimum(low[:, :-1], low[:, 1:]) - bend) - 1e-12
        mass = Discs.of(least).exp().times(width)
        sure = np.maximum(mass.mid.real - mass.rad, 0.0) * (1 - 1e-12)
        left = losses.mid.real - losses.rad - np.abs(losses.mid.real) * 1e-15
        right = losses.mid.real + losses.rad + np.abs(losses.mid.real) * 1e-15
        return Pairs(_coarser(Cells(sure, left[:, :-1], right[:, 1:])))


def _coarser(cells: Cells) -> Cells:
    """Two and two neighbours as one."""
    mass = (cells.mass[:, ::2] + cells.mass[:, 1::2]) * (1 - 1e-12)
    return Cells(mass, cells.left[:, ::2], cells.right[:, 1::2])


def _turns(angle: Discs, count: int) -> Discs:
    """e^{k·angle} − 1 for k < count along a new last axis; few of them by products, whose errors
    add up: x^{j+k} − 1 = (x^j − 1) + (x^k − 1) + (x^j − 1)·(x^k − 1)."""
    if count > FEW_TURNS:
        wide = Discs(angle.mid[..., None], angle.rad[..., None])
        return wide.times(np.arange(float(count))).expm1()
    out = [angle.times(0.0), angle.expm1()]
    for k in range(2, count):
        x, y = out[k // 2], out[k - k // 2]
        out.append(x + y + x * y)
    mid, rad = [each.mid for each in out[:count]], [each.rad for each in out[:count]]
    return Discs(np.stack(mid, axis=-1), np.stack(rad, axis=-1))


def _turned(discs: Discs) -> Discs:
    return Discs(*(np.swapaxes(each, -1, -2) for each in (discs.mid, discs.rad)))
