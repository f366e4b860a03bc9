"""ε at a δ that is given by its logarithm, and log δ at an ε: also where no float holds δ."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from hockeystick.bound import Bound, Interval
from hockeystick.checks import non_negative
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.series import EPS
from hockeystick.questions import (
    Parts,
    Sides,
    answer,
    attained,
    divergences,
    dominating,
    parts_of,
    relation_of,
)
from hockeystick.relation import Relation
from hockeystick.routes import logarithms
from hockeystick.routes.auto import AUTO, check_method
from hockeystick.routes.question import CONTRADICTION, DeltaAt, EpsilonAt
from hockeystick.routes.renyi import NAME as RENYI
from hockeystick.routes.renyi import epsilon_at_log_delta, log_delta_at
from hockeystick.small_delta import LEAST_LOG_DELTA, SmallDelta, log_of

if TYPE_CHECKING:
    from hockeystick.mechanism import Mechanism

ROUNDING = 4 * EPS
"""Of a logarithm, relative to itself."""
Ask = Callable[[ComposedLoss, float], Interval]
"""A direction, and what the others cost at least, to both ends."""


def epsilon_at(
    mechanism: Mechanism,
    delta: float,
    relation: Relation | None,
    method: str,
    certify: bool = False,
    games: bool = True,
) -> Bound:
    """ε at a δ that may be a `SmallDelta`."""
    if not isinstance(delta, SmallDelta):
        return answer(mechanism, EpsilonAt(delta), relation, method, certify, games)
    relation = _asked_how(mechanism, relation, method, certify)
    asked: Any = {"mechanism": mechanism, "relation": relation, "delta": delta}
    if not mechanism.parts:
        return Bound(0.0, lower=0.0, method="closed form", **asked)
    parts = parts_of(mechanism, relation)

    def ask(loss: ComposedLoss, known: float) -> Interval:
        return logarithms.epsilon(loss, max(known, 0.0), delta.log)

    best, lower = _ends(parts, ask, method)
    if not best.is_tight:
        curve = epsilon_at_log_delta(partial(divergences, parts), delta.log)
        best = min(best, curve, key=lambda each: each.upper)
    lower = _agreed(max(lower, 0.0), best.upper)
    return Bound(best.upper, lower=lower, method=best.method, **asked)


def log_delta_of(
    mechanism: Mechanism, epsilon: float, relation: Relation | None, method: str
) -> Bound:
    """log δ(ε) between its ends; −inf where δ is 0."""
    question = DeltaAt(non_negative("epsilon", epsilon))
    check_method(method)
    told = relation_of(mechanism, relation)
    asked: Any = {"mechanism": mechanism, "relation": told, "epsilon": question.epsilon}
    parts = parts_of(mechanism, told)
    curve = log_delta_at(partial(divergences, parts), question.epsilon)
    if not parts or curve.upper >= LEAST_LOG_DELTA:
        plain = answer(mechanism, question, relation, method)
        if not parts or log_of(plain.upper) >= LEAST_LOG_DELTA:
            lower, upper = _rounded(log_of(plain.lower), -1), _rounded(log_of(plain.upper), 1)
            return Bound(min(upper, 0.0), lower=lower, method=plain.method, **asked)
    _asked_how(mechanism, relation, method, False)
    best, lower = _ends(parts, lambda loss, _: logarithms.log_delta(loss, question.epsilon), method)
    best = min(best, curve, key=lambda each: each.upper)
    return Bound(best.upper, lower=_agreed(lower, best.upper), method=best.method, **asked)


def _asked_how(
    mechanism: Mechanism, relation: Relation | None, method: str, certify: bool
) -> Relation:
    check_method(method)
    if certify or method not in (AUTO, RENYI):
        raise ParameterError(
            f"method must be 'auto' or 'renyi', without certify, for log_delta below "
            f"{LEAST_LOG_DELTA:g}, got {method!r}{' with certify' if certify else ''}"
        )
    return relation_of(mechanism, relation)


def _ends(parts: Parts, ask: Ask, method: str) -> tuple[Interval, float]:
    """The smallest upper end of all pairs that dominate, and the lower end of what is attained."""
    choices = [] if method == RENYI else dominating(parts)
    if not choices:
        return Interval(-math.inf, math.inf, RENYI), -math.inf
    answers = [_worst(sides, ask) for sides in choices]
    lower = answers[0].lower
    if sides := attained(parts):
        lower = _worst(sides, ask).lower
    return min(answers, key=lambda each: each.upper), lower


def _worst(sides: Sides, ask: Ask) -> Interval:
    answers, lower = [], -math.inf
    for loss in sides:
        answers.append(ask(loss, lower))
        lower = max(lower, answers[-1].lower)
    most = max(answers, key=lambda each: each.upper)
    return Interval(lower, most.upper, most.method)


def _agreed(lower: float, upper: float) -> float:
    """The lower end; an error where two ways contradict each other."""
    if lower > upper + CONTRADICTION * (1 + abs(upper)):
        raise NumericalError(f"one route says at least {lower!r}, another at most {upper!r}")
    return min(lower, upper)


def _rounded(log: float, way: int) -> float:
    return log + way * ROUNDING * abs(log) if math.isfinite(log) else log
