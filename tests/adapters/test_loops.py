"""Plain loops and Lightning: each step is spent, and ε is logged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.adapters.loops import OnStep, lightning_callback
from tests.adapters.hosts import host

STEP = hs.Gaussian(1.1).on(hs.Poisson(0.1))


def test_a_plain_loop() -> None:
    """Private gradient descent on a mean, in numpy: the batches and the noise that are spent."""
    rng = np.random.default_rng(3)
    records = np.clip(rng.normal(0.3, 0.2, 200), -1, 1)
    logged: list[tuple[int, float]] = []
    private = OnStep(
        STEP, delta=1e-5, log=lambda values, at: logged.append((at, values["epsilon"])), every=10
    )
    estimate = 0.0
    for _ in range(40):
        private.on_step()
        batch = records[hs.Poisson(0.1).draw(200, rng=rng)]
        noisy = np.clip(estimate - batch, -1, 1).sum() + 1.1 * rng.standard_normal()
        estimate -= 0.5 * noisy / 20
    assert abs(estimate - records.mean()) < 0.15
    assert [at for at, _ in logged] == [10, 20, 30, 40]
    for at, epsilon in logged:
        assert epsilon == pytest.approx((STEP * at).epsilon(1e-5), rel=1e-4)
    assert private.accountant.spent == STEP * 40


def test_the_step_that_exceeds_a_budget_is_not_taken() -> None:
    accountant = hs.Accountant(budget=(float((STEP * 5).epsilon(1e-5)) + 1e-9, 1e-5))
    private = OnStep(STEP, delta=1e-5, accountant=accountant)
    for _ in range(5):
        private.on_step()
    with pytest.raises(hs.BudgetExceeded):
        private.on_step()
    assert private.steps == 5
    assert accountant.spent == STEP * 5


def test_noise_that_changes() -> None:
    private = OnStep(STEP, delta=1e-5)
    private.on_step()
    private.on_step(hs.Gaussian(3.0))
    assert private.epsilon == (STEP + hs.Gaussian(3.0)).epsilon(1e-5)


@pytest.mark.parametrize(
    "bad", [{"step": "Gaussian(1)"}, {"delta": 2.0}, {"every": 0}], ids=lambda bad: next(iter(bad))
)
def test_bad_arguments(bad: Any) -> None:
    with pytest.raises(hs.ParameterError, match=next(iter(bad))):
        OnStep(**({"step": STEP, "delta": 1e-5} | bad))


@pytest.mark.filterwarnings("ignore")
def test_lightning(tmp_path: Path) -> None:
    """A real `Trainer`: ε is among its metrics, and its checkpoint knows what was spent."""
    lightning, torch = host("lightning", "lightning"), host("torch", "opacus")

    base: type = lightning.LightningModule

    class Model(base):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(3, 1)

        def training_step(self, batch: Any, _: int) -> Any:
            return self.layer(batch[0]).square().mean()

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.1)

    data = torch.utils.data.TensorDataset(torch.randn(40, 3))
    quiet = {"logger": False, "enable_progress_bar": False, "enable_model_summary": False}
    epsilons = []
    for epochs, path in ((1, None), (2, tmp_path / "run.ckpt")):
        callback = lightning_callback(STEP, delta=1e-5)
        trainer = lightning.Trainer(
            max_epochs=epochs,
            callbacks=[callback],
            accelerator="cpu",
            enable_checkpointing=False,
            default_root_dir=tmp_path,
            **quiet,
        )
        trainer.fit(Model(), torch.utils.data.DataLoader(data, batch_size=4), ckpt_path=path)
        trainer.save_checkpoint(tmp_path / "run.ckpt")
        epsilons.append(float(trainer.callback_metrics["epsilon"]))
    assert callback.private.accountant.spent == STEP * 20
    assert epsilons == pytest.approx([(STEP * n).epsilon(1e-5) for n in (10, 20)], rel=1e-4)
