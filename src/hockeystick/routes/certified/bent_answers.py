"""ε and δ of few steps of Gaussian noise on a small sample, by the bent line."""

from __future__ import annotations

import math

from hockeystick.errors import CannotCertify
from hockeystick.routes.certified.balls import above, below
from hockeystick.routes.certified.bent import Bent, BentRecipe, bent_law
from hockeystick.routes.certified.bent_plan import planned_bent
from hockeystick.routes.certified.bracket import both_ends
from hockeystick.routes.certified.build import Task
from hockeystick.routes.contour import route as contour

WIDEST = 1e-3
"""Relative width of δ up to which a bent line is of use."""


def epsilon_bent(task: Task, delta: float) -> tuple[float, float, BentRecipe]:
    """Both ends of ε(δ); the plan is made around the uncertified answer."""
    _check(task)
    root = contour.epsilon(task.loss, delta).upper
    line, recipe = _bent(task, root, math.log(delta))
    return *both_ends(line, root, delta), recipe


def delta_bent(task: Task, epsilon: float) -> tuple[float, float, BentRecipe]:
    """Both ends of δ(ε)."""
    _check(task)
    log_delta = math.log(contour.delta(task.loss, epsilon).upper)
    line, recipe = _bent(task, epsilon, log_delta)
    ends = line.ends(epsilon)
    return max(below(ends.lower), 0.0), min(above(ends.upper), 1.0), recipe


def _check(task: Task) -> None:
    if bent_law(task.laws) is None:
        raise CannotCertify("a bent line needs steps of Gaussian noise on a Poisson sample")


def _bent(task: Task, epsilon: float, log_delta: float) -> tuple[Bent, BentRecipe]:
    found = bent_law(task.laws)
    assert found is not None
    recipe = planned_bent(*found, epsilon, log_delta)
    line = Bent(task.laws, recipe)
    if not line.ends(epsilon).width <= WIDEST * math.exp(log_delta):
        raise CannotCertify("a bent line is not good enough")
    return line, recipe
