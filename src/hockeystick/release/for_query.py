"""The least noise that gives a query the asked (ε, δ)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

from hockeystick.calibration import calibrate
from hockeystick.checks import finite_positive, probability
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.mechanism import Mechanism
from hockeystick.relation import ADD_REMOVE, REPLACE_ONE, Relation
from hockeystick.sensitivity import Norm, Sensitivity

M = TypeVar("M", bound=Mechanism)


def distances(
    sensitivity: float | Sensitivity, norm: Norm, relation: Relation
) -> tuple[float, float]:
    """How far adding or removing a record moves the query, and how far replacing one does.

    A number is the distance under `relation`. Adding and then removing a record replaces it, so
    the second is at most twice the first; nothing follows for the first from the second, and
    a number for replaced records is taken for both.
    """
    if not isinstance(sensitivity, Sensitivity):
        unit = finite_positive("sensitivity", sensitivity)
        return unit, unit if relation is REPLACE_ONE else 2 * unit
    unit, replace = sensitivity.of(norm, ADD_REMOVE), sensitivity.of(norm, REPLACE_ONE)
    if math.isinf(unit) or math.isinf(replace):
        raise ParameterError(f"this noise needs a bound in {norm}, got {sensitivity!r}")
    return unit, replace


def solve(
    family: Callable[[float], M],
    pure: float | None,
    *,
    epsilon: float,
    delta: float,
    relation: Relation,
) -> M:
    """The mechanism of the least noise multiplier that is (ε, δ)-DP under the relation.

    `pure` is the largest loss times the multiplier; None if the loss has no largest value.
    """
    epsilon, delta = finite_positive("epsilon", epsilon), probability("delta", delta)
    if delta > 0:
        return calibrate(family, epsilon=epsilon, delta=delta, relation=relation)
    if pure is None:
        kind = type(family(1.0)).__name__
        raise ParameterError(f"delta must be in (0, 1] for {kind} noise, got {delta!r}")
    start = pure / epsilon
    for _ in range(8):  # the division was rounded
        if family(start).epsilon(0, relation=relation) <= epsilon:
            return family(start)
        start = math.nextafter(start, math.inf)
    raise NumericalError(f"no multiplier near {start!r} was verified to meet the target")
