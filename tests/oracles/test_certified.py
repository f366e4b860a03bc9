"""Proven ends as the judge: every route that answers must meet them, on random cases."""

from __future__ import annotations

import re
import sys
import time
from dataclasses import replace

import pytest

pytest.importorskip("flint")

from benchmarks.proof.__main__ import main
from benchmarks.proof.cases import case
from benchmarks.proof.hard import HARD
from benchmarks.proof.judge import GivenUp, Verdict, compare, judged, stopped_after
from benchmarks.proof.kinds import KINDS
from hockeystick import Bound

# A case may be stopped within a callback of the collector of garbage: it is stopped again then.
pytestmark = pytest.mark.filterwarnings(
    "ignore:Exception ignored in.*gc_callback:pytest.PytestUnraisableExceptionWarning"
)
FEW = 12
"""Cases of the plain run."""
SECONDS = 2.0
"""Of CPU, for a case: few take as long."""


PINNED = [
    (5, 9008, "(Laplace(2.3369564569977666) * 2).epsilon(0.00066)"),
    (5, 9002, "(Gaussian(4.4160463227734255) * 462530).rdp(2.6, relation=replace-one)"),
]
"""Cases as they have always been."""


def check(verdicts: list[Verdict]) -> None:
    said = [line for verdict in verdicts for line in verdict.said]
    assert not said, "\n".join(said)
    proven = sum(verdict.proven for verdict in verdicts)
    assert proven >= 0.9 * len(verdicts)
    assert sum(verdict.judged for verdict in verdicts) >= 2 * proven


@pytest.mark.slow
def test_a_few() -> None:
    check([judged(11, number, SECONDS) for number in range(FEW)])


@pytest.mark.slow
def test_many(request: pytest.FixtureRequest) -> None:
    count = request.config.getoption("--oracle-cases")
    check([judged(7, number, SECONDS) for number in range(count)])


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind.__name__ for kind in KINDS])
def test_each_kind(kind: str) -> None:
    verdicts = [judged(13, number, SECONDS, kind) for number in (20, 21)]
    assert any(verdict.proven and verdict.judged for verdict in verdicts)
    assert not [line for verdict in verdicts for line in verdict.said]


@pytest.mark.slow
def test_hard_kinds() -> None:
    """Some take longer than they are given."""
    kinds = [kind.__name__ for kind in HARD]
    verdicts = [judged(17, number, SECONDS, kind) for kind in kinds for number in (0, 1, 2)]
    assert not [line for verdict in verdicts for line in verdict.said]
    assert sum(verdict.proven for verdict in verdicts) >= 0.5 * len(verdicts)


@pytest.mark.parametrize("jobs", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_the_last_line_counts(
    jobs: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--cases", "3", "--seed", "3", "--start", "40", "--kind", "pure", "--jobs", jobs]
    monkeypatch.setattr(sys, "argv", ["proof", *options])
    assert main() == 0
    last = capsys.readouterr().out.splitlines()[-1]
    counts = r"3 cases, \d+ answers, 0 violations, 0 not proven, 0 given up, \d+ seconds"
    assert re.fullmatch(counts, last)


@pytest.mark.slow
def test_a_case_depends_on_its_number_alone() -> None:
    assert case(3, 17) == case(3, 17)
    assert case(3, 17) != replace(case(3, 18), number=17)
    assert case(3, 17) != case(3, 17, hard=True)


@pytest.mark.parametrize(("seed", "number", "said"), PINNED)
def test_a_number_keeps_its_case(seed: int, number: int, said: str) -> None:
    """A run that was broken off would else go on with other cases."""
    assert str(case(seed, number)) == f"case {number}: {said}"


@pytest.mark.parametrize(
    ("lower", "upper", "wrong"),
    [(1.0, 2.0, 0), (2.0, 2.5, 0), (2.1, 2.5, 1), (0.1, 0.9, 1), (0.5, 3.0, 0)],
)
def test_ends_that_do_not_meet_are_told(lower: float, upper: float, wrong: int) -> None:
    verdict = Verdict(0, "gaussian")
    said = Bound(upper, lower=lower, method="contour")
    compare(case(3, 17), "contour", 1.0, 2.0, said, verdict)
    assert len(verdict.said) == wrong
    assert verdict.judged == 1


def test_what_takes_too_long_is_given_up() -> None:
    start = time.process_time()
    with pytest.raises(GivenUp):
        _wait()
    assert 0.04 < time.process_time() - start < 10


def _wait() -> None:
    with stopped_after(0.05):
        while True:
            pass
