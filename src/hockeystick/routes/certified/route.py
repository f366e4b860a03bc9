"""The worst of both directions, proven; what cannot be proven is an error."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import flint
import numpy as np

from hockeystick.bound import Bound
from hockeystick.errors import CannotCertify, NumericalError
from hockeystick.loss.sum import ComposedLoss
from hockeystick.routes.base import Route
from hockeystick.routes.certified import answers
from hockeystick.routes.certified.otherwise import BITS
from hockeystick.routes.certified.proven import Proven
from hockeystick.routes.certified.renyi import RenyiAt, bounded_by
from hockeystick.routes.question import Question

VERSIONS = {
    "form": 2,
    "parameters": "exact doubles",
    "bits": BITS,
    "python-flint": flint.__version__,
}
"""What the certificate is about, and was made with."""
Asked = Question | RenyiAt
ROUTE = Route(
    "certified", "every error, rounding included, is proven", answers.epsilon, answers.delta
)


def best(
    choices: Sequence[Sequence[ComposedLoss]], attained: Sequence[ComposedLoss], question: Asked
) -> Bound:
    """The smallest proven upper end of all pairs that dominate, and the lower end of the pair that
    is attained: the first of them, unless another is named."""
    if not choices:
        raise CannotCertify("a Rényi curve is all that is known of a part")
    answers, failures = [], []
    for sides in choices:
        try:
            answers.append(worst(sides, question))
        except CannotCertify as error:
            failures.append(error)
    if not answers:
        raise failures[0]
    least = min(answers, key=lambda each: each.upper)
    proofs = [least.certificate]
    lower = 0.0 if failures else answers[0].lower
    if attained:
        low = worst(attained, question)
        lower, proofs = low.lower, [least.certificate, low.certificate]
    elif not failures and least is not answers[0]:
        proofs.append(answers[0].certificate)
    return Bound(
        least.upper,
        lower=min(lower, least.upper),
        method=least.method,
        certified=True,
        certificate={**question.to_json(), "proofs": proofs, **VERSIONS},
    )


def divergence(
    choices: Sequence[Sequence[ComposedLoss]], attained: Sequence[ComposedLoss], order: float
) -> Bound:
    """The Rényi divergence of an order. A class of bounded range attains its largest moments
    itself, by a pair of its own for each order."""
    if choices and attained:
        pairs = zip(choices[0][0].parts, attained[0].parts, strict=True)
        others = [one.exact() for (one, _), (two, _) in pairs if one is not two]
        if all(each and each.kind == "exponential" and each.rate == 1 for each in others):
            attained = ()
    return best(choices, attained, RenyiAt(order))


def worst(sides: Sequence[ComposedLoss], question: Asked) -> Proven:
    """The answer of the direction that costs most. A direction that is certainly milder than one
    that has been proven need not be proven itself."""
    proven: list[Proven] = []
    failures: list[tuple[ComposedLoss, CannotCertify]] = []
    claims: list[dict[str, Any]] = []
    with np.errstate(all="ignore"):  # floats only plan: what is not a number makes a bad plan
        for side in sides:
            if proven and (claim := _milder(side, question, proven[0])):
                claims.append(claim)
                continue
            try:
                proven.append(_one(side, question))
            except CannotCertify as error:
                failures.append((side, error))
        for side, failure in failures:
            claim = _milder(side, question, proven[0]) if proven else None
            if claim is None:
                raise failure
            claims.append(claim)
    most = max(proven, key=lambda each: each.upper)
    lower = max(each.lower for each in proven)
    directions = [each.certificate for each in proven] + claims
    return Proven.of(lower, most.upper, most.method, directions=directions)


def _one(side: ComposedLoss, question: Asked) -> Proven:
    if isinstance(question, RenyiAt):
        return question.of(side)
    answer = question.by(ROUTE, side)
    assert isinstance(answer, Proven)
    return answer


def _milder(side: ComposedLoss, question: Asked, other: Proven) -> dict[str, Any] | None:
    if isinstance(question, RenyiAt):
        return bounded_by(side, other.lower)
    epsilon, delta, _ = question.rival(other)
    with suppress(NumericalError):
        return answers.milder(side, epsilon, delta)
    return None
