"""Checkpoints: an interrupted run goes on as if it had not been."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.learn import (
    Budget,
    Custom,
    Logistic,
    Objective,
    Plan,
    Progress,
    Softmax,
    Squares,
    private_sgd,
)
from hockeystick.learn.watch import Callback
from hockeystick.numerics.types import Array

X = np.random.default_rng(0).standard_normal((60, 3))
Y = (X[:, 0] > 0).astype(float)


class Interrupted(Exception):
    pass


def interrupt_at(step: int) -> Callback:
    def callback(progress: Progress) -> None:
        if progress.step == step:
            raise Interrupted

    return callback


def plan(**options: Any) -> Plan:
    given = {"steps": 12, "clip": 1.0, "batch_size": 6, "momentum": 0.9} | options
    return Plan(hs.Gaussian(1.1), hs.Poisson(0.1), **given)


@pytest.mark.parametrize("sampler", [hs.Poisson(0.1), hs.Poisson(0.001), hs.EveryRecord()])
@pytest.mark.parametrize("noise", [hs.Gaussian(1.1), hs.Laplace(2.0)])
def test_resuming_is_bit_identical_under_a_seed(
    tmp_path: Path, sampler: hs.Sampler, noise: hs.Gaussian | hs.Laplace
) -> None:
    chosen = Plan(noise, sampler, steps=12, clip=1.0, batch_size=6, momentum=0.9)
    whole = private_sgd(Logistic(), X, Y, chosen, rng=3, every=5)
    place = tmp_path / "run.json"
    for stop in (5, 10):
        with pytest.raises(Interrupted):
            private_sgd(
                Logistic(), X, Y, chosen, rng=3, every=5, checkpoint=place,
                callback=interrupt_at(stop),
            )  # fmt: skip
    resumed = private_sgd(Logistic(), X, Y, chosen, rng=3, every=5, checkpoint=place)
    assert resumed.parameters.tobytes() == whole.parameters.tobytes()
    assert resumed.accountant.spent == whole.accountant.spent == chosen.mechanism


def test_the_accountant_and_the_budget_survive(tmp_path: Path) -> None:
    place, ledger = tmp_path / "run.json", tmp_path / "ledger.json"
    accountant = hs.Accountant()
    accountant.spend(hs.Gaussian(4.0))
    accountant.save(ledger)
    options: dict[str, Any] = {
        "budget": Budget(4.0, 1e-5),
        "every": 5,
        "checkpoint": place,
        "rng": 3,
    }
    chosen = plan(steps=1000)
    with pytest.raises(Interrupted):
        private_sgd(
            Logistic(), X, Y, chosen, accountant=accountant, callback=interrupt_at(10), **options
        )
    run = private_sgd(Logistic(), X, Y, chosen, accountant=hs.Accountant.load(ledger), **options)
    assert run.accountant.spent == hs.Gaussian(4.0) + run.plan.mechanism
    assert run.accountant.epsilon(1e-5) <= 4.0
    assert (run.accountant.spent + chosen.step).epsilon(1e-5) > 4.0


def test_a_finished_run_is_not_run_again(tmp_path: Path) -> None:
    place = tmp_path / "run.json"
    first = private_sgd(Logistic(), X, Y, plan(), rng=3, checkpoint=place)
    again = private_sgd(Logistic(), X, Y, plan(), rng=3, checkpoint=place)
    np.testing.assert_array_equal(first.parameters, again.parameters)
    assert again.accountant.spent == plan().mechanism
    assert "finished run" in again.notes[-1]
    assert not any("finished" in note for note in first.notes)


def test_what_another_accountant_spent_is_not_lost(tmp_path: Path) -> None:
    place = tmp_path / "run.json"
    private_sgd(Logistic(), X, Y, plan(), rng=3, checkpoint=place)
    other = hs.Accountant()
    other.spend(hs.Laplace(1.0))
    with pytest.raises(hs.ParameterError, match="accountant must hold what it held"):
        private_sgd(Logistic(), X, Y, plan(), rng=3, checkpoint=place, accountant=other)


def test_the_state_of_a_secure_generator_is_never_written(tmp_path: Path) -> None:
    place = tmp_path / "run.json"
    private_sgd(Logistic(), X, Y, plan(), checkpoint=place)
    assert json.loads(place.read_text())["generator"] is None
    seeded = tmp_path / "seeded.json"
    private_sgd(Logistic(), X, Y, plan(), rng=1, checkpoint=seeded)
    assert json.loads(seeded.read_text())["generator"] is not None


def test_a_secure_run_resumes_with_its_accountant(tmp_path: Path) -> None:
    place = tmp_path / "run.json"
    with pytest.raises(Interrupted):
        private_sgd(Logistic(), X, Y, plan(), every=5, checkpoint=place, callback=interrupt_at(5))
    seen: list[Progress] = []
    run = private_sgd(Logistic(), X, Y, plan(), every=1, checkpoint=place, callback=seen.append)
    assert [progress.step for progress in seen] == list(range(6, 13))
    assert run.accountant.spent == plan().mechanism


@pytest.mark.parametrize(
    "changed", [{"clip": 2.0}, {"steps": 13}, {"learning_rate": 0.1}, {"relation": hs.ZERO_OUT}]
)
def test_another_plan_is_refused(tmp_path: Path, changed: dict[str, Any]) -> None:
    place = tmp_path / "run.json"
    private_sgd(Logistic(), X, Y, plan(), rng=3, checkpoint=place)
    with pytest.raises(hs.ParameterError, match="another plan"):
        private_sgd(Logistic(), X, Y, plan(**changed), rng=3, checkpoint=place)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "hockeystick accountant"}', "\x00"])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    place = tmp_path / "run.json"
    place.write_text(text)
    with pytest.raises(hs.ParameterError, match="is not a hockeystick checkpoint"):
        private_sgd(Logistic(), X, Y, plan(), rng=3, checkpoint=place)
    assert place.read_text() == text


def test_a_damaged_checkpoint_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "run.json"
    private_sgd(Logistic(), X, Y, plan(), rng=3, checkpoint=place)
    whole = json.loads(place.read_text())
    for key in ("done", "parameters", "before", "seeded", "leaked", "generator"):
        place.write_text(json.dumps({k: v for k, v in whole.items() if k != key}))
        with pytest.raises(hs.ParameterError, match="does not fit"):
            private_sgd(Logistic(), X, Y, plan(), rng=3, checkpoint=place)
    place.write_text(json.dumps(whole | {"version": 99}))
    with pytest.raises(hs.ParameterError, match="not of version 1"):
        private_sgd(Logistic(), X, Y, plan(), rng=3, checkpoint=place)


def stopped_at(step: int, place: Path, **options: Any) -> None:
    with pytest.raises(Interrupted):
        private_sgd(
            Logistic(), X, Y, plan(), every=step, checkpoint=place, callback=interrupt_at(step),
            **options,
        )  # fmt: skip


def test_a_generator_that_could_start_again_is_refused(tmp_path: Path) -> None:
    """The same generator, made anew, would add the first steps' noise once more."""
    place = tmp_path / "run.json"
    with pytest.raises(hs.ParameterError, match="rng must be None or a seed"):
        private_sgd(Logistic(), X, Y, plan(), rng=np.random.default_rng(0), checkpoint=place)
    assert not place.exists()


