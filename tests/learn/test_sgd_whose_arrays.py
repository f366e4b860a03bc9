"""Whatever happens to the caller's arrays during a run, no record moves a step by more than clip.

And whatever an objective or a callback does with the arrays it is given, the run goes on as if it
had not.
"""

from __future__ import annotations

import tracemalloc
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.learn import (
    Custom,
    LinearRegression,
    Logistic,
    Plan,
    Progress,
    Softmax,
    Squares,
    private_sgd,
)
from hockeystick.numerics.types import Array

STEPS = 5
X = np.random.default_rng(0).standard_normal((60, 3))
Y = (X[:, 0] > 0).astype(float)


def plan(noise: float = 1e-13, **options: Any) -> Plan:
    """Next to no noise, and a step that moves θ by exactly the clipped sum."""
    given = {"steps": STEPS, "clip": 1.0, "batch_size": 1, "learning_rate": 1.0} | options
    return Plan(hs.Gaussian(noise), hs.EveryRecord(), **given)


def moves(run: Any, x: Array, y: Array, objective: Any, changed: Any) -> list[float]:
    """How far each step moves θ, with `changed()` called after the first one."""
    seen = [np.zeros(objective.shape(x.shape[1]))]

    def callback(progress: Progress) -> None:
        seen.append(progress.parameters.copy())
        if progress.step == 1:
            changed()

    run(objective, x, y, plan(), rng=0, callback=callback, every=1)
    return [float(np.linalg.norm(b - a)) for a, b in pairwise(seen)]


@pytest.mark.parametrize("objective", [Logistic(), Softmax(2), Squares()], ids=repr)
@pytest.mark.parametrize("value", [1e6, 1e200, np.nan, np.inf])
@pytest.mark.parametrize("mapped", [False, True])
def test_features_that_change_are_clipped_as_they_are(
    tmp_path: Path, objective: Any, value: float, mapped: bool
) -> None:
    x, y = np.array([[0.5, -0.25]]), np.array([1.0])
    if mapped:
        x.tofile(tmp_path / "x")
        x = np.memmap(tmp_path / "x", dtype=float, shape=(1, 2), mode="r+")
    found = moves(private_sgd, x, y, objective, lambda: x.fill(value))
    assert len(found) == STEPS
    assert max(found) <= 1.0
    assert found[0] > 0.1


@pytest.mark.parametrize("objective", [Logistic(), Softmax(3), Squares()], ids=repr)
@pytest.mark.parametrize("value", [1e6, -1.0, np.nan])
def test_targets_that_change_are_those_that_were_checked(objective: Any, value: float) -> None:
    x, y = np.array([[0.5, -0.25]]), np.array([1.0])
    changed = moves(private_sgd, x, y, objective, lambda: y.fill(value))
    assert changed == moves(private_sgd, x, np.array([1.0]), objective, lambda: None)


def test_an_objective_cannot_write_into_the_parameters() -> None:
    """θ that carries a record in the clear would be released by the regularisation."""

    def gradient(theta: Array, x: Array, y: Array) -> Array:
        theta += 1e6 * x[0]
        return np.zeros((len(y), 3))

    with pytest.raises(ValueError, match="read-only"):
        private_sgd(Custom(3, gradient, gradient), X, Y, plan(regularisation=0.1), rng=0)


def test_a_loss_on_private_records_cannot_write_into_the_parameters() -> None:
    def loss(theta: Array, x: Array, y: Array) -> Array:
        theta += 1e6 * x[0]
        return y

    custom = Custom(3, loss, lambda theta, x, y: np.zeros((len(y), 3)))
    with pytest.raises(ValueError, match="read-only"):
        private_sgd(custom, X, Y, plan(), rng=0, training_loss=True, callback=lambda p: None)


@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_what_a_callback_is_given_is_its_own(momentum: float) -> None:
    chosen, start = plan(1.0, momentum=momentum), np.ones(3)

    def spoil(progress: Progress) -> None:
        progress.parameters.fill(1e9)
        start.fill(1e9)

    one = private_sgd(Logistic(), X, Y, chosen, rng=0, every=1, start=np.ones(3))
    two = private_sgd(Logistic(), X, Y, chosen, rng=0, every=1, start=start, callback=spoil)
    np.testing.assert_array_equal(one.parameters, two.parameters)
    two.parameters.fill(0.0)  # the result is the caller's


def test_a_gradient_that_writes_into_its_batch_spoils_nothing() -> None:
    x, y = X.copy(), Y.copy()

    def gradient(theta: Array, x: Array, y: Array) -> Array:
        x.fill(1e9)
        y.fill(1e9)
        return np.zeros((len(y), 3))

    private_sgd(Custom(3, gradient, gradient), x, y, plan(), rng=0)
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(y, Y)


def test_a_residual_that_writes_into_its_batch_is_clipped_as_it_is() -> None:
    class Writing(Squares):
        def residuals(self, parameters: Array, records: Any) -> Array:
            found = super().residuals(parameters, records)
            records.features[:] = 1e6
            return found

    found = moves(private_sgd, X[:1].copy(), np.ones(1), Writing(), lambda: None)
    assert 0.1 < max(found) <= 1.0


@pytest.mark.parametrize("numbers", [1, 3, 6, 100, 10**6])
@pytest.mark.parametrize("sampler", [hs.EveryRecord(), hs.Poisson(0.0), hs.Poisson(0.5)], ids=repr)
def test_a_batch_is_summed_by_parts_and_no_record_is_lost(
    numbers: int, sampler: hs.Sampler, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = Plan(hs.Gaussian(1.0), sampler, steps=4, clip=1.0, batch_size=9)
    whole = private_sgd(Logistic(), X, Y, chosen, rng=1).parameters
    monkeypatch.setattr("hockeystick.learn.records.BLOCK", numbers)
    parts = private_sgd(Logistic(), X, Y, chosen, rng=1).parameters
    np.testing.assert_allclose(parts, whole, rtol=1e-12)


def test_fitting_leaves_the_callers_arrays_alone() -> None:
    x, y = X.copy(), Y.copy()
    LinearRegression(epochs=1, target_bounds=(0.2, 0.8), fit_intercept=False).fit(x, y)
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(y, Y)


@pytest.mark.parametrize("sampler", [hs.Poisson(1e-4), hs.EveryRecord()], ids=repr)
def test_features_on_disk_are_not_read_into_memory(tmp_path: Path, sampler: hs.Sampler) -> None:
    rows, columns = 200_000, 40
    x = np.lib.format.open_memmap(tmp_path / "x.npy", mode="w+", shape=(rows, columns))
    chosen = Plan(hs.Gaussian(1.0), sampler, steps=3, clip=1.0, batch_size=20)
    tracemalloc.start()
    private_sgd(Squares(), x, np.zeros(rows), chosen, rng=0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < x.nbytes / 4
