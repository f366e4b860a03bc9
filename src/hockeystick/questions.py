"""The questions one can ask of a mechanism."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from hockeystick import checks
from hockeystick.bound import Bound, Bounds, Interval
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.loss.base import LARGE_ORDER, Loss
from hockeystick.loss.sum import ComposedLoss
from hockeystick.mechanism import Mechanism, divergence
from hockeystick.numerics.series import Array
from hockeystick.relation import ADD_REMOVE, Relation
from hockeystick.routes import steps
from hockeystick.routes.auto import AUTO, check_method, worst
from hockeystick.routes.question import DeltaAt, EpsilonAt, Question
from hockeystick.routes.tradeoff import Profile

ROUNDING = 1e-13
"""Relative error of a Rényi divergence computed from a loss."""


def epsilon(mechanism: Mechanism, delta: float, relation: Relation | None, method: str) -> Bound:
    """The smallest ε for a given δ."""
    delta = checks.probability("delta", delta)
    check_method(method)
    relation = relation_of(mechanism, relation)
    if delta == 1 or not mechanism.parts:
        return Bound(0.0, lower=0.0, method="closed form")
    return _answer(mechanism, relation, method, EpsilonAt(delta))


def delta(mechanism: Mechanism, epsilon: float, relation: Relation | None, method: str) -> Bound:
    """The smallest δ for a given ε."""
    epsilon = checks.non_negative("epsilon", epsilon)
    check_method(method)
    relation = relation_of(mechanism, relation)
    if not mechanism.parts:
        return Bound(0.0, lower=0.0, method="closed form")
    return _answer(mechanism, relation, method, DeltaAt(epsilon))


def _answer(mechanism: Mechanism, relation: Relation, method: str, question: Question) -> Bound:
    sides = None if method == "renyi" else directions(mechanism, relation)
    curve = lambda orders: mechanism.renyi(orders, relation)  # noqa: E731
    if sides is None:
        if method not in ("auto", "renyi"):
            raise ParameterError(
                f"method must be 'auto' or 'renyi' for a mechanism known by its Rényi curve alone, "
                f"got {method!r}"
            )
        return _bound(question.from_curve(curve))
    answer = worst(sides, question, method)
    other_sides = _other_sides(mechanism, relation)
    if other_sides is not None:
        other = worst(other_sides, question, method)
        answer = min(answer, other, key=lambda each: each.upper)
    if method == "auto" and any(part.renyi_is_tighter for part in mechanism.parts):
        other = question.from_curve(curve)
        answer = min(answer, other._replace(lower=answer.lower), key=lambda each: each.upper)
    attained = attained_sides(mechanism, relation)
    if attained is not None:
        lower = worst(attained, question, AUTO).lower
        answer = answer._replace(lower=question.agreed(lower, answer.upper))
    return _bound(answer)


def directions(mechanism: Mechanism, relation: Relation) -> list[ComposedLoss] | None:
    """The composed losses to be examined, both ways unless they are alike; None without losses."""
    parts = []
    for part, count in mechanism.parts.items():
        loss = part.loss(relation)
        if loss is None:
            return None
        parts.append((loss, count))
    return _both_ways(parts)


def _other_sides(mechanism: Mechanism, relation: Relation) -> list[ComposedLoss] | None:
    """The same with the second pair of every part that has two."""
    found = {part: part.other_loss(relation) for part in mechanism.parts}
    return None if not any(found.values()) else _replaced(mechanism, relation, found)


def _replaced(
    mechanism: Mechanism, relation: Relation, found: Mapping[Mechanism, Loss | None]
) -> list[ComposedLoss]:
    parts = []
    for part, count in mechanism.parts.items():
        loss = found[part] or part.loss(relation)
        assert loss is not None
        parts.append((loss, count))
    return _both_ways(parts)


def attained_sides(
    mechanism: Mechanism, relation: Relation, as_one: bool = False
) -> list[ComposedLoss] | None:
    """The same for a pair of neighbouring data sets; None where `directions` speaks of one."""
    steps = sum(mechanism.parts.values())
    found = {
        part: part.attained_as_one(relation, steps) if as_one else part.attained(relation, steps)
        for part in mechanism.parts
    }
    return None if not any(found.values()) else _replaced(mechanism, relation, found)


def _both_ways(parts: list[tuple[Loss, int]]) -> list[ComposedLoss]:
    forward = ComposedLoss(parts)
    return [forward] if forward.symmetric else [forward, forward.reverse()]


def _bound(answer: Interval) -> Bound:
    lower, upper = float(answer.lower), float(answer.upper)
    if math.isnan(lower) or math.isnan(upper):
        raise NumericalError(f"a bound is not a number: {answer!r}")
    return Bound(upper, lower=lower, method=answer.method)


def relation_of(mechanism: Mechanism, relation: Relation | None) -> Relation:
    if relation is None:
        return mechanism.natural_relation or ADD_REMOVE
    if not isinstance(relation, Relation):
        raise ParameterError(
            f"relation must be ADD_REMOVE, REPLACE_ONE or ZERO_OUT, got {relation!r}"
        )
    return relation


def rdp(mechanism: Mechanism, order: Any, relation: Relation | None, method: str) -> Any:
    """Rényi divergence at each order, the larger of the two directions."""
    check_method(method)
    relation = relation_of(mechanism, relation)
    orders = np.atleast_1d(checks.numbers("order", order))
    for value in orders.ravel():
        checks.order("order", float(value))
    flat = orders.ravel()
    if not mechanism.parts:
        lower = upper = np.zeros(flat.shape)
    else:
        known = directions(mechanism, relation) is not None
        lower, upper = np.zeros(flat.shape), np.zeros(flat.shape)
        for part in _by_size(flat):
            value = np.maximum(*mechanism.renyi(flat[part], relation))
            upper[part] = value * (1 + ROUNDING) if known else value
            if known:
                attained = _attained_divergence(mechanism, relation, flat[part], value)
                lower[part] = attained * (1 - ROUNDING)
        lower, upper = _monotone(flat, lower, upper)
    if np.isnan(upper).any() or np.isnan(lower).any():
        raise NumericalError(f"a Rényi divergence of {mechanism!r} is not a number")
    lower = np.minimum(lower, upper)
    if np.ndim(order) == 0:
        return Bound(float(upper[0]), lower=float(lower[0]), method="renyi")
    return Bounds.of(lower.reshape(orders.shape), upper.reshape(orders.shape), "renyi")


def _by_size(orders: Array) -> list[Array]:
    """Places of the small orders together, and of each large one: it may be out of reach alone."""
    small = np.flatnonzero(orders <= LARGE_ORDER)
    large = np.flatnonzero(~(orders <= LARGE_ORDER))
    return ([small] if small.size else []) + [np.array([i]) for i in large]


def _monotone(orders: Array, lower: Array, upper: Array) -> tuple[Array, Array]:
    """Divergences grow with the order: each end holds for all smaller, or larger, orders too."""
    place = np.argsort(orders)
    lower, upper = lower.copy(), upper.copy()
    lower[place] = np.maximum.accumulate(lower[place])
    upper[place] = np.minimum.accumulate(upper[place][::-1])[::-1]
    return lower, upper


def _attained_divergence(
    mechanism: Mechanism, relation: Relation, orders: Array, upper: Array
) -> Array:
    """What some pair of neighbouring data sets attains."""
    attained = attained_sides(mechanism, relation, as_one=True)
    if attained is None or all(part.renyi_is_tighter for part in mechanism.parts):
        return upper  # such a curve is the largest over pairs, one for each order
    best = np.zeros(orders.shape)
    for side in attained:
        with suppress(NumericalError):  # 0 is a lower end too
            best = np.maximum(
                best, np.sum([n * divergence(loss, orders) for loss, n in side.parts], axis=0)
            )
    return best


def profile(
    mechanism: Mechanism,
    epsilons: Sequence[float] | Array,
    relation: Relation | None,
    method: str,
) -> Bounds:
    """δ at each ε."""
    answers = [delta(mechanism, each, relation, method) for each in np.asarray(epsilons).ravel()]
    shape = np.asarray(epsilons).shape
    return _bounds(answers, shape)


def _bounds(answers: Sequence[Bound], shape: tuple[int, ...]) -> Bounds:
    lower = np.array([answer.lower for answer in answers]).reshape(shape)
    upper = np.array([answer.upper for answer in answers]).reshape(shape)
    return Bounds.of(lower, upper, " and ".join(sorted({answer.method for answer in answers})))


def tradeoff(
    mechanism: Mechanism, alphas: Sequence[float] | Array, relation: Relation | None, method: str
) -> Bounds:
    """f(α), the smallest type II error at each type I error α."""
    wanted = checks.numbers("alphas", alphas)
    for value in wanted.ravel():
        checks.probability("alpha", float(value))
    if not mechanism.parts:
        return Bounds.of(1 - wanted, 1 - wanted, "closed form", safe="lower")
    curve = Profile(lambda epsilon: delta(mechanism, epsilon, relation, method))
    ends = [curve.error(float(alpha)) for alpha in wanted.ravel()]
    lower, upper = np.array(ends).reshape(-1, 2).T
    methods = " and ".join(sorted(curve.methods))
    return Bounds.of(
        lower.reshape(wanted.shape), upper.reshape(wanted.shape), methods, safe="lower"
    )


def epsilons(
    mechanism: Mechanism,
    delta: float,
    counts: Iterable[int],
    relation: Relation | None,
    method: str,
) -> Bounds:
    """ε after each number of repetitions."""
    delta = checks.probability("delta", delta)
    check_method(method)
    relation = relation_of(mechanism, relation)
    wanted = [checks.whole("count", int(n) if isinstance(n, np.integer) else n, 0) for n in counts]
    sides = directions(mechanism, relation) if method in ("auto", "contour") else None
    found: dict[int, Bound] = {}
    if sides and 0 < delta < 1 and not any(part.renyi_is_tighter for part in mechanism.parts):
        many = sorted(set(wanted) - {0, 1})
        found = steps.epsilons(sides, delta, many)
        if _other_sides(mechanism, relation) is not None:
            found = {}  # the smaller of two answers, one by one
        attained = attained_sides(mechanism * 2, relation)
        if attained is not None:
            halves = [ComposedLoss((loss, n // 2) for loss, n in side.parts) for side in attained]
            low = steps.epsilons(halves, delta, many)
            found = {
                n: Bound(found[n], lower=min(low[n].lower, found[n].upper), method=found[n].method)
                for n in found.keys() & low.keys()
            }
    for count in set(wanted) - set(found):
        found[count] = epsilon(mechanism * count, delta, relation, method)
    return _bounds([found[count] for count in wanted], (len(wanted),))
