"""Proven ends as the judge: every route that answers must meet them, on random cases.

HOCKEYSTICK_PROOFS=1000 takes so many cases instead of those of a deep run.
"""

from __future__ import annotations

import os

import pytest

from benchmarks.proof import ROUNDING, cases
from hockeystick.errors import CannotCertify, NumericalError, ParameterError
from hockeystick.routes.auto import AUTO, ROUTES

pytest.importorskip("flint")

CASES = int(os.environ.get("HOCKEYSTICK_PROOFS", "100"))
FEW = 3
"""In the plain run."""
SLOW = {"lattice"}
"""Asked of every tenth case only."""


def judge(count: int, seed: int) -> tuple[int, int]:
    """How many cases were proven, and how many answers of routes were judged."""
    proven = judged = 0
    for i, (mechanism, delta) in enumerate(cases(count, seed)):
        try:
            truth = mechanism.epsilon(delta, certify=True)
        except CannotCertify:
            continue
        proven += 1
        for method in (AUTO, *ROUTES):
            if method in SLOW and i % 10:
                continue
            try:
                said = mechanism.epsilon(delta, method=method)
            except (NumericalError, ParameterError):
                continue
            room = ROUNDING * max(1.0, said.upper)
            assert said.upper >= truth.lower - room, (mechanism, delta, method)
            assert said.lower <= truth.upper + room, (mechanism, delta, method)
            judged += 1
    return proven, judged


def test_a_few() -> None:
    proven, judged = judge(FEW, 11)
    assert proven >= FEW - 1
    assert judged >= 2 * proven


@pytest.mark.slow
def test_many() -> None:
    proven, judged = judge(CASES, 7)
    assert proven >= 0.9 * CASES
    assert judged >= 2 * proven
