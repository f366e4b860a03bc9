"""What a run cost each record: against formulas and against the realised losses themselves."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.learn import (
    LinearRegression,
    Logistic,
    LogisticRegression,
    Plan,
    RecordCosts,
    Squares,
    Trajectory,
    private_sgd,
    record_costs,
)
from hockeystick.numerics.types import Array

SIGMA = 1.5


def a_run(
    x: Array,
    y: Array,
    sampler: hs.Poisson | hs.EveryRecord,
    steps: int,
    seed: int,
    **options: float,
) -> tuple[Plan, Trajectory]:
    how: Any = {"clip": 1.0, "batch_size": 10.0, "learning_rate": 0.5} | options
    plan = Plan(hs.Gaussian(SIGMA), sampler, steps=steps, relation=hs.ADD_REMOVE, **how)
    path = Trajectory()
    private_sgd(Squares(), x, y, plan, rng=seed, callback=path, every=1)
    return plan, path


def gradients(x: Array, y: Array, theta: Array) -> Array:
    """Clipped to 1, of squares: (x·θ − y)·x."""
    rows = x * (x @ theta[:, 0] - y)[:, None]
    size = np.linalg.norm(rows, axis=1)
    return np.asarray(rows * (np.minimum(size, 1 - 2.0**-20) / np.maximum(size, 1e-300))[:, None])


def test_all_records_in_every_step_by_the_formula() -> None:
    """ρ_t(α) = α·‖g‖²/(2σ²), up to the lengths that are rounded up by 2.8 %."""
    rng = np.random.default_rng(1)
    x, y = rng.uniform(-1, 1, (30, 2)), rng.uniform(-1, 1, 30)
    plan, path = a_run(x, y, hs.EveryRecord(), 7, 3, momentum=0.6)
    found = record_costs(Squares(), x, y, plan, path, delta=0.1, orders=[2.0, 7.0])
    theta, velocity, squares = np.zeros((2, 1)), np.zeros((2, 1)), np.zeros(30)
    for point in path.points:
        rows = gradients(x, y, theta + 0.6 * velocity)
        squares += (rows**2).sum(axis=1)
        theta, velocity = point, point - theta
    for column, alpha in enumerate((2.0, 7.0)):
        exact = alpha * squares / (2 * SIGMA**2)
        assert (found.divergences[:, column] >= exact).all()
        assert (found.divergences[:, column] <= 1.06 * exact + 1e-4).all()


@pytest.mark.slow
@pytest.mark.parametrize("rate", [1.0, 0.3])
def test_realised_losses(rate: float) -> None:
    """One record and nobody else: the loss of what was released is known, and its tail is short.

    E[e^{(α−1)·(L − Σ ρ)}] <= 1, and near it for all records, where ρ is exact.
    """
    x, y = np.array([[0.9]]), np.array([0.8])
    delta, alpha, runs = 0.05, 2.0, 1500
    over, moments = 0, []
    for seed in range(runs):
        plan, path = a_run(x, y, hs.Poisson(rate), 5, seed)
        if seed % 50 == 0:
            table = record_costs(Squares(), x, y, plan, path, delta=delta)
        theta, loss, total = np.zeros((1, 1)), 0.0, 0.0
        for point in path.points:
            moved = gradients(x, y, theta)[0, 0] / SIGMA
            seen = -(point - theta)[0, 0] / 0.5 * 10 / SIGMA
            loss += math.log1p(rate * math.expm1(moved * seen - moved**2 / 2))
            total += math.log1p(rate**2 * math.expm1(moved**2))  # order 2 of the sampled Gaussian
            theta = point
        moments.append(math.exp((alpha - 1) * (loss - total)))
        if seed % 50 == 0:
            column = table.orders.index(alpha)
            assert total <= table.divergences[0, column] <= 1.07 * total + 1e-4
            over += loss > table.epsilons[0]
    mean, spread = np.mean(moments), np.std(moments) / math.sqrt(runs)
    assert abs(mean - 1) < 5 * spread
    assert over <= 3  # of 30, where 1.5 would be the most to expect


def test_estimators() -> None:
    x = np.linspace(-1, 1, 300)[:, None]
    classifier = LogisticRegression(random_state=0, batch_size=64, epochs=3, keep_trajectory=True)
    labels = np.where(x[:, 0] > 0.2, "yes", "no")
    found = classifier.fit(x, labels).record_costs(x, labels)
    assert isinstance(found, RecordCosts)
    assert found.epsilons.shape == (300,)
    assert found.delta == 1e-5
    assert classifier.trajectory_ is not None
    plain = record_costs(
        Logistic(),
        np.column_stack([x, np.ones(300)]),
        (labels == "yes").astype(float),
        classifier.privacy_.plan,
        classifier.trajectory_,
        delta=1e-5,
    )
    assert np.array_equal(plain.divergences, found.divergences)
    line = LinearRegression(
        random_state=0, batch_size=64, epochs=3, target_bounds=(0, 10), keep_trajectory=True
    )
    costs = line.fit(x, 5 + 4 * x[:, 0]).record_costs(x, 5 + 4 * x[:, 0], delta=1e-3)
    assert costs.epsilons.max() <= costs.orders[-1]
    assert (costs.divergences >= 0).all()
    assert (costs.epsilons <= costs.ceiling * (1 + 1e-9)).all()
    assert costs.worst < costs.ceiling < 2 * costs.worst + 1
    # nobody costs more than the clip allows
    limit = line.privacy_.mechanism.rdp(np.array(costs.orders), relation=hs.ADD_REMOVE)
    assert (costs.divergences <= limit * (1 + 1e-9)).all()


def test_what_it_says() -> None:
    x = np.linspace(-1, 1, 50)[:, None]
    plan, path = a_run(x, x[:, 0], hs.Poisson(0.2), 4, 0)
    found = record_costs(Squares(), x, x[:, 0], plan, path, delta=1e-3)
    assert str(found).startswith("NOT PRIVATE")
    assert "NOT PRIVATE" in repr(found)
    axes = found.plot()
    assert "NOT PRIVATE" in axes.get_title()
    nobody = record_costs(Squares(), x[:0], x[:0, 0], plan, path, delta=1e-3)
    assert "no records" in str(nobody)


def test_what_it_refuses() -> None:
    x = np.linspace(-1, 1, 20)[:, None]
    plan, path = a_run(x, x[:, 0], hs.Poisson(0.2), 4, 0)
    ask: Any = {"delta": 1e-3}
    for wrong in (0.0, 1.0, math.nan):
        with pytest.raises(hs.ParameterError, match="delta must be"):
            record_costs(Squares(), x, x[:, 0], plan, path, delta=wrong)
    for orders in ([1.0], [math.inf], [math.nan], []):
        with pytest.raises(hs.ParameterError, match="order"):
            record_costs(Squares(), x, x[:, 0], plan, path, orders=orders, **ask)
    laplace = Plan(hs.Laplace(2.0), hs.Poisson(0.2), steps=4, clip=1.0, batch_size=4)
    with pytest.raises(hs.ParameterError, match="noise must be Gaussian"):
        record_costs(Squares(), x, x[:, 0], laplace, path, **ask)
    fixed = Plan(hs.Gaussian(2.0), hs.WithoutReplacement(4, 20), steps=4, clip=1.0, batch_size=4)
    with pytest.raises(hs.RelationError, match="relation must be"):
        record_costs(Squares(), x, x[:, 0], fixed, path, **ask)
    path.steps.pop(0)
    with pytest.raises(hs.ParameterError, match="every step"):
        record_costs(Squares(), x, x[:, 0], plan, path, **ask)
    model = LogisticRegression(random_state=0).fit(x, x[:, 0] > 0)
    with pytest.raises(hs.ParameterError, match="keep_trajectory"):
        model.record_costs(x, x[:, 0] > 0)


def test_the_picture_is_there() -> None:
    page = Path(__file__).parents[2] / "docs" / "learning" / "records.png"
    assert page.read_bytes().startswith(b"\x89PNG")
