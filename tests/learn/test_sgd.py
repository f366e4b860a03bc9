"""Private gradient descent: what runs is what is accounted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from scipy import stats

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
from hockeystick.numerics.types import Array
from hockeystick.random.generators import Randomness, generator

X = np.random.default_rng(0).standard_normal((60, 3))
Y = (X[:, 0] > 0).astype(float)
QUIET = 1e-13  # a noise multiplier too small to matter


def plan(
    noise: hs.Gaussian | hs.Laplace | None = None, sampler: hs.Sampler | None = None, **options: Any
) -> Plan:
    given = {"steps": 10, "clip": 1.0, "batch_size": 6} | options
    return Plan(noise or hs.Gaussian(1.1), sampler or hs.Poisson(0.1), **given)


@dataclass(frozen=True, repr=False)
class Spy(hs.Poisson):
    """Remembers what it drew."""

    drawn: list[tuple[int, Array]] = field(default_factory=list, compare=False)

    def draw(self, population: int, rng: Randomness = None) -> Array:
        batch = super().draw(population, rng)
        self.drawn.append((population, batch))
        return batch


def reference(
    x: Array,
    y: Array,
    batches: list[Array],
    clip: float,
    divisor: float,
    rate: float,
    momentum: float,
    penalty: float,
) -> Array:
    """Logistic regression in the form of Sutskever et al. (2013), record by record."""
    theta, velocity = np.zeros(x.shape[1]), np.zeros(x.shape[1])
    for batch in batches:
        point = theta + momentum * velocity
        total = np.zeros(x.shape[1])
        for i in batch:
            gradient = x[i] * (1 / (1 + np.exp(-x[i] @ point)) - y[i])
            total += gradient / max(1.0, np.linalg.norm(gradient) / clip)
        velocity = momentum * velocity - rate * (total / divisor + penalty * point)
        theta = theta + velocity
    return theta


@pytest.mark.parametrize("momentum", [0.0, 0.9])
@pytest.mark.parametrize("penalty", [0.0, 0.3])
def test_steps_are_those_of_the_lecture(momentum: float, penalty: float) -> None:
    spy = Spy(0.3)
    chosen = plan(
        hs.Gaussian(QUIET), spy, clip=0.4, batch_size=20, learning_rate=0.7,
        momentum=momentum, regularisation=penalty,
    )  # fmt: skip
    run = private_sgd(Logistic(), X, Y, chosen, rng=5)
    assert [population for population, _ in spy.drawn] == [60] * 10
    sizes = {len(batch) for _, batch in spy.drawn}
    assert len(sizes) > 1  # the divisor is 20, however many were drawn
    batches = [batch for _, batch in spy.drawn]
    wanted = reference(X, Y, batches, 0.4 * (1 - 2.0**-20), 20, 0.7, momentum, penalty)
    np.testing.assert_allclose(run.parameters[:, 0], wanted, rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("noise", "law"), [(hs.Gaussian(1.5), stats.norm), (hs.Laplace(1.5), stats.laplace)]
)
def test_the_noise_that_runs_is_the_noise_that_is_accounted(
    noise: hs.Gaussian | hs.Laplace, law: Any
) -> None:
    """100 000 parameters without any gradient: each is the noise of one step, times −η/b."""
    chosen = plan(noise, hs.EveryRecord(), steps=1, clip=2.0, batch_size=4, learning_rate=0.5)
    x = np.zeros((3, 100_000))
    found = private_sgd(Logistic(), x, np.ones(3), chosen, rng=11).parameters.ravel()
    scale = 0.5 * 1.5 * 2.0 / 4
    assert stats.kstest(found / scale, law.cdf).pvalue > 0.01
    for factor in (0.97, 1.03):  # the test would see three percent
        assert stats.kstest(found / (scale * factor), law.cdf).pvalue < 0.01
    assert noise.noise_multiplier == chosen.noise.noise_multiplier
    assert isinstance(chosen.noise, type(noise))
    assert chosen.noise.scale == 3.0


def test_empty_batches_add_noise_and_count() -> None:
    run = private_sgd(Logistic(), X, Y, plan(sampler=hs.Poisson(0.0), steps=50), rng=1)
    assert run.accountant.spent == run.plan.mechanism
    assert run.taken == 50
    spread = 0.5 * 1.1 / 6 * np.sqrt(50)
    assert 0.1 * spread < np.abs(run.parameters).max() < 5 * spread


def test_nobody_at_all_is_a_data_set_too() -> None:
    run = private_sgd(Logistic(), np.zeros((0, 3)), np.zeros(0), plan(), rng=1)
    assert run.accountant.spent == plan().mechanism


def test_every_step_is_spent_on_top_of_what_was_spent() -> None:
    accountant = hs.Accountant()
    accountant.spend(hs.Laplace(4.0))
    run = private_sgd(Logistic(), X, Y, plan(), rng=1, accountant=accountant)
    assert run.accountant is accountant
    assert accountant.spent == hs.Laplace(4.0) + hs.Gaussian(1.1).on(hs.Poisson(0.1)) * 10
    with pytest.raises(hs.RelationError, match="REPLACE_ONE"):
        private_sgd(Logistic(), X, Y, plan(), accountant=hs.Accountant(hs.REPLACE_ONE))


def test_earlier_spending_need_not_have_a_text() -> None:
    accountant = hs.Accountant()
    accountant.spend(hs.RenyiDP(lambda order: order / 50))
    private_sgd(Logistic(), X, Y, plan(), rng=1, accountant=accountant)
    assert accountant.spent.parts[plan().step] == 10


def test_the_step_is_spent_before_its_noise_is_drawn() -> None:
    accountant, seen = hs.Accountant(), []

    def gradient(theta: Array, x: Array, y: Array) -> Array:
        seen.append(accountant.spent)
        return np.zeros((len(y), 1))

    custom = Custom(1, gradient, gradient)
    private_sgd(custom, X, Y, plan(steps=3), rng=1, accountant=accountant)
    assert seen == [plan().step, plan().step * 2, plan().step * 3]


@pytest.mark.parametrize("broken", ["callback", "gradient"])
def test_a_run_that_breaks_off_costs_the_whole_plan(broken: str) -> None:
    """What was seen may be why."""
    accountant, calls = hs.Accountant(), []

    def fail(*seen: Any) -> Any:
        calls.append(seen)
        if len(calls) == 3:
            raise RuntimeError("enough")
        return X[: len(seen[-1])] * 0 if broken == "gradient" else None

    objective = Custom(3, fail, fail) if broken == "gradient" else Logistic()
    callback = fail if broken == "callback" else None
    with pytest.raises(RuntimeError, match="enough"):
        private_sgd(
            objective, X, Y, plan(), rng=1, accountant=accountant, callback=callback, every=1
        )
    assert accountant.spent == plan().mechanism


def test_epochs_drawn_as_a_whole_are_one_event_of_many_steps() -> None:
    chosen = plan(sampler=hs.RandomAllocation(4), steps=3)
    calls = []

    def gradient(theta: Array, x: Array, y: Array) -> Array:
        calls.append(len(y))
        return np.zeros((len(y), 1))

    run = private_sgd(Custom(1, lambda t, x, y: y, gradient), X, Y, chosen, rng=1)
    assert run.accountant.spent == hs.Gaussian(1.1).on(hs.RandomAllocation(4)) * 3
    assert len(calls) == 12
    assert sum(calls) == 3 * 60


@pytest.mark.parametrize("earlier", [None, hs.Gaussian(3.0)])
def test_a_run_ends_before_the_budget_does(earlier: hs.Mechanism | None) -> None:
    accountant, budget = hs.Accountant(), Budget(2.0, 1e-5)
    if earlier:
        accountant.spend(earlier)
    run = private_sgd(
        Logistic(), X, Y, plan(hs.Gaussian(8.0), hs.EveryRecord(), steps=1000), rng=1,
        accountant=accountant, budget=budget,
    )  # fmt: skip
    assert 0 < run.taken == run.plan.steps < 1000
    assert accountant.epsilon(1e-5) <= 2.0
    assert (accountant.spent + run.plan.step).epsilon(1e-5) > 2.0


def test_a_spent_budget_allows_nothing() -> None:
    accountant = hs.Accountant()
    accountant.spend(hs.Gaussian(0.1))
    run = private_sgd(
        Logistic(), X, Y, plan(), rng=1, accountant=accountant, budget=Budget(1.0, 1e-5)
    )
    assert run.taken == 0
    assert accountant.spent == hs.Gaussian(0.1)
    assert not run.parameters.any()


def test_reports_tell_epsilon_and_only_public_losses() -> None:
    seen: list[Progress] = []
    public = (X[:10], Y[:10])
    options: dict[str, Any] = {"rng": 1, "delta": 1e-5, "callback": seen.append, "every": 4}
    chosen = plan(sampler=hs.EveryRecord())
    run = private_sgd(Logistic(), X, Y, chosen, **options)
    assert [(p.step, p.steps, p.loss) for p in seen] == [
        (4, 10, None),
        (8, 10, None),
        (10, 10, None),
    ]
    for progress in seen:
        assert progress.epsilon == (run.plan.step * progress.step).epsilon(1e-5)
    np.testing.assert_array_equal(seen[-1].parameters, run.parameters)
    assert len(run.notes) == 1

    seen.clear()
    private_sgd(Logistic(), X, Y, chosen, validation=public, **options)
    theta = run.parameters[:, 0]
    p = 1 / (1 + np.exp(-X[:10] @ theta))
    wanted = -np.mean(np.log(np.where(Y[:10] == 1, p, 1 - p)))
    assert seen[-1].loss == pytest.approx(wanted, rel=1e-12)

    leaking = private_sgd(Logistic(), X, Y, chosen, training_loss=True, **options)
    assert any("no epsilon covers" in note for note in leaking.notes)
    assert "no epsilon covers" in str(leaking.privacy(1e-5))
    with pytest.raises(hs.ParameterError, match="exclude each other"):
        private_sgd(Logistic(), X, Y, plan(), validation=public, training_loss=True)


@pytest.mark.parametrize("stop", [lambda p: p.step >= 3, lambda p: np.float64(p.step) >= 3])
def test_to_stop_early_costs_the_whole_plan(stop: Callable[[Progress], bool]) -> None:
    run = private_sgd(Logistic(), X, Y, plan(), rng=1, callback=stop, every=1)
    assert run.taken == 3
    assert run.accountant.spent == plan().mechanism
    assert run.privacy(1e-5).mechanism == plan().mechanism


def test_the_bar_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    chosen = plan(sampler=hs.EveryRecord())
    private_sgd(Logistic(), X, Y, chosen, rng=1, progress=True, delta=1e-5, validation=(X, Y))
    out, err = capsys.readouterr()
    assert out == ""
    assert "10/10" in err
    assert "loss" in err
    assert "ε" in err


def test_seeds_repeat_and_secure_runs_do_not() -> None:
    one, two, other = (private_sgd(Logistic(), X, Y, plan(), rng=s).parameters for s in (1, 1, 2))
    np.testing.assert_array_equal(one, two)
    assert (one != other).all()
    secure = [private_sgd(Logistic(), X, Y, plan()) for _ in range(2)]
    assert (secure[0].parameters != secure[1].parameters).all()
    assert secure[0].notes == ()
    assert "protects nobody" in str(private_sgd(Logistic(), X, Y, plan(), rng=1).privacy(1e-5))


def test_starting_parameters() -> None:
    chosen = plan(hs.Gaussian(QUIET), hs.Poisson(0.0), regularisation=0.1, steps=1)
    run = private_sgd(Logistic(), X, Y, chosen, start=np.array([1.0, 2.0, 3.0]), rng=0)
    np.testing.assert_allclose(run.parameters[:, 0], 0.95 * np.array([1.0, 2.0, 3.0]), rtol=1e-9)
    with pytest.raises(hs.ParameterError, match="start must hold 3 x 1 finite numbers"):
        private_sgd(Logistic(), X, Y, chosen, start=np.array([1.0, 2.0]), rng=0)


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (np.array([[np.nan, 31337.0]]), np.zeros(1), "must be finite"),
        (np.array([[np.inf, 31337.0]]), np.zeros(1), "must be finite"),
        (np.array([["secret31337", "1"]]), np.zeros(1), "must be numbers"),
        (np.full((2, 2), 31337.0), np.zeros(3), "a row for each target"),
        (np.full(3, 31337.0), np.zeros(3), "must be a matrix"),
        (np.full((1, 2), 31337.0), np.array([np.nan]), "must be finite"),
    ],
)
def test_bad_records_are_refused_without_being_shown(x: Array, y: Array, message: str) -> None:
    with pytest.raises(hs.ParameterError, match=message) as caught:
        private_sgd(Squares(), x, y, plan())
    assert "31337" not in str(caught.value)


@pytest.mark.parametrize("objective", [Logistic(), Softmax(3)])
@pytest.mark.parametrize("target", [31337.0, -1.0, 0.5])
def test_targets_without_a_loss_are_refused_without_being_shown(
    objective: Objective, target: float
) -> None:
    with pytest.raises(hs.ParameterError, match="targets must be") as caught:
        private_sgd(objective, X, np.append(Y[1:], target), plan())
    assert str(target) not in str(caught.value)
    assert "31337" not in str(caught.value)


def test_a_batch_larger_than_the_data() -> None:
    chosen = plan(sampler=hs.WithoutReplacement(50, 100), relation=hs.REPLACE_ONE)
    with pytest.raises(hs.ParameterError, match="population must be the declared 100, got 60"):
        private_sgd(Logistic(), X, Y, chosen)
    with pytest.raises(hs.ParameterError, match="size must be at most the population"):
        hs.WithoutReplacement(100, 60)


def test_an_accountant_that_would_answer_for_other_neighbours_is_refused() -> None:
    chosen = plan(relation=hs.REPLACE_ONE)
    accountant = hs.Accountant()
    with pytest.raises(hs.RelationError, match=r"make it Accountant\(REPLACE_ONE\)"):
        private_sgd(Logistic(), X, Y, chosen, accountant=accountant)
    assert accountant.spent == hs.Composition()
    accountant = hs.Accountant(hs.REPLACE_ONE)
    run = private_sgd(Logistic(), X, Y, chosen, accountant=accountant, rng=0)
    assert accountant.epsilon(1e-5) == run.privacy(1e-5).epsilon


def test_a_generator_of_unknown_security_is_noted() -> None:
    own = private_sgd(Logistic(), X, Y, plan(), rng=np.random.default_rng())
    assert "came from the caller's PCG64" in str(own.privacy(1e-5))
    assert "protects nobody" in str(own.privacy(1e-5))
    pytest.importorskip("randomgen")
    assert private_sgd(Logistic(), X, Y, plan(), rng=generator()).notes == ()


@pytest.mark.parametrize(
    "public", [(X[:, :2], Y), (X, Y[1:]), (X, Y + 1), (X[0], Y)], ids=["2", "rows", "y", "row"]
)
def test_validation_is_checked_before_anything_is_spent(public: tuple[Array, Array]) -> None:
    accountant = hs.Accountant()
    with pytest.raises(hs.ParameterError):
        private_sgd(Logistic(), X, Y, plan(), rng=1, accountant=accountant, validation=public)
    assert accountant.spent == hs.Composition()
