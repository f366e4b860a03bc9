"""Curves of a mechanism: Rényi divergences, profiles, trade-offs, ε after each step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from hockeystick import checks
from hockeystick.bound import Bound, Bounds
from hockeystick.errors import NumericalError
from hockeystick.log_questions import epsilon_at
from hockeystick.loss.divergence import divergence, divergence_below_one
from hockeystick.loss.mixed import LARGE_ORDER
from hockeystick.numerics.types import Array
from hockeystick.questions import (
    Parts,
    Sides,
    answer,
    attained,
    divergences,
    dominating,
    game_of,
    parts_of,
    relation_of,
)
from hockeystick.relation import Relation
from hockeystick.routes.auto import AUTO, check_method
from hockeystick.routes.contour.route import CONTOUR
from hockeystick.routes.dense_profile import DenseProfile
from hockeystick.routes.game.curves import PlayedProfile, played_epsilons
from hockeystick.routes.game.route import NAME as GAME
from hockeystick.routes.growth import Counts, both_ways
from hockeystick.routes.profile import SharedProfile
from hockeystick.routes.question import CONTRADICTION, DeltaAt, EpsilonAt
from hockeystick.routes.renyi import NAME as RENYI
from hockeystick.routes.steps import epsilons_at
from hockeystick.routes.tradeoff import Profile
from hockeystick.small_delta import given

if TYPE_CHECKING:
    from hockeystick.mechanism import Mechanism

ROUNDING = 1e-13
"""Relative error of a Rényi divergence computed from a loss."""


def rdp(mechanism: Mechanism, order: Any, relation: Relation | None) -> Any:
    """Rényi divergence at each order, the larger of the two directions."""
    orders = np.atleast_1d(checks.numbers("order", order))
    for value in orders.ravel():
        checks.non_negative("order", float(value))
    flat = orders.ravel()
    lower, upper = np.zeros(flat.shape), np.zeros(flat.shape)
    relation = relation_of(mechanism, relation)
    parts = parts_of(mechanism, relation, steps=2)  # one pair has to do for all orders
    has_losses = bool(dominating(parts)) if parts else True
    if (below := flat < 1).any():
        lower[below], upper[below] = _below_one(parts, flat[below], has_losses)
    for some in _by_size(flat):
        value = np.maximum(*divergences(parts, flat[some]))
        upper[some] = value * (1 + ROUNDING) if has_losses else value
        if has_losses:
            lower[some] = _attained_divergence(parts, flat[some], value) * (1 - ROUNDING)
    lower, upper = _monotone(flat, lower, upper)
    if np.isnan(upper).any() or np.isnan(lower).any():
        raise NumericalError(f"a Rényi divergence of {mechanism!r} is not a number")
    lower = _agreed(lower, upper)
    asked: Any = {"mechanism": mechanism, "relation": relation}
    if np.ndim(order) == 0:
        asked["order"] = float(flat[0])
        return Bound(float(upper[0]), lower=float(lower[0]), method=RENYI, **asked)
    shape = orders.shape
    return Bounds.of(lower.reshape(shape), upper.reshape(shape), RENYI, order=orders, **asked)


def _by_size(orders: Array) -> list[Array]:
    """Places of the small orders together, and of each large one: it may be out of reach alone."""
    small = np.flatnonzero((orders >= 1) & (orders <= LARGE_ORDER))
    large = np.flatnonzero(orders > LARGE_ORDER)
    return ([small] if small.size else []) + [np.array([i]) for i in large]


def _below_one(parts: Parts, orders: Array, has_losses: bool) -> tuple[Array, Array]:
    """Both ends at orders in [0, 1), which only the law of a loss has; else those of order 1."""
    if not has_losses:
        return np.zeros(orders.shape), np.maximum(*divergences(parts, np.ones(orders.shape)))

    def total(sides: Sides) -> Array:
        directions = [
            np.sum([n * divergence_below_one(loss, orders) for loss, n in side.parts], axis=0)
            for side in sides
        ]
        return np.asarray(np.max(directions, axis=0))

    upper = np.min([total(sides) for sides in dominating(parts)], axis=0) * (1 + ROUNDING)
    sides = attained(parts)
    return (total(sides) if sides else upper) * (1 - 2 * ROUNDING), upper


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
    if not sides or all(evidence.curve_is_largest for evidence, _ in parts):
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
    return _bounds(_deltas(mechanism, relation, method)(wanted.ravel()), wanted.shape)


def _deltas(
    mechanism: Mechanism, relation: Relation | None, method: str
) -> Callable[[Iterable[float]], list[Bound]]:
    """δ at several ε, of which the contour answers many from one line."""
    shared = _shared_profile(mechanism, relation, method)
    game = game_of(mechanism, relation, method)
    played = PlayedProfile(*game) if game and game[1] > 1 else None

    def deltas(epsilons: Iterable[float]) -> list[Bound]:
        wanted = [checks.non_negative("epsilon", each) for each in epsilons]
        at = shared.deltas(wanted) if shared else {}
        for each in set(wanted) - set(at):
            at[each] = answer(mechanism, DeltaAt(each), relation, method, games=False)
        found = [at[each] for each in wanted]
        return _smaller(found, played.upper(wanted)) if played else found

    return deltas


def _smaller(bounds: list[Bound], upper: Array) -> list[Bound]:
    """With the upper ends of a game where they are smaller."""
    lower = _agreed(np.array([bound.lower for bound in bounds]), upper)
    return [
        Bound(end, lower=low, method=GAME) if end < bound else bound
        for bound, low, end in zip(bounds, lower.tolist(), upper.tolist(), strict=True)
    ]


def _agreed(lower: Array, upper: Array, margin: float = 0.0) -> Array:
    """Lower ends; an error where two routes contradict each other."""
    if (wrong := lower > upper * (1 + CONTRADICTION) + margin).any():
        low, high = float(lower[wrong][0]), float(upper[wrong][0])
        raise NumericalError(f"one route says at least {low!r}, another at most {high!r}")
    return np.minimum(lower, upper)


def _shared_profile(
    mechanism: Mechanism, relation: Relation | None, method: str
) -> SharedProfile | DenseProfile | None:
    """Lines for every ε where the contour is asked, first or alone, about one pair, or one sum of
    very many atoms; else None."""
    check_method(method)
    parts = parts_of(mechanism, relation_of(mechanism, relation))
    choices = dominating(parts) if parts and method in (AUTO, CONTOUR) else []
    tighter = any(evidence.curve_is_tighter for evidence, _ in parts)
    if len(choices) != 1 or (tighter and method == AUTO):
        return None  # the smaller of two answers, one by one
    if method == AUTO and (dense := DenseProfile(choices[0], attained(parts))).is_useful:
        return dense
    shared = SharedProfile(choices[0], attained(parts))
    return shared if method == CONTOUR or shared.is_useful else None


def _bounds(answers: Sequence[Bound], shape: tuple[int, ...]) -> Bounds:
    lower = np.array([answer.lower for answer in answers]).reshape(shape)
    upper = np.array([answer.upper for answer in answers]).reshape(shape)
    return as_bounds(lower, upper, [answer.method for answer in answers])


def as_bounds(lower: Array, upper: Array, methods: Iterable[str]) -> Bounds:
    """The answers as one."""
    return Bounds.of(lower, upper, " and ".join(sorted(set(methods))))


def tradeoff(
    mechanism: Mechanism, alphas: Sequence[float] | Array, relation: Relation | None, method: str
) -> Bounds:
    """f(α), the smallest type II error at each type I error α."""
    wanted = checks.numbers("alphas", alphas)
    for value in wanted.ravel():
        checks.probability("alpha", float(value))
    if not mechanism.parts:
        return Bounds.of(1 - wanted, 1 - wanted, "closed form", safe="lower")
    curve = Profile(_deltas(mechanism, relation, method))
    lower, upper = curve.errors(wanted.ravel())
    methods = " and ".join(sorted(curve.methods))
    return Bounds.of(
        lower.reshape(wanted.shape), upper.reshape(wanted.shape), methods, safe="lower"
    )


def each_epsilon(
    mechanism: Mechanism,
    delta: float,
    counts: Iterable[int],
    relation: Relation | None,
    method: str,
    before: Mechanism | None = None,
) -> tuple[Array, Array, list[str]]:
    """ε after each number of repetitions, which may come after something else: the ends of each,
    and which method answered."""
    delta = given(delta)
    check_method(method)
    wanted = np.array(checks.wholes("count", counts, 0), dtype=np.int64)
    different, places = np.unique(wanted, return_inverse=True)
    lower, upper = _together(mechanism, delta, different, relation, method, before)
    methods = [CONTOUR] * different.size
    for i in np.flatnonzero(np.isnan(upper)):
        alone = mechanism * int(different[i])
        alone = alone if before is None else before + alone
        each = epsilon_at(alone, delta, relation, method, games=False)
        lower[i], upper[i], methods[i] = each.lower, each.upper, each.method
    if before is None and (game := game_of(mechanism, relation, method)):
        ends = played_epsilons(game[0], delta, different * game[1]) if 0 < delta < 1 else upper
        methods = [GAME if a < b else each for a, b, each in zip(ends, upper, methods, strict=True)]
        upper = np.minimum(upper, ends)
        lower = _agreed(lower, upper, EpsilonAt.margin)
    return lower[places], upper[places], [methods[place] for place in places.tolist()]


def _together(
    mechanism: Mechanism,
    delta: float,
    counts: Array,
    relation: Relation | None,
    method: str,
    before: Mechanism | None,
) -> tuple[Array, Array]:
    """ε at those of the growing counts that one line of the contour can serve many of; else NaN."""
    lower, upper = np.full((2, counts.size), np.nan)
    whole = mechanism if before is None else before + mechanism
    if method not in (AUTO, CONTOUR) or not 0 < delta < 1 or not mechanism.parts:
        return lower, upper
    evidence = [each for each, _ in parts_of(whole, relation_of(whole, relation), steps=2)]
    one_pair = all(len(each.pairs) == 1 and not each.curve_is_tighter for each in evidence)
    one_pair = one_pair and all(each.loss.terms is None for each in evidence)
    if not one_pair:
        return lower, upper  # the smaller of two answers, one by one
    ran = {} if before is None else before.parts
    times = Counts(
        tuple(ran.get(part, 0) for part in whole.parts),
        tuple(mechanism.parts.get(part, 0) for part in whole.parts),
    )
    many = sum(times.before) + counts * sum(times.each) > 1
    if not all(times.before):
        many &= counts > 0  # other parts may have another natural relation
    some, sampled = counts[many], any(each.attained for each in evidence)
    sides = both_ways([each.loss for each in evidence], times)
    lower[many], upper[many] = epsilons_at(sides, delta, some, rounded=sampled)
    if sampled:
        sides = both_ways([each.attained_loss for each in evidence], times)
        lower[many] = np.minimum(epsilons_at(sides, delta, some)[0], upper[many])
    return lower, np.where(np.isnan(lower), np.nan, upper)
