"""The questions one can ask of a mechanism."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from hockeystick import checks
from hockeystick.bound import Bound, Bounds
from hockeystick.errors import CannotCertify, NumericalError, ParameterError
from hockeystick.evidence import Curve, Evidence, known
from hockeystick.loss.divergence import divergence
from hockeystick.loss.mixed import LARGE_ORDER
from hockeystick.loss.sum import ComposedLoss, both_ways
from hockeystick.numerics.types import Array
from hockeystick.relation import ADD_REMOVE, Relation
from hockeystick.routes.auto import AUTO, check_method, worst
from hockeystick.routes.question import EpsilonAt, Question
from hockeystick.routes.renyi import NAME as RENYI
from hockeystick.routes.steps import epsilons_at
from hockeystick.routes.tradeoff import Profile

if TYPE_CHECKING:
    from hockeystick.mechanism import Mechanism

ROUNDING = 1e-13
"""Relative error of a Rényi divergence computed from a loss."""

EVERYTHING_ALLOWED = EpsilonAt(1.0)
"""With δ = 1 a computation may do as it likes."""

Parts = list[tuple[Evidence, int]]
"""What each part of a mechanism says of itself, and how often it runs."""
Sides = list[ComposedLoss]
"""The sum of the losses of all parts, and its reverse unless that is the same."""


def relation_of(mechanism: Mechanism, relation: Relation | None) -> Relation:
    """The relation to answer for: the one named, else the samplers' natural one."""
    if relation is None:
        return mechanism.natural_relation or ADD_REMOVE
    if not isinstance(relation, Relation):
        raise ParameterError(
            f"relation must be ADD_REMOVE, REPLACE_ONE or ZERO_OUT, got {relation!r}"
        )
    return relation


def parts_of(mechanism: Mechanism, relation: Relation, steps: int = 1) -> Parts:
    """The evidence of every part, as one of at least so many steps."""
    parts = mechanism.parts
    steps = min(max(sum(parts.values()), steps), 2)
    return [(known(part, relation, steps), count) for part, count in parts.items()]


def dominating(parts: Parts) -> list[Sides]:
    """For each choice of pairs that dominate: the first of every part, the second where there is
    one, … No choice at all where a part is known by its Rényi curve alone."""
    if not all(evidence.pairs for evidence, _ in parts):
        return []
    choices = max(len(evidence.pairs) for evidence, _ in parts)
    return [
        both_ways((evidence.pairs[min(i, len(evidence.pairs) - 1)], n) for evidence, n in parts)
        for i in range(choices)
    ]


def attained(parts: Parts) -> Sides:
    """The sums of a pair of neighbouring data sets; none where the first pairs are of such."""
    if not any(evidence.attained for evidence, _ in parts):
        return []
    return both_ways((evidence.attained_loss, count) for evidence, count in parts)


def renyi_curve(mechanism: Mechanism, relation: Relation) -> Curve:
    """Rényi divergences of all parts of a mechanism together."""
    return partial(_divergences, parts_of(mechanism, relation))


def _divergences(parts: Parts, orders: Array) -> tuple[Array, Array]:
    one, other = np.zeros(orders.shape), np.zeros(orders.shape)
    for evidence, count in parts:
        forward, backward = evidence.renyi(orders)
        one, other = one + count * forward, other + count * backward
    return one, other


# one number -------------------------------------------------------------------------------------


def answer(
    mechanism: Mechanism,
    question: Question,
    relation: Relation | None,
    method: str,
    certify: bool = False,
) -> Bound:
    """The smallest upper end of all evidence, and the lower end of what is attained."""
    check_method(method)
    relation = relation_of(mechanism, relation)
    if certify:
        return proven(mechanism, question, relation, method)
    if not mechanism.parts or question == EVERYTHING_ALLOWED:
        return Bound(0.0, lower=0.0, method="closed form")
    parts = parts_of(mechanism, relation)
    choices = [] if method == RENYI else dominating(parts)
    if not choices and method not in (AUTO, RENYI):
        raise ParameterError(
            f"method must be 'auto' or 'renyi' for a mechanism known by its Rényi curve alone, "
            f"got {method!r}"
        )
    answers = [worst(sides, question, method) for sides in choices]
    if not choices or (method == AUTO and any(each.curve_is_tighter for each, _ in parts)):
        answers.append(question.from_curve(partial(_divergences, parts)))
    best = min(answers, key=lambda answer: answer.upper)
    lower = answers[0].lower
    if choices and (sides := attained(parts)):
        lower = worst(sides, question, AUTO).lower
    return Bound(best.upper, lower=question.agreed(lower, best.upper), method=best.method)


