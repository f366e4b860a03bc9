"""From a plan to a line: how far it has to go is decided by the proven bounds on |φ|."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flint import arb

from hockeystick.errors import CannotCertify
from hockeystick.loss.sum import ComposedLoss
from hockeystick.routes.certified.decay import beyond
from hockeystick.routes.certified.law import Rule, Tilted
from hockeystick.routes.certified.line import Laws, Line, Recipe, grid, log_sizes, too_long
from hockeystick.routes.certified.plan import Plan, planned

NATS = 34.0
"""Aliases, what is cut off and the quadrature each err by e^−34 = 2e-15 of δ."""
ROUGHER = (34.0, 27.0)
"""Where a line is too long for that, less is enough."""
MOST_PRODUCTS = 3e7
"""Points times products of each: about three seconds."""
MOST_POINTS = 400_000
ORDER_NATS = 5.0
"""Chernoff's bound need be known to a per cent only."""


@dataclass(frozen=True)
class Task:
    """A composition in one direction: its laws in balls, and its float losses to plan with."""

    laws: Laws
    loss: ComposedLoss

    def slack(self, n: int) -> float:
        """Nats by which the quadrature of a part must be better, as it runs n times."""
        return math.log(n * len(self.laws))

    def rules(self, order: float, reach: float, nats: float) -> list[Rule]:
        return [law.rule(order, reach, -nats - self.slack(n)) for law, n in self.laws]


def build(task: Task, nats: float, epsilon: float | None, log_delta: float | None) -> Line:
    """The line for ε, for δ, or for both where an earlier line has found them."""
    return follow(task, planned(task.loss, nats, epsilon, log_delta), nats)[0]


def follow(task: Task, plan: Plan, nats: float) -> tuple[Line, Recipe]:
    """The line of a plan and its recipe."""
    step = float(np.float32(2 * math.pi / plan.period))
    enough = nats + max(plan.level, 0.0) + 2
    rules = task.rules(plan.order, 0.0, enough)
    tilted = [
        (law.tilted(plan.order, rule), n)
        for (law, n), rule in zip(task.laws, rules, strict=True)
    ]
    cut = _cut(tilted, plan, step, nats)
    points = math.ceil(cut / step) + 1
    work = sum(each.work for each, _ in tilted)
    if points > MOST_POINTS or points * work > MOST_PRODUCTS:
        raise too_long(points, work)
    for i, ((law, n), (each, _)) in enumerate(zip(task.laws, tilted, strict=True)):
        if each.reach < points * step:
            rules[i] = law.rule(plan.order, points * step, -enough - task.slack(n))
            tilted[i] = law.tilted(plan.order, rules[i]), n
    further = task.rules(plan.beyond, 0.0, ORDER_NATS)
    recipe = Recipe(
        plan.order, step, points, plan.beyond, cut, tuple(rules), tuple(further)
    )
    return Line(task.laws, recipe, tilted), recipe


def _cut(tilted: Sequence[tuple[Tilted, int]], plan: Plan, step: float, nats: float) -> float:
    """The first frequency beyond which little enough is left, on a grid."""
    t = grid(max(math.sqrt(2 / plan.variance), 2.5 * step), 150)
    left = beyond(t, log_sizes(tilted, t), step)
    goal = arb(-plan.level - nats).exp()
    for frequency, rest in zip(t, left, strict=True):
        if rest < goal:
            return float(frequency)
    raise CannotCertify("the characteristic function of the loss does not fall off")
