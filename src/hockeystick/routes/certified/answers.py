"""One composition in one direction: the first way that proves both ends."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

import numpy as np
from flint import arb

from hockeystick.errors import CannotCertify
from hockeystick.loss.sum import ComposedLoss
from hockeystick.routes.certified.balls import above, below, reason
from hockeystick.routes.certified.bent_law import bent_law
from hockeystick.routes.certified.bracket import both_ends, by_halving
from hockeystick.routes.certified.build import LONG, NATS, LongLine, Task, follow, task_of
from hockeystick.routes.certified.claims import (
    LOG_LEAST,
    at_most,
    closed,
    delta_at_once,
    epsilon_at_once,
)
from hockeystick.routes.certified.grid import Grid, GridSum, planned_grid
from hockeystick.routes.certified.line import Ends, Laws, Line, Recipe, masses
from hockeystick.routes.certified.many import many
from hockeystick.routes.certified.otherwise import (
    DELTA,
    EPSILON,
    REFUSALS,
    otherwise,
)
from hockeystick.routes.certified.plan import Plan, planned
from hockeystick.routes.certified.points import unless_atoms
from hockeystick.routes.certified.proven import Proven, precisely
from hockeystick.routes.certified.smoothed_answers import USELESS_DELTA
from hockeystick.routes.certified.spline_answers import delta_splines, epsilon_splines
from hockeystick.routes.contour.saddle import MOST_PLANNING_PARTS, log_kappa

TIGHT = 1e-10
"""Relative width of δ from which on a second plan, made for the ε found, is worth its while."""
LOW, LOOSE, LOOSE_NATS = 1.0, 3e-9, 28.0
"""Nats above the least of cancellation that arrays of doubles may have, the relative width of δ
that is then good enough, and how little may be cut off for it."""
WIDE, WIDE_UNBENT = 1e-6, 1e-10
"""Relative width of ε from which on other lines are tried; where one can be bent."""
MOST_LEVEL_OF_FLOATS = 30.0
"""Nats of cancellation up to which floats tell where ε is."""
MOST_LEVEL, LEVEL_OF_FEW = 12.0, 3.0
"""Nats of cancellation with which arrays are no longer tried; where a bent line is quicker."""
LOG_SMALL = math.log(1e-20)
"""Of a δ that is not known, for the range of a grid."""
MILD_ORDERS = 2.0 ** np.arange(-1, 12), 2.0 ** np.arange(12, 21, 2)
"""At which Chernoff's bound is tried for a direction that may not matter; those that take long
only if it still falls there."""


SKETCHY = 2.0
"""Nats by which the bound of a few parts may be off."""


def epsilon(loss: ComposedLoss, delta: float) -> Proven:
    """ε(δ), between proven ends."""
    with precisely():
        task = task_of(loss)
        return _epsilon(task, delta).above(task.laws)


def _epsilon(task: Task, delta: float) -> Proven:
    parts = task.said
    if (known := epsilon_at_once(task.laws, delta)) is not None:
        return Proven.of(*known, "closed form", parts=parts)
    infinite, lost = masses(task.laws)
    if lost >= delta:
        raise CannotCertify("δ is less than what a list of integers leaves out")
    with suppress(*REFUSALS):
        low, high, splines = epsilon_splines(task, delta)
        return Proven.of(low, high, "splines", parts=parts, line=splines.to_json())
    profile = closed(task.laws, math.log(delta) if delta else LOG_LEAST)
    if profile is not None:
        ends = by_halving(lambda e: (profile(arb(e)),) * 2, arb(delta))
        return Proven.of(*ends, "closed form", parts=parts)
    if not infinite < delta:
        raise CannotCertify("δ is about the probability of an infinite loss")
    try:
        low, high, recipe = _epsilon_by_line(task, delta)
    except REFUSALS as error:
        if (found := otherwise(task, delta, EPSILON, error)) is not None:
            return Proven.of(*found[:3], parts=parts, **found[3])
        sums, grid = _on_grid(task, math.log(delta), error)
        ends = 0.0, math.inf
        with suppress(CannotCertify):
            ends = by_halving(sums.ends, arb(delta))
        _check_fine(ends, error)
        return Proven.of(*ends, "grid", parts=parts, grid=grid.to_json())
    if high - low > (WIDE if bent_law(task.laws) is None else WIDE_UNBENT) * high:
        found = otherwise(task, delta, EPSILON)
        if found is not None and found[1] - found[0] < high - low:
            return Proven.of(*found[:3], parts=parts, **found[3])
    return Proven.of(low, high, "contour", parts=parts, line=recipe.to_json())


def delta(loss: ComposedLoss, epsilon: float) -> Proven:
    """δ(ε), between proven ends."""
    with precisely():
        task = task_of(loss)
        return _delta(task, epsilon).above(task.laws)


def _delta(task: Task, epsilon: float) -> Proven:
    parts = task.said
    with suppress(*REFUSALS):
        low, high, splines = delta_splines(task, epsilon)
        return Proven.of(low, high, "splines", parts=parts, line=splines.to_json())
    value = _by_formula(task.laws, epsilon)
    if value is not None:
        ends = max(below(value), 0.0), min(above(value), 1.0)
        return Proven.of(*ends, "closed form", parts=parts)
    try:
        low, high, recipe = _delta_by_line(task, epsilon)
    except REFUSALS as error:
        if (found := otherwise(task, epsilon, DELTA, error)) is not None:
            return Proven.of(*found[:3], parts=parts, **found[3])
        sums, grid = _on_grid(task, LOG_SMALL, error)
        least, most = sums.ends(epsilon)
        ends = max(below(least), 0.0), min(above(most), 1.0)
        if ends[1] >= USELESS_DELTA:
            _check_fine(ends, error)
        return Proven.of(*ends, "grid", parts=parts, grid=grid.to_json())
    return Proven.of(low, high, "contour", parts=parts, line=recipe.to_json())


def _by_formula(laws: Laws, epsilon: float) -> arb | None:
    if (known := delta_at_once(laws, epsilon)) is not None:
        return known
    profile = closed(laws)
    return None if profile is None else profile(arb(epsilon))


def milder(loss: ComposedLoss, epsilon: float, delta: float) -> dict[str, Any] | None:
    """What proves that δ(ε) of this direction is at most δ; None if nothing that is cheap does."""
    if math.isinf(epsilon):
        return None
    with precisely():
        task = task_of(loss)
        claim: dict[str, Any] = {"parts": task.said}
        if not at_most(task.laws, epsilon, delta, None, ()):
            order = _good_order(loss, epsilon, delta)
            if order is None:
                return None
            rules = task.rules_at(order)
            if not at_most(task.laws, epsilon, delta, order, rules):
                return None
            claim |= {"order": order, "rules": rules}
    return {"method": "milder", **claim}


def _good_order(loss: ComposedLoss, epsilon: float, delta: float) -> float | None:
    """Floats: a power of two at which Chernoff's bound is clearly enough, if there is one."""
    goal = (math.log(delta) if delta else -math.inf) - 0.1
    for orders in MILD_ORDERS:
        with np.errstate(all="ignore"):
            if len(loss.parts) > MOST_PLANNING_PARTS:  # the best order of a few is about as good
                few = loss.sketch(MOST_PLANNING_PARTS)
                score = few.cgf(orders).real - orders * epsilon + log_kappa(orders)
                best = int(np.nanargmin(score))
                if score[best] > goal + SKETCHY and best < orders.size - 1:
                    return None
                orders = orders[[best]]
            bound = loss.cgf(orders).real - orders * epsilon + log_kappa(orders)
        enough = np.flatnonzero(bound <= goal)
        if enough.size or not bound[-1] <= bound.min():
            return float(orders[enough[0]]) if enough.size else None
    return None


