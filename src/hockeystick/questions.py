"""The questions one can ask of a mechanism, and the choice of the route that answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from hockeystick import checks
from hockeystick.bound import Bound, Bounds, Interval
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.loss.base import LARGE_ORDER, Loss
from hockeystick.loss.sum import ComposedLoss
from hockeystick.mechanism import Mechanism, divergence
from hockeystick.numerics.rounding import added
from hockeystick.numerics.series import Array
from hockeystick.relation import ADD_REMOVE, Relation
from hockeystick.routes import closed_form, contour, dense, enumeration, lattice, renyi
from hockeystick.routes.saddle import log_chernoff
from hockeystick.routes.tradeoff import Profile

METHODS = ("auto", "closed form", "contour", "lattice", "renyi")
LOOSE = 1e-4
"""Relative gap between the ends from which on another route is tried as well."""
CONTRADICTION = 1e-6
"""How far, relatively, a lower end may be above an upper one before it is an error."""
MANY = 200
"""Steps from which on the contour takes a few milliseconds."""
ROUNDING = 1e-13
"""Relative error of a Rényi divergence computed from a loss."""


def epsilon(mechanism: Mechanism, delta: float, relation: Relation | None, method: str) -> Bound:
    """The smallest ε for a given δ."""
    delta = checks.probability("delta", delta)
    _check(method)
    relation = relation_of(mechanism, relation)
    if delta == 1 or not mechanism.parts:
        return Bound(0.0, lower=0.0, method="closed form")
    return _answer(mechanism, relation, method, _EPSILON, delta)


def delta(mechanism: Mechanism, epsilon: float, relation: Relation | None, method: str) -> Bound:
    """The smallest δ for a given ε."""
    epsilon = checks.non_negative("epsilon", epsilon)
    _check(method)
    relation = relation_of(mechanism, relation)
    if not mechanism.parts:
        return Bound(0.0, lower=0.0, method="closed form")
    return _answer(mechanism, relation, method, _DELTA, epsilon)


class _Question:
    """ε(δ) or δ(ε): what each route has to say to it."""

    def __init__(self, name: str) -> None:
        self.at_the_ends: Callable[[ComposedLoss, float], Interval | None]
        self.at_the_ends = getattr(closed_form, f"{name}_at_the_ends")
        self.closed_form: Callable[[ComposedLoss, float], Interval | None]
        self.closed_form = getattr(closed_form, name)
        self.contour: Callable[[ComposedLoss, float], Interval] = getattr(contour, name)
        self.lattice: Callable[[ComposedLoss, float], Interval] = getattr(lattice, name)
        self.enumeration: Callable[[ComposedLoss, float], Interval] = getattr(enumeration, name)
        self.renyi: Callable[[renyi.Curve, float], Interval] = getattr(renyi, name)

    def ask(self, loss: ComposedLoss, given: float, method: str) -> Interval:
        """One direction, by the method asked for or the first that does it well.

        An answer whose ends are far apart is compared with the next route's; where all else fails
        the Rényi divergences of the loss still give a safe upper end.
        """
        loss.check_mass()
        found: list[Interval] = []
        answer = self.at_the_ends(loss, given)
        if answer is not None:
            return answer
        if method in ("auto", "closed form"):
            try:
                answer = self.closed_form(loss, given)
            except NumericalError:
                if method == "closed form":
                    raise
                answer = None
            if answer is not None:
                return answer
            if method == "closed form":
                raise NumericalError("there is no closed form for this composition")
        if method in ("auto", "lattice") and dense.is_dense(loss):
            return self._by_fewer_atoms(loss, given, method)
        if method == "contour":
            return self.contour(loss, given)
        if method == "lattice" and loss.spacing is None:
            return self.lattice(loss, given)
        routes = [self.contour, self.lattice, self.enumeration]
        # Many steps on one lattice are a matter of milliseconds for the contour, and exact.
        adding_first = method == "auto" and enumeration.is_first(loss)
        adding_first = adding_first and (loss.spacing is None or loss.steps <= enumeration.FEW)
        if adding_first:
            routes = [self.enumeration, self.contour, self.lattice]
        for route in routes:
            if route == self.enumeration and not enumeration.is_worthwhile(loss, found):
                continue
            try:
                answer = route(loss, given)
            except (NumericalError, ArithmeticError, ValueError) as error:
                if isinstance(error, ParameterError):
                    raise
                continue
            if adding_first and not enumeration.is_poor([answer]):
                return answer
            if answer.lower >= (1 - LOOSE) * answer.upper:
                return answer
            found.append(answer)
        if not found or enumeration.is_poor(found):
            found.append(self.renyi(_curve_of(loss), given))
        if self is _DELTA:
            bound = math.exp(min(log_chernoff(loss, given), 0.0)) + 5e-324
            ends = added(0.0, bound, (loss.least_infinite, loss.infinite))
            found.append(Interval(*ends, "renyi"))
        else:
            found.append(Interval(0.0, max(0.0, loss.top), "closed form"))
        best = min(found, key=lambda each: each.upper)
        lower = max(each.lower for each in found)
        return Interval(self.below(lower, best.upper), best.upper, best.method)

    def _by_fewer_atoms(self, loss: ComposedLoss, given: float, method: str) -> Interval:
        """The ends from two compositions of fewer atoms, one above and one below."""
        if self is _DELTA:
            log_delta = min(log_chernoff(loss, given), -1.0)
        else:
            log_delta = math.log(max(given - loss.infinite, 1e-300))
        mass = max(dense.TRUNCATED * math.exp(log_delta), 1e-300)
        high = self.ask(dense.thinned(loss, mass, log_delta, True), given, method)
        below = dense.thinned(loss, mass, log_delta, False)
        hidden = below.infinite - loss.infinite
        low = self.ask(below, given + (hidden if self is _EPSILON else 0.0), method)
        lower = low.lower - (hidden if self is _DELTA else 0.0)
        return Interval(max(0.0, min(lower, high.upper)), high.upper, high.method)

    def below(self, lower: float, upper: float) -> float:
        """The lower end; an error where two routes contradict each other."""
        if lower > upper * (1 + CONTRADICTION) + (CONTRADICTION if self is _EPSILON else 0.0):
            raise NumericalError(f"one route says at least {lower!r}, another at most {upper!r}")
        return min(lower, upper)


_EPSILON, _DELTA = _Question("epsilon"), _Question("delta")


def _answer(
    mechanism: Mechanism, relation: Relation, method: str, question: _Question, given: float
) -> Bound:
    sides = None if method == "renyi" else directions(mechanism, relation)
    curve = lambda orders: mechanism.renyi(orders, relation)  # noqa: E731
    if sides is None:
        if method not in ("auto", "renyi"):
            raise ParameterError(
                f"method must be 'auto' or 'renyi' for a mechanism known by its Rényi curve alone, "
                f"got {method!r}"
            )
        return _bound(question.renyi(curve, given))
    answer = _worst(sides, question, given, method)
    other_sides = _other_sides(mechanism, relation)
    if other_sides is not None:
        other = _worst(other_sides, question, given, method)
        answer = min(answer, other, key=lambda each: each.upper)
    if method == "auto" and any(part.renyi_is_tighter for part in mechanism.parts):
        other = question.renyi(curve, given)
        answer = min(answer, other._replace(lower=answer.lower), key=lambda each: each.upper)
    attained = attained_sides(mechanism, relation)
    if attained is not None:
        lower = _worst(attained, question, given, "auto").lower
        answer = answer._replace(lower=question.below(lower, answer.upper))
    return _bound(answer)


def _worst(
    sides: Sequence[ComposedLoss], question: _Question, given: float, method: str
) -> Interval:
    """The answer of the direction that costs most."""
    answers: list[Interval] = []
    with np.errstate(over="ignore", invalid="ignore"):  # far out; what is not a number is refused
        for loss in sides:
            if answers and _is_milder(loss, question, given, answers[0]):
                continue
            try:
                answers.append(question.ask(loss, given, method))
            except OverflowError as error:
                raise NumericalError(f"a number on the way is too large: {error}") from error
    worst = max(answers, key=lambda answer: answer.upper)
    return Interval(max(a.lower for a in answers), worst.upper, worst.method)


def _is_milder(loss: ComposedLoss, question: _Question, given: float, other: Interval) -> bool:
    """Whether this direction certainly costs no more than the other: so by Chernoff's bound or, if
    ε is asked for, by its own δ there, either cheaper than its own answer."""
    epsilon, delta = (other.lower, given) if question is _EPSILON else (given, other.lower)
    if math.isinf(epsilon):
        return True
    if loss.top <= epsilon:
        return loss.infinite <= delta
    if loss.infinite >= delta:
        return False
    if question is _EPSILON and epsilon == 0:
        return closed_form.is_never_told_apart(loss, delta)
    try:
        # With many steps the contour, if it can, is as fast as Chernoff's bound.
        log_delta = math.log(delta - loss.infinite)
        slow = loss.steps <= MANY or (loss.spacing is None and not loss.continuous)
        if slow and log_chernoff(loss, epsilon, log_delta) <= log_delta:
            return True
        return question is _EPSILON and _DELTA.ask(loss, epsilon, "auto").upper <= delta
    except NumericalError:
        return False


def _curve_of(loss: ComposedLoss) -> renyi.Curve:
    """The Rényi curve of one direction; what is known of the reverse is not used."""

    def curve(orders: Array) -> tuple[Array, Array]:
        if loss.infinite:
            return np.full(orders.shape, math.inf), np.full(orders.shape, math.inf)
        return loss.real_cgf(orders - 1) / (orders - 1), np.full(orders.shape, math.inf)

    return curve


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


def _check(method: str) -> None:
    if method not in METHODS:
        raise ParameterError(f"method must be one of {', '.join(METHODS)}, got {method!r}")


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
    _check(method)
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
    from hockeystick.routes import curve

    delta = checks.probability("delta", delta)
    _check(method)
    relation = relation_of(mechanism, relation)
    wanted = [checks.whole("count", int(n) if isinstance(n, np.integer) else n, 0) for n in counts]
    sides = directions(mechanism, relation) if method in ("auto", "contour") else None
    found: dict[int, Bound] = {}
    if sides and 0 < delta < 1 and not any(part.renyi_is_tighter for part in mechanism.parts):
        many = sorted(set(wanted) - {0, 1})
        found = curve.epsilons(sides, delta, many)
        if _other_sides(mechanism, relation) is not None:
            found = {}  # the smaller of two answers, one by one
        attained = attained_sides(mechanism * 2, relation)
        if attained is not None:
            halves = [ComposedLoss((loss, n // 2) for loss, n in side.parts) for side in attained]
            low = curve.epsilons(halves, delta, many)
            found = {
                n: Bound(found[n], lower=min(low[n].lower, found[n].upper), method=found[n].method)
                for n in found.keys() & low.keys()
            }
    for count in set(wanted) - set(found):
        found[count] = epsilon(mechanism * count, delta, relation, method)
    return _bounds([found[count] for count in wanted], (len(wanted),))
