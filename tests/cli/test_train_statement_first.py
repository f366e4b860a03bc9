"""`hockeystick train` writes what a model costs before it costs anything; a weak δ is warned of."""

from __future__ import annotations

import os
import stat
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import hockeystick as hs
from hockeystick.cli.main import main
from hockeystick.learn import LinearRegression, Logistic, LogisticRegression, Plan, private_sgd
from hockeystick.learn.model import Model
from hockeystick.learn.privacy import DeltaWarning, weak_delta

OPTIONS = [
    "--target", "income", "--epsilon", "1", "--bounds", "age=0:99", "--categories",
    "income=low,high", "--epochs", "2", "--batch-size", "20",
]  # fmt: skip
X = np.random.default_rng(0).uniform(-1, 1, (200, 3))
Y = np.where(X[:, 0] > 0, "yes", "no")


@pytest.fixture(autouse=True)
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{age},{'high' if age > 50 else 'low'}\n" for age in range(100))
    (tmp_path / "people.csv").write_text(f"age,income\n{rows}")
    return tmp_path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(
        main, ["train", "--force", "people.csv", *OPTIONS, *map(str, arguments)]
    )


def no_training(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: Any, **options: Any) -> None:
        pytest.fail("trained")

    monkeypatch.setattr("hockeystick.learn.estimator.private_sgd", fail)


