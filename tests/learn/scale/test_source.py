"""A model does not depend on where the records are, how they are cut, or who works on them."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

import hockeystick as hs
from hockeystick.learn import (
    Custom,
    Logistic,
    Plan,
    Softmax,
    Squares,
    from_arrays,
    private_sgd,
)
from hockeystick.learn.linear import Linear
from hockeystick.learn.scale.rows import InFile
from hockeystick.learn.scale.source import GROUPED, Source
from hockeystick.learn.scale.workers import WorkersLost

N, D = 3000, 7
X = default_rng(0).normal(size=(N, D))
Y = (X[:, 0] + 0.3 * default_rng(1).normal(size=N) > 0).astype(float)
PERSONS = default_rng(2).integers(0, 900, N)
WEIGHTS = default_rng(3).random(N) * 3


def plan(sampler: Any = None, **more: Any) -> Plan:
    options: Any = {"steps": 12, "clip": 1.0, "batch_size": 300, "momentum": 0.5, **more}
    return Plan(hs.Gaussian(1.0), sampler or hs.Poisson(0.1), **options)


def model(source: Source, run: Plan | None = None, objective: Any = None) -> list[float]:
    found = private_sgd(objective or Logistic(), source, None, run or plan(), rng=5)
    values: list[float] = found.parameters.ravel().tolist()
    return values


SAMPLERS = [
    hs.Poisson(0.1),
    hs.Poisson(1.0),
    hs.EveryRecord(),
    hs.WithoutReplacement(300, N),
    hs.WithReplacement(300, N),
    hs.RandomAllocation(10),
    hs.Shuffled(300),
    hs.TruncatedPoisson(0.1, 310, N),
]


@pytest.mark.parametrize("sampler", SAMPLERS, ids=lambda each: type(each).__name__)
def test_the_cut_changes_nothing(sampler: Any) -> None:
    fixed = isinstance(sampler, hs.TruncatedPoisson)
    run = plan(sampler, steps=2, relation=hs.ZERO_OUT if fixed else None)
    models = {tuple(model(from_arrays(X, Y, part=part), run)) for part in (37, 1000, 10 * N)}
    assert len(models) == 1


@pytest.mark.slow
@pytest.mark.parametrize("objective", [Logistic(), Softmax(2), Squares()], ids=lambda o: o.name)
def test_the_cut_changes_nothing_for_any_objective(objective: Linear) -> None:
    models = {tuple(model(from_arrays(X, Y, part=p), None, objective)) for p in (111, 1000, N)}
    assert len(models) == 1


@pytest.mark.slow
@pytest.mark.parametrize("persons", [None, PERSONS])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_the_cut_changes_nothing_for_persons_and_weights(persons: Any, weights: Any) -> None:
    made = [from_arrays(X, Y, weights=weights, groups=persons, part=p) for p in (50, 500, 10 * N)]
    assert len(made[0].parts) > 5 > len(made[2].parts)
    assert len({tuple(model(each)) for each in made}) == 1


def test_it_is_the_model_of_the_records_in_memory() -> None:
    """Batches of all records need no coins: the noise is the same, and the sums nearly so."""
    run = plan(hs.EveryRecord(), batch_size=N)
    whole = private_sgd(Logistic(), X, Y, run, rng=5).parameters.ravel()
    assert model(from_arrays(X, Y, part=100), run) == pytest.approx(whole, abs=1e-6)
    assert abs(whole).max() > 0.01


@pytest.mark.slow
def test_poisson_batches_learn_as_those_in_memory_do() -> None:
    run = plan(steps=150, momentum=0.0, learning_rate=2.0)
    found = private_sgd(Logistic(), from_arrays(X, Y, part=100), None, run, rng=1)
    same = private_sgd(Logistic(), X, Y, run, rng=2)
    assert found.parameters[0, 0] == pytest.approx(same.parameters[0, 0], rel=0.15)
    assert found.accountant.spent == same.accountant.spent == run.mechanism


@pytest.mark.parametrize("norm", ["L1", "L2"])
def test_sums_by_hand_with_persons_and_weights(norm: Any) -> None:
    """Each person's weighted gradients are added, then clipped; one by one, in plain Python."""
    source = from_arrays(X, Y, weights=WEIGHTS, groups=PERSONS, part=400)
    theta = default_rng(4).normal(size=(D, 1))
    drawn = source.drawn(hs.EveryRecord(), default_rng(0))[0]
    found = source.clipped_sum(Logistic(), theta, drawn, 0.5, norm)
    total = np.zeros(D)
    for person in np.unique(PERSONS):
        own = np.zeros(D)
        for i in np.flatnonzero(person == PERSONS):
            z = float(X[i] @ theta[:, 0])
            own += WEIGHTS[i] * (1 / (1 + np.exp(-z)) - Y[i]) * X[i]
        length = np.abs(own).sum() if norm == "L1" else np.sqrt((own**2).sum())
        total += own * min(1.0, 0.5 / length)
    assert found[:, 0] == pytest.approx(total, rel=2e-6, abs=1e-4)  # rounding has its room
    assert source.count == len(np.unique(PERSONS))
    assert source.notes == (GROUPED,)


def test_no_person_moves_a_sum_by_more_than_the_clip() -> None:
    """However many and however wild their records are."""
    wild, theta = X.copy(), np.full((D, 1), 0.1)
    wild[PERSONS == 7] *= 1e100
    with_, without = (
        from_arrays(x, Y, groups=PERSONS, weights=WEIGHTS).clipped_sum(
            Squares(), theta, batch, 1.0, "L2"
        )
        for x in (wild, np.where((PERSONS == 7)[:, None], 0.0, X))
        for batch in from_arrays(X, Y, groups=PERSONS).drawn(hs.EveryRecord(), default_rng(0))
    )
    assert 0.9 < float(np.linalg.norm(with_ - without)) <= 1


