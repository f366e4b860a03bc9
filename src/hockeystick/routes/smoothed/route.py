"""Atoms off any lattice, at many steps: plan a smoothed line, and both ends of ε and δ from it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hockeystick.bound import Interval
from hockeystick.errors import NumericalError
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.rounding import added
from hockeystick.numerics.series import EPS
from hockeystick.numerics.types import Array
from hockeystick.routes.base import Route
from hockeystick.routes.contour.saddle import log_kappa
from hockeystick.routes.inverting import ends, polished, solve
from hockeystick.routes.smoothed.atoms import AtomicSum
from hockeystick.routes.smoothed.line import CLEAR, SmoothedLine, Where, line_on
from hockeystick.routes.smoothed.nodes import EXPONENTIAL, MOST_WORK

NAME = "contour"
TRUNCATED = 1e-13
"""Part of δ that may be moved to infinity."""
NATS = 25.0
"""Aliases whose value is open, and what is cut off, are each e^−25 = 1e-11 of δ."""
ROUGH, SHARP = 2e-7, 1e-8
"""Distance of the ends of ε that the first line is planned for, and the last one."""
ENOUGH = 3e-8
"""Distance at which no sharper line is tried."""
RELATIVE = 1e-6
"""What a distance is at the most, over ε."""
LARGE = 50.0
"""ε from which on these distances are meant for LARGE, and grow with it."""
MOST_NODES = 2_000_000
"""Of which all but a few are ruled out unseen."""
LEAST_ORDER = 1e-3
"""Of a line; a δ so near to 1 that it needs less is left to the other ways."""
COARSE = 2.0 ** np.arange(-12.0, 31.0)
FINE = 2.0 ** np.arange(-1.5, 1.51, 0.125)
SLACK = 4.0
"""Nats that a line may lie above the best one, for a shorter period."""


def is_for(loss: ComposedLoss) -> bool:
    """Whether the loss has atoms alone, and they share no lattice."""
    return not loss.continuous and loss.spacing is None


class Sketch(NamedTuple):
    """Real orders around the best for an ε or δ, with K there, and about both of them."""

    orders: Array
    cumulants: Array
    epsilon: float
    log_delta: float
    margin: float
    """How far the true ε may be from this one."""


def sketch(atoms: AtomicSum, epsilon: float | None, log_delta: float | None) -> Sketch:
    """Chernoff's best order: ε is below its bound by about 1/order times some nats."""
    orders, cumulants = COARSE, atoms.cgf(COARSE)
    for fine in (True, False):
        bounds = cumulants + log_kappa(orders)
        if epsilon is None:
            assert log_delta is not None
            score = (bounds - log_delta) / orders
        else:
            score = bounds - orders * epsilon
        best = int(np.argmin(score))
        if fine:
            near = orders[best] * FINE
            orders = np.unique(np.append(near, orders[orders > near[-1]][::2]))
            cumulants = atoms.cgf(orders)
    value = float(score[best])
    if epsilon is None:
        assert log_delta is not None
        upper = min(value, atoms.high)
        margin = min(3 / float(orders[best]), 0.5 * abs(upper))
        return Sketch(orders, cumulants, upper - margin, log_delta, margin)
    guess = min(value, 0.0) if log_delta is None else log_delta
    return Sketch(orders, cumulants, epsilon, guess, 0.0)


def place(atoms: AtomicSum, plan: Sketch, wanted: float, most: float) -> tuple[Where, float, float]:
    """The line for a sketch, K(c), and nats from which on φ does not matter."""
    orders, k, epsilon, log_delta, margin = plan
    level = k - orders * epsilon - log_delta
    chernoff = level + log_kappa(orders)
    best = int(np.argmin(chernoff))
    chosen, order, shortest = best, float(orders[best]), math.inf
    for j in range(max(best - 12, 0), min(best + 5, orders.size - 1)):
        if level[j] > level[best] + SLACK:
            continue
        c = float(orders[j])
        right = (chernoff[j + 1 :] + orders[j + 1 :] * margin + NATS) / (orders[j + 1 :] - c)
        right_end = min(float(right.min()), atoms.high - epsilon + margin)
        open_left = (max(epsilon - log_delta, 0.0) + margin + NATS) / (c + 1)
        period = max(right_end, min(open_left, epsilon + margin - atoms.low))
        if period < shortest:
            chosen, order, shortest = j, c, period
    height = max(float(level[chosen]), 0.0)
    if not (order >= LEAST_ORDER and math.isfinite(shortest + height)):
        raise NumericalError("no line is good for this epsilon")
    width = math.sqrt(0.3 * wanted / (order + 1))
    for _ in range(2):
        reach, period = _reach(width, height), shortest + (CLEAR + 2) * width
        count = reach * period / (2 * math.pi)
        if count > most:
            width *= count / most
    where = Where(order, period, width, reach)
    return where, float(k[chosen]), NATS + 10 + height


