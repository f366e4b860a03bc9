"""ε and δ of Laplace noise on every record, by the sum over splines."""

from __future__ import annotations

import math

from hockeystick.errors import CannotCertify
from hockeystick.routes.certified.balls import above, below
from hockeystick.routes.certified.bracket import both_ends
from hockeystick.routes.certified.build import Task
from hockeystick.routes.certified.splines import SplineRecipe, Splines, laplace_law
from hockeystick.routes.laplace import unsampled
from hockeystick.routes.laplace.splines import splines_for

FEWEST_STEPS = 13
"""Fewer are quick, and good to the last digit, by Theorem 16."""
WIDEST = 1e-6
"""Relative width of δ up to which the sum is of use."""


def epsilon_splines(task: Task, delta: float) -> tuple[float, float, SplineRecipe]:
    """Both ends of ε(δ); the plan is made around the uncertified answer."""
    _check(task)
    root = unsampled.epsilon(task.loss, delta).upper
    splines, recipe = _splines(task, root, math.log(delta))
    return *both_ends(splines, root, delta), recipe


def delta_splines(task: Task, epsilon: float) -> tuple[float, float, SplineRecipe]:
    """Both ends of δ(ε)."""
    _check(task)
    splines, recipe = _splines(task, epsilon, None)
    ends = splines.ends(epsilon)
    return max(below(ends.lower), 0.0), min(above(ends.upper), 1.0), recipe


def _check(task: Task) -> None:
    found = laplace_law(task.laws)
    if found is None or found[1] < FEWEST_STEPS:
        raise CannotCertify("splines need steps of Laplace noise that are all alike")


def _splines(task: Task, epsilon: float, log_delta: float | None) -> tuple[Splines, SplineRecipe]:
    found = laplace_law(task.laws)
    assert found is not None
    plan, _ = splines_for(float(found[0].reach), found[1], epsilon, log_delta)
    (_, order), (_, order_of_powers) = plan.left_out
    recipe = SplineRecipe(plan.continuous, plan.powers, order, order_of_powers)
    splines = Splines(task.laws, recipe)
    ends, wanted = splines.ends(epsilon), math.exp(log_delta) if log_delta is not None else 0.0
    if not ends.width <= WIDEST * max(float(ends.upper), wanted):
        raise CannotCertify("a sum over splines is not good enough")
    return splines, recipe