@pytest.mark.parametrize("earlier", [None, 3])
def test_a_seed_is_refused_after_steps_without_one(tmp_path: Path, earlier: int | None) -> None:
    place = tmp_path / "run.json"
    stopped_at(5, place, rng=earlier)
    if earlier is not None:
        stopped_at(6, place)
    with pytest.raises(hs.ParameterError, match="rng must be None to resume"):
        private_sgd(Logistic(), X, Y, plan(), rng=3, checkpoint=place)


def test_that_there_was_a_seed_is_never_forgotten(tmp_path: Path) -> None:
    place = tmp_path / "run.json"
    stopped_at(5, place, rng=3)
    stopped_at(6, place)
    run = private_sgd(Logistic(), X, Y, plan(), checkpoint=place)
    assert "protects nobody" in str(run.privacy(1e-5))
    secure = tmp_path / "secure.json"
    stopped_at(5, secure)
    run = private_sgd(Logistic(), X, Y, plan(), checkpoint=secure)
    assert "protects nobody" not in str(run.privacy(1e-5))


def test_that_a_loss_was_shown_is_never_forgotten(tmp_path: Path) -> None:
    place = tmp_path / "run.json"
    stopped_at(5, place, training_loss=True)
    run = private_sgd(Logistic(), X, Y, plan(), checkpoint=place)
    assert "no epsilon covers" in str(run.privacy(1e-5))


def one(theta: Array, x: Array, y: Array) -> Array:
    return x[:, :3] - theta


def other(theta: Array, x: Array, y: Array) -> Array:
    return theta - x[:, :3]


@pytest.mark.parametrize(
    ("first", "second", "features", "message"),
    [
        (Logistic(), Squares(), 3, "another objective"),
        (Logistic(), Softmax(2), 3, "another objective"),
        (Custom(3, one, one), Custom(3, one, other), 3, "another objective"),
        (Custom(3, one, one), Custom(3, one, one), 4, "another number of features"),
    ],
)
def test_another_problem_is_refused(
    tmp_path: Path, first: Objective, second: Objective, features: int, message: str
) -> None:
    place = tmp_path / "run.json"
    private_sgd(first, X, Y, plan(), rng=3, checkpoint=place)
    x = np.column_stack([X, X])[:, :features]
    with pytest.raises(hs.ParameterError, match=message):
        private_sgd(second, x, Y, plan(), rng=3, checkpoint=place)
