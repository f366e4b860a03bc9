"""Both ends of ε and δ on a smoothed line; how much noise is added is planned in floats."""

from __future__ import annotations

import math

import numpy as np
from flint import arb

from hockeystick.errors import CannotCertify
from hockeystick.routes.certified.balls import above, below
from hockeystick.routes.certified.bracket import both_ends
from hockeystick.routes.certified.build import Task
from hockeystick.routes.certified.grid import MOST_STEPS
from hockeystick.routes.certified.line import Recipe, masses
from hockeystick.routes.certified.plan import Plan, planned
from hockeystick.routes.certified.smoothed import SmoothedLine, SmoothedRecipe
from hockeystick.routes.contour import route as contour
from hockeystick.routes.smoothed import route as smoothed

NATS = 25.0
"""Aliases, what is cut off and the quadrature each err by e^−25 = 1e-11 of δ."""
LOW = 1.0
"""Nats above the least of cancellation that a line in arrays may have."""
SHARP, LARGE, RELATIVE, SHARPEST = 3e-8, 10.0, 1e-6, 1e-11
"""Distance of the ends of ε: below an ε of LARGE; what it is at the most over ε; and the least."""
ROUGH = 30.0
"""The first line, which only finds where the root is, may be so many times less sharp."""
LOST = 0.1
"""Relative width of δ on that line from which on the root is asked of a route in floats."""
WIDE = 3.0
"""Times the distance that was meant, from which on a sharper line is tried."""
SHARP_DELTA = 1e-7
"""Relative distance of the ends of δ."""
USELESS = 0.01
"""Relative distance of the ends of ε from which on they are no answer."""
USELESS_DELTA = 0.5
"""Upper end of δ from which on it is no answer where the lower is 0, or less than half."""
LONGEST = 1_000_000
"""Points above which a certificate is refused."""
MOST_POINTS, MOST_PRODUCTS, PER_POINT = 900_000, 6e7, 60
"""Points of a line, and its products, of which each point takes some besides: about a second."""


def epsilon_smoothed(task: Task, delta: float) -> tuple[float, float, SmoothedRecipe]:
    """Both ends of ε(δ)."""
    log_delta = math.log(above(arb(delta) - masses(task.laws)[0]))
    plan = planned(task.loss, NATS, None, log_delta, LOW)
    wanted = _wanted(plan.epsilon)
    line, recipe = _line(task, plan, ROUGH * wanted)
    root = line.guess(plan.epsilon, delta)
    if root <= 0 and line.ends(0.0).upper <= delta:
        return 0.0, 0.0, recipe
    if line.ends(root).width > LOST * delta:
        root = (smoothed if smoothed.is_for(task.loss) else contour).epsilon(task.loss, delta).upper
    plan = planned(task.loss, NATS, root, log_delta, LOW)
    wanted = _wanted(root)
    for _ in range(2):
        line, recipe = _line(task, plan, wanted)
        low, high = both_ends(line, line.guess(root, delta), delta)
        if high - low <= WIDE * _wanted(root):
            break
        wanted *= max(_wanted(root) / (high - low), 0.01)
    if not (high < math.inf and high - low <= max(USELESS * high, SHARP)):
        raise CannotCertify("a smoothed line that is sharper")
    return low, high, recipe


def delta_smoothed(task: Task, epsilon: float) -> tuple[float, float, SmoothedRecipe]:
    """Both ends of δ(ε)."""
    plan = planned(task.loss, NATS, epsilon, None, LOW)
    for sharp in (ROUGH * SHARP_DELTA, SHARP_DELTA):
        line, recipe = _line(task, plan, sharp / max(plan.order, 1.0))
        ends = line.ends(epsilon)
        finite = ends.upper - line.beside(arb(epsilon))
        if not finite > 0:
            break
        plan = planned(task.loss, NATS, epsilon, float(finite.log()), LOW)
    few = task.loss.steps <= MOST_STEPS
    if not ends.lower > 0 and (few or not ends.upper < USELESS_DELTA):
        raise CannotCertify("a δ that is not so small for a smoothed line")
    return max(below(ends.lower), 0.0), min(above(ends.upper), 1.0), recipe


def _wanted(epsilon: float) -> float:
    return max(min(SHARP * max(epsilon / LARGE, 1.0), RELATIVE * epsilon), SHARPEST)


def _line(task: Task, plan: Plan, wanted: float) -> tuple[SmoothedLine, SmoothedRecipe]:
    """τ²·(c+1) is about how far apart the ends of ε are; the noise is more where the line would
    have too many points."""
    c, height, step = plan.order, max(plan.level, 0.0), float(np.float32(2 * math.pi / plan.period))
    tolerances = [-NATS - height - 2 - task.slack(n) for _, n in task.laws]
    pairs = list(zip(task.laws, tolerances, strict=True))
    work = sum(law.tilted(c, law.rule(c, 0.0, least)).work for (law, _), least in pairs)
    most = min(MOST_POINTS, MOST_PRODUCTS / (PER_POINT + work))
    shift = max(math.sqrt(wanted / (c + 1)), _reach(1.0, height) / (most * step))
    cut = _reach(shift, height)
    points = math.ceil(cut / step) + 1
    if points > LONGEST:
        raise CannotCertify("a smoothed line would take too many points")
    rules = [law.rule(c, points * step, least) for (law, _), least in pairs]
    said = c, step, points, plan.beyond, cut, False, True
    recipe = Recipe(*said, (*rules, {}), (*task.rules_at(plan.beyond), {}))
    both = SmoothedRecipe(shift, recipe)
    return SmoothedLine(task.laws, both), both


def _reach(shift: float, height: float) -> float:
    """Where e^{−t²τ²/2}/(πt) has fallen by as much as is needed."""
    fall = NATS + height
    for _ in range(3):
        reach = math.sqrt(2 * fall) / shift
        fall = max(NATS + height - math.log(math.pi * reach), 5.0)
    return math.sqrt(2 * fall) / shift