@pytest.mark.parametrize("name", ["people.privacy.txt", "people.model.json"])
@pytest.mark.parametrize("kind", ["folder", "pipe", "link"])
def test_a_place_that_cannot_be_written_to_is_found_before_anything_is_spent(
    people: Path, name: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_training(monkeypatch)
    if kind == "folder":
        (people / name).mkdir()
    elif kind == "pipe":
        os.mkfifo(people / name)
    else:
        (people / name).symlink_to("no/such/folder/file")
    before = sorted(os.listdir(people))
    result = run()
    assert result.exit_code == 2
    assert name in result.stderr or "no/such" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert sorted(os.listdir(people)) == before


@pytest.mark.parametrize("name", ["people.privacy.txt", "people.model.json"])
def test_a_write_protected_file_is_found_before(
    people: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_training(monkeypatch)
    (people / name).write_text("old")
    # Nothing is write-protected for root.
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != name)
    assert run().exit_code == 2
    assert (people / name).read_text() == "old"


def test_a_statement_that_cannot_be_written_stops_before_training(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Even where it could not be known before."""
    no_training(monkeypatch)
    monkeypatch.setattr("hockeystick.saving.check_writable", lambda path: None)
    Path("people.privacy.txt").mkdir()
    result = run()
    assert result.exit_code == 2
    assert "people.privacy.txt: is not a regular file" in result.stderr


@pytest.mark.parametrize("seed", [[], ["--seed", "3"]])
@pytest.mark.parametrize(
    "more",
    [[], ["--population", "70"], ["--relation", "replace-one"], ["--test-fraction", "0.4"]],
    ids=str,
)
def test_the_statement_is_there_when_training_begins_and_is_the_models(
    people: Path, seed: list[str], more: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def spy(*given: Any, **options: Any) -> Any:
        seen.append((people / "people.privacy.txt").read_text())
        assert not (people / "people.model.json").exists()
        return private_sgd(*given, **options)

    monkeypatch.setattr("hockeystick.learn.estimator.private_sgd", spy)
    result = run(*seed, *more)
    assert result.exit_code == 0, result.output
    [first] = seen
    assert first in result.stdout
    assert first == (people / "people.privacy.txt").read_text()
    model = Model.load(people / "people.model.json").privacy
    assert repr(model["epsilon"]) in first
    assert model["mechanism"] in first
    assert all(note in first for note in (*model["notes"], *model["public"]))
    assert ("protects nobody" in first) == bool(seed)


@pytest.mark.parametrize("broken", [KeyboardInterrupt, RuntimeError, MemoryError])
def test_a_training_that_breaks_off_leaves_its_statement(
    people: Path, broken: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*given: Any, **options: Any) -> Any:
        raise broken

    monkeypatch.setattr("hockeystick.learn.descent.Descent.step", fail)
    result = run()
    assert result.exit_code != 0
    assert "people.privacy.txt states may be spent" in result.stderr
    assert "-differentially private" in (people / "people.privacy.txt").read_text()
    assert not (people / "people.model.json").exists()


def test_files_of_an_earlier_run_keep_their_mode(people: Path) -> None:
    for name in ("people.privacy.txt", "people.model.json"):
        (people / name).write_text("old")
        (people / name).chmod(0o600)
    assert run().exit_code == 0
    for name in ("people.privacy.txt", "people.model.json"):
        assert stat.S_IMODE((people / name).stat().st_mode) == 0o600
        assert (people / name).read_text() != "old"


def test_a_checkpoint_that_cannot_be_written_is_found_before_anything_is_spent(
    people: Path,
) -> None:
    plan = Plan(hs.Gaussian(1.0), hs.Poisson(0.1), steps=4, clip=1.0, batch_size=3)
    os.mkfifo(people / "pipe")
    for place in ("no/folder/run.json", "people.csv/run.json", "pipe", "."):
        accountant = hs.Accountant()
        with pytest.raises(OSError, match=r"No such file|Not a directory|not a regular file"):
            private_sgd(
                Logistic(), X, (X[:, 0] > 0).astype(float), plan,
                accountant=accountant, checkpoint=place,
            )  # fmt: skip
        assert accountant.spent == hs.Composition()


@pytest.mark.parametrize(
    ("options", "warned"),
    [
        ({"delta": 1e-5}, False),
        ({"delta": 1 / 201}, False),
        ({"delta": 1 / 200}, True),
        ({"delta": 0.9}, True),
        ({"delta": 0.0}, False),
        ({"delta": 1 / 300, "relation": "replace-one"}, False),
        ({"delta": 1 / 200, "relation": "replace-one"}, True),
        ({"delta": 1 / 300, "population": 300}, True),  # the number of records is secret
        ({"delta": 1 / 150, "population": 100}, False),
        ({"delta": 1 / 200, "population": 100, "relation": "zero-out"}, True),
    ],
)
@pytest.mark.parametrize("kind", [LogisticRegression, LinearRegression])
def test_a_weak_delta_gets_one_warning(kind: Any, options: dict[str, Any], warned: bool) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kind(epochs=1, **options).fit(X, Y if kind is LogisticRegression else X[:, 0])
    assert [each.category for each in caught] == ([DeltaWarning] if warned else [])
    for each in caught:
        assert each.filename == __file__
        assert "not below 1/n" in str(each.message)
        assert ("200" in str(each.message)) == (options.get("population") != 300)


@pytest.mark.slow
def test_the_command_says_it_once(people: Path) -> None:
    result = run("--delta", 0.02)
    assert result.exit_code == 0, result.output
    [line] = result.stderr.splitlines()
    assert line.startswith("Warning: delta = 0.02 is not below 1/n for n = 100 records")
    assert line.endswith("well below 0.01")
    assert run("--delta", 0.009).stderr == ""
    secret = run("--delta", 0.02, "--population", 60)
    assert "for n = 60 records" in secret.stderr
    assert "100" not in secret.output


def test_who_publishes_one_of_n_is_within_delta_of_1_over_n() -> None:
    """The mechanism that the warning speaks of, by total variation for one record replaced."""
    n = 8
    one, other = np.full(n + 1, 1 / n), np.full(n + 1, 1 / n)
    one[n], other[0] = 0.0, 0.0  # record 0 is replaced by record n
    distance = float(np.maximum(one - other, 0).sum())
    assert distance == 1 / n
    assert weak_delta(distance, n) is not None
    assert weak_delta(distance * (1 - 1e-9), n) is None
    assert weak_delta(0.5, 0) is None


def test_a_model_is_charged_to_a_ledger_or_not_trained(people: Path) -> None:
    ledger = hs.Ledger("budget.db", create=True)
    ledger.open("census", epsilon="1.5", delta="1e-5", unit="one person", relation=hs.ZERO_OUT)
    paid = ("--ledger", "budget.db", "--budget", "census", "--by", "ana")
    done = run(*paid)
    assert done.exit_code == 0, done.output
    (entry,) = ledger.show("census").spendings
    assert entry.content["purpose"] == "train on people"
    assert entry.content["expression"] in (people / "people.privacy.txt").read_text()
    refused = run(*paid, "--output", "other")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert refused.stderr.splitlines()[-1].startswith("Refused: ")
    assert not (people / "other.privacy.txt").exists()
    assert ledger.verify().entries == 2
    assert run("--ledger", "budget.db").exit_code == 2
