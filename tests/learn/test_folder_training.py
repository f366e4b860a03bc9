"""`hockeystick train` on a folder of Parquet files, which gives the model of the same CSV file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import hockeystick as hs
from hockeystick.cli.main import main
from hockeystick.learn import LogisticRegression, from_arrays
from hockeystick.learn.folder_training import prepare_folder
from hockeystick.learn.schema import Category, Number, Schema
from hockeystick.learn.table import Table
from hockeystick.random.generators import generator

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

N = 1200
RNG = np.random.default_rng(0)
AGE = RNG.integers(10, 90, N)
SEX = RNG.choice(["f", "m"], N)
INCOME = np.where(AGE + 10 * RNG.normal(size=N) > 50, "high", "low")
COLUMNS: dict[str, Any] = {
    "age": Number(0, 100),
    "sex": Category(("f", "m")),
    "income": Category(("high", "low")),
}
SCHEMA = Schema(COLUMNS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "people"
    place.mkdir()
    for k, rows in enumerate(np.array_split(np.arange(N), 3)):
        table = {"age": AGE[rows], "sex": SEX[rows], "income": INCOME[rows]}
        pq.write_table(pa.table(table), place / f"{k}.parquet")
    return place


def run_seed(seed: int) -> int:
    """The seed of a run: the first number of the generator that the coins come from."""
    return int(generator(seed).integers(2**32))


def test_the_model_is_that_of_the_encoded_columns(folder: Path) -> None:
    options: Any = {"epsilon": 3.0, "batch_size": 100, "epochs": 3}
    trained = prepare_folder(folder, "income", SCHEMA, rng=4, **options).run()
    cells = {"age": AGE.astype(str).tolist(), "sex": SEX.tolist(), "income": INCOME.tolist()}
    x = Table(cells).features(SCHEMA, "income")
    same = LogisticRegression(random_state=run_seed(4), classes=["high", "low"], **options)
    same.fit(from_arrays(x, INCOME))
    assert trained.model.coefficients.tolist() == same.coef_.tolist()
    assert trained.model.classes == ("high", "low")
    assert (trained.model.predict(Table(cells)) == INCOME).mean() > 0.75


def run(*arguments: str) -> Any:
    return CliRunner().invoke(main, ["train", *arguments], catch_exceptions=False)


@pytest.mark.slow
def test_the_command(folder: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    declared = ["--bounds", "age=0:100", "--categories", "sex=f,m"]
    classes = ["--categories", "income=high,low"]
    common = [str(folder), "--target", "income", "--epsilon", "2", "--seed", "1", *declared]
    result = run(*common, *classes, "--output", str(output), "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["privacy"]["epsilon"] <= 2
    assert output.with_suffix(".model.json").exists()
    assert "income" in run(*common, "--output", str(output), "--force").output
    held = run(*common, *classes, "--force", "--test-fraction", "0.1", "--output", str(output))
    assert held.exit_code == 0, held.output
    assert "NOT PRIVATE" in held.output
    wrong = run(*common, *classes, "--force", "--test-fraction", "1", "--output", str(output))
    assert wrong.exit_code == 2
    assert "test_fraction must be in [0, 1), got 1" in wrong.output


def test_records_that_are_held_out_are_scored_and_not_trained_on(folder: Path) -> None:
    """Against the records in memory, with coins that are thrown for them here."""
    options: Any = {"epsilon": 3.0, "batch_size": 100, "epochs": 3}
    trained = prepare_folder(folder, "income", SCHEMA, rng=4, test_fraction=0.25, **options).run()
    coins = generator(4)
    seed = int(coins.integers(2**32))
    out = np.concatenate([coins.random(len(r)) < 0.25 for r in np.array_split(AGE, 3)])
    cells = {"age": AGE.astype(str).tolist(), "sex": SEX.tolist(), "income": INCOME.tolist()}
    x = Table(cells).features(SCHEMA, "income")
    same = LogisticRegression(random_state=seed, classes=["high", "low"], **options)
    same.fit(from_arrays(x[~out], INCOME[~out]))
    assert trained.model.coefficients.tolist() == same.coef_.tolist()
    scores = trained.scores
    assert scores is not None
    assert scores.records == ((~out).sum(), out.sum())
    assert scores.private == (same.predict(x[out]) == INCOME[out]).mean()
    assert scores.without_privacy is None


def test_refusals(folder: Path) -> None:
    with pytest.raises(hs.ParameterError, match="'wage' must be declared"):
        prepare_folder(folder, "wage", SCHEMA)
    with pytest.raises(hs.ParameterError, match="'height' is not among those"):
        prepare_folder(folder, "income", Schema({**COLUMNS, "height": Number(0, 3)}))
