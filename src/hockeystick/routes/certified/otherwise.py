"""Where a plain line will not do: with more bits, so that more may cancel, bent, or smoothed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from flint import arb

from hockeystick.errors import CannotCertify, NumericalError
from hockeystick.routes.certified.balls import above, below, of_bits
from hockeystick.routes.certified.bent_answers import delta_bent, epsilon_bent
from hockeystick.routes.certified.bent_law import bent_law
from hockeystick.routes.certified.bracket import both_ends, crossing
from hockeystick.routes.certified.build import NATS, Task, follow, task_of
from hockeystick.routes.certified.line import Line, Recipe, masses
from hockeystick.routes.certified.plan import NoNodes, planned
from hockeystick.routes.certified.points import all_atoms
from hockeystick.routes.certified.smoothed_answers import delta_smoothed, epsilon_smoothed
from hockeystick.routes.contour import route as contour
from hockeystick.routes.contour.saddle import find_saddle

BITS = 192
"""Of the working precision: radii are then far below the errors that are chosen."""
SOME_BITS, MORE_BITS, MOST_LEVEL = 384, 640, 250.0
"""More bits, and with the most of them nats that may cancel."""
QUICK, SLOW = 6e5, 1.5e7
"""Products of a line that is tried before one is bent, and after."""
PLANS, NARROW, FAIR = 4, 1e-9, 1e-7
"""How often a δ is planned for, the relative width that is good enough, and of a quick line."""
REFUSALS = (NumericalError, ArithmeticError, ValueError, IndexError)
"""What a plan may fail with."""
Found = tuple[float, float, str, dict[str, Any]]
"""Both ends, the method, and what the certificate says of it."""
Ways = tuple[Callable[..., tuple[float, float, Any]], ...]
"""A straight line of at most so many products, a bent one and a smoothed one: both ends of ε(δ), or
of δ(ε)."""


def otherwise(task: Task, at: float, ways: Ways, why: Exception | None = None) -> Found | None:
    """Both ends by the first way that has them, if no line in sight has, or why a plain one failed:
    what that says of every straight line is not tried again."""
    for method, bits, way, *most in _in_turn(task, *ways):
        if isinstance(why, NoNodes) and method != "bent":
            continue
        with suppress(*REFUSALS), of_bits(bits):
            low, high, recipe = way(task_of(task.loss), at, *most)
            return low, high, method, {"line": recipe.to_json(), "bits": bits}
    return None


def _in_turn(task: Task, straight: Any, bent: Any, smoothed: Any) -> Iterator[tuple[Any, ...]]:
    if not all_atoms(task.laws):
        yield "contour", MORE_BITS, straight, QUICK
        if bent_law(task.laws) is None:
            yield "smoothed", BITS, smoothed
        else:
            for bits in (BITS, SOME_BITS, MORE_BITS):
                yield "bent", bits, bent
        yield "contour", MORE_BITS, straight, SLOW
    yield "smoothed", BITS, smoothed


def _epsilon(task: Task, delta: float, most: float) -> tuple[float, float, Recipe]:
    """The plan is made around the uncertified answer, or where a line through the ε of Chernoff's
    bound says so."""
    log_delta = math.log(above(arb(delta) - masses(task.laws)[0]))
    try:
        root = contour.epsilon(task.loss, delta).upper
    except NumericalError:
        high = find_saddle(task.loss, None, log_delta).epsilon
        root = crossing(_line(task, high, log_delta, most)[0], high, delta)
    line, recipe = _line(task, root, log_delta, most)
    if line.ends(root).width > NARROW * delta:
        root = crossing(line, 2 * root, delta)
        line, recipe = _line(task, root, log_delta, most)
    if most == QUICK and line.ends(root).width > FAIR * delta:
        raise CannotCertify("a longer line is better")
    return *both_ends(line, root, delta), recipe


def _delta(task: Task, epsilon: float, most: float) -> tuple[float, float, Recipe]:
    """The plan is made for the uncertified answer, and again for what came of it."""
    infinite = masses(task.laws)[0]
    guess = float(contour.delta(task.loss, epsilon).upper - infinite)
    for _ in range(PLANS):
        if not guess > 0:
            break
        line, recipe = _line(task, epsilon, math.log(guess), most)
        ends = line.ends(epsilon)
        guess = float(ends.upper - infinite)
        if ends.width <= NARROW * guess:
            return max(below(ends.lower), 0.0), min(above(ends.upper), 1.0), recipe
    raise CannotCertify("no plan for a δ that is so small")


def _line(task: Task, epsilon: float, log_delta: float, most: float) -> tuple[Line, Recipe]:
    plan = planned(task.loss, NATS, epsilon, log_delta, most_level=MOST_LEVEL)
    return follow(task, plan, NATS, most=most)


EPSILON: Ways = _epsilon, epsilon_bent, epsilon_smoothed
DELTA: Ways = _delta, delta_bent, delta_smoothed
