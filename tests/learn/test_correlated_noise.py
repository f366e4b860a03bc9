"""Training with correlated noise: one event, spent ahead; the batches and the noise are its own."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import learn
from hockeystick.accountant import Accountant
from hockeystick.errors import BudgetExceeded, ParameterError, RelationError
from hockeystick.learn.records import Records
from hockeystick.numerics.types import Array
from hockeystick.release.stream import Stream
from hockeystick.sensitivity import Norm

RECORDS = 40
X = np.column_stack([np.arange(RECORDS) / RECORDS, np.ones(RECORDS)])
Y = (X[:, 0] > 0.5).astype(float)
TREE = hs.Correlated(hs.matrix.tree(12), 5.0, hs.Cyclic(period=4, times=3))


def plan_of(noise: hs.Correlated, **options: Any) -> learn.Plan:
    return learn.Plan.correlated(noise, clip=1.0, batch_size=10, **options)


class Seen(learn.Logistic):
    """Remembers which records were in each batch, and what had been spent by then."""

    def __init__(self, account: Accountant, fail_at: int = -1) -> None:
        self.account, self.fail_at = account, fail_at
        self.batches: list[list[int]] = []
        self.spent: list[hs.Mechanism] = []

    def clipped_sum(self, parameters: Array, records: Records, clip: float, norm: Norm) -> Array:
        if len(self.batches) == self.fail_at:
            raise RuntimeError("the machine is on fire")
        self.batches.append(np.rint(records.features[:, 0] * RECORDS).astype(int).tolist())
        self.spent.append(self.account.spent)
        return super().clipped_sum(parameters, records, clip, norm)


def seen(plan: learn.Plan, **options: Any) -> tuple[Seen, learn.Run]:
    account = Accountant(plan.relation)
    objective = Seen(account, options.pop("fail_at", -1))
    run = learn.private_sgd(objective, X, Y, plan, accountant=account, **options)
    return objective, run


def test_the_run_is_one_event_and_spent_before_the_first_step() -> None:
    objective, run = seen(plan_of(TREE), rng=0)
    assert run.taken == 12
    assert objective.spent == [TREE] * 12
    assert run.accountant.spent == TREE
    assert run.privacy(1e-6).mechanism == TREE
    assert run.privacy(1e-6).epsilon == TREE.epsilon(1e-6)
    assert run.plan.relation is hs.ZERO_OUT


def test_noise_takes_the_place_of_the_plans() -> None:
    plan = learn.Plan(hs.Gaussian(1.0), hs.Poisson(0.5), 12, 1.0, 10, relation=hs.ZERO_OUT)
    run = learn.private_sgd(learn.Logistic(), X, Y, plan, noise=TREE, rng=0)
    assert run.plan == plan_of(TREE)
    assert run.accountant.spent == TREE
    natural = learn.Plan(hs.Gaussian(1.0), hs.Poisson(0.5), 12, 1.0, 10)  # for add-remove
    with pytest.raises(RelationError, match="Cyclic has no guarantee under ADD_REMOVE"):
        learn.private_sgd(learn.Logistic(), X, Y, natural, noise=TREE, rng=0)


PATTERNS = [
    hs.Once(),
    hs.Cyclic(period=4, times=3),
    hs.MinSeparated(every=5, at_most=2),
    hs.EveryStep(),
    hs.CyclicPoisson(0.5, 4),
    hs.BallsInBins(4),
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_batches_are_of_the_pattern_that_is_accounted(pattern: Any) -> None:
    objective, _ = seen(plan_of(hs.Correlated(hs.matrix.banded(12, 4), 5.0, pattern)), rng=1)
    steps: dict[int, list[int]] = {record: [] for record in range(RECORDS)}
    for step, batch in enumerate(objective.batches):
        for record in batch:
            steps[record].append(step)
    for each in steps.values():
        pattern.check(each, 12)
    assert sum(map(len, steps.values())) > RECORDS / 2
    if pattern.secret:
        assert len({tuple(each) for each in steps.values()}) > 3


def test_poisson_batches_are_fresh_coins() -> None:
    noise = hs.Correlated(hs.matrix.banded(12, 4), 5.0, hs.Poisson(0.5))
    objective, run = seen(plan_of(noise), rng=1)
    assert run.plan.sampler == hs.Poisson(0.5)
    taken = sum(map(len, objective.batches))
    assert abs(taken - 240) < 6 * 120**0.5
    assert len({tuple(batch) for batch in objective.batches}) == 12


@pytest.mark.parametrize(
    "matrix", [hs.matrix.tree(12), hs.matrix.banded(12, 3), hs.matrix.square_root(12)]
)
def test_the_noise_is_that_of_the_stream(matrix: hs.matrix.Strategy) -> None:
    """With gradients of 0 the parameters are the prefix sums of the noise."""
    noise = hs.Correlated(matrix, 5.0, hs.EveryStep())
    plan = learn.Plan.correlated(noise, clip=0.5, batch_size=10, learning_rate=2.0)
    path: list[Array] = []
    learn.private_sgd(
        learn.Squares(), np.zeros((5, 3)), np.zeros(5), plan, rng=7, every=1,
        callback=lambda progress: path.append(progress.parameters[:, 0]),
    )  # fmt: skip
    stream = Stream(matrix, 5.0, 3, clip=0.5, rng=np.random.default_rng([7, 0]))
    assert np.stack(path) == pytest.approx(-0.2 * np.cumsum(np.stack(list(stream)), axis=0))


def test_what_did_not_run_to_its_end_costs_all_of_it() -> None:
    account = Accountant(hs.ZERO_OUT)
    with pytest.raises(RuntimeError):
        learn.private_sgd(Seen(account, 3), X, Y, plan_of(TREE), accountant=account, rng=0)
    assert account.spent == TREE
    stopped = learn.private_sgd(
        learn.Logistic(), X, Y, plan_of(TREE), rng=0, every=2, callback=lambda told: True
    )
    assert stopped.taken == 2
    assert stopped.accountant.spent == TREE
    again = learn.private_sgd(
        learn.Logistic(), X, Y, plan_of(TREE), rng=0, accountant=stopped.accountant
    )
    assert again.accountant.spent == TREE * 2


def test_a_budget_takes_all_or_nothing() -> None:
    epsilon = float(TREE.epsilon(1e-6, relation=hs.ZERO_OUT))
    fits = learn.Budget(epsilon * 1.0001, 1e-6)
    run = learn.private_sgd(learn.Logistic(), X, Y, plan_of(TREE), rng=0, budget=fits)
    assert run.taken == 12
    account = Accountant(hs.ZERO_OUT)
    with pytest.raises(BudgetExceeded, match="costs the same however early it ends"):
        learn.private_sgd(
            learn.Logistic(), X, Y, plan_of(TREE), rng=0, accountant=account,
            budget=learn.Budget(epsilon * 0.9999, 1e-6),
        )  # fmt: skip
    assert account.spent == hs.Composition()


class Stop(Exception):
    """A run that is interrupted."""


def interrupted(path: Path, rng: int | None) -> Seen:
    account = Accountant(hs.ZERO_OUT)
    objective = Seen(account)

    def stop(told: learn.Progress) -> None:
        if told.step == 6:
            raise Stop

    with pytest.raises(Stop):
        learn.private_sgd(
            objective, X, Y, plan_of(TREE), rng=rng, every=3, callback=stop, checkpoint=path,
            accountant=account,
        )  # fmt: skip
    return objective


def test_a_seeded_run_goes_on_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    interrupted(path, 5)
    objective, resumed = seen(plan_of(TREE), rng=5, every=3, checkpoint=path)
    whole = learn.private_sgd(learn.Logistic(), X, Y, plan_of(TREE), rng=5, every=3)
    assert (resumed.parameters == whole.parameters).all()
    assert resumed.accountant.spent == TREE
    assert len(objective.batches) == 6


def test_a_secret_run_goes_on_with_its_own_batches_and_fresh_noise(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    first = interrupted(path, None)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    saved = path.read_bytes()
    ends = []
    for _ in range(2):  # the same place twice: nothing after it is repeated
        path.write_bytes(saved)
        objective, run = seen(plan_of(TREE), every=3, checkpoint=path)
        assert first.batches + objective.batches == first.batches[:4] * 3
        assert run.accountant.spent == TREE
        ends.append(run.parameters)
    assert (ends[0] != ends[1]).all()
    keys = json.loads(path.read_text())["keys"]
    assert [steps for _, steps in keys] == [6, 6]
    assert keys[0][0] != keys[1][0]
    path.chmod(0o644)
    with pytest.raises(ParameterError, match="mode 644"):
        seen(plan_of(TREE), every=3, checkpoint=path)


@pytest.mark.parametrize(
    ("begun", "resumed", "count"),
    [
        (None, None, RECORDS - 1),
        (None, 5, RECORDS),
        (5, 5, RECORDS - 1),
        (5, 6, RECORDS),
        (5, None, RECORDS),
    ],
)
def test_a_run_is_not_resumed_with_other_batches(
    tmp_path: Path, begun: int | None, resumed: int | None, count: int
) -> None:
    """A record that had its turn would have another one, at a step that nothing accounts for."""
    path = tmp_path / "run.json"
    interrupted(path, begun)
    with pytest.raises(ParameterError, match="rng must be"):
        learn.private_sgd(
            Seen(Accountant()), X[:count], Y[:count], plan_of(TREE), rng=resumed, every=3,
            checkpoint=path,
        )  # fmt: skip


def test_keys_are_never_written_where_others_read(tmp_path: Path) -> None:
    """A file that is there when it is written does not lend its mode."""
    path = tmp_path / "run.json"

    def meddle(told: learn.Progress) -> None:
        modes.append(stat.S_IMODE(path.stat().st_mode))
        path.chmod(0o644)

    modes: list[int] = []
    learn.private_sgd(
        learn.Logistic(), X, Y, plan_of(TREE), every=6, callback=meddle, checkpoint=path
    )
    assert modes == [0o600, 0o600]


def test_a_resumed_run_goes_on_with_the_noise_of_its_past(tmp_path: Path) -> None:
    """The last prefix sum has the noise of a tree; with a new tree it would have more."""
    ends = []
    noise = hs.Correlated(hs.matrix.toeplitz(6, (1.0, 0.9)), 1.0, hs.EveryStep())
    plan = plan_of(noise, learning_rate=10.0)
    zeros = np.zeros((3, 400))
    for trial in range(3):
        told: list[Array] = []
        for stop_at in (3, 6):
            learn.private_sgd(
                learn.Squares(), zeros, np.zeros(3), plan, every=1,
                checkpoint=tmp_path / f"{trial}.json", callback=_watched(told, stop_at),
            )  # fmt: skip
        ends.append(np.diff(np.stack([np.zeros(400), *told]), axis=0))
    made = -np.concatenate(ends, axis=1)
    fresh = noise.matrix.dense() @ made
    assert fresh.var(axis=1) == pytest.approx(1.0, abs=6 * (2 / 1200) ** 0.5)
    assert np.abs(np.corrcoef(fresh) - np.eye(6)).max() < 6 / 1200**0.5


def _watched(told: list[Array], stop_at: int) -> Callable[[learn.Progress], bool]:
    def watch(progress: learn.Progress) -> bool:
        told.append(progress.parameters[:, 0])
        return progress.step == stop_at

    return watch


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"steps": 11}, "steps must be those of the matrix, 12, got 11"),
        ({"sampler": hs.Cyclic(period=3, times=4)}, "sampler must be the participation"),
        ({"sampler": hs.Poisson(0.1)}, "sampler must be the participation"),
        ({"norm": "L3"}, "norm must be L2 or L1 for Correlated"),
    ],
)
def test_what_is_not_accounted_is_refused(change: dict[str, Any], message: str) -> None:
    given = {"noise": TREE, "sampler": TREE.participation, "steps": 12, "clip": 1.0}
    with pytest.raises(ParameterError, match=message):
        learn.Plan(**(given | {"batch_size": 10} | change))


def test_other_refusals() -> None:
    near = hs.Correlated(hs.matrix.tree(12), 5.0, hs.Once(), replace_sensitivity=1.0)
    with pytest.raises(ParameterError, match="opposite directions"):
        plan_of(near)
    with pytest.raises(RelationError, match="no guarantee under ADD_REMOVE"):
        plan_of(TREE, relation=hs.ADD_REMOVE)
    with pytest.raises(ParameterError, match=r"noise must be Correlated\(...\)"):
        learn.Plan.correlated(hs.Gaussian(1.0), 1.0, 10)  # type: ignore[arg-type]


@pytest.mark.parametrize("noise", ["tree", "banded", "buffered", "square-root", "independent"])
def test_estimators(noise: str) -> None:
    model = learn.LogisticRegression(
        epsilon=1.0, delta=1e-3, sampler="cyclic", noise=noise, batch_size=10, epochs=2,
        random_state=0,
    ).fit(X, Y)  # fmt: skip
    (run,) = model.privacy_.mechanism.parts
    assert isinstance(run, hs.Correlated)
    assert run.participation == hs.Cyclic(period=4, times=2)
    assert 0.999 < run.epsilon(1e-3, relation=hs.ZERO_OUT) <= 1.0
    assert model.n_iter_ == 8
    assert model.privacy_.plan.batch_size == 10


def test_an_estimators_run_is_one_line_of_the_ledger(tmp_path: Path) -> None:
    ledger = hs.Ledger(str(tmp_path / "budget.db"), create=True)
    ledger.open("census", epsilon="1.5", delta="1e-5", unit="one person", relation=hs.ZERO_OUT)
    account = ledger.account("census", by="ana", purpose="a model")
    model = learn.LogisticRegression(
        epsilon=1.0, delta=1e-5, classes=[0.0, 1.0], sampler="cyclic", noise="tree", epochs=2,
        batch_size=10, ledger=account,
    )  # fmt: skip
    model.fit(X, Y)
    (entry,) = ledger.show("census").spendings
    assert hs.parse(entry.content["expression"]) == model.privacy_.mechanism


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"noise": "gaussian"}, ParameterError, "noise must be one of banded"),
        ({"epochs": 1.5}, ParameterError, "epochs must be an integer >= 1"),
        ({"delta": 0}, ParameterError, r"delta must be in \(0, 1\)"),
        ({"relation": "add-remove", "population": 40}, RelationError, "in turns"),
        ({"population": 50}, ParameterError, "population must be the number of records"),
    ],
)
def test_estimators_refuse(options: dict[str, Any], error: type[Exception], message: str) -> None:
    model = learn.LogisticRegression(sampler="cyclic", epochs=2).set_params(**options)
    with pytest.raises(error, match=message):
        model.fit(X, Y)
