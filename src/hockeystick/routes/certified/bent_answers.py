"""ε and δ of few steps of Gaussian noise on a small sample, by the bent line."""

from __future__ import annotations

import math

from hockeystick.errors import CannotCertify, NumericalError
from hockeystick.routes.certified.balls import above, below
from hockeystick.routes.certified.bent import Bent, BentRecipe
from hockeystick.routes.certified.bent_law import bent_law
from hockeystick.routes.certified.bent_plan import planned_bent
from hockeystick.routes.certified.bracket import both_ends, crossing
from hockeystick.routes.certified.build import Task
from hockeystick.routes.contour import route as contour
from hockeystick.routes.contour.saddle import find_saddle

PLANS = 4
"""How often a δ is planned for, each time for what came of the last."""
NARROW = 1e-8
"""Relative width of δ that need not be planned for again."""
WIDEST = 1e-3
"""Relative width of δ up to which a bent line is of use."""


def epsilon_bent(task: Task, delta: float) -> tuple[float, float, BentRecipe]:
    """Both ends of ε(δ); the plan is made around the uncertified answer, if there is one."""
    _check(task)
    try:
        root = contour.epsilon(task.loss, delta).upper
    except NumericalError:
        root = _guess(task, delta)
    recipe = _planned(task, root, math.log(delta))
    line = Bent(task.laws, recipe)
    if line.ends(root).width > NARROW * delta:
        root = crossing(line, 2 * root, delta)
        recipe = _planned(task, root, math.log(delta))
        line = Bent(task.laws, recipe)
    if not line.ends(root).width <= WIDEST * delta:
        raise CannotCertify("a bent line is not good enough")
    return *both_ends(line, root, delta), recipe


def _guess(task: Task, delta: float) -> float:
    """About ε(δ): where a line through the ε of Chernoff's bound says so; floats may be off."""
    high = find_saddle(task.loss, None, math.log(delta)).epsilon
    return crossing(Bent(task.laws, _planned(task, high, math.log(delta))), 2 * high, delta)


def delta_bent(task: Task, epsilon: float) -> tuple[float, float, BentRecipe]:
    """Both ends of δ(ε)."""
    _check(task)
    try:
        log_delta = math.log(contour.delta(task.loss, epsilon).upper)
    except NumericalError:
        log_delta = find_saddle(task.loss, epsilon, None).log_delta
    for _ in range(PLANS):
        recipe = _planned(task, epsilon, log_delta)
        ends = Bent(task.laws, recipe).ends(epsilon)
        if ends.width <= WIDEST * float(ends.upper):
            return max(below(ends.lower), 0.0), min(above(ends.upper), 1.0), recipe
        log_delta = math.log(float(ends.upper))
    raise CannotCertify("no plan for a δ that is so small")


def _check(task: Task) -> None:
    if bent_law(task.laws) is None:
        raise CannotCertify("a bent line needs steps of Gaussian noise on a sample")


def _planned(task: Task, epsilon: float, log_delta: float) -> BentRecipe:
    found = bent_law(task.laws)
    assert found is not None
    return planned_bent(found, epsilon, log_delta)
