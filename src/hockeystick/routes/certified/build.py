"""From a plan to a line: how far it has to go is decided by the proven bounds on |φ|."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from flint import arb, ctx

from hockeystick.errors import CannotCertify
from hockeystick.loss.sum import ComposedLoss
from hockeystick.routes.certified.decay import beyond
from hockeystick.routes.certified.law import Law, Rule, Splits, Tilted
from hockeystick.routes.certified.laws import exact_of, law_of
from hockeystick.routes.certified.line import Laws, Line, Recipe, grid
from hockeystick.routes.certified.many import gathered, many
from hockeystick.routes.certified.plan import Plan
from hockeystick.routes.certified.split import SplitLine

NATS = 34.0
"""Aliases, what is cut off and the quadrature each err by e^−34 = 2e-15 of δ."""
Budgets = Sequence[tuple[float, float]]
BUDGETS = ((0.0, 2e6), (6.0, 4e6), (11.0, 1e7), (14.0, 1.5e7), (22.0, 1.5e7), (26.0, 1.5e7))
"""By how many nats more may be cut off, and points times products (1e7 take a second) up to which
that need not be."""
QUICK_BUDGETS = ((0.0, 4e6), (4.0, 2e7), (7.0, 5e7), (9.0, 2e8))
"""The same in arrays, where 1e8 take a second."""
PER_POINT = 60
"""Products that a point of a line of balls takes besides."""
LONG = 4e5
"""Products from which on arrays are worth their while."""
SHORT = 2000.0
"""Points of a line that need not be shorter."""
MOST_SPLIT_STEPS = 1000
MOST_POINTS = 400_000
SPARE = 0.5
"""Nats by which a rule that several laws share is better than each needs."""
ORDER_NATS = 5.0
"""Chernoff's bound need be known to a per cent only."""


@dataclass(frozen=True)
class Task:
    """A composition in one direction: its laws in balls, and its float losses to plan with."""

    laws: Laws
    loss: ComposedLoss
    said: list[dict[str, Any]]
    """The parts, for the certificate."""

    def slack(self, n: int) -> float:
        """Nats by which the quadrature of a part must be better, as it runs n times."""
        return math.log(n * len(self.laws))

    def rules(self, order: float, nats: float) -> list[Rule]:
        """For a line through this order."""
        return self._for_all(lambda law, slack: law.rule(order, 0.0, -nats - slack))

    def rules_at(self, order: float) -> list[Rule]:
        """For Chernoff's bound at this order."""
        return self._for_all(lambda law, slack: law.rule_at(order, -ORDER_NATS - slack))

    def _for_all(self, rule: Callable[[Law, float], Rule]) -> list[Rule]:
        """Laws that are nearly alike have one rule, that of the widest of them."""
        if not many(self.laws):
            return [rule(law, self.slack(n)) for law, n in self.laws]
        widest = sorted(self.laws, key=lambda each: each[0].width, reverse=True)
        known: dict[object, Rule] = {}
        for law, n in widest:
            if (law.alike, n) not in known:
                known[law.alike, n] = rule(law, self.slack(n) + SPARE)
        return [known[law.alike, n] for law, n in self.laws]


def task_of(loss: ComposedLoss) -> Task:
    """The laws in balls; an error that names the part of which no exact law is known."""
    return _task_of(loss, ctx.prec)


@lru_cache(maxsize=2)
def _task_of(loss: ComposedLoss, bits: int) -> Task:
    parts = [(exact_of(part), n) for part, n in loss.parts]
    said = [{"count": n, **exact.to_json()} for exact, n in parts]
    return Task([(law_of(exact), n) for exact, n in parts], loss, said)


class LongLine(CannotCertify):
    """A line that is better drawn in arrays."""


def follow(
    task: Task, plan: Plan, nats: float, arrays: bool = False, most: float = math.inf
) -> tuple[Line, Recipe]:
    """The line of a plan and its recipe, in arrays if so asked; `LongLine` where it takes more
    products than this."""
    step = float(np.float32(2 * math.pi / plan.period))
    enough = nats + max(plan.level, 0.0) + 2
    rules = task.rules(plan.order, enough)
    tilted = [
        (law.tilted(plan.order, rule), n) for (law, n), rule in zip(task.laws, rules, strict=True)
    ]
    together = gathered(tilted) if arrays else tilted
    cut, split = _shorter(together, plan, step, nats, QUICK_BUDGETS if arrays else BUDGETS)
    points = math.ceil(cut / step) + 1
    if points * sum(each.work for each, _ in together) > most:
        raise LongLine("a line that is not so long")
    for i, ((law, n), (each, _)) in enumerate(zip(task.laws, tilted, strict=True)):
        if each.reach < points * step:
            rules[i] = law.rule(plan.order, points * step, -enough - task.slack(n))
            tilted[i] = law.tilted(plan.order, rules[i]), n
            together = gathered(tilted) if arrays else tilted
    further = task.rules_at(plan.beyond)
    said = plan.order, step, points, plan.beyond, cut, split, arrays
    recipe = Recipe(*said, tuple(rules), tuple(further))
    return line_of(task.laws, recipe, together), recipe


def line_of(laws: Laws, recipe: Recipe, tilted: Sequence[tuple[Tilted, int]] | None = None) -> Line:
    """The line of a recipe, proven."""
    return (SplitLine if recipe.split else Line)(laws, recipe, tilted)


def _shorter(
    tilted: Sequence[tuple[Tilted, int]],
    plan: Plan,
    step: float,
    nats: float,
    budgets: Budgets,
) -> tuple[float, bool]:
    """How far the line goes, and whether what atoms do is better taken out of it."""
    whole = _cut(tilted, plan, step, nats, Line, budgets)
    each, n = tilted[0]
    few = len(tilted) == 1 and 2 <= n <= MOST_SPLIT_STEPS and isinstance(each, Splits)
    if few and whole > (0, SHORT * step):
        split = _cut(tilted, plan, step, nats, SplitLine, budgets)
        if split < whole:
            return split[1], True
    if math.isinf(whole[1]):
        raise CannotCertify("the characteristic function of the loss falls off too slowly")
    return whole[1], False


def _cut(
    tilted: Sequence[tuple[Tilted, int]],
    plan: Plan,
    step: float,
    nats: float,
    kind: type[Line],
    budgets: Budgets,
) -> tuple[int, float]:
    """The first frequency beyond which little enough is left, on a grid; more may be left where
    the line would take long: which budget that is comes first."""
    t = grid(max(math.sqrt(2 / plan.variance), 2.5 * step), 150)
    left = beyond(t, kind.log_sizes(tilted, t), step)
    work = sum(each.work for each, _ in tilted) + (PER_POINT if budgets is BUDGETS else 0)
    for rung, (less, products) in enumerate(budgets):
        goal = arb(-plan.level - nats + less).exp()
        for frequency, rest in zip(t, left, strict=True):
            if frequency > min(MOST_POINTS, products / work) * step:
                break
            if rest < goal:
                return rung, float(frequency)
    return len(budgets), math.inf
