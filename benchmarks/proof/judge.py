"""One case: what is proven, and what every route says."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

from benchmarks.proof.cases import Case, case
from hockeystick.bound import Bound
from hockeystick.errors import CannotCertify, NumericalError, ParameterError
from hockeystick.questions import dominating, parts_of, relation_of
from hockeystick.routes.auto import METHODS

SELDOM = {"lattice": 20, "renyi": 3, "game": 10}
"""Routes that take long are asked of every so many-th case; a lattice always of what is on one."""
AGAIN = 1.0
"""Seconds after which a case is stopped once more: what is raised in a callback of the collector of
garbage is lost."""
OF_PAIRS = {"closed form", "contour", "lattice"}
"""Routes that answer for the pair that dominates, and not for what is better known."""


class GivenUp(BaseException):
    """Its time is over: no error of a route, so that no route takes it for one."""


@dataclass
class Verdict:
    """What came of one case."""

    number: int
    kind: str
    proven: bool = False
    given_up: bool = False
    judged: int = 0
    """Answers of routes."""
    seconds: float = 0.0
    said: list[str] = field(default_factory=list)
    """Every contradiction."""
    missing: str = ""
    """Why nothing is proven."""


def judged(
    seed: int, number: int, seconds: float, kind: str | None = None, hard: bool = False
) -> Verdict:
    """All routes on one case, within so many seconds of CPU."""
    start = time.process_time()
    verdict = Verdict(number, kind or "")
    try:
        with stopped_after(seconds):
            asked = case(seed, number, kind, hard)
            verdict.kind = asked.kind
            _judge(asked, verdict)
    except GivenUp:
        verdict.given_up = True
    except Exception as error:  # a defect like any other: no answer, and no error of ours
        verdict.said.append(f"case {number} of seed {seed}, {verdict.kind}: {error!r}")
    verdict.seconds = time.process_time() - start
    return verdict


def _judge(asked: Case, verdict: Verdict) -> None:
    try:
        truth = asked.answer(certify=True)
    except CannotCertify as error:
        verdict.missing = f"{asked}: {error}"
        return
    verdict.proven = True
    if asked.asked == "rdp":
        compare(asked, "rdp", truth.lower, truth.upper, asked.answer(), verdict)
        return
    least = _of_the_pair(asked, truth)
    for method in METHODS:
        if asked.number % SELDOM.get(method, 1) and not (asked.discrete and method == "lattice"):
            continue
        try:
            said = asked.answer(method=method)
        except (NumericalError, ParameterError):
            continue
        low = least if method in OF_PAIRS else truth.lower
        compare(asked, method, low, truth.upper, said, verdict)


def _of_the_pair(asked: Case, truth: Bound) -> float:
    """What the pair that dominates costs at least: more than what is attained, if it is another."""
    relation = relation_of(asked.mechanism, asked.relation)
    if not truth.certificate or len(dominating(parts_of(asked.mechanism, relation))) > 1:
        return truth.lower
    return max(truth.lower, float(truth.certificate["proofs"][0]["lower"]))


def compare(
    asked: Case, method: str, low: float, high: float, said: Bound, verdict: Verdict
) -> None:
    verdict.judged += 1
    if said.upper < low or said.lower > high:
        verdict.said.append(f"{asked} by {method}: proven [{low!r}, {high!r}], said {said!r}")


@contextmanager
def stopped_after(seconds: float) -> Iterator[None]:
    """`GivenUp` after so many seconds of this process's CPU."""

    def stop(_: int, __: FrameType | None) -> None:
        raise GivenUp

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