def proven(mechanism: Mechanism, question: Question, relation: Relation, method: str) -> Bound:
    """The same between ends that are theorems; `CannotCertify` where a proof lacks something."""
    if method != AUTO:
        raise ParameterError(f"method must be 'auto' for a certified answer, got {method!r}")
    if not mechanism.parts or question == EVERYTHING_ALLOWED:
        return Bound(0.0, lower=0.0, method="closed form", certified=True)
    try:
        return _proven(parts_of(mechanism, relation), question)
    except CannotCertify as error:
        plain = answer(mechanism, question, relation, method)
        raise CannotCertify(
            f"{error}; not certified, the answer is {float(plain)!r}, method: {plain.method}"
        ) from error


def _proven(parts: Parts, question: Question) -> Bound:
    try:
        from hockeystick.routes.certified.route import best
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "a certified answer needs python-flint: pip install 'hockeystick[certify]'"
        ) from error
    return best(dominating(parts), attained(parts), question)


# Rényi divergences ------------------------------------------------------------------------------


def rdp(mechanism: Mechanism, order: Any, relation: Relation | None) -> Any:
    """Rényi divergence at each order, the larger of the two directions."""
    orders = np.atleast_1d(checks.numbers("order", order))
    for value in orders.ravel():
        checks.order("order", float(value))
    flat = orders.ravel()
    lower, upper = np.zeros(flat.shape), np.zeros(flat.shape)
    relation = relation_of(mechanism, relation)
    parts = parts_of(mechanism, relation, steps=2)  # one pair has to do for all orders
    has_losses = bool(dominating(parts)) if parts else True
    for some in _by_size(flat):
        value = np.maximum(*_divergences(parts, flat[some]))
        upper[some] = value * (1 + ROUNDING) if has_losses else value
        if has_losses:
            lower[some] = _attained_divergence(parts, flat[some], value) * (1 - ROUNDING)
    lower, upper = _monotone(flat, lower, upper)
    if np.isnan(upper).any() or np.isnan(lower).any():
        raise NumericalError(f"a Rényi divergence of {mechanism!r} is not a number")
    lower = np.minimum(lower, upper)
    if np.ndim(order) == 0:
        return Bound(float(upper[0]), lower=float(lower[0]), method=RENYI)
    return Bounds.of(lower.reshape(orders.shape), upper.reshape(orders.shape), RENYI)


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


def _attained_divergence(parts: Parts, orders: Array, upper: Array) -> Array:
    """What some pair of neighbouring data sets attains."""
    sides = attained(parts)
    if not sides or all(evidence.curve_is_tighter for evidence, _ in parts):
        return upper  # such a curve is the largest over pairs, one for each order
    best = np.zeros(orders.shape)
    for side in sides:
        with suppress(NumericalError):  # 0 is a lower end too
            best = np.maximum(
                best, np.sum([n * divergence(loss, orders) for loss, n in side.parts], axis=0)
            )
    return best


# curves -----------------------------------------------------------------------------------------


def profile(
    mechanism: Mechanism,
    epsilons: Sequence[float] | Array,
    relation: Relation | None,
    method: str,
) -> Bounds:
    """δ at each ε."""
    wanted = np.asarray(epsilons)
    answers = [mechanism.delta(each, relation=relation, method=method) for each in wanted.ravel()]
    return _bounds(answers, wanted.shape)


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
    curve = Profile(lambda epsilon: mechanism.delta(epsilon, relation=relation, method=method))
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
    wanted = [checks.whole("count", int(n) if isinstance(n, np.integer) else n, 0) for n in counts]
    at = _together(mechanism, delta, wanted, relation) if method in (AUTO, "contour") else {}
    for count in set(wanted) - set(at):
        at[count] = (mechanism * count).epsilon(delta, relation=relation, method=method)
    return _bounds([at[count] for count in wanted], (len(wanted),))


def _together(
    mechanism: Mechanism, delta: float, counts: Sequence[int], relation: Relation | None
) -> dict[int, Bound]:
    """ε at those counts that one line of the contour can serve many of."""
    parts = parts_of(mechanism, relation_of(mechanism, relation), steps=2)
    choices = dominating(parts) if parts else []
    tighter = any(evidence.curve_is_tighter for evidence, _ in parts)
    if len(choices) != 1 or tighter or not 0 < delta < 1:
        return {}  # the smaller of two answers, one by one
    many = sorted(set(counts) - {0, 1})
    at = epsilons_at(choices[0], delta, many)
    sides = attained(parts)
    if not sides:
        return at
    low = epsilons_at(sides, delta, many)
    return {
        n: Bound(at[n], lower=min(low[n].lower, at[n].upper), method=at[n].method)
        for n in at.keys() & low.keys()
    }
