"""The lattice: laws of finitely many losses, on one period, on a grid, or added up; and what lies
between the points of that of Laplace noise."""

from __future__ import annotations

from hockeystick.bound import Interval
from hockeystick.errors import NumericalError
from hockeystick.loss.sum import ComposedLoss
from hockeystick.routes import dense
from hockeystick.routes.adding import route as adding
from hockeystick.routes.base import CannotAnswer, Route
from hockeystick.routes.contour import route as contour
from hockeystick.routes.grid import route as grid
from hockeystick.routes.laplace import sampled as cells
from hockeystick.routes.question import DeltaAt, EpsilonAt, Question

ROUGHLY = 1e-8
"""How far an atom may be off whose place is known only roughly: some panels of a profile around its
kinks, which are halved until they follow it to twelve digits."""


def is_added_first(loss: ComposedLoss) -> bool:
    """Whether adding up comes first, or cells do: many steps on one lattice are a matter of
    milliseconds for a line over one period, and exact."""
    if loss.laplace and cells.is_first(loss):
        return True
    return adding.is_first(loss) and (loss.spacing is None or loss.steps <= adding.FEW)


def _order(loss: ComposedLoss) -> tuple[list[Route], bool]:
    """The ways, the first to be tried first, and whether what adding up leaves open is fine; e^K of
    a loss with a spacing has a period."""
    roughly = is_added_first(loss)
    if loss.laplace and cells.is_for(loss):
        return [cells.CELLS, grid.GRID, adding.ADDING], roughly
    rounded = [grid.GRID] if loss.spacing is None else [contour.ROUTE, grid.GRID]
    exact = loss.spacing is None and adding.is_small(loss, adding.MODERATE)
    if roughly or exact:
        return [adding.ADDING, *rounded], roughly
    return [*rounded, adding.ADDING], roughly


def answer(question: Question, loss: ComposedLoss) -> Interval:
    """With what is known only roughly allowed for."""
    if loss.rough:
        slip = ROUGHLY * loss.steps
        return question.widened(lambda moved: _answer(moved, loss), slip)
    return _answer(question, loss)


def _answer(question: Question, loss: ComposedLoss) -> Interval:
    """The first way that leaves little open, or what all of them say together."""
    if dense.is_dense(loss):
        return dense.by_fewer_atoms(question, loss, _answer)
    ways, roughly = _order(loss)
    answers: list[Interval] = []
    for way in ways:
        if way is adding.ADDING and not adding.is_worthwhile(loss, answers):
            continue
        try:
            answers.append(question.by(way, loss)._replace(method=ROUTE.name))
        except CannotAnswer:
            continue
        if answers[-1].is_tight or (roughly and adding.is_good(answers[-1])):
            return answers[-1]
    if not answers:
        raise NumericalError("neither a grid nor adding up can hold the losses")
    return question.combined(answers)


ROUTE = Route(
    "lattice",
    "privacy losses on a grid, rounded up for the upper end and down for the lower, and convolved",
    lambda loss, delta: answer(EpsilonAt(delta), loss),
    lambda loss, epsilon: answer(DeltaAt(epsilon), loss),
)
