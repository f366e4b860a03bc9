"""Which route answers: the one that is asked for, or the first that does it well."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from hockeystick.bound import Interval
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.loss.sum import ComposedLoss
from hockeystick.routes import closed_form, dense, lattice, renyi
from hockeystick.routes.adding import evident
from hockeystick.routes.adding import route as adding
from hockeystick.routes.base import CannotAnswer, Route
from hockeystick.routes.contour import route as contour
from hockeystick.routes.contour.few_steps.answer import steps_of
from hockeystick.routes.contour.lifted import answer as lifted
from hockeystick.routes.contour.lifted.law import law_of
from hockeystick.routes.contour.saddle import find_saddle, log_chernoff
from hockeystick.routes.game import route as game
from hockeystick.routes.grid import route as grid
from hockeystick.routes.question import Question

AUTO = "auto"
ROUTES = {
    route.name: route for route in (closed_form.ROUTE, contour.ROUTE, lattice.ROUTE, renyi.ROUTE)
}
"""In the order in which "auto" tries them; their names are listed in the package too."""
METHODS = (AUTO, *ROUTES, game.NAME)
SENTENCES = {name: route.sentence for name, route in ROUTES.items()} | {game.NAME: game.SENTENCE}
FEW_STEPS = 200
"""Up to here it is worth to look first whether they are harmless: the contour may take long."""


def check_method(method: str) -> None:
    """An error unless it is "auto" or the name of a route."""
    if method not in METHODS:
        raise ParameterError(f"method must be one of {', '.join(METHODS)}, got {method!r}")


def worst(sides: Sequence[ComposedLoss], question: Question, method: str) -> Interval:
    """The answer of the direction that costs most."""
    answers: list[Interval] = []
    with np.errstate(over="ignore", invalid="ignore"):  # far out; what is not a number is refused
        for loss in sides:
            if answers and _is_milder(loss, question, answers[0]):
                continue
            answers.append(answer(question, loss, method))
    most = max(answers, key=lambda each: each.upper)
    return Interval(max(each.lower for each in answers), most.upper, most.method)


def smallest(choices: Sequence[Sequence[ComposedLoss]], question: Question) -> list[Interval]:
    """The answers of those choices of pairs that may be the smallest: of pairs that all dominate
    each answer is valid, so that what is certainly larger than another, or by all one can guess,
    need not be known."""
    if all(loss.one for sides in choices for loss in sides):
        return [worst(sides, question, AUTO) for sides in choices]  # faster than any guess
    answers: list[Interval] = []
    guesses = [guess(sides, question) for sides in choices]
    least = min(filter(math.isfinite, guesses), default=-math.inf)
    for i in sorted(range(len(choices)), key=guesses.__getitem__):
        best = min(answers, key=lambda each: each.upper, default=None)
        bounded = best is not None and math.isfinite(best.upper)
        if bounded and question.is_clearly_larger(guesses[i], least):
            continue
        if best is None or not any(_is_larger(loss, question, best) for loss in choices[i]):
            answers.append(worst(choices[i], question, AUTO))
    return answers


def guess(sides: Sequence[ComposedLoss], question: Question) -> float:
    """About the answer, by the saddle point; −inf where that has none."""
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            return max(question.guess(loss) for loss in sides)
    except (NumericalError, OverflowError):
        return -math.inf


def _is_larger(loss: ComposedLoss, question: Question, other: Interval) -> bool:
    """Whether this direction certainly costs more than another pair's upper end: so one step does,
    or by the lower end of a coarse grid."""
    epsilon, delta, _ = question.rival(other._replace(lower=other.upper))
    if not loss.continuous or loss.one or not math.isfinite(epsilon):
        return False
    with suppress(*CannotAnswer), np.errstate(over="ignore", invalid="ignore"):
        if evident.is_told(loss):
            return evident.delta(loss, epsilon).lower > delta
        if any(part.profile(np.array([epsilon]))[0] > delta * (1 + 1e-9) for part, _ in loss.parts):
            return True
        return grid.coarse_delta(loss, epsilon).lower > delta
    return False


def answer(question: Question, loss: ComposedLoss, method: str = AUTO) -> Interval:
    """One direction, by the route asked for, whose name is that of the answer, or by the first
    that does it well.

    An answer whose ends are far apart is compared with the next route's; where all else fails
    the Rényi divergences of the loss still give a safe upper end.
    """
    extreme = question.extreme(loss)
    if method != AUTO:
        return (extreme or _by(question, ROUTES[method], loss))._replace(method=method)
    if extreme:
        return extreme
    few = loss.steps <= FEW_STEPS and ((law := law_of(loss)) is None or law.is_wide)
    if loss.one or loss.laplace or not loss.continuous or few:
        with suppress(*CannotAnswer):
            return question.by(closed_form.ROUTE, loss)
    if not loss.smooth and dense.is_dense(loss):
        return dense.by_fewer_atoms(question, loss, answer)
    routes, roughly = _order(loss)
    answers: list[Interval] = []
    for route in routes:
        try:
            answers.append(question.by(route, loss))
        except CannotAnswer:
            continue
        if answers[-1].is_tight or (roughly and adding.is_good(answers[-1])):
            return answers[-1]
    if adding.is_poor(answers):
        answers.append(_by(question, renyi.ROUTE, loss))
    return question.combined([*answers, question.always(loss)])


def _order(loss: ComposedLoss) -> tuple[list[Route], bool]:
    """The routes, the first to be asked first, and whether what adding up leaves open is fine."""
    routes = [contour.ROUTE, closed_form.ROUTE, lattice.ROUTE]
    if loss.continuous and evident.is_for(loss):
        if evident.is_told(loss) or len(loss.parts) > 1:  # of which a line takes seconds, and fails
            routes = [closed_form.ROUTE, contour.ROUTE, lattice.ROUTE]
        return routes, True
    if loss.smooth and (loss.steps > adding.FEW or contour.is_bent(loss)):
        return routes, False
    if lattice.is_added_first(loss):
        return routes[::-1], True
    # A lattice begins with the contour's line over one period.
    return routes if loss.spacing is None else [lattice.ROUTE], False


def is_for_contour(loss: ComposedLoss) -> bool:
    """Whether "auto" asks the contour first."""
    if not loss.continuous or loss.one or (not loss.smooth and dense.is_dense(loss)):
        return False
    return _order(loss)[0][0] is contour.ROUTE


def _is_long(loss: ComposedLoss) -> bool:
    """Whether a coarse grid may tell sooner than a line: of few steps for which there is no bent
    line and which no cells hold."""
    if not loss.continuous or loss.steps > FEW_STEPS:
        return False
    return loss.laplace is None and steps_of(loss) is None


def _by(question: Question, route: Route, loss: ComposedLoss) -> Interval:
    try:
        return question.by(route, loss)
    except OverflowError as error:
        raise NumericalError(f"a number on the way is too large: {error}") from error


def _is_milder(loss: ComposedLoss, question: Question, other: Interval) -> bool:
    """Whether this direction certainly costs no more than the other: so by Chernoff's bound or, if
    ε is asked for, by its own δ there, either cheaper than its own answer."""
    epsilon, delta, cheaper = question.rival(other)
    if math.isinf(epsilon):
        return True
    if loss.is_at_most(epsilon):
        return loss.infinite <= delta
    if loss.infinite >= delta or (not loss.smooth and dense.is_dense(loss)):
        return False
    if cheaper and epsilon == 0:
        return loss.is_never_told_apart(delta)
    with suppress(NumericalError):
        log_delta = math.log(delta - loss.infinite)
        if loss.one:  # quicker than Chernoff's bound, which may take a quadrature
            return cheaper is not None and answer(cheaper, loss).upper <= delta
        if contour.is_bent(loss):
            return contour.is_milder(loss, epsilon, delta)
        law = law_of(loss)
        if law is not None and lifted.is_milder(loss, law, epsilon, delta):
            return True
        if loss.is_soon_evaluated:  # of few parts the contour asks for this saddle too
            chernoff = find_saddle(loss, epsilon, None).log_chernoff()
        else:
            chernoff = log_chernoff(loss, epsilon, log_delta)
        if chernoff <= log_delta:
            return True
        if _is_long(loss):
            with suppress(*CannotAnswer):
                coarse = grid.coarse_delta(loss, epsilon)
                if coarse.upper <= delta or coarse.lower > delta:
                    return coarse.upper <= delta
        return cheaper is not None and answer(cheaper, loss).upper <= delta
    return False
