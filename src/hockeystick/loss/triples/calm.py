"""Pairs that stand for all triples where the weights of the game fall slowly.

Where h falls by at most a factor e^{−λt} over a distance t, what a triple does at one loss makes up
for what it does not do at another, and a smaller pair is above all triples than that which is above
them at every loss. docs/fixed-size.md has the proof.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hockeystick.loss.triples.cover import Shapes
from hockeystick.loss.triples.normal import FINE, ROUGH, Gram, Rule, excess
from hockeystick.loss.triples.pair import CalmPair, Curves
from hockeystick.numerics.types import Array

SAFE = 1e-9
"""Of the integral of a curve: what rounding, and the margins of values, cannot reach."""
FIRST_PIECES = {1: 32, 2: 12}
"""Of each side of a box of shapes, by how many parameters there are."""
FEWER, FEWEST = 3, 9
"""Of so many nodes one is looked at first; and where no more than an order is wanted."""
AT_A_TIME = 8
"""Curves that are looked at more closely together."""
ASKED_FOR = (0.05, 0.06)
"""The share and the slope, in standard deviations of one loss, for which boxes are split."""
SHARES = (0.4, 0.15, 0.05, 0.02)
"""How much of the larger pair is added to the smaller one, for each slope that is looked for."""
STEEPEST, FLATTEST = 0.5, 0.005
"""The slopes among which one is looked for, in standard deviations of one loss."""
HALVINGS = 10
"""Of their ratio: the slope is found to 0.5 %, so that it hardly jumps from noise to noise."""


@dataclass(frozen=True)
class Losses:
    """Nodes u of curves s(u), which are told there, with chords in e^u between."""

    u: Array

    def integrals(self, s: Array) -> Array:
        """∫ e^{−u/2}·s over each cell, accurate relative to itself also where losses are tiny.

        ∫ e^{−u/2} = 2·e^{−u₀/2}·(1 − e^{−w/2}), ∫ e^{−u/2}·(e^u − e^{u₀}) = 8·e^{u₀/2}·sinh²(w/4).
        """
        width, root = np.diff(self.u), np.exp(self.u[:-1] / 2)
        slope = np.diff(s) / (root * root * np.expm1(width))
        level = -2 / root * np.expm1(-width / 2)
        return np.asarray(s[..., :-1] * level + slope * (8 * root * np.sinh(width / 4) ** 2))

    def gain(self, s: Array, slope: float | Array) -> Array:
        """At least sup ∫ e^{−u/2}·s·f over f with f(0) = 1 that do not grow, and −f' <= slope·f.

        From the right: over a cell f falls to e^{−slope·width} of itself at most, so it is as large
        as it can be where s > 0, and as small where s < 0. Each curve may have its own slope.
        """
        width = np.diff(self.u)
        left = -np.expm1(-np.multiply.outer(slope, width))
        whole = self.integrals(s)
        least, most = (f(s[..., :-1], s[..., 1:]) for f in (np.minimum, np.maximum))
        mixed = np.where(least < 0, -least * width * np.exp(-self.u[:-1] / 2), 0.0)
        below = np.where(most <= 0, -whole, mixed)
        cells, keep = np.moveaxis(whole + left * below, -1, 0), np.moveaxis(1 - left, -1, 0)
        found = np.zeros(s.shape[:-1])
        for cell, kept in zip(cells[::-1], keep[::-1], strict=True):
            found = cell + np.maximum(found, found * kept)
        return np.asarray(found)


@dataclass(frozen=True)
class Calm:
    """Curves s of boxes of shapes, at nodes of their losses, before sampling."""

    losses: Losses
    a: Array
    b: Array
    limit: Array
    """At each node, what no shape exceeds."""

    def curves(self, gram: Gram, every: int = 1, rule: Rule = FINE) -> Array:
        """The sum of both directions for each Gram matrix, at each node; from every so-manieth node
        by chords, which are above."""
        nodes = np.arange(0, self.a.size, every)
        count = gram.first.size
        many = gram.take(np.repeat(np.arange(count), nodes.size))
        a, b = np.tile(self.a[nodes], count), np.tile(self.b[nodes], count)
        both = excess(many, a, b, rule) + excess(many.swapped(), a, b, rule)
        both = np.minimum(both.reshape(count, nodes.size), self.limit[nodes])
        if every == 1:
            return np.asarray(both)
        k = np.minimum(np.arange(self.a.size) // every, nodes.size - 2)
        left, right = self.a[nodes[k]], self.a[nodes[k + 1]]
        share = (self.a - left) / (right - left)
        return np.asarray(np.minimum((1 - share) * both[:, k] + share * both[:, k + 1], self.limit))

    def widest(self, families: list[Shapes]) -> tuple[int, Array]:
        """The shape, of some, whose integral is largest: of which family, and its parameters."""
        found: list[tuple[float, int, Array]] = []
        for i, shapes in enumerate(families):
            sides = zip(shapes.low, shapes.high, strict=True)
            ends = [np.linspace(*each, 5) for each in sides]
            corners = np.stack(np.meshgrid(*ends, indexing="ij"), -1).reshape(-1, len(ends))
            corners = corners[shapes.is_one(corners)]
            curves = self.curves(shapes.above(corners, corners), FEWER, ROUGH)
            integrals = self.losses.integrals(curves).sum(axis=1)
            best = int(np.argmax(integrals))
            found.append((float(integrals[best]), i, corners[best]))
        _, family, point = max(found, key=lambda each: each[0])
        return family, point

    def boxes(self, shapes: Shapes, enough: Array, slope: float) -> tuple[Array, Array]:
        """Boxes of all shapes, that are split where `enough` is not above them, for weights that
        fall so fast."""
        found = []
        low, high = shapes.grid(FIRST_PIECES[len(shapes.low)])
        for left in reversed(range(shapes.quarterings + 1)):
            there = shapes.counts(low, high)
            low, high = low[there], high[there]
            if not len(low):
                break
            bad = np.zeros(len(low), dtype=bool)
            if left:
                curves = self.curves(shapes.closely(low, high), FEWER, ROUGH)
                bad = self.losses.gain(curves - enough, slope) > 0
            found.append((low[~bad], high[~bad]))
            low, high = _quartered(low[bad], high[bad])
        lows, highs = zip(*found, strict=True)
        return np.concatenate(lows), np.concatenate(highs)


def _quartered(low: Array, high: Array) -> tuple[Array, Array]:
    """Each box in two along every side."""
    for side in range(low.shape[1]):
        middle = (low[:, side] + high[:, side]) / 2
        below, above = high.copy(), low.copy()
        below[:, side], above[:, side] = middle, middle
        low, high = np.concatenate([low, above]), np.concatenate([below, high])
    return low, high


@dataclass
class Seen:
    """Boxes of shapes and their curves: at few nodes, with chords, until more are needed."""

    calm: Calm
    gram: Gram

    @cached_property
    def curves(self) -> Array:
        return self.calm.curves(self.gram, FEWER)

    @cached_property
    def closely(self) -> Array:
        """Whether each is known at every node."""
        return np.zeros(self.gram.first.size, dtype=bool)

    def refute(self, enough: Array, slope: float) -> bool:
        """Whether already one of the first curves is not below, for weights that fall so fast."""
        few = self.calm.curves(self.gram.take(np.arange(min(AT_A_TIME, self.gram.first.size))))
        return bool((self.calm.losses.gain(few - enough, slope) > 0).any())

    def steepest(self, enough: Array, slopes: Array) -> float:
        """The first of the slopes, which fall, for which `enough` is above all curves; 0 if there
        is none. Those that decide are known at every node."""
        rows = np.flatnonzero((self.curves > enough).any(axis=1))
        place = self.first(rows, enough, slopes)
        for _ in range(rows.size):
            order = np.argsort(place)
            if self.closely[rows[order[-1]]]:
                break
            worst = order[-AT_A_TIME:]
            worst = worst[~self.closely[rows[worst]]]
            self.curves[rows[worst]] = self.calm.curves(self.gram.take(rows[worst]))
            self.closely[rows[worst]] = True
            place[worst] = self.first(rows[worst], enough, slopes)
        last = int(place.max(initial=0))
        return float(slopes[last]) if last < slopes.size else 0.0

    def first(self, rows: Array, enough: Array, slopes: Array) -> Array:
        """For each of some curves the place of the first slope that will do, by halving."""
        margin = SAFE * float(self.calm.losses.integrals(enough).sum())
        over = self.curves[rows] - enough
        above = (over > 0).any(axis=1)
        bad, good = np.full(rows.size, -1), np.where(above, slopes.size, 0)
        for _ in range(HALVINGS):
            middle = (bad + good) // 2
            will_do = self.calm.losses.gain(over, slopes[np.maximum(middle, 0)]) <= -margin
            good, bad = np.where(will_do & above, middle, good), np.where(will_do, bad, middle)
        return np.asarray(good)


@dataclass(frozen=True)
class Plan:
    """What is looked at, for all noise and rates that are near: any choice is valid."""

    widest: tuple[int, Array]
    """The shape of the largest variance: its family and parameters."""
    boxes: list[tuple[Array, Array]]
    """Of each family, their least and greatest parameters."""
    order: Array
    """Of all boxes, those first that allow the least slopes."""


class Calmer:
    """Pairs between the smallest that could do and the one that stands for all moves, each with the
    steepest weights for which it does so too."""

    def __init__(self, most: Curves, rate: float, families: list[Shapes]) -> None:
        self._most, self._rate, self._families = most, rate, families
        growth, limit = np.expm1(most.u), 2 * (most.most + most.infinite) / rate
        self._calm = Calm(Losses(most.u), 1 + growth, growth * (1 / rate - 1), limit)
        self._deviation = math.sqrt(most.pair().variance)
        self._slopes = np.geomspace(STEEPEST, FLATTEST, 2**HALVINGS - 1) / self._deviation
        self._too_steep = math.inf
        self._found: tuple[CalmPair, ...] | None = None

    def _shares(self, family: int, point: Array, shares: Sequence[float]) -> list[Curves]:
        """Profiles so much of the way from those of one shape to those that stand for all moves."""
        one = point[None, :]
        shape = self._calm.curves(self._families[family].above(one, one))[0]
        least = self._most.lowered(self._rate * shape)
        return [least.between(self._most, share) for share in shares]

    def _seen(self, boxes: list[tuple[Array, Array]], order: Array | None = None) -> Seen:
        grams = [each.closely(*some) for each, some in zip(self._families, boxes, strict=True)]
        columns = ([each.first, each.second, each.inner] for each in grams)
        gram = Gram(*(np.concatenate(each) for each in zip(*columns, strict=True)))
        return Seen(self._calm, gram if order is None else gram.take(order))

    def plan(self) -> Plan:
        """The shape of the largest variance, and boxes that are fine enough."""
        widest = self._calm.widest(self._families)
        share, slope = ASKED_FOR
        steep, enough = (
            each.whole / self._rate for each in self._shares(*widest, (SHARES[0], share))
        )
        slope /= self._deviation
        boxes = [self._calm.boxes(each, enough, slope) for each in self._families]
        return Plan(widest, boxes, self._worst_first(self._seen(boxes), steep))

    def _worst_first(self, seen: Seen, steep: Array) -> Array:
        """Boxes in the order of the slopes that they allow: roughly, and more closely where those
        are least."""
        order = np.arange(seen.gram.first.size)
        for every, count in ((FEWEST, order.size), (FEWER, 8 * AT_A_TIME)):
            some = Seen(self._calm, seen.gram.take(order[:count]))
            some.curves = self._calm.curves(some.gram, every, ROUGH)
            places = some.first(np.arange(len(some.curves)), steep, self._slopes)
            order[:count] = order[np.argsort(-places)]
        return order

    def pairs(self, plan: Plan, slope: float) -> tuple[CalmPair, ...]:
        """None at all if no pair will do for weights that fall so fast; else all of them, kept."""
        if self._found is None and slope < self._too_steep:
            some = self._shares(*plan.widest, SHARES)
            seen = self._seen(plan.boxes, plan.order)
            if seen.refute(some[0].whole / self._rate, slope):
                self._too_steep = slope
            else:
                slopes = [seen.steepest(each.whole / self._rate, self._slopes) for each in some]
                both = zip(slopes, some, strict=True)
                self._found = tuple(CalmPair(slope, each.pair()) for slope, each in both if slope)
        found = self._found or ()
        return found if any(slope <= each.slope for each in found) else ()
