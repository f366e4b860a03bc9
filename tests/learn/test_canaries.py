"""Audits of one run of `private_sgd`: sound runs pass, broken ones are found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import hockeystick as hs
from hockeystick.audit import OneRun
from hockeystick.learn import Custom, Logistic, Plan, Softmax, Squares, audited
from hockeystick.learn.canaries import Canaries
from hockeystick.learn.linear import Linear
from hockeystick.learn.records import Records

X = np.linspace(-1, 1, 60)[:, None] * [1.0, 0.5]
Y = (X[:, 0] > 0).astype(float)
DELTA = 1e-6
OBJECTIVES: list[Linear] = [Logistic(), Softmax(3), Squares()]


def plan(noise: float, sampler: Any = None, **more: Any) -> Plan:
    options: Any = {"steps": 4, "clip": 1.0, "batch_size": 60, **more}
    return Plan(hs.Gaussian(noise), sampler or hs.EveryRecord(), **options)


def audit(objective: Linear, run: Plan, **options: Any) -> OneRun:
    settings: Any = {"canaries": 1000, "delta": DELTA, "confidence": 0.99, "rng": 1, "coins": 2}
    return audited(objective, X, Y, run, **{**settings, **options})


@pytest.mark.parametrize("objective", OBJECTIVES, ids=lambda each: each.name)
def test_sound_runs_pass_and_their_canaries_are_seen(objective: Linear) -> None:
    run = plan(2.0)  # μ = 1 over four steps
    found = audit(objective, run)
    assert 0.5 < found.epsilon < run.mechanism.epsilon(DELTA, relation=run.relation)
    assert not found.contradicts(run.mechanism, relation=run.relation)


def test_every_canary_moves_its_own_column_by_the_clip_and_no_other() -> None:
    planted = Canaries(Logistic(), Records(X, Y), 4, 10.0, False)
    records = planted.among(np.array([True, False, True, False]))
    gradient = Logistic().clipped_sum(np.zeros((6, 1)), records, 1.0, "L2")
    assert gradient[2:, 0] == pytest.approx([-1, 0, -1, 0], abs=2e-6)
    turned = Canaries(Logistic(), Records(X, Y), 2, 10.0, True).among(np.array([True, False]))
    gradient = Logistic().clipped_sum(np.zeros((4, 1)), turned, 1.0, "L2")
    assert gradient[2:, 0] == pytest.approx([-1, 1], abs=2e-6)


def test_too_little_noise_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A release with a sixth of its noise, in an otherwise sound run."""
    run, released = plan(6.0), hs.Gaussian._released

    def weak(self: Any, answer: Any, draw: Any) -> Any:
        return answer + (released(self, answer, draw) - answer) / 6

    monkeypatch.setattr(hs.Gaussian, "_released", weak)
    assert audit(Logistic(), run).contradicts(run.mechanism, relation=run.relation)


def test_clipping_that_is_left_out_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    run = plan(4.0)
    monkeypatch.setattr("hockeystick.learn.linear.clipped", lambda rows, norms, clip: rows)
    assert audit(Logistic(), run).contradicts(run.mechanism, relation=run.relation)


@pytest.mark.slow
def test_it_is_wrong_no_more_often_than_announced() -> None:
    """100 audits at 80 %, each of one run on Poisson batches."""
    run = plan(2.0, hs.Poisson(0.5), steps=2)
    found = [
        audit(Logistic(), run, canaries=60, delta=0.01, confidence=0.8, rng=k, coins=k + 1000)
        for k in range(100)
    ]
    truth = run.mechanism.epsilon(0.01)
    assert sum(each.epsilon > truth for each in found) <= stats.binom.isf(1e-4, 100, 0.2)


@pytest.mark.slow
def test_fixed_sizes_count_the_canaries_and_turn_them_round() -> None:
    sampler = hs.WithoutReplacement(530, 1060)
    run = plan(2.0, sampler, steps=4, batch_size=530)
    assert run.relation is hs.REPLACE_ONE
    found = audit(Logistic(), run)
    assert 0.5 < found.epsilon < run.mechanism.epsilon(DELTA)


def test_other_objectives_are_refused() -> None:
    mean = Custom(1, lambda t, x, y: (y - t[0]) ** 2, lambda t, x, y: 2 * (t - y[:, None]))
    with pytest.raises(hs.ParameterError, match="in_one_run"):
        audited(mean, X, Y, plan(1.0), delta=DELTA)  # type: ignore[arg-type]