def _on_grid(task: Task, log_delta: float, why: Exception) -> tuple[GridSum, Grid]:
    """The last resort; where there is none, the line's own trouble is told."""
    try:
        grid = planned_grid(task.loss, log_delta)
        return GridSum(task.laws, grid), grid
    except REFUSALS as error:
        if isinstance(why, CannotCertify):
            raise why from error
        raise CannotCertify(f"no plan of a proof was found: {reason(why)}") from error


def _check_fine(ends: tuple[float, float], why: Exception) -> None:
    """An error where the ends of a grid are more than a factor of two apart."""
    if ends[0] < ends[1] / 2:
        raise CannotCertify(f"{reason(why)}, and a grid is too coarse") from why


# by the line ------------------------------------------------------------------------------------


def _epsilon_by_line(task: Task, delta: float) -> tuple[float, float, Recipe]:
    log_delta = math.log(above(arb(delta) - masses(task.laws)[0]))
    line, recipe, root = _line_at(task, log_delta, delta)
    return *both_ends(line, root, delta), recipe


def _line_at(task: Task, log_delta: float, delta: float) -> tuple[Line, Recipe, float]:
    """A line through the ε that it finds itself; in arrays if that is good enough."""
    unless_atoms(task.laws)
    plan: Plan | None = None
    root: float | None = None
    if not many(task.laws):
        plan = planned(task.loss, NATS, None, log_delta)
        if plan.level > MOST_LEVEL_OF_FLOATS:
            raise LongLine("the ε of Chernoff's bound is far off")
        with suppress(LongLine):
            return _in_balls(task, plan, log_delta, delta, LONG)
    with suppress(*REFUSALS):
        for _ in range(2):
            low = planned(task.loss, LOOSE_NATS, root, log_delta, LOW)
            bent = bent_law(task.laws)
            if low.level > (MOST_LEVEL if bent is None or bent.fixed else LEVEL_OF_FEW):
                break
            line, recipe = follow(task, low, LOOSE_NATS, arrays=True)
            root = line.guess(low.epsilon, delta)
            if line.ends(root).width <= LOOSE * delta:
                return line, recipe, root
    _unless_bent(task)
    plan = plan or planned(task.loss, NATS, root, log_delta)
    return _in_balls(task, plan, log_delta, delta)


