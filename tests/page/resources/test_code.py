"""`/api/code`: both texts run, and give the same ε as the page."""

from __future__ import annotations

import contextlib
import io
import shlex
from pathlib import Path

import pytest

import hockeystick as hs
from hockeystick.page.resources.code import code, in_python
from hockeystick.page.resources.epsilon import epsilon
from tests.support.command import call

TEXTS = [
    "Gaussian(1.1).on(Poisson(0.01)) * 1000",
    "Gaussian(inf) + Laplace(2, replace_sensitivity=1.5) * 3",
    "RandomizedResponse.truthful(0.75) * 20",
    "RenyiDP.table(2, 0.1, 8, 0.5)",
    "(Gaussian(2) + Laplace(5)).on(WithoutReplacement(10, 1000)) * 100",
    "Gaussian(1).on(RandomAllocation(100, participations=3)) * 2",
    "Gaussian(1).on(Poisson(0.01)).group(3) * 10",
    "PureDP(1/3) * 0",
]


def printed(python: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(python, {})
    return out.getvalue()


@pytest.mark.parametrize("text", TEXTS)
def test_python_means_the_same(text: str) -> None:
    made = eval(in_python(repr(hs.parse(text))), {"hs": hs, "math": __import__("math")})
    assert made == hs.parse(text)


@pytest.mark.parametrize("relation", [None, "zero-out", "replace-one"])
def test_both_give_the_same_epsilon(relation: str | None) -> None:
    run = {"expression": TEXTS[0], "relation": relation}
    texts = code({"runs": [run], "delta": "1/60000", "kind": "epsilon"})
    found = epsilon({"run": run, "delta": "1/60000"})
    assert float(printed(texts["python"])) == found["epsilon"]
    name, *arguments = shlex.split(texts["command"])
    assert name == "hockeystick"
    assert call(*arguments).stdout.rstrip("\n") == found["printed"]


def test_several_runs() -> None:
    runs = [{"expression": "Laplace(1)"}, {"expression": "Laplace(2)", "relation": "replace-one"}]
    texts = code({"runs": runs, "delta": 0, "kind": "epsilon"})
    assert list(map(float, printed(texts["python"]).split())) == [1.0, 1.0]
    assert len(texts["command"].splitlines()) == 2


@pytest.mark.parametrize("kind", ["compare", "attacker"])
def test_tables_and_words(kind: str) -> None:
    texts = code({"runs": [{"expression": "Gaussian(20) * 3"}], "delta": 1e-5, "kind": kind})
    wanted = {"compare": "0.29126", "attacker": "What an attacker can come to believe"}[kind]
    assert wanted in printed(texts["python"])
    assert wanted in call(*shlex.split(texts["command"])[1:]).stdout


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["profile", "tradeoff", "steps", "renyi"])
def test_pictures(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    runs = [{"expression": "Gaussian(2) * 4"}, {"expression": "PureDP(0.5) * 4"}]
    texts = code({"runs": runs, "delta": 1e-5, "kind": kind})
    picture = tmp_path / f"{kind}.png"
    printed(texts["python"])
    assert picture.read_bytes().startswith(b"\x89PNG")
    picture.unlink()
    assert call(*shlex.split(texts["command"])[1:]).returncode == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_runs_about_different_neighbours_are_two_pictures() -> None:
    runs = [{"expression": "Gaussian(2)"}, {"expression": "Gaussian(2)", "relation": "zero-out"}]
    texts = code({"runs": runs, "delta": 1e-5, "kind": "profile"})
    assert texts["python"].count("hs.plot(") == 2
    assert [line.split()[-1] for line in texts["command"].splitlines()] == [
        "profile-1.png",
        "profile-2.png",
    ]
