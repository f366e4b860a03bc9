"""`predict`: what a saved model says, and files as people have them for `train` and `predict`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from hockeystick.learn.model import Model
from hockeystick.learn.schema import Category, Number, Schema
from tests.support.command import call, refused

SCHEMA = Schema({"age": Number(0, 100), "income": Category(("low", "high"))})
DECLARED = ("--bounds", "age=0:100", "--categories", "income=low,high", "--target", "income")
TRAIN = ("train", "people.csv", *DECLARED, "--epsilon", "1", "--seed", "0")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [f"{age},{'high' if age > 50 else 'low'}" for age in range(100)] * 3
    Path("people.csv").write_text("\n".join(["age,income", *lines]) + "\n")
    Model("income", SCHEMA, np.array([[2.0]]), np.array([0.5]), ("low", "high"), {}).save(
        Path("m.model.json")
    )


def test_predictions_by_hand() -> None:
    """2·x + 0.5 > 0 for x = (age − 50)/50 means: above 37.5."""
    Path("new.csv").write_text("name,age\na,37\nb,38\nc,\n")
    done = call("predict", "m.model.json", "new.csv")
    assert done.stdout == "income\nlow\nhigh\nhigh\n"
    found = json.loads(call("predict", "m.model.json", "new.csv", "--json").stdout)
    assert found == {"target": "income", "predictions": ["low", "high", "high"], "data": None}
    assert call("predict", "m.model.json", "new.csv", "-o", "out.csv").stdout == ""
    assert Path("out.csv").read_text() == done.stdout


def test_it_reads_what_train_saves() -> None:
    assert call(*TRAIN).returncode == 0
    lines = call("predict", "people.model.json", "people.csv").stdout.splitlines()
    truth = [line.split(",")[1] for line in Path("people.csv").read_text().splitlines()]
    assert np.mean([one == other for one, other in zip(lines, truth, strict=True)]) > 0.9


@pytest.mark.parametrize(
    ("text", "more", "message"),
    [
        ("weight\n3\n", (), "the declared column 'age' is not in the file"),
        ("age\n3\nold\n", (), "the first is in line 3"),
        ("age;sex\n3;f\n", ("--delimiter", ";;"), "must be one character such as ; or the word"),
    ],
)
def test_refuses(text: str, more: tuple[str, ...], message: str) -> None:
    Path("new.csv").write_text(text)
    assert message in refused(call("predict", "m.model.json", "new.csv", *more))


def test_other_delimiters_and_missing_values() -> None:
    Path("new.csv").write_text("age\tsex\n.\tf\n20\tm\n")
    done = call("predict", "m.model.json", "new.csv", "--delimiter", "tab", "--na", ".")
    assert done.stdout == "income\nhigh\nlow\n"
    assert "--delimiter" in refused(call("train", "new.csv", *DECLARED, "--epsilon", "1"))


def test_a_model_that_is_there_is_not_overwritten_unasked() -> None:
    assert call(*TRAIN).returncode == 0
    before = Path("people.model.json").read_bytes()
    line = refused(call(*TRAIN, "--clip", "2"))
    assert "people.model.json and people.privacy.txt are there already; --force overwrites" in line
    assert Path("people.model.json").read_bytes() == before
    assert call(*TRAIN, "--clip", "2", "--force").returncode == 0
    assert Path("people.model.json").read_bytes() != before


def test_an_output_that_is_a_folder_takes_the_name_of_the_data() -> None:
    Path("out").mkdir()
    assert call(*TRAIN, "--output", "out").returncode == 0
    assert Path("out/people.model.json").exists()
    assert call(*TRAIN, "--output", ".").returncode == 0
    assert Path("people.model.json").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"age,income\n1,low\n2,h\xe9\n", "byte 4 of line 3 is not; save it as UTF-8"),
        (b"age,income\n1,low\nunknown,low\n", "say by --na what stands for a missing number; the"),
        (b"age,income\n1,low\nunknown,low\n", "the first is in line 3"),
        (
            b"age,income\n1,low\n\n2,\n",
            "there is another, which is not shown; the first is in line 4",
        ),
    ],
)
def test_where_a_cell_is_bad(content: bytes, message: str) -> None:
    Path("bad.csv").write_bytes(content)
    line = refused(call("train", "bad.csv", *DECLARED, "--epsilon", "1"))
    assert message in line
    assert "unknown" not in line


def test_a_schema_with_a_byte_order_mark() -> None:
    text = '[columns]\nage = [0, 100]\nincome = ["low", "high"]\n'
    Path("s.toml").write_bytes(b"\xef\xbb\xbf" + text.encode())
    asked = ("train", "people.csv", "--schema", "s.toml", "--target", "income", "--epsilon", "1")
    assert call(*asked, "--seed", "0").returncode == 0


def test_bounds_the_wrong_way_round() -> None:
    line = refused(
        call("train", "people.csv", "--bounds", "age=90:18", *DECLARED[2:], "--epsilon=1")
    )
    assert "the lower below the upper, got 90.0 and 18.0" in line


def test_a_header_alone_is_a_warning() -> None:
    Path("none.csv").write_text("age,income\n")
    done = call("train", "none.csv", *DECLARED, "--epsilon", "1", "--seed", "0")
    assert done.returncode == 0
    assert "Warning: none.csv has no records, so nothing is learnt" in done.stderr
