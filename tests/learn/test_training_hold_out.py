"""Records are held out by their own coins; what is shown of them is marked, and off by default."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import hockeystick as hs
from hockeystick.cli.main import main
from hockeystick.learn import LogisticRegression
from hockeystick.learn.estimator import PrivateEstimator
from hockeystick.learn.schema import Category, Number, Schema
from hockeystick.learn.table import Table
from hockeystick.learn.training import hold_out, prepare
from hockeystick.random.generators import generator

SCHEMA = Schema({"age": Number(0, 100), "job": Category(("farm", "none"))})
RELATIONS = ["add-remove", "zero-out", "replace-one"]
OPTIONS = [
    "--target", "income", "--epsilon", "1", "--bounds", "age=0:1000",
    "--categories", "income=low,high",
]  # fmt: skip


def table(ages: list[int]) -> Table:
    """People who are known by their age."""
    return Table(
        {"age": [str(a) for a in ages], "job": ["farm" if a % 2 else "none" for a in ages]}
    )


def trained_on(ages: list[int], seed: int, relation: str, monkeypatch: Any) -> set[int]:
    """The ages that reach the private training."""
    seen: list[set[int]] = []

    def spy(self: Any, objective: Any, x: Any, y: Any) -> Any:
        seen.append({round(50 + 50 * age) for age in x[:, 0].tolist()})
        raise InterruptedError

    monkeypatch.setattr(PrivateEstimator, "_train", spy)
    population = {"population": 20} if relation == "add-remove" else {}
    with pytest.raises(InterruptedError):
        prepare(
            table(ages), "job", SCHEMA, test_fraction=0.2, rng=seed, relation=relation, **population
        ).run()
    return seen[0]


@pytest.mark.parametrize("relation", RELATIONS)
def test_one_record_more_is_one_record_more_to_train_on(
    relation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twelve people and a thirteenth: round(n·f) holds out 2 and 3, so that one is replaced."""
    twelve, gained = list(range(12)), []
    for seed in range(60):
        fewer = trained_on(twelve, seed, relation, monkeypatch)
        more = trained_on([*twelve, 12], seed, relation, monkeypatch)
        assert more - fewer <= {12}
        assert fewer - more == set()
        gained.append(12 in more)
    assert {True, False} == set(gained)


@pytest.mark.parametrize("relation", ["zero-out", "replace-one"])
def test_one_record_replaced_is_at_most_one_replaced(
    relation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = list(range(12))
    for seed in range(30):
        one = trained_on(people, seed, relation, monkeypatch)
        other = trained_on([*people[:5], 50, *people[6:]], seed, relation, monkeypatch)
        assert (one - other, other - one) in [(set(), set()), ({5}, {50})]


@pytest.mark.slow
@pytest.mark.parametrize("fraction", [0.0, 1e-3, 0.2, 0.5, 0.999])
def test_coins_fall_for_each_record_alike_and_by_themselves(fraction: float) -> None:
    draws = np.array([hold_out(4, fraction, generator(seed)) for seed in range(4000)])
    spread = 4 * np.sqrt(fraction * (1 - fraction) / 4000)
    assert np.abs(draws.mean(axis=0) - fraction).max() <= spread
    both = (draws[:, :-1] & draws[:, 1:]).mean(axis=0)
    assert np.abs(both - fraction**2).max() <= 4 * np.sqrt(fraction**2 / 4000) + 1e-12


def test_how_many_are_held_out_is_not_fixed() -> None:
    counts = {int(hold_out(13, 0.2, generator(seed)).sum()) for seed in range(100)}
    assert counts >= {0, 1, 2, 3, 4, 5}


def test_coins_are_secure_unless_there_is_a_seed() -> None:
    pytest.importorskip("randomgen")
    hundred = table(list(range(100)))
    one, two = (prepare(hundred, "job", SCHEMA, test_fraction=0.5) for _ in range(2))
    assert (one.held_out != two.held_out).any()
    assert one.estimator.random_state is None


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    ages = np.random.default_rng(0).integers(0, 1000, 317).tolist()
    rows = "".join(f"{age},{'high' if age > 500 else 'low'}\n" for age in ages)
    (tmp_path / "people.csv").write_text(f"age,income\n{rows}")
    return tmp_path


RECORDS = re.compile(r"(?<![\d.])317(?!\d)")
"""How many there are, as a number and not as digits of one."""


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["train", "people.csv", *OPTIONS, *map(str, arguments)])


