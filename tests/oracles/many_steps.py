"""Many steps, by the line integral of `contour` at two accuracies."""

from __future__ import annotations

from collections.abc import Callable

from mpmath import mp, mpf

from . import pairs
from .contour import NodeRule, Steps, gaussian_rule, pair_rule
from .expressions import Part, Unknown, read

FEWEST = 100
"""Steps with a density from which on the integrand decays soon enough."""
LEFT = -40 * mp.log(10)
"""Log of the probability of no step with a density: where all others come into step again far out
on the line, the integrand is this large, and its end was taken for granted before."""
MOST_ATOMS = 60
DIGITS = (18, 23)
"""Counted from the Chernoff bound of the profile: a few less are left of the profile itself."""
AGREEMENT = mpf(10) ** -15
MARGIN = mpf(10) ** -16
Interval = tuple[mpf, mpf]


def by_contour(expression: str, query: str, at: float, relation: str | None) -> Interval | None:
    """epsilon or delta of many steps of Gaussian, Laplace and discrete noise, sampled or not."""
    if query not in ("epsilon", "delta") or not at:
        return None
    try:
        values = [_value(expression, query, at, relation, digits) for digits in DIGITS]
    except (Unknown, ArithmeticError, ValueError):
        return None
    with mp.workdps(DIGITS[-1] + 8):
        rough, fine = values
        if not abs(rough - fine) <= AGREEMENT * abs(fine):
            return None
        error = 10 * abs(rough - fine) + MARGIN * fine
        return fine - error, fine + error


def _value(expression: str, query: str, at: float, relation: str | None, digits: int) -> mpf:
    with mp.workdps(digits + 8):
        parts = read(expression, relation)
        smooth = [part for part in parts if part.dominating.density]
        if sum(part.count for part in smooth) < FEWEST:
            raise Unknown("few steps with a density")
        if mp.fsum(part.count * _log_atoms(part) for part in smooth) > LEFT:
            raise Unknown("atoms that come into step again")
        best = mpf(0)
        for direction in ("remove", "add"):
            steps = Steps([(_rule(part, direction, digits), part.count) for part in parts], digits)
            ask: Callable[[mpf], mpf] = steps.epsilon if query == "epsilon" else steps.delta
            best = max(best, ask(mpf(at)))
        return best


def _log_atoms(part: Part) -> mpf:
    """Log of the mass of the atoms of one step: 0 at most."""
    mass = mp.fsum(atom.p for atom in part.dominating.atoms)
    return mp.log(mass) if mass else -mp.inf


def _rule(part: Part, direction: str, digits: int) -> NodeRule:
    """The quadrature of a step, finer where more digits are asked for."""
    pair = part.dominating
    if pair is not part.attained or pair.p_only or pair.q_only or len(pair.atoms) > MOST_ATOMS:
        raise Unknown("not one pair of finite losses")
    if part.gaussian is not None:
        return gaussian_rule(1 / part.gaussian, mpf(1), direction)
    if part.sampled is not None:
        return gaussian_rule(*part.sampled, direction)
    if pair.density is not None and pair.density.stretch:
        raise Unknown("an unbounded loss")
    points = digits + 17
    return pair_rule(pair if direction == "remove" else pairs.reverse(pair), points=points)
