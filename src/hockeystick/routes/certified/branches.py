"""A law of atoms and integrals over ranges with ends: values, and how fast they fall."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np
from flint import acb, arb

from hockeystick.numerics.types import Array
from hockeystick.routes.certified.balls import above, below, only_if
from hockeystick.routes.certified.decay import Cells, Pairs, logarithms
from hockeystick.routes.certified.discs import Discs
from hockeystick.routes.certified.law import Nodes, Rule, Splits
from hockeystick.routes.certified.lifted import Integrand, on_path

CELLS = 48
LOOKED = 40
"""Places at which a density is looked at to lay out cells."""
FADED = 14.0
"""Nats below its peak where cells no longer count."""


class Branches(Splits):
    """Integrals over some ranges, and atoms; `beyond` is what the ranges leave out at most."""

    def __init__(
        self,
        integrands: Sequence[Integrand],
        paths: Sequence[Rule],
        atoms: Sequence[tuple[arb, arb]],
        order: float,
        beyond: arb | None = None,
    ) -> None:
        self._integrands, self._paths, self._order = integrands, paths, order
        parts = [on_path(f, rule) for f, rule in zip(integrands, paths, strict=True)]
        self._atoms = [(p * (arb(order) * loss).exp(), loss) for p, loss in atoms]
        weights, losses = [acb(p) for p, _ in self._atoms], [acb(loss) for _, loss in self._atoms]
        self.atoms = Nodes(weights, losses, arb(0))
        self._beyond = error = arb(0) if beyond is None else beyond
        others: tuple[list[acb], list[acb]] = [], []
        for part in parts:
            others = others[0] + part.weights, others[1] + part.losses
            error += part.error
        self.reach, error = min(part.reach for part in parts), arb(error.upper())
        self.others = Nodes(*others, error, self.reach)
        self._nodes = Nodes(weights + others[0], losses + others[1], error, self.reach)

    @property
    def mass(self) -> arb:
        return self._nodes.mass

    @property
    def work(self) -> int:
        return len(self._nodes.losses)

    def values(self, step: float, count: int) -> list[acb]:
        only_if(count * arb(step) <= arb(self.reach), "a quadrature that reaches as far")
        return self._nodes.values(step, count)

    def relative(self, step: float, count: int, n: int) -> Discs:
        only_if(count * arb(step) <= arb(self.reach), "a quadrature that reaches as far")
        return self._nodes.relative(step, count, self.mass, n)

    def decay(self, t: Array) -> Array:
        return np.minimum(self._pairs(t), self._by_edges(t))

    def rest(self, t: Array) -> Array:
        total = np.zeros_like(t)
        for f, rule in zip(self._integrands, self._paths, strict=True):
            total += self._leaves(f, self._height(f, rule), f.start, t)
        return total * (1 + 1e-12)

    @cached_property
    def _tables(self) -> list[tuple[list[arb], list[arb], list[arb]]]:
        """For each range: places, log v there, and the log of the density over M(c)."""
        out = []
        for f in self._integrands:
            first, width = self._where(f)
            places = [first + j * width for j in range(CELLS + 1)]
            values = [f.value(acb(x)) for x in places]
            loss = [log_v.real for _, log_v in values]
            out.append((places, loss, [(value.real / self.mass).log() for value, _ in values]))
        return out

    def _where(self, f: Integrand) -> tuple[arb, arb]:
        """The first cell and the width of all, where most of the density is."""
        width = (f.stop - f.start) / LOOKED
        places = [f.start + j * width for j in range(LOOKED + 1)]
        logs = np.array([float(f.value(acb(x))[0].real.log()) for x in places])
        kept = np.flatnonzero(logs > logs.max() - FADED)
        first = places[max(int(kept[0]) - 1, 0)]
        return first, (places[min(int(kept[-1]) + 1, LOOKED)] - first) / CELLS

    @cached_property
    def _masses(self) -> list[Array]:
        """At least the share of each cell: see `NormalLaw`; a range bends by at most `bend`."""
        out = []
        for f, (places, _, density) in zip(self._integrands, self._tables, strict=True):
            width = places[1] - places[0]
            bend = width * width / 8 * f.bend
            pairs = pairwise(density)
            masses = [below(width * (arb.min(x, y) - bend).exp()) for x, y in pairs]
            out.append(np.maximum(np.array(masses), 0.0))
        return out

    @cached_property
    def _pairs(self) -> Pairs:
        mass = [np.array([max(below(p / self.mass), 0.0) for p, _ in self._atoms])]
        left = [np.array([below(loss) for _, loss in self._atoms])]
        right = [np.array([above(loss) for _, loss in self._atoms])]
        for f, (_, loss, _), cells in zip(
            self._integrands, self._tables, self._masses, strict=True
        ):
            low, high = [below(x) for x in loss[:-1]], [above(x) for x in loss[1:]]
            ends = (np.array(low), np.array(high))
            ends = ends if f.sign > 0 else (-ends[1], -ends[0])
            mass, left, right = [*mass, cells], [*left, ends[0]], [*right, ends[1]]
        return Pairs(Cells(*map(np.concatenate, (mass, left, right))))

    def _by_edges(self, t: Array) -> Array:
        """Theorem 7: what lies beyond a cut ζ, on its own lifted path, adds at most
        Σ_edges F/(m·t) + R·e^{−t·Im L(ζ+ia)}, where |f| <= F and Im L >= m·y on the edge at height
        y, and R is the integral of |f| on the lifted part; the best of all cuts counts."""
        gain = np.zeros_like(t)
        for f, rule, (places, _, _), cells in zip(
            self._integrands, self._paths, self._tables, self._masses, strict=True
        ):
            beyond = np.cumsum(cells[::-1])[::-1] * (1 - 1e-12)
            with np.errstate(invalid="ignore"):  # 0 times what is too large for a float
                rows = [
                    beyond[j] - self._leaves(f, self._height(f, rule), places[j], t)
                    for j in range(0, CELLS, 2)
                ]
            gain += np.maximum(np.max(np.nan_to_num(rows, nan=0.0), axis=0), 0.0)  # no gain
        return logarithms(1 - gain * (1 - 1e-12) + 1e-15)

    def _height(self, f: Integrand, rule: Rule) -> arb:
        """Of a path that only bounds: so low that v^{−c} grows little on it."""
        return arb(min(rule["height"], 2.8 / (f.slope * math.sqrt(1 + self._order))))

    def _leaves(self, f: Integrand, a: arb, cut: arb, t: Array) -> Array:
        """At least |∫_cut^stop f·e^{itL}|/M(c)."""
        edges = [cut, f.stop] if f.stops else [cut]
        slow = sum((f.most(x, x, a) / self._steepness(f, x, a) for x in edges), arb(0))
        lifted = (f.stop - cut) * f.most(cut, f.stop, a)
        slow_beyond = above(self._beyond / self.mass)
        turn = max(below(f.value(acb(cut, a))[1].imag), 0.0)
        slow_share, lifted_share = above(slow / self.mass), above(lifted / self.mass)
        y = 1 / (1 + t * turn * (1 - 1e-9) / 1024)
        for _ in range(10):
            y = y * y
        return np.asarray((slow_share / t + lifted_share * y + slow_beyond) * (1 + 1e-9))

    def _steepness(self, f: Integrand, edge: arb, a: arb) -> arb:
        """m with Im log v(edge + iy) >= m·y up to y = a. For 1 + u·e^{iθ} the angle is concave in θ
        if u <= 1, so at least its chord; else at least θ·u/(1+u)."""
        chord = f.value(acb(edge, a))[1].imag / a
        return arb.min(chord, f.growth(edge))
