"""A schema, a model or a checkpoint that is none: one clear error that names the file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.learn import Logistic, Plan, Run, private_sgd
from hockeystick.learn.model import Model
from hockeystick.learn.schema import Category, Number, Schema

X = np.random.default_rng(0).standard_normal((30, 2))
Y = (X[:, 0] > 0).astype(float)
DEPTHS = [30, *range(300, 1100, 160), 100_000]
"""Around the limit the file can be read but not shown or counted."""
HUGE = "1" + "0" * 400


def resume(path: Path) -> Run:
    plan = Plan(hs.Gaussian(1.0), hs.Poisson(0.1), steps=4, clip=1.0, batch_size=3)
    return private_sgd(Logistic(), X, Y, plan, checkpoint=path)


def whole_files(folder: Path) -> dict[str, dict[str, Any]]:
    """A good file of each kind, as plain values."""
    schema = Schema({"a": Number(0, 1), "b": Category(("x", "y"))}, ("c",))
    model = Model("b", schema, np.ones((1, 1)), np.ones(1), ("x", "y"), {"epsilon": 1.0})
    model.save(folder / "model.json")
    resume(folder / "run.json")
    return {
        "schema": schema.to_dict(),
        "model": json.loads((folder / "model.json").read_text()),
        "checkpoint": json.loads((folder / "run.json").read_text()),
    }


READERS: dict[str, Callable[[Path], object]] = {
    "schema": Schema.load,
    "model": Model.load,
    "checkpoint": resume,
}


def message(kind: str, path: Path, otherwise: str) -> str:
    """What is said of a file that is refused."""
    try:
        READERS[kind](path)
    except hs.ParameterError as error:
        return str(error)
    return otherwise


def fails(kind: str, path: Path, text: str) -> None:
    path.write_text(text)
    with pytest.raises(hs.ParameterError) as caught:
        READERS[kind](path)
    assert str(path) in str(caught.value)
    assert path.read_text() == text


def places(value: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where something else could stand in a file."""
    found = [before] if before else []
    if isinstance(value, dict | list):
        keys = value if isinstance(value, dict) else range(len(value))
        found += [place for key in keys for place in places(value[key], (*before, key))]
    return found


def with_text(value: Any, place: tuple[Any, ...], text: str) -> str:
    """The file as JSON, with some text at a place."""
    value = json.loads(json.dumps(value))
    inner = value
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = "HERE"
    return json.dumps(value).replace('"HERE"', text)


@pytest.mark.parametrize("kind", READERS)
def test_the_good_files_are_read(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"{kind}.json"
    path.write_text(json.dumps(whole_files(tmp_path)[kind]))
    assert isinstance(READERS[kind](path), Schema | Model | Run)


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("depth", DEPTHS)
def test_files_that_are_nested_without_end(tmp_path: Path, kind: str, depth: int) -> None:
    path = tmp_path / f"{kind}.json"
    good = whole_files(tmp_path)[kind]
    nested = "[" * depth + "]" * depth
    for text in ("[" * depth, nested, '{"columns": ' * depth + "1" + "}" * depth):
        fails(kind, path, text)
    for place in places(good):
        path.write_text(with_text(good, place, nested))
        assert str(path) in message(kind, path, str(path))  # not everything in a file is read


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("number", [HUGE, f"-{HUGE}", "1e400", "NaN", "9" * 5000], ids=len)
def test_files_with_numbers_that_no_float_holds(tmp_path: Path, kind: str, number: str) -> None:
    path = tmp_path / f"{kind}.json"
    good = whole_files(tmp_path)[kind]
    refused = 0
    for place in places(good):
        path.write_text(with_text(good, place, number))
        found = message(kind, path, "")
        assert not found or str(path) in found
        refused += bool(found)
    assert refused > 3


@pytest.mark.parametrize(
    "text",
    [
        f"[columns]\nage = [0, {HUGE}]\n",
        f"[columns]\nage = [-{HUGE}, 0]\n",
        "[columns]\nage = [0, 1e400]\n",
        "[columns]\nage = [0, nan]\n",
        f"[columns]\nage = [0, {'9' * 5000}]\n",
        f"[columns]\nage = [0, 0x{'f' * 5000}]\n",
        f"[columns]\nage = [{10**30}, {10**30 + 1}]\n",
        "[columns]\nage = [0, 5e-324]\n",
        "drop = 3\n[columns]\nage = [0, 1]\n",
        'drop = "age"\n[columns]\nage = [0, 1]\n',
        "names = [1, 2]\n[columns]\nage = [0, 1]\n",
        "names = {a = 1}\n[columns]\nage = [0, 1]\n",
        "columns = " + "[" * 100_000,
        "columns = " + "{a=" * 100_000,
        "[columns]\nage = [60, 20]\n",
        "columns = ",
    ],
    ids=range(16),
)
def test_schemas_in_toml(tmp_path: Path, text: str) -> None:
    fails("schema", tmp_path / "s.toml", text)


def test_bounds_as_wide_as_floats_are() -> None:
    widest = Number(-1.7e308, 1.7e308)
    assert widest.encode(["1.7e308", "-1.7e308", "0", "inf"]).ravel().tolist() == [1, -1, 0, 1]
    narrow = Number(1e-300, 3e-300)
    assert narrow.encode(["1e300", "3e-300", ""]).ravel().tolist() == [1, 1, 0]


@pytest.mark.parametrize("done", [-1, 5, 10**400, 2.5e300, "x", None])
def test_a_checkpoint_of_steps_that_are_not_in_the_plan(tmp_path: Path, done: Any) -> None:
    good = whole_files(tmp_path)["checkpoint"]
    fails("checkpoint", tmp_path / "c.json", json.dumps(good | {"done": done}))


@pytest.mark.parametrize("key", ["coefficients", "intercepts", "classes", "schema", "privacy"])
def test_a_model_without_one_of_its_parts(tmp_path: Path, key: str) -> None:
    good = whole_files(tmp_path)["model"]
    fails("model", tmp_path / "m.json", json.dumps({k: v for k, v in good.items() if k != key}))
    if key != "privacy":
        fails("model", tmp_path / "m.json", json.dumps(good | {key: 7}))
    if key in ("coefficients", "intercepts"):
        fails("model", tmp_path / "m.json", json.dumps(good | {key: [[1.0], [2.0]]}))
