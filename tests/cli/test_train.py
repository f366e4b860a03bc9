"""Schemas, tables, and `hockeystick train` as a user runs it."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from sklearn.datasets import load_breast_cancer

import hockeystick as hs
from hockeystick.cli.main import main
from hockeystick.learn.model import Model
from hockeystick.learn.schema import Category, Number, Schema
from hockeystick.learn.table import Table

EXAMPLES = Path(__file__).parents[2] / "examples"
PEOPLE = """age,sex,note,income
30,Male,a,low
50,Female,b,high
,Female,c,high
200,Other,d,low
"""
DECLARED = ["--bounds", "age=20:60", "--categories", "sex=Female,Male", "--drop", "note"]
TARGET = ["--target", "income", "--categories", "income=low,high", "--epsilon", "1"]


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    with Path("people.csv").open("w") as file:
        file.write("age,sex,note,income\n")
        for _ in range(300):
            age, sex = int(rng.integers(20, 61)), rng.choice(["Female", "Male"])
            file.write(f"{age}, {sex}, secret31337, {'high' if age > 40 else 'low'}\n")
    return tmp_path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["train", "--force", *map(str, arguments)])


def test_cells_become_features_by_declaration_alone(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(PEOPLE)
    table = Table.read(path, "income")
    schema = Schema.of(
        {"columns": {"age": [20, 60], "sex": ["Female", "Male"], "income": ["low", "high"]},
         "drop": ["note"]}
    )  # fmt: skip
    wanted = [[-0.5, 0, 1], [0.5, 1, 0], [0, 1, 0], [1, 0, 0]]
    np.testing.assert_array_equal(table.features(schema, "income"), wanted)
    assert table.targets("income", schema.columns["income"]).tolist() == [
        "low", "high", "high", "low"
    ]  # fmt: skip
    assert table.undeclared(schema) == []
    assert table.undeclared(Schema()) == ["age", "sex", "note", "income"]
    assert Schema.of(schema.to_dict()) == schema
    for i, row in enumerate(wanted):  # each by itself: the others have no part in it
        alone = Table({name: cells[i : i + 1] for name, cells in table.cells.items()})
        assert alone.features(schema, "income").tolist() == [row]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"columns": {"age": [60, 20]}}, "the lower below the upper"),
        ({"columns": {"age": [20, float("inf")]}}, "finite"),
        ({"columns": {"age": [20]}}, "two numbers, its bounds, or by texts"),
        ({"columns": {"age": "20-60"}}, "two numbers"),
        ({"columns": {"sex": ["one"]}}, "at least two different texts"),
        ({"columns": {"sex": ["one", "one"]}}, "at least two different texts"),
        ({"columns": {}, "bounds": {}}, "no other keys"),
        ([], "no other keys"),
        ({}, "must declare columns"),
        ({"columns": [1]}, "must declare columns"),
    ],
)
def test_bad_schemas(content: Any, message: str) -> None:
    with pytest.raises(hs.ParameterError, match=message):
        Schema.of(content)


def test_schema_files(tmp_path: Path) -> None:
    toml, other = tmp_path / "s.toml", tmp_path / "s.json"
    toml.write_text('names = ["age", "sex"]\n[columns]\nage = [20, 60]\nsex = ["F", "M"]\n')
    schema = Schema.load(toml)
    assert schema.columns == {"age": Number(20, 60), "sex": Category(("F", "M"))}
    other.write_text(json.dumps(schema.to_dict()))
    assert Schema.load(other) == schema
    toml.write_text("columns = ")
    with pytest.raises(hs.ParameterError, match="is not a schema"):
        Schema.load(toml)


def test_training_from_options(people: Path) -> None:
    result = run("people.csv", *TARGET, *DECLARED, "--epochs", 5, "--batch-size", 50)
    assert result.exit_code == 0, result.output
    statement = Path("people.privacy.txt").read_text()
    assert statement.strip() in result.stdout
    assert "Taken as public: the number of records, 300." in statement
    assert "protects nobody" not in statement
    assert result.stdout == f"{statement}\nsaved people.model.json and people.privacy.txt\n"
    assert result.stderr == ""
    assert "secret31337" not in result.output
    model = Model.load(Path("people.model.json"))
    assert model.privacy["epsilon"] <= 1
    ran = hs.parse(model.privacy["mechanism"])
    assert ran.epsilon(1e-5, relation=hs.ZERO_OUT) == model.privacy["epsilon"]
    table = Table.read(Path("people.csv"), "income")
    assert set(model.predict(table)) <= {"low", "high"}
    text = Path("people.model.json").read_text() + statement
    assert "secret31337" not in text


def test_json_and_seeds(people: Path) -> None:
    options = ["people.csv", *TARGET, *DECLARED, "--seed", 7, "--json", "--output", "out"]
    one, two = run(*options), run(*options)
    assert one.exit_code == 0, one.output
    assert one.stdout == two.stdout
    found = json.loads(one.stdout)
    assert set(found) == {"privacy", "model", "statement"}
    assert found["privacy"]["epsilon"] <= 1
    assert any("protects nobody" in note for note in found["privacy"]["notes"])
    assert Path(found["model"]).exists()
    assert Path(found["statement"]).exists()


def test_regression_and_a_secret_number_of_records(people: Path) -> None:
    result = run(
        "people.csv", "--target", "age", "--epsilon", "5", *DECLARED,
        "--categories", "income=low,high", "--population", "250", "--json",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["privacy"]["relation"] == "add-remove"
    assert "300" not in Path("people.privacy.txt").read_text() + result.output
    assert Model.load(Path("people.model.json")).classes is None


def test_one_class_has_no_model_to_compare_with(people: Path) -> None:
    lines = Path("people.csv").read_text().replace("high", "low")
    Path("one.csv").write_text(lines)
    options = ["one.csv", *TARGET, *DECLARED, "--seed", 1, "--test-fraction", 0.2]
    result = run(*options)
    assert result.exit_code == 0, result.output
    assert "without privacy n/a (too few records or classes," in result.stdout
    found = json.loads(run(*options, "--json").stdout)["not_private"]
    assert found["test_score_without_privacy"] is None
    assert 0 <= found["test_score"] <= 1


def test_where_to_save_is_checked_before_anything_is_trained(
    people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hockeystick.learn.training.prepare", lambda *a, **k: pytest.fail("ran"))
    for place in ("no/folder", "people.csv/model"):
        result = run("people.csv", *TARGET, *DECLARED, "--output", place)
        assert result.exit_code == 2
        assert "--output must be in a folder to write to" in result.stderr


@pytest.mark.parametrize(
    ("options", "relation"),
    [
        ([], "zero-out"),
        (["--relation", "replace-one"], "replace-one"),
        (["--relation", "zero-out", "--population", "250"], "zero-out"),
        (["--relation", "add-remove", "--population", "250"], "add-remove"),
    ],
)
def test_the_neighbours_can_be_chosen(people: Path, options: list[str], relation: str) -> None:
    result = run("people.csv", *TARGET, *DECLARED, "--json", *options)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["privacy"]["relation"] == relation


def test_batches_in_turns(people: Path) -> None:
    """300 records in 3 batches of 100, 4 epochs; a tree of 12 leaves has ε from its zCDP."""
    turns = ["--sampler", "cyclic", "--batch-size", "100", "--epochs", "4"]
    result = run("people.csv", *TARGET, *DECLARED, *turns, "--noise", "tree", "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)["privacy"]
    assert told["relation"] == "zero-out"
    assert told["epsilon_lower"] <= told["epsilon"] <= 1 < told["epsilon_lower"] + 1e-6
    ran = hs.parse(told["mechanism"])
    assert isinstance(ran, hs.Correlated)
    assert (ran.matrix, ran.pattern) == (hs.matrix.tree(12), hs.Cyclic(3, 4))
    for wrong, message in (
        (["--epochs", "2.5"], "epochs must be an integer >= 1, got 2.5"),
        (["--noise", "laplace"], "noise must be one of banded, "),
        (["--delta", "0"], "delta must be in (0, 1)"),
        (["--relation", "add-remove", "--population", "300"], "relation must be replace-one or"),
    ):
        result = run("people.csv", *TARGET, *DECLARED, *turns, *wrong)
        assert result.exit_code == 2
        assert message in result.stderr


def test_added_records_need_a_population(people: Path) -> None:
    result = run("people.csv", *TARGET, *DECLARED, "--relation", "add-remove")
    assert result.exit_code == 2
    assert "population" in result.stderr


def test_standard_input(people: Path) -> None:
    options = [*TARGET, *DECLARED, "--seed", "1"]
    from_file = run("people.csv", *options)
    text = "\ufeff" + Path("people.csv").read_text()
    piped = CliRunner().invoke(main, ["train", "--force", "-", *options], input=text.encode())
    assert piped.exit_code == 0, piped.output
    assert piped.stdout == from_file.stdout.replace("people.", "stdin.")
    assert Path("stdin.model.json").read_text() == Path("people.model.json").read_text()
    broken = CliRunner().invoke(
        main, ["train", "--force", "-", *options], input=b"age,income\n31337,\xff\n"
    )
    assert broken.exit_code == 2
    assert "standard input must be CSV in UTF-8" in broken.stderr
    assert "31337" not in broken.output


def test_columns_that_nobody_declared(people: Path) -> None:
    result = run("people.csv", *TARGET)
    assert result.exit_code == 2
    for part in ("[columns]", '"age" = [LOWEST, HIGHEST]', "--bounds", "--categories", "--drop"):
        assert part in result.stderr
    assert "31337" not in result.output
    assert not Path("people.model.json").exists()


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("31337,b\n1,2\n", [], "is not among the 2 columns"),
        ("age,income\n31337,low,7\n", [], "line 2 of .* must have 2 cells, got 3"),
        (
            "age,income\n31337x,low\n1,high\n1,low\n1,high\n",
            [],
            "declared by bounds but holds a text",
        ),
        ("age,income\n1,31337\n1,high\n", [], "declared categories only"),
        ("age,age,income\n1,1,low\n", [], "different names"),
        ("age,income\n1,low\n", ["--test-fraction", "1"], "test_fraction must be in .0, 1."),
        ("age,income\n1,low\n", ["--test-fraction", "nan"], "test_fraction must be in .0, 1."),
        ("age,income\n1,low\n", ["--test-fraction", "-0.1"], "test_fraction must be in .0, 1."),
        ("age,income\n1,low\n", ["--bounds", "age=9"], "--bounds must be NAME=LOW:HIGH"),
        ("age,income\n1,low\n", ["--drop", "income"], "must not be dropped"),
        ("age,income\n1,low\n", ["--drop", "age"], "no column is left"),
        ("income\n" + "low\nhigh\n" * 4, [], "declared column 'age' is not in the file"),
        ("age,income\n" + "1,low\n2,high\n" * 4, ["--clip", "0"], "clip must be"),
        ("age,income\n" + "1,low\n2,high\n" * 4, ["--delta", "2"], "delta must be"),
        (
            "age,income\n" + "1,low\n2,high\n" * 4,
            ["--sampler", "without-replacement"],
            "batch_size must be at most the number of records, 8",
        ),
    ],
)
def test_bad_files_and_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, options: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("d.csv").write_text(text)
    result = run("d.csv", *TARGET, "--bounds", "age=0:10", *options)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert re.search(message, " ".join(result.stderr.split())), result.stderr
    assert "31337" not in result.output
    assert sorted(p.name for p in tmp_path.iterdir()) == ["d.csv"]


def test_files_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_bytes(b"age,income\n31337,\xff\xfe\n")
    with pytest.raises(hs.ParameterError, match="must be CSV in UTF-8") as caught:
        Table.read(path, "income")
    assert "31337" not in str(caught.value)


def test_a_missing_target(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("age,income\n1,5\n1,\n")
    with pytest.raises(hs.ParameterError, match="must not be missing"):
        Table.read(path, "income").targets("income", Number(0, 9))


def test_models_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text("{}")
    with pytest.raises(hs.ParameterError, match="is not a hockeystick model"):
        Model.load(path)


def test_real_data_with_the_schema_of_the_examples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data = load_breast_cancer()
    with Path("tumours.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*data.feature_names, "diagnosis"])
        writer.writerows(
            [*row, data.target_names[label]]
            for row, label in zip(data.data.tolist(), data.target.tolist(), strict=True)
        )
    result = run(
        "tumours.csv", "--target", "diagnosis", "--epsilon", 4, "--batch-size", 64, "--seed", 1,
        "--schema", EXAMPLES / "breast_cancer.toml", "--json", "--test-fraction", 0.2,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)["not_private"]
    assert found["test_score"] > 0.85
    assert found["test_score_without_privacy"] > 0.93


def test_the_schema_for_adult_reads_its_lines(tmp_path: Path) -> None:
    schema = Schema.load(EXAMPLES / "adult.toml")
    path = tmp_path / "adult.data"
    path.write_text(
        "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, "
        "Male, 2174, 0, 40, United-States, <=50K\n\n"
        "50, ?, 83311, Bachelors, 13, Married-civ-spouse, Exec-managerial, Husband, White, Male, "
        "0, 0, 13, United-States, >50K\n"
    )
    table = Table.read(path, "income", schema.names)
    assert table.undeclared(schema) == []
    x = table.features(schema, "income")
    widths = [c.encode([""]).shape[1] for name, c in schema.columns.items() if name != "income"]
    assert x.shape == (2, sum(widths))
    assert table.targets("income", schema.columns["income"]).tolist() == ["<=50K", ">50K"]
    assert x[0, 0] == pytest.approx((39 - 53.5) / 36.5)
    assert not x[1, 1:9].any()  # nobody knows where this person works
