"""The questions one can ask of a mechanism."""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from hockeystick import checks
from hockeystick.bound import Bound, Interval
from hockeystick.errors import CannotCertify, ParameterError
from hockeystick.evidence import Curve, Evidence, known
from hockeystick.loss.sum import ComposedLoss, both_ways
from hockeystick.loss.triples.base import Triples
from hockeystick.numerics.types import Array
from hockeystick.relation import ADD_REMOVE, Relation
from hockeystick.routes.auto import AUTO, check_method, guess, smallest, worst
from hockeystick.routes.base import CannotAnswer
from hockeystick.routes.game.route import NAME as GAME
from hockeystick.routes.game.route import upper_end
from hockeystick.routes.question import EpsilonAt, Question
from hockeystick.routes.renyi import NAME as RENYI

if TYPE_CHECKING:
    from hockeystick.mechanism import Mechanism

EVERYTHING_ALLOWED = EpsilonAt(1.0)
"""With δ = 1 a computation may do as it likes."""

Parts = list[tuple[Evidence, int]]
"""What each part of a mechanism says of itself, and how often it runs."""
Sides = list[ComposedLoss]
"""The sum of the losses of all parts, and its reverse unless that is the same."""

MANY_STEPS = 16
"""Of fewer a saddle point says too little to leave pairs out."""


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


def lower_end(parts: Parts, question: Question, lower: float) -> float:
    """The largest of what pairs of neighbouring data sets cost, and `lower` where all pairs are
    such; pairs besides the first may refuse to answer, or take too long for a better digit."""
    if attained(parts):
        lower = _attained_end(parts, question)
    return _raised(parts, question, lower)


def _attained_end(parts: Parts, question: Question) -> float:
    """The lower end of what a pair of neighbouring data sets costs."""
    return _kept_end(tuple(parts), question)


@lru_cache(maxsize=4)
def _kept_end(parts: tuple[tuple[Evidence, int], ...], question: Question) -> float:
    """The same, the last ones kept: whether a game is worth its time is told by it first."""
    return worst(attained(list(parts)), question, AUTO).lower


def _raised(parts: Parts, question: Question, lower: float) -> float:
    """`lower`, or what the pairs besides the first cost."""
    (evidence, count), *others = parts
    for loss in () if others else evidence.also_attained:
        with suppress(*CannotAnswer):
            lower = max(lower, worst(both_ways([(loss, count)]), question, AUTO).lower)
    return lower


def renyi_curve(mechanism: Mechanism, relation: Relation) -> Curve:
    """Rényi divergences of all parts of a mechanism together."""
    return partial(divergences, parts_of(mechanism, relation))


def divergences(parts: Parts, orders: Array) -> tuple[Array, Array]:
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
    games: bool = True,
) -> Bound:
    """The smallest upper end of all evidence, and the lower end of what is attained; for one of
    very many questions without `games`, which take longer than pairs."""
    check_method(method)
    relation = relation_of(mechanism, relation)
    if certify:
        return proven(mechanism, question, relation, method)
    asked: Any = {"mechanism": mechanism, "relation": relation, **vars(question)}
    if not mechanism.parts or question == EVERYTHING_ALLOWED:
        return Bound(0.0, lower=0.0, method="closed form", **asked)
    parts = parts_of(mechanism, relation)
    if method == GAME:
        best, lower = _game(parts, question), lower_end(parts, question, 0.0)
        lower = question.agreed(lower, best.upper)
        return Bound(best.upper, lower=lower, method=GAME, **asked)
    choices = [] if method == RENYI else dominating(parts)
    if not choices and method not in (AUTO, RENYI):
        raise ParameterError(
            f"method must be 'auto' or 'renyi' for a mechanism known by its Rényi curve alone, "
            f"got {method!r}"
        )
    if method == AUTO and games and (ends := _played(parts, question)):
        return Bound(ends.upper, lower=ends.lower, method=GAME, **asked)
    sides = attained(parts)
    if method == AUTO and sides and len(choices) > 1:
        answers = smallest(choices, question)
    else:
        answers = [worst(each, question, method) for each in choices]
    if not choices or (method == AUTO and any(each.curve_is_tighter for each, _ in parts)):
        answers.append(question.from_curve(partial(divergences, parts)))
    best = min(answers, key=lambda answer: answer.upper)
    lower = answers[0].lower
    if choices and sides:
        lower = _attained_end(parts, question)
    played = any(each.triples and each.triples.rate < 1 for each, _ in parts)
    if method == AUTO and games and played:
        best, lower = _nearer(parts, question, best, lower)
    lower = question.agreed(lower, best.upper)
    return Bound(best.upper, lower=lower, method=best.method, **asked)


