"""A short slice of the fuzzer, with a fixed seed: nothing that an oracle judges is wrong."""

from __future__ import annotations

import pytest

from benchmarks.fuzz import aimed
from benchmarks.fuzz.judge import KINDS
from benchmarks.fuzz.process import Worker
from benchmarks.fuzz.run import LIBRARY_SECONDS, ORACLE_SECONDS, Session, drawn

SEED, QUESTIONS = 40, 60
FEWEST_JUDGED = 50


@pytest.mark.slow
def test_a_slice_has_no_violation() -> None:
    with Worker(LIBRARY_SECONDS) as library, Worker(ORACLE_SECONDS) as oracle:
        session = Session(library, oracle)
        for question in drawn(aimed.questions(), QUESTIONS, SEED):
            session.examine(question)
    severe = [each.line() for each in session.findings if each.kind in KINDS[:5]]
    assert severe == []
    assert session.judged >= FEWEST_JUDGED
