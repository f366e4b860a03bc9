"""Pairs that stand for all triples where the weights of the game fall slowly.

Where h falls by at most a factor e^{−λt} over a distance t, what a triple does at one loss makes up
for what it does not do at another, and a smaller pair is above all triples than that which is above
them at every loss. docs/fixed-size.md has the proof.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hockeystick.loss.triples.cover import Shapes
from hockeystick.loss.triples.normal import Gram, excess
from hockeystick.loss.triples.pair import CalmPair, Curves
from hockeystick.numerics.types import Array

SAFE = 1e-9
"""Of the integral of a curve: what rounding, and the margins of values, cannot reach."""
FIRST_PIECES = {1: 32, 2: 12}
"""Of each side of a box of shapes, by how many parameters there are."""
SPLITS = {1: 3, 2: 2}
"""How often a box may be split, alike."""
FEWER = 3
"""Of so many nodes one is looked at first."""
AT_A_TIME = 8
"""Curves that are looked at more closely together."""
ASKED_FOR = (0.05, 0.06)
"""The share and the slope, in standard deviations of one loss, for which boxes are split."""
SHARES = (0.4, 0.15, 0.05, 0.02)
"""How much of the larger pair is added to the smaller one, for each slope that is looked for."""
SLOPES = np.geomspace(0.5, 0.005, 15)
"""In standard deviations of one loss."""


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

    def gain(self, s: Array, slope: float) -> Array:
        """At least sup ∫ e^{−u/2}·s·f over f with f(0) = 1 that do not grow, and −f' <= slope·f.

        From the right: over a cell f falls to e^{−slope·width} of itself at most, so it is as large
        as it can be where s > 0, and as small where s < 0.
        """
        width = np.diff(self.u)
        left = -np.expm1(-slope * width)
        whole = self.integrals(s)
        least, most = (f(s[..., :-1], s[..., 1:]) for f in (np.minimum, np.maximum))
        mixed = np.where(least < 0, -least * width * np.exp(-self.u[:-1] / 2), 0.0)
        below = np.where(most <= 0, -whole, mixed)
        cells = whole + left * below
        found = np.zeros(s.shape[:-1])
        for k in range(width.size - 1, -1, -1):
            found = cells[..., k] + np.where(found > 0, found, found * (1 - left[k]))
        return found


@dataclass(frozen=True)
class Calm:
    """Curves s of boxes of shapes, at nodes of their losses, before sampling."""

    losses: Losses
    a: Array
    b: Array
    limit: Array
    """At each node, what no shape exceeds."""

    def curves(self, gram: Gram, every: int = 1) -> Array:
        """The sum of both directions for each Gram matrix, at each node; from every so-manieth node
        by chords, which are above."""
        nodes = np.arange(0, self.a.size, every)
        count = gram.first.size
        many = gram.take(np.repeat(np.arange(count), nodes.size))
        a, b = np.tile(self.a[nodes], count), np.tile(self.b[nodes], count)
        both = (excess(many, a, b) + excess(many.swapped(), a, b)).reshape(count, nodes.size)
        both = np.minimum(both, self.limit[nodes])
        if every == 1:
            return np.asarray(both)
        k = np.minimum(np.arange(self.a.size) // every, nodes.size - 2)
        left, right = self.a[nodes[k]], self.a[nodes[k + 1]]
        share = (self.a - left) / (right - left)
        return np.asarray(np.minimum((1 - share) * both[:, k] + share * both[:, k + 1], self.limit))

    def largest(self, families: list[Shapes]) -> Array:
        """The curve of the shape, of some, whose integral is largest."""
        found = []
        for shapes in families:
            sides = zip(shapes.low, shapes.high, strict=True)
            ends = [np.linspace(*each, 5) for each in sides]
            corners = np.stack(np.meshgrid(*ends, indexing="ij"), -1).reshape(-1, len(ends))
            corners = corners[shapes.is_one(corners)]
            found.append(self.curves(shapes.above(corners, corners)))
        every = np.concatenate(found)
        return np.asarray(every[np.argmax(self.losses.integrals(every).sum(axis=1))])

    def of_boxes(self, families: list[Shapes], enough: Array, slope: float) -> Seen:
        """Curves above all shapes: of boxes that are split where `enough` is not above them, for
        weights that fall so fast."""
        found = []
        for shapes in families:
            low, high = shapes.grid(FIRST_PIECES[len(shapes.low)])
            for left in reversed(range(SPLITS[len(shapes.low)] + 1)):
                there = shapes.counts(low, high)
                low, high = low[there], high[there]
                if not len(low):
                    break
                gram = shapes.closely(low, high)
                curves = self.curves(gram, FEWER)
                bad = (self.losses.gain(curves - enough, slope) > 0) & (left > 0)
                found.append((gram.take(~bad), curves[~bad]))
                low, high = _quartered(low[bad], high[bad])
        grams, rows = zip(*found, strict=True)
        parts = ([getattr(each, name) for each in grams] for name in ("first", "second", "inner"))
        curves = np.concatenate(rows)
        gram = Gram(*(np.concatenate(part) for part in parts))
        return Seen(self, gram, curves, np.zeros(len(curves), dtype=bool))


@dataclass
class Seen:
    """Boxes of shapes and their curves: at few nodes, with chords, until more are needed."""

    calm: Calm
    gram: Gram
    curves: Array
    closely: Array
    """Whether each is known at every node."""

    def is_below(self, enough: Array, slope: float) -> bool:
        """Whether `enough` is above all of them for weights that fall so fast. The curve that is
        worst is known at every node before it is said not to be below."""
        losses = self.calm.losses
        margin = SAFE * float(losses.integrals(enough).sum())
        over = self.curves - enough
        for _ in range(len(over) + 1):
            rows = np.flatnonzero((over > 0).any(axis=1))
            gain = losses.gain(over[rows], slope)
            bad = gain > -margin
            if not bad.any():
                return True
            if self.closely[rows[bad]].any():
                return False
            worst = rows[np.argsort(gain)[-AT_A_TIME:]]
            worst = worst[~self.closely[worst]]
            self.curves[worst] = self.calm.curves(self.gram.take(worst))
            self.closely[worst] = True
            over[worst] = self.curves[worst] - enough
        return False


def _quartered(low: Array, high: Array) -> tuple[Array, Array]:
    """Each box in two along every side."""
    for side in range(low.shape[1]):
        middle = (low[:, side] + high[:, side]) / 2
        below, above = high.copy(), low.copy()
        below[:, side], above[:, side] = middle, middle
        low, high = np.concatenate([low, above]), np.concatenate([below, high])
    return low, high


def calm_pairs(most: Curves, rate: float, families: list[Shapes]) -> tuple[CalmPair, ...]:
    """Pairs between the smallest that could do and the one that stands for all moves, each with the
    steepest weights for which it does so too."""
    losses, growth = Losses(most.u), np.expm1(most.u)
    limit = 2 * (most.most + most.infinite) / rate
    calm = Calm(losses, 1 + growth, growth * (1 / rate - 1), limit)
    least = most.lowered(rate * calm.largest(families))
    deviation = math.sqrt(most.pair().variance)
    share, slope = ASKED_FOR
    enough = least.between(most, share).whole / rate
    seen = calm.of_boxes(families, enough, slope / deviation)
    found: list[CalmPair] = []
    for share in SHARES:
        some = least.between(most, share)
        slopes = (float(each) for each in SLOPES / deviation)
        slope = next((each for each in slopes if seen.is_below(some.whole / rate, each)), 0.0)
        if slope:
            found.append(CalmPair(slope, some.pair()))
    return tuple(found)