def _played(parts: Parts, question: Question) -> Interval | None:
    """Both ends of equal steps on batches of fixed size by their game alone, where by all one can
    guess no pair comes near it; else None."""
    (evidence, count), *others = parts
    triples = evidence.triples
    if others or count < MANY_STEPS or triples is None or not triples.is_game:
        return None
    return _both_ends(evidence, count, question)


@lru_cache(maxsize=256)
def _both_ends(evidence: Evidence, count: int, question: Question) -> Interval | None:
    """The same, kept."""
    parts, triples = [(evidence, count)], evidence.triples
    if not evidence.attained:
        return None
    lower = _attained_end(parts, question)
    about = min(guess(each, question) for each in dominating(parts))
    if triples is not None and question.is_above(about, lower):
        with suppress(*CannotAnswer):
            upper = upper_end(question, triples, count).upper
            if question.is_above(about, upper):
                lower = question.agreed(_raised(parts, question, lower), upper)
                return Interval(lower, upper, GAME) if question.is_near(lower, upper) else None
    return None


def _nearer(
    parts: Parts, question: Question, best: Interval, lower: float
) -> tuple[Interval, float]:
    """Both ends for equal steps on batches of fixed size, where those of pairs are so far apart
    that a game is worth its time: the smaller upper and the larger lower end."""
    (evidence, count), *others = parts
    triples = evidence.triples
    if others or triples is None:
        return best, lower
    if best.upper <= lower * (1 + triples.worthwhile):
        return best, lower
    if triples.is_game and count > 1:
        with suppress(*CannotAnswer):
            best = min(best, upper_end(question, triples, count), key=lambda each: each.upper)
    return best, _raised(parts, question, lower)


def game_of(
    mechanism: Mechanism, relation: Relation | None, method: str
) -> tuple[Triples, int] | None:
    """The triples and the number of equal steps where an answer may take a game; else None."""
    parts = parts_of(mechanism, relation_of(mechanism, relation)) if method == AUTO else []
    if len(parts) != 1:
        return None
    ((evidence, count),) = parts
    triples = evidence.triples
    return (triples, count) if triples is not None and triples.is_game else None


def _game(parts: Parts, question: Question) -> Interval:
    """The upper end of the game, for those who ask for it."""
    (evidence, count), *others = parts
    triples = evidence.triples
    if others or count == 1 or triples is None or not triples.is_game:
        raise ParameterError(
            "method 'game' is for several equal steps on batches of fixed size, of Gaussian noise, "
            "Laplace noise on one number (dimension=1) or binary randomized response, when a "
            "record is replaced or zeroed out"
        )
    return upper_end(question, triples, count)


def proven(mechanism: Mechanism, question: Question, relation: Relation, method: str) -> Bound:
    """The same between ends that are theorems; `CannotCertify` where a proof lacks something."""
    asked: Any = {"mechanism": mechanism, "relation": relation, **vars(question)}
    if method != AUTO:
        raise ParameterError(f"method must be 'auto' for a certified answer, got {method!r}")
    if not mechanism.parts or question == EVERYTHING_ALLOWED:
        return Bound(0.0, lower=0.0, method="closed form", certified=True, **asked)
    try:
        bound = _proven(parts_of(mechanism, relation), question)
    except CannotCertify as error:
        plain = answer(mechanism, question, relation, method)
        raise CannotCertify(
            f"{error}; not certified, the answer is {float(plain)!r}, method: {plain.method}"
        ) from error
    return Bound(bound.upper, **(vars(bound) | asked))


def proven_divergence(mechanism: Mechanism, order: Any, relation: Relation | None) -> Bound:
    """A Rényi divergence between ends that are theorems."""
    if np.ndim(order):
        raise ParameterError("order must be one number for a certified answer, got several")
    order = checks.order("order", order)
    relation = relation_of(mechanism, relation)
    asked: Any = {"mechanism": mechanism, "relation": relation, "order": order}
    if not mechanism.parts:
        return Bound(0.0, lower=0.0, method=RENYI, certified=True, **asked)
    parts = parts_of(mechanism, relation, steps=2)
    bound = _certified().divergence(dominating(parts), attained(parts), order)
    return Bound(bound.upper, **(vars(bound) | asked))


def _proven(parts: Parts, question: Question) -> Bound:
    bound: Bound = _certified().best(dominating(parts), attained(parts), question)
    return bound


def _certified() -> Any:
    try:
        from hockeystick.routes.certified import route
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "a certified answer needs python-flint: pip install 'hockeystick[certify]'"
        ) from error
    return route