@pytest.mark.parametrize("more", [[], ["--test-fraction", 0], ["--json"]])
def test_nothing_but_the_private_model_is_shown(people: Path, more: list[object]) -> None:
    """Under add-remove not even how many there are."""
    result = run("--population", 500, *more)
    assert result.exit_code == 0, result.output
    files = "".join((people / f"people.{end}").read_text() for end in ("model.json", "privacy.txt"))
    for text in (result.output, files):
        assert not RECORDS.search(text)
        for word in ("score", "accuracy", "trained on", "without privacy"):
            assert word not in text.replace("differentially private", "")


def test_scores_are_marked_as_not_private(people: Path) -> None:
    result = run("--population", 500, "--test-fraction", 0.3, "--seed", 1)
    assert result.exit_code == 0, result.output
    private, _, marked = result.stdout.partition("NOT PRIVATE")
    assert "test accuracy" in marked
    assert "test accuracy" not in private
    assert "trained on" not in private
    found = json.loads(run("--test-fraction", 0.3, "--seed", 1, "--json", "--force").stdout)
    assert set(found) == {"privacy", "model", "statement", "not_private"}
    scores = found["not_private"]
    assert "not to be published" in scores["warning"]
    assert sum(scores["records"].values()) == 317
    assert scores["records"]["test"] > 50
    assert scores["test_score"] > 0.6
    assert scores["test_score_without_privacy"] > 0.9
    files = "".join((people / f"people.{end}").read_text() for end in ("model.json", "privacy.txt"))
    assert "score" not in files


@pytest.mark.parametrize("rows", [0, 1, 2, 5])
@pytest.mark.parametrize("fraction", [0.0, 0.2, 0.999])
@pytest.mark.parametrize("target", ["income", "age"])
@pytest.mark.parametrize("relation", RELATIONS)
def test_few_records_and_nobody_to_test_on(
    people: Path, rows: int, fraction: float, target: str, relation: str
) -> None:
    """However few there are, and whichever are held out, there is a model and no error."""
    lines = (people / "people.csv").read_text().splitlines(keepends=True)
    (people / "people.csv").write_text("".join(lines[: rows + 1]))
    result = run(
        "--test-fraction", fraction, "--seed", 3, "--target", target, "--relation", relation,
        *(["--population", 5] if relation == "add-remove" else []), "--epochs", 2, "--json",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert ("not_private" in found) == (fraction > 0)
    if fraction > 0 and found["not_private"]["records"]["test"] == 0:
        assert found["not_private"]["test_score"] is None


def test_no_message_tells_how_many_there_are_under_add_remove(people: Path) -> None:
    for more in (
        ["--relation", "add-remove"],
        ["--relation", "add-remove", "--sampler", "without-replacement", "--population", 500],
        ["--relation", "add-remove", "--population", 0],
        ["--relation", "add-remove", "--population", 10**400],
        ["--population", 500, "--epochs", 1e300],
        ["--population", 500, "--clip", 0],
    ):
        result = run(*more)
        assert result.exit_code == 2, more
        assert "317" not in result.output
        assert not (people / "people.privacy.txt").exists()


def test_no_warning_tells_how_many_labels_there_are() -> None:
    """Scikit-learn warns of labels that are more than half as many as the records."""
    labels = [f"label {i}" for i in range(30)]
    model = LogisticRegression(classes=labels, epochs=1, population=100)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(np.zeros((25, 2)), np.array(labels[:25]))
    assert model.classes_.tolist() == sorted(labels)


def test_the_plan_depends_on_what_is_public_alone() -> None:
    """Under add-remove the rate, the steps, the noise and the divisor come from the population."""
    for sampler in ("poisson", "full"):
        plans = {
            prepare(
                table(list(range(rows))), "job", SCHEMA,
                population=40, batch_size=10, epochs=2, sampler=sampler,
            ).privacy
            for rows in (0, 1, 12, 13, 90)
        }  # fmt: skip
        [privacy] = plans
        assert privacy.relation is hs.ADD_REMOVE