def test_the_sampled_are_persons() -> None:
    """With rate 0.1 of 900 persons, whose records are all there or not at all."""
    seen: list[set[int]] = []

    def gradient(theta: Any, x: Any, y: Any) -> Any:
        seen.append(set(x[:, 0].astype(int).tolist()))
        return np.zeros((len(x), 1))

    rows = np.arange(N, dtype=float)[:, None]
    source = from_arrays(rows, Y, groups=PERSONS, part=200)
    private_sgd(Custom(1, lambda t, x, y: 0 * y, gradient), source, None, plan(steps=1), rng=0)
    drawn = set().union(*seen)
    whose = {int(PERSONS[i]) for i in drawn}
    assert drawn == {i for i in range(N) if int(PERSONS[i]) in whose}
    assert 50 < len(whose) < 140


def test_files_are_read_in_place(tmp_path: Path) -> None:
    """Also of another type, and from the middle of a file."""
    x = np.lib.format.open_memmap(tmp_path / "x.npy", "w+", np.float32, (N + 5, D))
    x[5:] = X
    x.flush()
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")[5:]
    source = from_arrays(mapped, Y, part=500)
    assert all(isinstance(part.features, InFile) for part in source.parts)
    rounded = X.astype(np.float32).astype(float)
    assert model(source) == model(from_arrays(rounded, Y))
    found = private_sgd(Logistic(), mapped, Y, plan(), rng=5).parameters.ravel().tolist()
    assert found == model(source)


@pytest.mark.slow
def test_threads_and_processes(tmp_path: Path) -> None:
    expected = model(from_arrays(X, Y))
    with ThreadPoolExecutor(2) as threads:
        assert model(from_arrays(X, Y, part=400, executor=threads)) == expected
    with ProcessPoolExecutor(2, get_context("spawn")) as processes:
        source = from_arrays(X, Y, part=1000, executor=processes, scratch=tmp_path)
        assert list(tmp_path.iterdir())
        assert model(source) == expected
    del source
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_broken_pool_is_said_to_be_one() -> None:
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        source = from_arrays(X, Y, executor=pool)
        objective = Custom(1, _loss, _dies)
        with pytest.raises(WorkersLost, match="checkpoint"):
            private_sgd(objective, source, None, plan(), rng=0)


def _loss(theta: Any, x: Any, y: Any) -> Any:
    return 0 * y


def _dies(theta: Any, x: Any, y: Any) -> Any:
    import os

    os._exit(1)


def test_a_run_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    source = from_arrays(X, Y, part=700)
    run = private_sgd(Logistic(), from_arrays(X, Y), None, plan(), rng=5, every=3)
    whole = run.parameters.ravel().tolist()
    stop = lambda progress: progress.step == 6  # noqa: E731
    options: Any = {"rng": 5, "checkpoint": tmp_path / "run.json", "every": 3}
    private_sgd(Logistic(), source, None, plan(), callback=stop, **options)
    resumed = private_sgd(Logistic(), from_arrays(X, Y, part=99), None, plan(), **options)
    assert resumed.parameters.ravel().tolist() == whole


def test_nobody_at_all() -> None:
    source = from_arrays(X[:0], Y[:0])
    found = private_sgd(Logistic(), source, None, plan(), rng=0)
    assert source.count == 0
    assert found.parameters.shape == (D, 1)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"targets": Y[:-1]}, "a row for each target"),
        ({"features": X[:, 0]}, "must be a matrix"),
        ({"features": X.astype(str)}, "features must be numbers"),
        ({"weights": WEIGHTS[:-1]}, "weights must be a number for each row"),
        ({"groups": PERSONS[:-1]}, "groups must name a person for each of 3000 rows"),
        ({"groups": np.full(N, np.nan)}, "there is NaN"),
        ({"part": 0}, "part must be an integer >= 1"),
        ({"executor": "local"}, "executor must be None"),
    ],
)
def test_refusals(change: Any, words: str) -> None:
    with pytest.raises(hs.ParameterError) as caught:
        from_arrays(**{"features": X, "targets": Y, **change})
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"features": np.where(X > 3, np.nan, X)}, "must be finite"),
        ({"targets": Y + 1}, "targets must be 0 or 1"),
        ({"targets": np.where(Y > 0, "secret", "other")}, "targets must be numbers (they are not"),
        ({"weights": WEIGHTS - 1}, "weights must be finite and >= 0"),
    ],
)
def test_refusals_in_the_pass_over_all_records(change: Any, words: str) -> None:
    source, account = from_arrays(**{"features": X, "targets": Y, **change}), hs.Accountant()
    with pytest.raises(hs.ParameterError) as caught:
        private_sgd(Logistic(), source, None, plan(), accountant=account)
    assert words in str(caught.value)
    assert "secret" not in str(caught.value)
    assert account.spent == hs.Composition()


def test_the_loss_on_private_records_and_second_targets_are_refused() -> None:
    with pytest.raises(hs.ParameterError, match="training_loss must be False"):
        private_sgd(Logistic(), from_arrays(X, Y), None, plan(), training_loss=True)
    with pytest.raises(hs.ParameterError, match="targets must be left out"):
        private_sgd(Logistic(), from_arrays(X, Y), Y, plan())


def test_nothing_of_the_records_or_of_a_key_is_printed() -> None:
    """The text of an object gets into logs and tracebacks."""
    source = from_arrays(X, Y, part=1000)
    assert repr(source) == "<Source of 3 parts, 7 features>"
    (batch,) = source.drawn(hs.Poisson(0.1), default_rng(0))
    assert repr(batch) == "Keyed(key=StepKey(secure=False), rate=0.1)"
