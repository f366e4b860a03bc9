"""The search for counterexamples, as a function and as a command."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from hockeystick.bernoulli.conjecture import CLOSED, Report, Trial, counterexamples
from hockeystick.bound import Bound
from hockeystick.cli.main import main


def _trial(lower: float, upper: float, found: float) -> Trial:
    return Trial(2.0, 3.0, 0.1, 1, 1, Bound(upper, lower=lower, method="certificate"), found)


def test_what_counts_as_a_proof_and_as_a_counterexample() -> None:
    closed, open_ = _trial(0.5, 0.5 + 4e-10, 0.5), _trial(0.5, 0.6, 0.5)
    worse = _trial(0.5, 0.6, 0.55)
    assert (closed.proven, open_.proven, worse.proven) == (True, False, False)
    assert (closed.refutes, open_.refutes, worse.refutes) == (False, False, True)
    report = Report([closed, open_, worse])
    assert report.proven == 1
    assert report.refuting == [worse]
    assert report.largest_gap == open_.gap
    assert report.largest_surplus == worse.surplus > CLOSED


@pytest.mark.slow
def test_a_few_trials() -> None:
    told: list[tuple[int, int]] = []
    report = counterexamples(2, seed=2, progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 2), (2, 2)]
    assert not report.refuting
    for trial in report.trials:
        assert trial.found <= trial.bound.upper
        assert trial.bound.lower <= trial.bound.upper <= trial.epsilon
    assert report.trials[:1] == counterexamples(1, seed=2).trials


@pytest.mark.slow
def test_the_command() -> None:
    result = CliRunner().invoke(main, ["conjecture", "--trials", "1", "--seed", "5"])
    assert result.exit_code == 0, result.output
    assert "trials:                 1" in result.output
    assert "counterexamples:        0" in result.output
    bad = CliRunner().invoke(main, ["conjecture", "--trials", "0"])
    assert bad.exit_code == 2