def _unless_bent(task: Task) -> None:
    if bent_law(task.laws) is not None:
        raise LongLine("a vertical line takes too many points")


def _in_balls(
    task: Task, plan: Plan, log_delta: float, delta: float, most: float = math.inf
) -> tuple[Line, Recipe, float]:
    line, recipe = follow(task, plan, NATS, most=most)
    root = line.guess(plan.epsilon, delta)
    if line.ends(root).width > TIGHT * delta:
        plan = planned(task.loss, NATS, root, log_delta)
        line, recipe = follow(task, plan, NATS, most=most)
        root = line.guess(root, delta)
    return line, recipe, root


def _delta_by_line(task: Task, epsilon: float) -> tuple[float, float, Recipe]:
    ends, recipe = _at(task, epsilon)
    return max(below(ends.lower), 0.0), min(above(ends.upper), 1.0), recipe


def _at(task: Task, epsilon: float) -> tuple[Ends, Recipe]:
    unless_atoms(task.laws)
    if not many(task.laws):
        with suppress(LongLine):
            return _at_in_balls(task, epsilon, LONG)
    with suppress(*REFUSALS):
        plan = planned(task.loss, LOOSE_NATS, epsilon, None, LOW)
        line, recipe = follow(task, plan, LOOSE_NATS, arrays=True)
        ends = line.ends(epsilon)
        if ends.width <= LOOSE * float(ends.upper):
            return ends, recipe
    _unless_bent(task)
    return _at_in_balls(task, epsilon)


def _at_in_balls(task: Task, epsilon: float, most: float = math.inf) -> tuple[Ends, Recipe]:
    log_delta: float | None = None
    for _ in range(2):
        plan = planned(task.loss, NATS, epsilon, log_delta)
        line, recipe = follow(task, plan, NATS, most=most)
        ends = line.ends(epsilon)
        finite = ends.upper - line.beside(arb(epsilon))
        if not finite > 0 or ends.width <= TIGHT * float(ends.upper):
            break
        log_delta = float(finite.log())
    return ends, recipe
