"""The worst of both directions, proven; what cannot be proven is an error."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from hockeystick.errors import CannotCertify, NumericalError
from hockeystick.loss.sum import ComposedLoss
from hockeystick.routes.base import Route
from hockeystick.routes.certified import answers
from hockeystick.routes.certified.answers import Proven
from hockeystick.routes.question import Question

ROUTE = Route(
    "certified", "every error, rounding included, is proven", answers.epsilon, answers.delta
)


def worst(sides: Sequence[ComposedLoss], question: Question) -> Proven:
    """The answer of the direction that costs most. A direction that is certainly milder than one
    that has been proven need not be proven itself."""
    proven: list[Proven] = []
    failures: list[tuple[ComposedLoss, CannotCertify]] = []
    for side in sides:
        if proven and _is_milder(side, question, proven[0]):
            continue
        try:
            answer = question.by(ROUTE, side)
            assert isinstance(answer, Proven)
            proven.append(answer)
        except CannotCertify as error:
            failures.append((side, error))
    for side, error in failures:
        if not proven or not _is_milder(side, question, proven[0]):
            raise error
    most = max(proven, key=lambda each: each.upper)
    lower = max(each.lower for each in proven)
    return Proven.of(
        lower, most.upper, most.method, directions=[each.certificate for each in proven]
    )


def _is_milder(side: ComposedLoss, question: Question, other: Proven) -> bool:
    epsilon, delta, _ = question.rival(other)
    with suppress(NumericalError):
        return answers.milder(side, epsilon, delta)
    return False