def _reach(width: float, height: float) -> float:
    """Where what is cut off is e^−NATS of δ."""
    nats = 8.0
    for _ in range(3):
        reach = math.sqrt(2 * nats) / width
        nats = max(5.0, NATS + height - math.log(2 * math.pi * nats * reach))
    return math.sqrt(2 * nats) / width


def line_for(atoms: AtomicSum, loss: ComposedLoss, plan: Sketch, wanted: float) -> SmoothedLine:
    """The line of a sketch; of fewer nodes, and less sharp, where too many matter."""
    for most in (MOST_NODES, MOST_WORK / EXPONENTIAL / atoms.size):
        where, _, nats = place(atoms, plan, wanted, most)
        level = float(loss.cgf(np.array([where.order])).real[0])
        try:
            return line_on(where, atoms, level, nats)
        except NumericalError:
            continue
    raise NumericalError("too many nodes of the contour have to be computed")


def epsilon(loss: ComposedLoss, delta: float) -> Interval:
    """Both ends of the ε with δ(ε) = delta."""
    target = delta - loss.least_infinite
    cut = loss.truncated(TRUNCATED * target)
    if cut.infinite >= delta:
        raise NumericalError(f"delta = {delta!r} is too near the mass at infinity")
    goals = math.log(target), math.log(delta - cut.infinite)
    atoms = AtomicSum(cut)
    plan = sketch(atoms, None, goals[0])
    if plan.epsilon + plan.margin <= 0:
        return Interval(0.0, 0.0, NAME)
    top, lower, upper = min(cut.top, loss.top), 0.0, math.inf
    scale = max(plan.epsilon / LARGE, 1.0)
    wanted = ROUGH * scale
    for _ in range(3):
        try:
            line = line_for(atoms, cut, plan, min(wanted, RELATIVE * plan.epsilon))
        except NumericalError:
            if math.isinf(upper):
                raise
            break
        root = solve(line.coarse, goals[0], plan.epsilon, top)
        root = polished(line, goals[0], root, top)
        low, high = ends(line, root, goals, top)
        lower, upper = max(lower, low), min(upper, high)
        enough = min(ENOUGH * scale, 3 * RELATIVE * root)
        if upper - lower <= enough or not 0 < low <= high < 1.5 * low:
            break
        wanted = max(SHARP * scale, 0.5 * wanted * enough / (high - low))
        plan = sketch(atoms, root, goals[0])._replace(margin=0.1 / line.where.order)
    slip = loss.slip + 4 * EPS * (abs(atoms.low) + abs(atoms.high))
    return Interval(max(0.0, lower - slip), min(max(0.0, upper + slip), loss.top), NAME)


def delta(loss: ComposedLoss, epsilon: float) -> Interval:
    """Both ends of δ(ε)."""
    guess = sketch(AtomicSum(loss.truncated(1e-12)), epsilon, None).log_delta
    cut = loss.truncated(max(TRUNCATED * math.exp(guess), 1e-300))
    atoms = AtomicSum(cut)
    slip = loss.slip + 4 * EPS * (abs(atoms.low) + abs(atoms.high))
    if epsilon > atoms.high + slip:
        return Interval(loss.least_infinite, cut.infinite, NAME)
    plan = sketch(atoms, epsilon, None)
    line = line_for(atoms, cut, plan, SHARP)
    value = line(np.array([epsilon - slip, epsilon + slip]))
    least, most = math.exp(value.least[1]), math.exp(min(float(value.most[0]), 0.0))
    least, most = least * (1 - 4 * EPS), most * (1 + 4 * EPS) + 5e-324
    return Interval(*added(least, most, (loss.least_infinite, cut.infinite)), NAME)


SMOOTHED = Route(NAME, "the contour of a profile smoothed by a little", epsilon, delta)
