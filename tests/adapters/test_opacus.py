"""The accountant inside Opacus: real training, noise found for a budget, and checkpoints."""

from __future__ import annotations

import copy
import math
import time
from pathlib import Path
from typing import Any

import pytest

import hockeystick as hs
from tests.adapters.hosts import adapter, host

torch = host("torch", "opacus")
opacus = host("opacus", "opacus")
ours = adapter("opacus", "opacus", "opacus")

pytestmark = pytest.mark.filterwarnings("ignore")

DELTA = 1e-5


def parts(seed: int = 0) -> tuple[Any, Any, Any]:
    """A small model, its optimizer and a loader of 200 records in batches of 20."""
    torch.manual_seed(seed)
    model = torch.nn.Linear(5, 2)
    data = torch.utils.data.TensorDataset(torch.randn(200, 5), torch.randint(0, 2, (200,)))
    loader = torch.utils.data.DataLoader(data, batch_size=20)
    return model, torch.optim.SGD(model.parameters(), lr=0.1), loader


def private(engine: Any, **options: Any) -> tuple[Any, Any, Any]:
    model, optimizer, loader = parts()
    how = {"noise_multiplier": 1.2} | options
    prepare = engine.make_private_with_epsilon if "epochs" in how else engine.make_private
    if "epochs" in how:
        how.pop("noise_multiplier")
    prepared: tuple[Any, Any, Any] = prepare(
        module=model, optimizer=optimizer, data_loader=loader, max_grad_norm=1.0, **how
    )
    return prepared


def train(model: Any, optimizer: Any, loader: Any, epochs: int, every: int = 1) -> None:
    for _ in range(epochs):
        for number, (x, y) in enumerate(loader, 1):
            torch.nn.functional.cross_entropy(model(x), y).backward()
            if number % every == 0:
                optimizer.step()
                optimizer.zero_grad()


def test_real_steps_beside_its_own_accountants() -> None:
    answers = {}
    for name in ("hockeystick", "prv", "rdp"):
        engine = opacus.PrivacyEngine(accountant=name)
        train(*private(engine), epochs=3)
        answers[name] = engine.get_epsilon(DELTA)
        steps = sum(entry[2] for entry in engine.accountant.history)
        assert steps == 30
    step = hs.Gaussian(1.2).on(hs.Poisson(0.1))
    assert answers["hockeystick"] == (step * 30).epsilon(DELTA)
    assert answers["hockeystick"] < answers["prv"] < answers["hockeystick"] + 0.02
    assert answers["rdp"] > answers["hockeystick"] * 1.1


def test_noise_for_a_budget() -> None:
    engine = opacus.PrivacyEngine(accountant="hockeystick")
    _, optimizer, _ = private(engine, target_epsilon=2.0, target_delta=DELTA, epochs=3)
    step = hs.Gaussian(optimizer.noise_multiplier).on(hs.Poisson(0.1))
    assert 1.99 <= (step * 30).epsilon(DELTA) <= 2.0


def test_a_checkpoint_goes_on_where_it_was(tmp_path: Path) -> None:
    path = str(tmp_path / "run.pt")
    engine = opacus.PrivacyEngine(accountant="hockeystick")
    model, optimizer, loader = private(engine)
    train(model, optimizer, loader, epochs=1)
    engine.save_checkpoint(path=path, module=model, optimizer=optimizer)
    again = opacus.PrivacyEngine(accountant="hockeystick")
    model, optimizer, loader = private(again)
    again.load_checkpoint(path=path, module=model, optimizer=optimizer)
    assert again.get_epsilon(DELTA) == engine.get_epsilon(DELTA)
    train(model, optimizer, loader, epochs=2)
    assert again.accountant.spent == hs.Gaussian(1.2).on(hs.Poisson(0.1)) * 30


def test_batches_that_are_not_poisson_samples_are_refused() -> None:
    engine = opacus.PrivacyEngine(accountant="hockeystick")
    with pytest.raises(hs.ParameterError, match="poisson_sampling=False"):
        private(engine, poisson_sampling=False)
    with pytest.raises(hs.ParameterError, match="poisson_sampling=False"):
        private(engine, poisson_sampling=False, target_epsilon=2.0, target_delta=DELTA, epochs=1)
    other = opacus.PrivacyEngine(accountant="rdp")
    train(*private(other, poisson_sampling=False), epochs=1)
    assert other.get_epsilon(DELTA) > 0


def test_accumulated_batches_are_steps_of_less_noise() -> None:
    """A record may be in both of two batches, so that the sum moves by 0, 1 or 2."""
    engine = opacus.PrivacyEngine(accountant="hockeystick")
    model, optimizer, loader = private(engine)
    model.allow_grad_accumulation()
    train(model, optimizer, loader, epochs=1, every=2)
    assert len(engine.accountant) == 10
    truth = hs.MixtureOfGaussians(1.2, (0, 1, 2), (0.81, 0.18, 0.01)) * 5
    answer = engine.get_epsilon(DELTA)
    assert truth.epsilon(DELTA) <= answer
    assert answer == pytest.approx(
        (hs.Gaussian(1.2 / math.sqrt(2)).on(hs.Poisson(0.1)) * 10).epsilon(DELTA), rel=1e-9
    )


@pytest.mark.slow
def test_noise_that_changes_at_every_step() -> None:
    accountant = ours.Accountant()
    for i in range(60):
        accountant.step(noise_multiplier=1 + i / 100, sample_rate=0.05)
    start = time.process_time()
    answer = accountant.get_epsilon(DELTA)
    assert time.process_time() - start < 10
    prv = host("opacus.accountants", "opacus").PRVAccountant()
    prv.history = [accountant.history[0], accountant.history[30], accountant.history[59]]
    accountant.history = list(prv.history)
    few = accountant.get_epsilon(DELTA)
    assert few < prv.get_epsilon(DELTA) < few + 0.03
    assert few < answer


def test_the_history_is_the_state() -> None:
    accountant = ours.Accountant()
    accountant.step(noise_multiplier=1.5, sample_rate=0.1)
    accountant.step(noise_multiplier=1.5, sample_rate=0.1)
    accountant.step(noise_multiplier=1.0, sample_rate=0.1)
    assert accountant.history == [(1.5, 0.1, 2), (1.0, 0.1, 1)]
    other = copy.deepcopy(accountant)
    other.step(noise_multiplier=1.0, sample_rate=0.1)
    assert (len(accountant), len(other)) == (3, 4)
    assert ours.Accountant().get_epsilon(DELTA) == 0
    for bad in (
        {"noise_multiplier": -1.0, "sample_rate": 0.1},
        {"noise_multiplier": 1.0, "sample_rate": 1.5},
        {"noise_multiplier": math.nan, "sample_rate": 0.1},
    ):
        with pytest.raises(hs.ParameterError):
            accountant.step(**bad)
    assert len(accountant) == 3


def test_a_loop_that_asks_after_every_step() -> None:
    accountant = ours.Accountant()
    step = hs.Gaussian(1.0).on(hs.Poisson(0.01))
    for number in range(1, 41):
        accountant.step(noise_multiplier=1.0, sample_rate=0.01)
        asked = accountant.get_epsilon(DELTA)
        if number in (1, 17, 40):
            exact = (step * number).epsilon(DELTA)
            assert asked.lower <= exact <= asked.upper * (1 + 1e-12)
            assert asked == pytest.approx(exact, rel=1e-4)
